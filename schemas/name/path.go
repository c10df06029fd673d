package name

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrPath says that a dotted name cannot be read.
var ErrPath = errors.New("not a dotted name")

// JoinPath writes parts as people see and type them: joined by dots, a part
// that holds a dot or a quote, or nothing, between double quotes with the
// quotes in it doubled.
func JoinPath(parts ...string) string {
	if len(parts) == 1 {
		return Quote(parts[0])
	}
	var room [4]string
	quoted := room[:0]
	for _, p := range parts {
		quoted = append(quoted, Quote(p))
	}
	return strings.Join(quoted, ".")
}

// Quote writes one part of a dotted name, quoted only if it must be.
func Quote(part string) string {
	if part != "" && strings.IndexByte(part, '.') < 0 && strings.IndexByte(part, '"') < 0 {
		return part
	}
	return `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
}

// SplitPath reads what JoinPath writes. An empty unquoted part, a quote that
// is not closed and text after a closing quote are errors that wrap ErrPath
// and say where.
func SplitPath(s string) ([]string, error) {
	if !strings.Contains(s, `"`) {
		parts := strings.Split(s, ".")
		if slices.Contains(parts, "") {
			return nil, fmt.Errorf("%w: %q has an empty part", ErrPath, s)
		}
		return parts, nil
	}
	var parts []string
	for i := 0; ; {
		part, next, err := readPart(s, i)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if next == len(s) {
			return parts, nil
		}
		i = next + 1
	}
}

// readPart reads the part that begins at i and gives the index of the dot
// after it, or len(s).
func readPart(s string, i int) (part string, next int, err error) {
	if i >= len(s) || s[i] != '"' {
		next = len(s)
		if dot := strings.IndexByte(s[i:], '.'); dot >= 0 {
			next = i + dot
		}
		if next == i {
			return "", 0, fmt.Errorf("%w: %q has an empty part at %d", ErrPath, s, i+1)
		}
		return s[i:next], next, nil
	}
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		if s[j] != '"' {
			b.WriteByte(s[j])
			continue
		}
		if j+1 < len(s) && s[j+1] == '"' {
			b.WriteByte('"')
			j++
			continue
		}
		if j+1 < len(s) && s[j+1] != '.' {
			return "", 0, fmt.Errorf("%w: %q has text after the quote at %d", ErrPath, s, j+1)
		}
		return b.String(), j + 1, nil
	}
	return "", 0, fmt.Errorf("%w: the quote at %d of %q is not closed", ErrPath, i+1, s)
}

// Display gives the form of a dataset that people see: source.db.table, where
// source is the id that the namespace is registered under (or the namespace
// itself). A name that is one opaque thing on its platform, a topic or a
// path, is one part.
func (k Key) Display(source string) string {
	if PlatformOf(k.Namespace).Opaque {
		return JoinPath(source, k.Name)
	}
	if _, err := SplitPath(k.Name); err != nil {
		return JoinPath(source, k.Name)
	}
	return Quote(source) + "." + k.Name
}

// DatasetFromPath gives the key of the dataset that people mean by
// source.db.table, already split; namespace is the physical namespace that
// the first part stands for.
func DatasetFromPath(namespace string, rest []string) Key {
	d := DatasetsOf(namespace)
	return d.Key(rest)
}

// Datasets are the datasets of one namespace. It gives the keys of many of them
// without looking at the namespace each time.
type Datasets struct {
	namespace string
	platform  Platform
}

// DatasetsOf gives the datasets of a physical namespace.
func DatasetsOf(namespace string) Datasets {
	ns := Namespace(namespace)
	return Datasets{ns, PlatformOf(ns)}
}

// Key gives the key of the dataset with a dotted name, already split.
func (d *Datasets) Key(parts []string) Key {
	if len(parts) == 1 && d.platform.Opaque {
		return Key{Family: FamilyDataset, Namespace: d.namespace, Name: parts[0]}
	}
	return Key{Family: FamilyDataset, Namespace: d.namespace, Name: d.platform.FoldName(JoinPath(parts...))}
}
