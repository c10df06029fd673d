package lineage

import "github.com/tributary-data/tributary/schemas/event"

// Pending holds the parts of a long extraction until all are there. An owner
// keeps one: parts of a newer extraction take the place of an older one's,
// whose sender will write it again whole or was replaced.
type Pending struct {
	Order Order
	// Parts are in order of their numbers; nil where a part is missing.
	Parts []*event.LineageExtracted
}

// assemble keeps the part and gives the whole extraction once it is there.
// A part of an older extraction than the one kept is let go.
func (o *Owner) assemble(x *event.LineageExtracted) *event.LineageExtracted {
	order := OrderOf(x)
	p := o.Pending
	switch {
	case p == nil, order.Compare(p.Order) > 0, order.Compare(p.Order) == 0 && len(p.Parts) != x.Parts:
		p = &Pending{Order: order, Parts: make([]*event.LineageExtracted, x.Parts)}
		o.Pending = p
	case order.Compare(p.Order) < 0:
		return nil
	}
	p.Parts[x.Part-1] = x
	whole := *x
	whole.Part, whole.Parts = 1, 1
	whole.Uses, whole.Nodes, whole.Edges, whole.Statements, whole.Columns, whole.Errors, whole.Steps = nil, nil, nil, nil, nil, nil, nil
	for _, part := range p.Parts {
		if part == nil {
			return nil
		}
		whole.Uses = append(whole.Uses, part.Uses...)
		whole.Nodes = append(whole.Nodes, part.Nodes...)
		whole.Edges = append(whole.Edges, part.Edges...)
		whole.Statements = append(whole.Statements, part.Statements...)
		whole.Columns = append(whole.Columns, part.Columns...)
		whole.Errors = append(whole.Errors, part.Errors...)
		if len(part.Steps) > 0 {
			whole.Steps = part.Steps
		}
		if part.Flink != nil {
			whole.Flink = part.Flink
		}
	}
	return &whole
}
