package resolve

import "slices"

// Graph is the shared step graph of a script: how each column edge comes about. It
// is walked from an edge's roots along Inputs down to columns of tables; paths are
// never listed. It may have cycles (recursive CTEs).
type Graph struct {
	Steps []Step
	// Columns and Indirect hold the root steps of Result.Columns and Result.Indirect,
	// by position.
	Columns, Indirect [][]int
}

// Step is one place in the SQL where a value is made or a column is read.
type Step struct {
	// Statement is the statement's number, Line and Column its place; 0 for a column
	// of a table.
	Statement, Line, Column int
	// Name is the name that the value has there, empty for an expression without one.
	Name string
	// Table is set for columns of tables, where the walk ends.
	Table string
	// Inputs flow into the value, Conditions decide about it.
	Inputs, Conditions []StepInput
}

// StepInput is one input of a step, with what the value goes through on the way in:
// transformation, aggregation, masking; or how it decides.
type StepInput struct {
	Step int
	Via  []string
}

// graph is what the step graph is made from when it is asked for.
// It does not hold the statements' trees, whose memory is used again.
type graph struct {
	columns  []*columnEdge
	indirect []*indirectEdge
	lines    Places
	// memory is what the values are in, if it is to be used again.
	memory *memory
}

// Release gives the memory that the step graph is made from to a later script: Steps
// has no steps from then on. All else of the result stays good. Nobody need call it.
func (res *Result) Release() {
	if m := res.graph.memory; m != nil {
		res.graph = graph{lines: res.graph.lines}
		m.giveBack()
	}
}

// Steps builds the step graph. It is linear in what the script's edges reach. It has
// no steps unless the script was resolved with Options.Explain.
func (res *Result) Steps() *Graph {
	likely := len(res.Columns) + len(res.Indirect) // most values are a column of one edge
	b := &graphBuilder{lines: res.graph.lines, queue: make([]*value, 0, 2*likely)}
	for _, e := range res.graph.columns {
		b.meetAll(e.steps)
	}
	for _, e := range res.graph.indirect {
		b.meetAll(e.steps)
	}
	b.follow()
	g := &Graph{Steps: make([]Step, len(b.queue)), Columns: make([][]int, len(res.Columns)), Indirect: make([][]int, len(res.Indirect))}
	b.ids, b.list = make([]int, b.known), make([]StepInput, b.inputs)
	for _, e := range res.graph.columns {
		b.roots(&g.Columns[e.at], e.steps)
	}
	for _, e := range res.graph.indirect {
		b.roots(&g.Indirect[e.at], e.steps)
	}
	for i, v := range b.queue {
		b.step(&g.Steps[i], v)
	}
	return g
}

// graphBuilder puts the values into a queue first, which is the order of the steps, and
// so knows how much memory the steps take.
type graphBuilder struct {
	lines  Places
	queue  []*value
	known  int // root steps of all edges
	inputs int // of all values, and conditions
	// ids and list are what the lists of steps are cut from.
	ids  []int
	list []StepInput
}

// meet gives a value its place in the queue unless it has one. A value knows its place,
// and is in the queue if it stands there.
func (b *graphBuilder) meet(v *value) {
	if n := int(v.step); n < len(b.queue) && b.queue[n] == v {
		return
	}
	v.step = int32(len(b.queue))
	b.queue = append(b.queue, v)
}

func (b *graphBuilder) meetAll(list []*value) {
	b.known += len(list)
	for _, v := range list {
		b.meet(v)
	}
}

// follow meets what flows into the values of the queue. Those add to the queue.
func (b *graphBuilder) follow() {
	for done := 0; done < len(b.queue); {
		v := b.queue[done]
		done++
		if v.owner != nil {
			continue
		}
		if v.star != nil && v.star.whole != nil {
			b.inputs++
			b.meet(v.star.whole)
		}
		for i := range v.inputs {
			b.meet(v.inputs[i].from)
		}
		for i := range v.conds {
			b.meet(v.conds[i].from)
		}
		b.inputs += len(v.inputs) + len(v.conds)
	}
}

// roots adds the root steps of an edge.
func (b *graphBuilder) roots(list *[]int, steps []*value) {
	if *list == nil && len(steps) > 0 {
		*list, b.ids = b.ids[:0:len(steps)], b.ids[len(steps):]
	}
	for _, v := range steps {
		*list = append(*list, int(v.step))
	}
}

// cut cuts a list for the inputs or conditions of a step; nil for none.
func (b *graphBuilder) cut(n int) (list []StepInput) {
	if n > 0 {
		list, b.list = b.list[:0:n], b.list[n:]
	}
	return list
}

func (b *graphBuilder) step(s *Step, v *value) {
	s.Name = v.name
	if v.owner != nil {
		s.Table = v.owner.printed
		return
	}
	s.Statement = int(v.stmt)
	s.Line, s.Column = b.lines.At(v.at)
	if v.star != nil && v.star.whole != nil {
		s.Inputs = append(b.cut(1+len(v.inputs)), StepInput{Step: int(v.star.whole.step)})
	} else {
		s.Inputs = b.cut(len(v.inputs))
	}
	for _, in := range v.inputs {
		s.Inputs = append(s.Inputs, StepInput{int(in.from.step), inputVias[in.pass&passAll]})
	}
	s.Conditions = b.cut(len(v.conds))
	for _, c := range v.conds {
		s.Conditions = append(s.Conditions, StepInput{int(c.from.step), steerNames[c.kind : c.kind+1 : c.kind+1]})
	}
}

const passAll = passTransform | passAggregate | passMask

// inputVias are the names of all ways in.
var inputVias = func() (t [passAll + 1][]string) {
	for p := range t {
		t[p] = slices.Clip(inputNames(pass(p)))
	}
	return t
}()

func inputNames(p pass) []string {
	var out []string
	if p&passTransform != 0 {
		out = append(out, "transformation")
	}
	if p&passAggregate != 0 {
		out = append(out, "aggregation")
	}
	if p&passMask != 0 {
		out = append(out, "masking")
	}
	return out
}
