package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/samples"
)

//go:embed events.md.tmpl
var pageText string

// page is what docs/events.md is made of.
type page struct {
	Topics []pageTopic
	Shapes []pageType
}

type pageTopic struct {
	Name  string
	Types []pageType
}

// pageType is an event, or a shape within events.
type pageType struct {
	Title, Description, Key, Sample string
	Fields                          []pageField
}

type pageField struct {
	Name, Type, Description string
	Required                bool
}

// writePage writes the page of all events.
func writePage(path string, documents map[string]*schema) error {
	p := page{}
	shapes := map[string]*schema{}
	for _, topic := range []string{event.TopicTasks, event.TopicDefinitions, event.TopicCatalog, event.TopicLineage} {
		t := pageTopic{Name: topic}
		for _, e := range event.Entries() {
			if e.Topic != topic {
				continue
			}
			s := documents[e.Type]
			maps.Copy(shapes, s.Defs)
			typ := pageType{Title: e.Type, Description: s.Description, Fields: fieldsOf(s)}
			if err := typ.addSample(e.Type); err != nil {
				return err
			}
			t.Types = append(t.Types, typ)
		}
		p.Topics = append(p.Topics, t)
	}
	for _, n := range slices.Sorted(maps.Keys(shapes)) {
		p.Shapes = append(p.Shapes, pageType{Title: n, Description: shapes[n].Description, Fields: fieldsOf(shapes[n])})
	}
	tmpl, err := template.New("events").Parse(pageText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, p); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600) //nolint:gosec // a file named by go generate
}

// addSample shows the type's longest golden sample, and its key.
func (t *pageType) addSample(eventType string) error {
	paths, err := fs.Glob(samples.FS(), eventType+"/*.json")
	if err != nil {
		return err
	}
	var best []byte
	for _, p := range paths {
		b, err := samples.FS().ReadFile(p)
		if err != nil {
			return err
		}
		if len(b) > len(best) && !strings.Contains(p, "unknown_fields") {
			best = b
		}
	}
	if best == nil {
		return fmt.Errorf("%s has no golden sample", eventType)
	}
	env, err := event.ReadStructured(best)
	if err != nil {
		return err
	}
	ev, err := env.Decode()
	if err != nil {
		return err
	}
	var compact, indented bytes.Buffer
	if err := json.Compact(&compact, env.Data); err != nil {
		return err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return err
	}
	t.Key, t.Sample = ev.Key, indented.String()
	return nil
}

func fieldsOf(s *schema) []pageField {
	out := make([]pageField, 0, len(s.Properties))
	for _, n := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[n]
		out = append(out, pageField{
			Name: n, Type: typeText(p), Required: slices.Contains(s.Required, n),
			Description: strings.ReplaceAll(p.Description, "|", `\|`),
		})
	}
	return out
}

// typeText names a field's type for people.
func typeText(s *schema) string {
	switch {
	case s == nil:
		return "any"
	case s.Ref != "":
		shape := strings.TrimPrefix(s.Ref, "#/$defs/")
		return fmt.Sprintf("[%s](#%s)", shape, strings.ToLower(shape))
	case s.Items != nil:
		return "list of " + typeText(s.Items)
	case s.Additional != nil:
		return "map to " + typeText(s.Additional)
	case len(s.Enum) > 0:
		return strings.Join(s.Enum, ", ")
	case s.Format != "":
		return s.Format
	case s.Type == "":
		return "any"
	}
	return s.Type
}
