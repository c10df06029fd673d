package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Media types of events.
const (
	// ContentTypeJSON is that of an event's data.
	ContentTypeJSON = "application/json"
	// ContentTypeStructured is that of one whole event as JSON.
	ContentTypeStructured = "application/cloudevents+json"
	// ContentTypeBatch is that of a JSON array of whole events.
	ContentTypeBatch = "application/cloudevents-batch+json"
)

// Names of the headers of a record. Those of the attributes begin with
// HeaderPrefix, as CloudEvents' Kafka binding says.
const (
	HeaderPrefix      = "ce_"
	HeaderContentType = "content-type"
)

// maxAttribute bounds an attribute's length in bytes.
const maxAttribute = 2048

// Header is one header of a record.
type Header struct {
	Key   string
	Value []byte
}

// Record is an event as it is written to the log.
type Record struct {
	Topic   string
	Key     []byte
	Value   []byte
	Headers []Header
	// Event is what Decode gives of the record, with the very data that Encode was
	// given; nil where Decode may give other data, or is to find out.
	Event *Event
}

// Envelope is an event whose data is not decoded yet.
type Envelope struct {
	ID, Source, Type string
	Time             time.Time
	// Data is JSON.
	Data json.RawMessage
	// Extensions holds extension attributes; nil if there are none.
	Extensions map[string]string
}

// Encode writes an event as a record: topic and key by its type and data,
// attributes in headers, data as JSON. Errors are those of Pack.
func Encode(ev Event) (Record, error) {
	p, err := Pack(ev)
	if err != nil {
		return Record{}, err
	}
	rec := p.Record(p.Topic, p.Key)
	if p.same && ev.Time.IsZero() && ev.Extensions == nil {
		ev.Time, ev.Key = time.Time{}, p.Key // without a place of its own
		rec.Event = &ev
	}
	return rec, nil
}

// Packed is an event whose data is written, with its place in the log.
type Packed struct {
	Envelope

	Topic, Key string
	// same says that decoding the envelope gives equal data.
	same bool
}

// Pack checks an event and writes its data. Errors are those of KeyOf,
// ErrInvalid for data that breaks a rule of its type, and ErrAttribute.
func Pack(ev Event) (Packed, error) {
	entry, err := Lookup(ev.Type)
	if err != nil {
		return Packed{}, err
	}
	key, err := KeyOf(ev)
	if err != nil {
		return Packed{}, err
	}
	if c, ok := ev.Data.(Checker); ok {
		if err := c.Check(); err != nil {
			return Packed{}, err
		}
	}
	value, same, err := marshal(ev.Data)
	if err != nil {
		return Packed{}, fmt.Errorf("encoding data of %s: %w", ev.Type, err)
	}
	p := Packed{Topic: entry.Topic, Key: key, same: same}
	p.Envelope = Envelope{ID: ev.ID, Source: ev.Source, Type: ev.Type, Time: ev.Time, Data: value, Extensions: ev.Extensions}
	return p, p.checkAttributes()
}

// Record gives the envelope as a record of a topic. The value is the
// envelope's data itself, not a copy.
func (e *Envelope) Record(topic, key string) Record {
	headers := make([]Header, 0, 6+len(e.Extensions))
	headers = append(headers,
		Header{HeaderContentType, []byte(ContentTypeJSON)},
		Header{HeaderPrefix + "specversion", []byte(SpecVersion)},
		Header{HeaderPrefix + "id", []byte(e.ID)},
		Header{HeaderPrefix + "source", []byte(e.Source)},
		Header{HeaderPrefix + "type", []byte(e.Type)},
	)
	if !e.Time.IsZero() {
		headers = append(headers, Header{HeaderPrefix + "time", e.Time.AppendFormat(nil, time.RFC3339Nano)})
	}
	names := make([]string, 0, len(e.Extensions))
	for n := range e.Extensions {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		headers = append(headers, Header{HeaderPrefix + n, []byte(e.Extensions[n])})
	}
	return Record{Topic: topic, Key: []byte(key), Value: e.Data, Headers: headers}
}

// Decode reads a record: binary mode, or structured if its content type says
// so. Fields that the type does not have are ignored; a type or major version
// that is not known is an error. H is any client's header type.
func Decode[H ~struct {
	Key   string
	Value []byte
}](headers []H, value []byte) (Event, error) {
	own := make([]Header, len(headers))
	for i, h := range headers {
		own[i] = Header(h)
	}
	env, err := ReadBinary(own, value)
	if err != nil {
		return Event{}, err
	}
	return env.Decode()
}

// ReadBinary reads attributes from headers without decoding the data.
func ReadBinary(headers []Header, value []byte) (*Envelope, error) {
	env := &Envelope{Data: value}
	var spec string
	for _, h := range headers {
		if strings.EqualFold(h.Key, HeaderContentType) {
			structured, err := checkContentType(string(h.Value))
			if err != nil {
				return nil, err
			}
			if structured {
				return ReadStructured(value)
			}
			continue
		}
		attribute, ok := strings.CutPrefix(h.Key, HeaderPrefix)
		if !ok {
			continue
		}
		if err := env.set(attribute, string(h.Value), &spec); err != nil {
			return nil, err
		}
	}
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	return env, env.checkAttributes()
}

// checkContentType accepts JSON; structured tells a whole event from data.
func checkContentType(s string) (structured bool, err error) {
	if s == ContentTypeJSON {
		return false, nil // nearly all; the next step costs more than the other attributes together
	}
	media, _, err := mime.ParseMediaType(s)
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: content type %q cannot be read", ErrAttribute, s)
	case media == ContentTypeStructured:
		return true, nil
	case media == ContentTypeJSON, strings.HasSuffix(media, "+json"), media == "text/json":
		return false, nil
	}
	return false, fmt.Errorf("%w: content type %q is not JSON", ErrAttribute, s)
}

// set puts one attribute in its place.
func (e *Envelope) set(attribute, value string, spec *string) error {
	switch attribute {
	case "id":
		e.ID = value
	case "source":
		e.Source = value
	case "type":
		e.Type = value
	case "specversion":
		*spec = value
	case "time":
		t, err := time.Parse(time.RFC3339Nano, value)
		if err != nil {
			return fmt.Errorf("%w: time %q is not as RFC 3339 says (2026-01-31T12:00:00Z)", ErrAttribute, value)
		}
		e.Time = t
	case "datacontenttype":
		_, err := checkContentType(value)
		return err
	default:
		return e.setExtension(attribute, value)
	}
	return nil
}

// maxExtensions bounds how many extension attributes an event may carry.
const maxExtensions = 32

func (e *Envelope) setExtension(attribute, value string) error {
	if len(e.Extensions) >= maxExtensions {
		return fmt.Errorf("%w: more than %d extension attributes", ErrAttribute, maxExtensions)
	}
	if attribute == "" || len(attribute) > 64 || strings.Trim(attribute, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return fmt.Errorf("%w: the name of attribute %q may hold a-z and 0-9 only", ErrAttribute, attribute)
	}
	if len(value) > maxAttribute || !utf8.ValidString(value) {
		return fmt.Errorf("%w: attribute %s is longer than %d bytes or not UTF-8", ErrAttribute, attribute, maxAttribute)
	}
	if e.Extensions == nil {
		e.Extensions = map[string]string{}
	}
	e.Extensions[attribute] = value
	return nil
}

func checkSpec(spec string) error {
	if spec != SpecVersion {
		return fmt.Errorf("%w: specversion is %q, should be %q", ErrAttribute, spec, SpecVersion)
	}
	return nil
}

// checkAttributes reports required attributes that are missing or too long.
func (e *Envelope) checkAttributes() error {
	for _, a := range [...]struct{ name, value string }{{"id", e.ID}, {"source", e.Source}, {"type", e.Type}} {
		switch {
		case a.value == "":
			return fmt.Errorf("%w: %s is missing", ErrAttribute, a.name)
		case len(a.value) > maxAttribute:
			return fmt.Errorf("%w: %s is longer than %d bytes", ErrAttribute, a.name, maxAttribute)
		case !utf8.ValidString(a.value):
			return fmt.Errorf("%w: %s is not UTF-8", ErrAttribute, a.name)
		}
	}
	return nil
}

// Decode decodes the data into the struct of its type and checks it.
func (e *Envelope) Decode() (Event, error) {
	ev, _, err := e.decode()
	return ev, err
}

// decode decodes the data, masks credentials in it, and gives the members that
// differ for that.
func (e *Envelope) decode() (Event, map[string]any, error) {
	entry, err := Lookup(e.Type)
	if err != nil {
		return Event{}, nil, err
	}
	if !utf8.Valid(e.Data) {
		return Event{}, nil, fmt.Errorf("%w: data is not UTF-8 at byte %d", ErrMalformed, InvalidUTF8(e.Data))
	}
	data, err := unmarshal(e.Data, entry.New)
	if err != nil {
		return Event{}, nil, fmt.Errorf("%w: data of %s: %w", ErrMalformed, e.Type, err)
	}
	if bytes.Equal(bytes.TrimSpace(e.Data), []byte("null")) {
		return Event{}, nil, fmt.Errorf("%w: data of %s is null", ErrMalformed, e.Type)
	}
	if c, ok := data.(Checker); ok {
		if err := c.Check(); err != nil {
			return Event{}, nil, err
		}
	}
	changed := ConcealData(data)
	return Event{
		ID: e.ID, Source: e.Source, Type: e.Type, Time: e.Time,
		Key: data.RecordKey(), Data: data, Extensions: e.Extensions,
	}, changed, nil
}

// InvalidUTF8 gives the offset of the first byte that is not UTF-8, or -1.
func InvalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}
