package event

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// Entry is what is known of one type of event.
type Entry struct {
	// Type is the full name with the major version.
	Type string
	// Topic is where its records travel.
	Topic string
	// New gives a pointer to an empty struct of the type.
	New func() Data
}

// Data is the data of an event: a pointer to the struct of its type.
type Data interface {
	// RecordKey gives the key of the event's record in its topic.
	RecordKey() string
	// Namespaces gives the namespaces that the event changes something in: of
	// its task, its dataset or both ends of an edge, or the catalog's space.
	// An id of a source stands for itself, for only the fold of definitions
	// knows its address. There are none if the event concerns them all.
	Namespaces() []string
}

// Checker is implemented by data that can tell more about what is wrong with
// it than a JSON Schema can. Its errors wrap ErrInvalid.
type Checker interface{ Check() error }

// entry makes the Entry of the data type T.
func entry[T any, P interface {
	*T
	Data
}](eventType, topic string) Entry {
	return Entry{Type: eventType, Topic: topic, New: func() Data { return P(new(T)) }}
}

// catalogEntries are the events of the catalog.
func catalogEntries() []Entry {
	var out []Entry
	for eventType, empty := range CatalogTypes() {
		out = append(out, Entry{Type: eventType, Topic: TopicCatalog, New: func() Data { return empty() }})
	}
	return out
}

// registry is the table of all types. It is made once and never changed.
var registry = newRegistry(lineageEntries(), catalogEntries())

// types is the table of all types, by name.
type types map[string]Entry

func newRegistry(lists ...[]Entry) types {
	r := types{}
	for _, list := range lists {
		for _, e := range list {
			r[e.Type] = e
		}
	}
	return r
}

// Entries gives what is known of every type, sorted by name.
func Entries() []Entry {
	out := make([]Entry, 0, len(registry))
	for _, e := range registry {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Type < out[j].Type })
	return out
}

// Lookup gives what is known of a type. The error wraps ErrUnknownVersion if
// the event is known in another major version, else ErrUnknownType.
func Lookup(eventType string) (Entry, error) {
	if e, ok := registry[eventType]; ok {
		return e, nil
	}
	base, _, ok := cutVersion(eventType)
	if !ok {
		return Entry{}, fmt.Errorf("%w: %q has no major version; a type reads tributary.<entity>.<what happened>.v1", ErrUnknownType, eventType)
	}
	for known := range registry {
		if b, v, _ := cutVersion(known); b == base {
			return Entry{}, fmt.Errorf("%w: %q is known here as %s.%s", ErrUnknownVersion, eventType, base, v)
		}
	}
	return Entry{}, fmt.Errorf("%w: %q", ErrUnknownType, eventType)
}

// TypeOf gives the type of an event by the Go type of its data, which is a
// pointer to one of this package's structs. The error wraps ErrUnknownType.
func TypeOf(data any) (string, error) {
	if t, ok := byGoType[reflect.TypeOf(data)]; ok {
		return t, nil
	}
	return "", fmt.Errorf("%w: %T is no event's data; give a pointer such as *event.TaskDefined", ErrUnknownType, data)
}

// byGoType finds a type by the Go type of its data.
var byGoType = goTypes(registry)

func goTypes(r types) map[reflect.Type]string {
	out := make(map[reflect.Type]string, len(r))
	for name, e := range r {
		out[reflect.TypeOf(e.New())] = name
	}
	return out
}

// cutVersion splits tributary.task.defined.v1 into what is before and after
// the last dot; ok is false if what is after it is no version.
func cutVersion(eventType string) (base, version string, ok bool) {
	dot := strings.LastIndexByte(eventType, '.')
	if dot < 0 {
		return eventType, "", false
	}
	version = eventType[dot+1:]
	digits := strings.TrimPrefix(version, "v")
	if digits == version || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return eventType, "", false
	}
	return eventType[:dot], version, true
}

// Topic gives the topic of a type. Errors are those of Lookup.
func Topic(eventType string) (string, error) {
	e, err := Lookup(eventType)
	return e.Topic, err
}

// KeyOf gives the key of an event's record, from its data. Errors wrap
// ErrUnknownType or ErrUnknownVersion, or ErrInvalid if the data is not of
// the event's type.
func KeyOf(ev Event) (string, error) {
	e, err := Lookup(ev.Type)
	if err != nil {
		return "", err
	}
	data, ok := ev.Data.(Data)
	if !ok || reflect.TypeOf(data) != reflect.TypeOf(e.New()) || reflect.ValueOf(data).IsNil() {
		return "", fmt.Errorf("%w: data of %s is %T, not %T", ErrInvalid, ev.Type, ev.Data, e.New())
	}
	return data.RecordKey(), nil
}
