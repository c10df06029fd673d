package lineage

import (
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// applyManual adds or removes what a person drew. A column edge makes the
// table edge too, which goes with its last column edge unless someone drew it
// as well. Removing a table edge takes the column edges under it along: what a
// person removes is gone.
func (o *Owner) applyManual(rec Record, e event.Edge, add bool, rows *Rows) Outcome {
	from, to := e.From.NodeKey(), e.To.NodeKey()
	item := Item{
		Edge: Edge{From: from.String(), To: to.String(), FromColumn: ColumnName(from, e.FromColumn), ToColumn: ColumnName(to, e.ToColumn), Direct: true, Origin: OriginManual},
		Who:  e.Who, Why: e.Why, Explicit: true,
	}
	items := o.drawn()
	known := slices.IndexFunc(items, func(i Item) bool { return i.Edge == item.Edge })
	switch {
	case add && known >= 0:
		return OutcomeRepeated
	case add:
		items = append(items, item)
	default:
		before := len(items)
		items = slices.DeleteFunc(items, func(i Item) bool {
			return i.Edge == item.Edge || item.Level() == LevelTable && i.From == item.From && i.To == item.To
		})
		if len(items) == before {
			return OutcomeRepeated
		}
	}
	o.Status = StatusLive
	for _, i := range items {
		if i.Level() == LevelColumn {
			i.Edge = Edge{From: i.From, To: i.To, Direct: true, Origin: OriginManual}
			i.Explicit = false
			items = append(items, i)
		}
	}
	// What was drawn comes first, so that its author stands where both are.
	items = merge(items)
	o.replace(rec, items, rows)
	o.touch(rec, rows)
	return OutcomeApplied
}

// drawn gives a copy of the edges that people drew, without those that are
// there because of others.
func (o *Owner) drawn() []Item {
	return slices.DeleteFunc(slices.Clone(o.Items), func(i Item) bool { return !i.Explicit })
}
