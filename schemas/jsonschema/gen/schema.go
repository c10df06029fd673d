package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/tributary-data/tributary/schemas/event"
)

// schema is a JSON Schema, or a part of one. Its fields stand in the order in
// which people read them.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Type        string             `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	MinLength   int                `json:"minLength,omitempty"`
	MinItems    int                `json:"minItems,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Additional  *schema            `json:"additionalProperties,omitempty"`
	Topic       string             `json:"x-topic,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// builder makes the schema of one event; defs are the structs within it.
type builder struct {
	docs docs
	defs map[string]*schema
}

func newBuilder(d docs) *builder { return &builder{docs: d, defs: map[string]*schema{}} }

// document makes the schema of an event's data.
func (b *builder) document(e event.Entry) *schema {
	t := reflect.TypeOf(e.New()).Elem()
	s := b.object(t)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.ID = "https://tributary-data.github.io/schemas/" + e.Type + ".json"
	s.Title = e.Type
	s.Topic = e.Topic
	if len(b.defs) > 0 {
		s.Defs = b.defs
	}
	return s
}

// object makes the schema of a struct.
func (b *builder) object(t reflect.Type) *schema {
	s := &schema{Type: "object", Description: b.docs[t.Name()], Properties: map[string]*schema{}}
	b.fields(t, s)
	return s
}

// fields adds the fields of a struct; those of embedded structs count as its
// own, as they do in JSON.
func (b *builder) fields(t reflect.Type, s *schema) {
	for f := range t.Fields() {
		tag := f.Tag.Get("json")
		if f.Anonymous && tag == "" {
			b.fields(f.Type, s)
			continue
		}
		jsonName, options, _ := strings.Cut(tag, ",")
		if jsonName == "" || jsonName == "-" {
			continue
		}
		p := b.value(f.Type)
		p.Description = b.docs[t.Name()+"."+f.Name]
		if enum := f.Tag.Get("enum"); enum != "" {
			p.Enum = strings.Fields(enum)
		}
		if !strings.Contains(options, "omit") && f.Type.Kind() != reflect.Pointer {
			s.Required = append(s.Required, jsonName)
			switch f.Type.Kind() {
			case reflect.String:
				p.MinLength = 1
			case reflect.Slice:
				p.MinItems = 1
			}
		}
		s.Properties[jsonName] = p
	}
}

// value makes the schema of a field's type.
func (b *builder) value(t reflect.Type) *schema {
	if t == reflect.TypeFor[time.Time]() {
		return &schema{Type: "string", Format: "date-time"}
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return &schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.value(t.Elem())
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Slice:
		return &schema{Type: "array", Items: b.value(t.Elem())}
	case reflect.Map:
		return &schema{Type: "object", Additional: b.value(t.Elem())}
	case reflect.Struct:
		if _, ok := b.defs[t.Name()]; !ok {
			b.defs[t.Name()] = nil // a struct may hold itself
			b.defs[t.Name()] = b.object(t)
		}
		return &schema{Ref: "#/$defs/" + t.Name()}
	default:
		return &schema{Type: "integer"}
	}
}
