package catalog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tributary-data/tributary/schemas/event"
)

// fewPaths is the length up to which a manifest is searched for duplicates pair by pair.
const fewPaths = 8

// checkManifest refuses a manifest, or a part of one, that no view could take.
func (t *Transaction) checkManifest(m *event.Manifest) *Refusal {
	if t.Type == Delete && len(m.Put) > 0 {
		return refuse(CodeInvalidManifest, "transaction %s is of type DELETE and cannot put files", t.ID)
	}
	if t.Type != Delete && len(m.Delete) > 0 {
		return refuse(CodeInvalidManifest, "transaction %s is of type %s and cannot delete files", t.ID, t.Type)
	}
	paths := m.Delete
	if len(m.Put) > 0 {
		paths = make([]string, len(m.Put))
		for i := range m.Put {
			file := &m.Put[i]
			paths[i] = file.Path
			if file.Rows < 0 || file.Bytes < 0 || len(file.Location) > maxTextBytes || len(file.Checksum) > maxTextBytes {
				return refuse(CodeInvalidManifest, "file %s has a negative count, or a location or checksum of more than %d bytes", clip(file.Path), maxTextBytes)
			}
		}
	}
	for _, path := range paths {
		if why := badPath(path); why != "" {
			return refuse(CodeInvalidManifest, "%q is not a path of a file: %s", clip(path), why)
		}
		if _, twice := t.paths[path]; twice {
			return refuse(CodeInvalidManifest, "%s stands twice in the manifest of transaction %s", clip(path), t.ID)
		}
	}
	if path := duplicate(paths); path != "" {
		return refuse(CodeInvalidManifest, "%s stands twice in the manifest of transaction %s", clip(path), t.ID)
	}
	return nil
}

// duplicate returns a path that stands twice, or nothing.
func duplicate(paths []string) string {
	if len(paths) <= fewPaths {
		for i, path := range paths {
			if slices.Contains(paths[:i], path) {
				return path
			}
		}
		return ""
	}
	seen := make(map[string]struct{}, len(paths))
	for _, path := range paths {
		if _, twice := seen[path]; twice {
			return path
		}
		seen[path] = struct{}{}
	}
	return ""
}

// badPath says what is wrong with a file's path, or nothing. A path is relative and stays inside its
// dataset.
func badPath(path string) string {
	switch {
	case path == "":
		return "it is empty"
	case len(path) > maxPathBytes:
		return "it is longer than 1,024 bytes"
	case !utf8.ValidString(path):
		return "it is not UTF-8"
	case strings.HasPrefix(path, "/"):
		return "it is absolute"
	case strings.ContainsRune(path, '\\'):
		return "it holds a backslash"
	}
	for _, r := range path {
		if unicode.IsControl(r) {
			return "it holds a control character"
		}
	}
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "":
			return "a part of it is empty"
		case ".", "..":
			return "it holds . or .. as a part"
		}
	}
	return ""
}

// checkSchema refuses a schema with nameless or repeated fields.
func checkSchema(fields []event.Field) *Refusal {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.Name
		if badName(field.Name) != "" || len(field.Type) > maxTextBytes {
			return refuse(CodeInvalidManifest, "%q is not a field of a schema", clip(field.Name))
		}
	}
	if name := duplicate(names); name != "" {
		return refuse(CodeInvalidManifest, "field %s stands twice in the schema", clip(name))
	}
	return nil
}
