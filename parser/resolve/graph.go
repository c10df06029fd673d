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
	b := &graphBuilder{lines: res.graph.lines, ids: make(map[*value]int, likely), queue: make([]*value, 0, likely), g: g}
	g.Steps = make([]Step, 0, likely)
	g.Columns = make([][]int, len(res.Columns))
	g.Indirect = make([][]int, len(res.Indirect))
	for _, e := range res.graph.columns {
		for _, v := range e.steps {
			g.Columns[e.at] = append(g.Columns[e.at], b.id(v))
		}
	}
	for _, e := range res.graph.indirect {
		for _, v := range e.steps {
			g.Indirect[e.at] = append(g.Indirect[e.at], b.id(v))
		}
	}
	b.run()
	return g
}

type graphBuilder struct {
	lines Places
	ids   map[*value]int
	queue []*value
	g     *Graph
}

// id gives a value its place in the graph.
func (b *graphBuilder) id(v *value) int {
	if n, ok := b.ids[v]; ok {
		return n
	}
	n := len(b.g.Steps)
	b.ids[v] = n
	b.g.Steps = append(b.g.Steps, Step{})
	b.queue = append(b.queue, v)
	return n
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
	if v.star != nil && v.star.whole != nil {
		s.Inputs = append(s.Inputs, StepInput{Step: b.id(v.star.whole)})
	}
	s.Inputs = slices.Grow(s.Inputs, len(v.inputs))
	for _, in := range v.inputs {
		s.Inputs = append(s.Inputs, StepInput{b.id(in.from), inputVias[in.pass&passAll]})
	}
	s.Conditions = slices.Grow(s.Conditions, len(v.conds))
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
