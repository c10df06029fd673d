// Package jsonschema holds the JSON Schema of every event and checks events
// against them, before they are accepted into the log.
package jsonschema

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	schemas "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/tributary-data/tributary/schemas/event"
)

//go:generate go run ./gen ../event . ../../docs/events.md

//go:embed *.json
var files embed.FS

// FS holds the schemas as files, <type>.json.
func FS() fs.FS { return files }

// Document gives the schema of a type as a JSON object.
func Document(eventType string) (map[string]any, error) {
	b, err := files.ReadFile(eventType + ".json")
	if err != nil {
		return nil, fmt.Errorf("reading the schema of %s: %w", eventType, err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, fmt.Errorf("reading the schema of %s: %w", eventType, err)
	}
	return doc, nil
}

// Set holds the schema of each type, compiled. It may be used by many at
// once.
type Set struct {
	byType  map[string]*schemas.Schema
	texts   map[string]texts
	printer *message.Printer
}

// New compiles all schemas.
func New() (*Set, error) {
	c := schemas.NewCompiler()
	c.AssertFormat()
	set := &Set{byType: map[string]*schemas.Schema{}, texts: map[string]texts{}, printer: message.NewPrinter(language.English)}
	for _, e := range event.Entries() {
		b, err := files.ReadFile(e.Type + ".json")
		if err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", e.Type, err)
		}
		doc, err := schemas.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", e.Type, err)
		}
		url := "mem:///" + e.Type + ".json"
		if err := c.AddResource(url, doc); err != nil {
			return nil, fmt.Errorf("adding the schema of %s: %w", e.Type, err)
		}
		if set.byType[e.Type], err = c.Compile(url); err != nil {
			return nil, fmt.Errorf("compiling the schema of %s: %w", e.Type, err)
		}
		if set.texts[e.Type], err = textsOf(b); err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", e.Type, err)
		}
	}
	return set, nil
}

// maxFaults bounds how many faults of one event are told.
const maxFaults = 5

// Validate checks an event's data. The error wraps event.ErrMalformed if data
// is not JSON; others are those of ValidateChecked.
func (s *Set) Validate(eventType string, data []byte) error {
	if err := event.CheckJSON(data); err != nil {
		return err
	}
	return s.ValidateChecked(eventType, data)
}

// ValidateChecked is Validate for data that has passed event.CheckJSON. The
// error wraps event.ErrInvalid if data breaks the schema (it then says where
// and what was expected), or the errors of event.Lookup.
func (s *Set) ValidateChecked(eventType string, data []byte) error {
	compiled, ok := s.byType[eventType]
	if !ok {
		if _, err := event.Lookup(eventType); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s has no schema", event.ErrUnknownType, eventType)
	}
	if s.texts[eventType].allow(data) {
		return nil
	}
	err := compiled.Validate(event.Value(data))
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		return fmt.Errorf("%w: %s", event.ErrInvalid, strings.Join(s.faults(invalid, nil), "; "))
	}
	return err
}

// faults lists the leaves of a validation error, each with its place.
func (s *Set) faults(e *schemas.ValidationError, out []string) []string {
	if len(out) >= maxFaults {
		return out
	}
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference:
	default:
		if len(e.Causes) == 0 {
			place := "/" + strings.Join(e.InstanceLocation, "/")
			return append(out, place+": "+e.ErrorKind.LocalizedString(s.printer))
		}
	}
	for _, c := range e.Causes {
		out = s.faults(c, out)
	}
	return out
}
