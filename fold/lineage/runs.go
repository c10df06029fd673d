package lineage

import (
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// maxRuns bounds the runs that an owner remembers; the oldest go first.
const maxRuns = 16

// Run is what one run of a task has told so far. The events of a run
// accumulate: one may name the inputs and another the outputs.
type Run struct {
	ID string
	// State is the last state told; the first that ends a run stands.
	State string
	// Inputs are keys of nodes read, Outputs keys of nodes written that are
	// made from every input, both sorted.
	Inputs, Outputs []string
	// Items are the edges that the run's events name, sorted.
	Items []Item
	// Mentions are what they say of nodes.
	Mentions []Mention
}

func (r *Run) ended() bool { return r.State != "" && r.State != event.RunStateRunning }

// tellsNothing says that an event is of a run that has named nothing read or
// written. Such runs replace nothing: their sender does not observe lineage.
func (o *Owner) tellsNothing(x *event.LineageExtracted) bool {
	if len(x.Edges) > 0 || x.Observed != nil && len(x.Observed.Inputs)+len(x.Observed.Outputs) > 0 {
		return false
	}
	return !slices.ContainsFunc(o.Runs, func(r Run) bool { return r.ID == x.RunID })
}

// observe adds what an event tells of its run, and gives the edges that the
// task's runs then make: a completed run replaces what runs before it made;
// a run that goes on, or failed since then, adds to it.
func (o *Owner) observe(x *event.LineageExtracted, items []Item, mentions []Mention) ([]Item, []Mention) {
	o.Runs = slices.Clone(o.Runs)
	n := slices.IndexFunc(o.Runs, func(r Run) bool { return r.ID == x.RunID })
	if n < 0 {
		o.Runs = append(o.Runs, Run{ID: x.RunID})
		n = len(o.Runs) - 1
	}
	r := o.Runs[n]
	ended := r.ended()
	if x.Observed != nil {
		r.Inputs = union(r.Inputs, x.Observed.Inputs)
		r.Outputs = union(r.Outputs, x.Observed.Outputs)
		if !ended {
			r.State = x.Observed.State
		}
	}
	r.Items = merge(slices.Concat(r.Items, items))
	r.Mentions = mergeMentions(slices.Concat(mentions, r.Mentions))
	o.Runs[n] = r
	if r.State == event.RunStateCompleted && !ended {
		o.Runs = slices.DeleteFunc(o.Runs, func(other Run) bool { return other.ID != r.ID && other.ended() })
	}
	if extra := len(o.Runs) - maxRuns; extra > 0 {
		o.Runs = slices.Delete(o.Runs, 0, extra)
	}
	return o.observed()
}

// observed gives the edges and mentions of all runs that the owner remembers.
func (o *Owner) observed() ([]Item, []Mention) {
	var items []Item
	var mentions []Mention
	for _, r := range o.Runs {
		items = append(items, r.Items...)
		mentions = append(mentions, r.Mentions...)
		for _, to := range r.Outputs {
			for _, from := range r.Inputs {
				items = append(items, Item{Edge: Edge{From: from, To: to, Direct: true, Origin: OriginObserved}})
			}
		}
	}
	return merge(items), mergeMentions(mentions)
}

// union gives the sorted union; it does not change a.
func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
