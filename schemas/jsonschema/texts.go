package jsonschema

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// texts are what a schema says of members that are texts. Most definitions of
// tasks have no others, and are right by a look at each: the whole schema takes
// several times as long.
type texts struct {
	// any are the members that may be any text, named those that must be there
	// and may be any text but the empty one.
	any, named map[string]bool
}

// textsOf reads the part of a schema that is about texts. They are left out, and
// the whole schema decides, where a required member is something else.
func textsOf(schema []byte) (texts, error) {
	var doc struct {
		Required   []string                              `json:"required"`
		Properties map[string]map[string]json.RawMessage `json:"properties"`
	}
	var rules map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(schema, &doc), json.Unmarshal(schema, &rules)); err != nil {
		return texts{}, err
	}
	for rule := range rules {
		if !slices.Contains([]string{"type", "properties", "required", "$defs", "$schema", "$id", "title", "description", "x-topic"}, rule) {
			return texts{}, nil
		}
	}
	t := texts{any: map[string]bool{}, named: map[string]bool{}}
	for member, rules := range doc.Properties {
		delete(rules, "description")
		text := string(rules["type"]) == `"string"`
		switch {
		case text && len(rules) == 1:
			t.any[member] = true
		case text && len(rules) == 2 && string(rules["minLength"]) == "1":
			t.named[member] = true
		}
	}
	for _, member := range doc.Required {
		if !t.named[member] {
			return texts{}, nil
		}
	}
	if len(doc.Required) != len(t.named) {
		return texts{}, nil
	}
	return t, nil
}

// errOther ends a look at members at the first that is not a text as expected.
var errOther = errors.New("the whole schema decides")

// allow reports data that the schema allows for sure. It must have passed
// event.CheckJSON.
func (t texts) allow(data []byte) bool {
	if len(t.named) == 0 {
		return false
	}
	var found []string
	err := event.Members(data, func(member string, value []byte) error {
		switch {
		case value[0] != '"':
			return errOther
		case t.any[member]:
			return nil
		case t.named[member] && len(value) > len(`""`) && !slices.Contains(found, member):
			found = append(found, member)
			return nil
		}
		return errOther
	})
	return err == nil && len(found) == len(t.named)
}
