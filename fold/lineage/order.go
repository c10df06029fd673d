package lineage

import (
	"cmp"

	"github.com/tributary-data/tributary/schemas/event"
)

// Order is what extractions of one owner are compared by: first the task event
// that they came from, then the position in tributary.definitions that they
// were resolved at, then the parser's version. The greatest one stands.
type Order struct {
	// FromGeneration and FromOffset say where the task's event stands.
	FromGeneration int
	FromOffset     int64
	// DefinitionsGeneration and DefinitionsOffset say how far definitions were read.
	DefinitionsGeneration int
	DefinitionsOffset     int64
	// Parser is the parser's version.
	Parser int
}

// OrderOf gives the order of an extraction.
func OrderOf(x *event.LineageExtracted) Order {
	return Order{
		FromGeneration: x.From.Generation, FromOffset: x.From.Offset,
		DefinitionsGeneration: x.Definitions.Generation, DefinitionsOffset: x.Definitions.Offset,
		Parser: x.Parser,
	}
}

// Compare is negative if o is older than p, positive if newer.
func (o Order) Compare(p Order) int {
	return cmp.Or(
		o.compareFrom(p),
		cmp.Compare(o.DefinitionsGeneration, p.DefinitionsGeneration),
		cmp.Compare(o.DefinitionsOffset, p.DefinitionsOffset),
		cmp.Compare(o.Parser, p.Parser),
	)
}

func (o Order) compareFrom(p Order) int {
	return cmp.Or(cmp.Compare(o.FromGeneration, p.FromGeneration), cmp.Compare(o.FromOffset, p.FromOffset))
}
