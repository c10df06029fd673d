// Package name is the one place that knows how things are named: the keys of
// nodes and columns, the form that people see and type, the namespaces of
// OpenLineage with their aliases and default ports, and the case rules of each
// platform. Everything here is pure; the package imports no other room.
package name

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Families of nodes. A node's family is part of its key and never changes;
// its kind (table, view, batch, …) is an attribute and may.
const (
	FamilyDataset   = "dataset"
	FamilyTask      = "task"
	FamilyAPI       = "api"
	FamilyMetric    = "metric"
	FamilyTag       = "tag"
	FamilyDashboard = "dashboard"
)

// DefaultTaskNamespace is the namespace of a task whose definition names none.
const DefaultTaskNamespace = "default"

// ErrKey says that a text is not a node key or a column key.
var ErrKey = errors.New("not a node key")

// Families lists every family of nodes, in the order in which they are shown.
func Families() []string {
	return []string{FamilyDataset, FamilyTask, FamilyAPI, FamilyMetric, FamilyTag, FamilyDashboard}
}

// ValidFamily reports whether s is one of the families.
func ValidFamily(s string) bool {
	switch s {
	case FamilyDataset, FamilyTask, FamilyAPI, FamilyMetric, FamilyTag, FamilyDashboard:
		return true
	}
	return false
}

// FamilyOfKind gives the family of a task definition's kind: batch, realtime
// and service are tasks, the others are families of their own.
func FamilyOfKind(kind string) string {
	switch kind {
	case FamilyAPI, FamilyMetric, FamilyTag, FamilyDashboard:
		return kind
	}
	return FamilyTask
}

// Key names one node. Its text is family|namespace|name.
type Key struct {
	// Family is one of Families.
	Family string
	// Namespace is the physical source in OpenLineage's naming
	// (mysql://host:3306), or the namespace of tasks.
	Namespace string
	// Name is what the platform calls it: dotted parts (db.table, a part that
	// holds a dot or a quote being quoted), or one opaque name (topic, path).
	Name string
}

// NewKey gives the key of a node with its namespace and name in canonical
// form: aliases and default ports by Namespace, case as the platform folds it.
func NewKey(family, namespace, nodeName string) Key {
	if family == "" {
		family = FamilyDataset
	}
	if family != FamilyDataset {
		if namespace == "" {
			namespace = DefaultTaskNamespace
		}
		return Key{Family: family, Namespace: namespace, Name: nodeName}
	}
	ns := Namespace(namespace)
	return Key{Family: family, Namespace: ns, Name: PlatformOf(ns).FoldName(nodeName)}
}

// String gives family|namespace|name. A bar in the namespace is written %7C,
// so that the text always parses back to the same key.
func (k Key) String() string {
	return k.Family + "|" + escapeBar(k.Namespace) + "|" + k.Name
}

// ID gives the 64-bit id of the key that stored rows carry.
func (k Key) ID() uint64 { return ID(k.String()) }

// Column gives the key of one of the node's columns.
func (k Key) Column(column string) string { return ColumnKey(k.String(), column) }

// ParseKey reads what Key.String prints. It does not normalise: an old key
// keeps the form that it was stored with. Errors wrap ErrKey.
func ParseKey(s string) (Key, error) {
	family, rest, ok := strings.Cut(s, "|")
	if !ok || !ValidFamily(family) {
		return Key{}, fmt.Errorf("%w: %q does not begin with a family (%s) and a bar", ErrKey, s, strings.Join(Families(), ", "))
	}
	namespace, nodeName, ok := strings.Cut(rest, "|")
	if !ok || nodeName == "" {
		return Key{}, fmt.Errorf("%w: %q should read family|namespace|name", ErrKey, s)
	}
	return Key{Family: family, Namespace: unescapeBar(namespace), Name: nodeName}, nil
}

// ColumnKey gives the key of a column: the node's key, a dot and the column,
// quoted if it holds a dot or a quote.
func ColumnKey(node, column string) string { return node + "." + Quote(column) }

// SplitColumnKey takes a column key apart into the node's key and the column.
// Errors wrap ErrKey.
func SplitColumnKey(s string) (node, column string, err error) {
	dot := lastPart(s)
	if dot <= 0 {
		return "", "", fmt.Errorf("%w: %q has no column", ErrKey, s)
	}
	parts, err := SplitPath(s[dot+1:])
	if err != nil || len(parts) != 1 {
		return "", "", fmt.Errorf("%w: the column of %q cannot be read", ErrKey, s)
	}
	return s[:dot], parts[0], nil
}

// lastPart gives the index of the dot before the last part of a dotted name,
// or -1. It reads from the right, because a name before the column may be a
// path or a topic that is not quoted by our rules; a part that holds a dot or
// a quote always is.
func lastPart(s string) int {
	if !strings.HasSuffix(s, `"`) {
		return strings.LastIndexByte(s, '.')
	}
	for i := len(s) - 2; i > 0; i-- {
		if s[i] != '"' {
			continue
		}
		if s[i-1] == '"' {
			i--
			continue
		}
		if s[i-1] == '.' {
			return i - 1
		}
		return -1
	}
	return -1
}

// ID gives the 64-bit id of a node key or column key: xxHash64 with seed 0,
// which ClickHouse computes as xxHash64(key). Two keys may share an id; whoever
// stores ids keeps the key beside them and refuses a second key for an id.
func ID(key string) uint64 { return xxhash.Sum64String(key) }

// ColumnID gives the id of a column of a node: that of the node's key, a zero
// byte and the column, so that no column shares the text of a node's key: the
// table a.b of one database is not the column b of a table a. ClickHouse
// computes it as xxHash64(concat(key, '\0', column)).
func ColumnID(key, column string) uint64 {
	var room [256]byte
	text := append(room[:0], key...) // stays on the stack unless it is long
	text = append(text, 0)
	text = append(text, column...)
	return xxhash.Sum64(text)
}

// TaskKey gives the key of a task among tasks: namespace|id. It is the key of
// the task's records in the log, so that all events of a task stand in one
// partition whatever kind the task is.
func TaskKey(namespace, id string) string {
	if namespace == "" {
		namespace = DefaultTaskNamespace
	}
	return escapeBar(namespace) + "|" + id
}

// JobSpecScheme is what the namespace of a job spec's task begins with; the
// rest of it is the space.
const JobSpecScheme = "tributary://"

// IsJobSpec reports whether the key of a task (see TaskKey) is that of a job
// spec.
func IsJobSpec(taskKey string) bool { return strings.HasPrefix(taskKey, JobSpecScheme) }

// SplitTaskKey takes the key of a task apart. Errors wrap ErrKey.
func SplitTaskKey(s string) (namespace, id string, err error) {
	namespace, id, ok := strings.Cut(s, "|")
	if !ok || id == "" {
		return "", "", fmt.Errorf("%w: %q should read namespace|id", ErrKey, s)
	}
	return unescapeBar(namespace), id, nil
}

// escapeBar writes a bar as %7C, and a % that would then be read as an escape
// as %25; every other text, and so every ordinary namespace, stays as it is.
func escapeBar(s string) string {
	if !strings.ContainsAny(s, "|%") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch {
		case s[i] == '|':
			b.WriteString("%7C")
		case s[i] == '%' && (strings.HasPrefix(s[i+1:], "7C") || strings.HasPrefix(s[i+1:], "25")):
			b.WriteString("%25")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func unescapeBar(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return strings.NewReplacer("%7C", "|", "%25", "%").Replace(s)
}
