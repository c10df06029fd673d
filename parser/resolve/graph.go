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
	g := &Graph{}
	likely := len(res.Columns) + len(res.Indirect) // most values are a column of one edge
	b := &graphBuilder{lines: res.graph.lines, queue: make([]*value, 0, likely), g: g}
	g.Steps = make([]Step, 0, likely)
	roots := make([][]int, likely)
	g.Columns, g.Indirect = roots[:len(res.Columns):len(res.Columns)], roots[len(res.Columns):]
	for _, e := range res.graph.columns {
		b.roots(&g.Columns[e.at], e.steps)
	}
	for _, e := range res.graph.indirect {
		b.roots(&g.Indirect[e.at], e.steps)
	}
	b.run()
	return g
}

type graphBuilder struct {
	lines Places
	queue []*value
	g     *Graph
	// ids and inputs are what short lists are cut from.
	ids    []int
	inputs []StepInput
}

// id gives a value its place in the graph. A value knows its place, and is in the
// graph if it stands there.
func (b *graphBuilder) id(v *value) int {
	if n := int(v.step); n < len(b.queue) && b.queue[n] == v {
		return n
	}
	n := len(b.queue)
	v.step = int32(n)
	b.g.Steps = append(b.g.Steps, Step{})
	b.queue = append(b.queue, v)
	return n
}

// roots adds the root steps of an edge.
func (b *graphBuilder) roots(list *[]int, steps []*value) {
	if *list == nil {
		*list = cutRoom(&b.ids, len(steps))
	}
	for _, v := range steps {
		*list = append(*list, b.id(v))
	}
}

// listRoom is how many items short lists are cut from at a time.
const listRoom = 64

// cutRoom cuts an empty list with room for n items from the room; nil for none.
func cutRoom[T any](room *[]T, n int) []T {
	if n == 0 {
		return nil
	}
	if len(*room) < n {
		*room = make([]T, max(listRoom, n))
	}
	list := (*room)[:0:n]
	*room = (*room)[n:]
	return list
}

// run fills in the steps, which stand in the queue's order. Steps add to the queue.
func (b *graphBuilder) run() {
	for done := 0; done < len(b.queue); {
		s := b.step(b.queue[done])
		b.g.Steps[done] = s
		done++
	}
}

func (b *graphBuilder) step(v *value) Step {
	s := Step{Name: v.name}
	if v.owner != nil {
		s.Table = v.owner.printed
		return s
	}
	s.Statement = int(v.stmt)
	s.Line, s.Column = b.lines.At(v.at)
	inputs := len(v.inputs)
	if v.star != nil && v.star.whole != nil {
		inputs++
	}
	s.Inputs = cutRoom(&b.inputs, inputs)
	if inputs > len(v.inputs) {
		s.Inputs = append(s.Inputs, StepInput{Step: b.id(v.star.whole)})
	}
	for _, in := range v.inputs {
		s.Inputs = append(s.Inputs, StepInput{b.id(in.from), inputVias[in.pass&passAll]})
	}
	s.Conditions = cutRoom(&b.inputs, len(v.conds))
	for _, c := range v.conds {
		s.Conditions = append(s.Conditions, StepInput{b.id(c.from), steerNames[c.kind : c.kind+1 : c.kind+1]})
	}
	return s
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
