package event

import (
	"encoding/json"
	"maps"

	"github.com/tributary-data/tributary/schemas/credential"
)

// Conceal decodes the envelope's data as Decode does, and masks credentials in
// the envelope itself too, so that they do not reach the log. Members that the
// type does not have stay as they are. Errors are those of Decode.
func (e *Envelope) Conceal() (Event, error) {
	ev, changed, err := e.decode()
	for member, value := range changed {
		if err == nil {
			e.Data, err = WithMember(e.Data, member, value)
		}
	}
	return ev, err
}

// ConcealData masks credentials in those texts of an event's data that people
// write or machines copy without looking: SQL, variables, options, errors,
// descriptions and facets. It gives the members of the JSON object that it has
// changed. SQL of job specs stays as it is, since it is executed.
func ConcealData(data any) map[string]any {
	c := changes{}
	switch d := data.(type) {
	case *TaskDefined:
		c.text("sql", &d.SQL)
		c.text("description", &d.Description)
		c.texts("variables", &d.Variables)
		c.texts("labels", &d.Labels)
		c.facets("facets", &d.Facets)
	case *TableDefined:
		c.text("description", &d.Description)
		c.texts("options", &d.Options)
		c.texts("labels", &d.Labels)
		c.facets("facets", &d.Facets)
	case *RunStarted:
		c.run(&d.Run)
	case *RunCompleted:
		c.run(&d.Run)
	case *RunFailed:
		c.run(&d.Run)
	case *RunAborted:
		c.run(&d.Run)
	}
	return c
}

// changes are members of an event's data that have been masked.
type changes map[string]any

func (c changes) run(r *Run) {
	c.facets("facets", &r.Facets)
	inner := changes{}
	if r.Error != nil {
		inner.text("error", &r.Error.Message)
		inner.text("error", &r.Error.Stack)
	}
	if r.About != nil {
		inner.facets("about", &r.About.Facets)
	}
	if inner["error"] != nil {
		c["error"] = r.Error
	}
	if inner["about"] != nil {
		c["about"] = r.About
	}
}

func (c changes) text(member string, text *string) {
	if masked := credential.Mask(*text); masked != *text {
		*text = masked
		c[member] = masked
	}
}

func (c changes) texts(member string, texts *map[string]string) {
	for name, value := range *texts {
		masked := credential.Value(name, value)
		if masked == value {
			continue
		}
		if c[member] == nil {
			*texts = maps.Clone(*texts)
			c[member] = *texts
		}
		(*texts)[name] = masked
	}
}

func (c changes) facets(member string, facets *map[string]json.RawMessage) {
	for name, raw := range *facets {
		masked := credential.MaskJSON(raw)
		if string(masked) == string(raw) {
			continue
		}
		if c[member] == nil {
			*facets = maps.Clone(*facets)
			c[member] = *facets
		}
		(*facets)[name] = masked
	}
}
