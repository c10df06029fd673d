package event

import "slices"

// readTexts reads a definition whose members are texts, each at most once, as the
// definitions of tasks with SQL mostly are. Senders write them in any order and
// with white space.
func (d *TaskDefined) readTexts(r *jsonReader) {
	seen := make([]*string, 0, 12) // as many as there are
	r.space()
	r.need('{')
	for !r.bad {
		r.space()
		raw, escaped := r.quoted()
		into := d.member(string(raw))
		if escaped || into == nil || slices.Contains(seen, into) {
			r.fail()
			return
		}
		seen = append(seen, into)
		r.space()
		r.need(':')
		r.space()
		*into = r.value()
		r.space()
		if !r.take(',') {
			break
		}
	}
	r.need('}')
	r.space()
}

// member gives the place of a text by its member's name, nil for what is no text.
func (d *TaskDefined) member(name string) *string {
	switch name {
	case "namespace":
		return &d.Namespace
	case "id":
		return &d.ID
	case "branch":
		return &d.Branch
	case "kind":
		return &d.Kind
	case "name":
		return &d.Name
	case "owner":
		return &d.Owner
	case "description":
		return &d.Description
	case "sql":
		return &d.SQL
	case "dialect":
		return &d.Dialect
	case "default_source":
		return &d.DefaultSource
	case "default_catalog":
		return &d.DefaultCatalog
	case "default_schema":
		return &d.DefaultSchema
	}
	return nil
}
