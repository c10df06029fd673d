package consumer

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// maxStepBytes bounds the stored graph of steps.
const maxStepBytes = 2 << 20

// keptStepBytes is how long a graph may be for its memory to be used again.
const keptStepBytes = 64 << 10

// steps gives the graph of steps as JSON; none for a script without columns. A
// graph beyond the bound is left out, and an error of kind limit says so.
func (s *script) steps(res *parser.Result, x *event.LineageExtracted) json.RawMessage {
	if len(res.Columns) == 0 {
		return nil
	}
	w, ok := stepWriters.Get().(*stepWriter)
	if !ok {
		w = new(stepWriter)
	}
	w.out, w.nodes, w.targets = w.out[:0], 0, w.targets[:0]
	w.write(s, res)
	if len(w.out) <= keptStepBytes {
		defer stepWriters.Put(w)
	}
	if len(w.out) > maxStepBytes {
		x.Errors = append(x.Errors, event.SQLError{Kind: "limit", Message: "the steps between columns take more than " + strconv.Itoa(maxStepBytes) + " bytes and are left out; the edges are whole"})
		return nil
	}
	return bytes.Clone(w.out)
}

// stepWriter writes the graph of steps as it is stored, {"nodes":[…],"edges":[[from,to],…]}:
// values flow along the edges, from the columns that they come from to those that
// they go into. It is written by hand because every column of every script passes
// here, and writing it by reflection took a quarter of what finding the steps took.
type stepWriter struct {
	out   []byte
	nodes int
	// targets are the nodes that the column edges go into, by their places.
	targets []int
}

// stepWriters are those that nobody uses now; they have their memory.
var stepWriters sync.Pool

func (w *stepWriter) write(s *script, res *parser.Result) {
	graph := res.Steps()
	w.out = append(w.out, `{"nodes":`...)
	for i := range graph.Steps {
		w.step(s, &graph.Steps[i])
	}
	w.columns(s, res.Columns)
	w.out = append(w.out, `],"edges":`...)
	before := byte('[')
	edge := func(from, to int) {
		w.out = strconv.AppendInt(append(w.out, before, '['), int64(from), 10)
		w.out = append(strconv.AppendInt(append(w.out, ','), int64(to), 10), ']')
		before = ','
	}
	for i := range graph.Steps {
		for _, in := range graph.Steps[i].Inputs {
			edge(in.Step, i)
		}
	}
	for i, to := range w.targets {
		for _, root := range graph.Columns[i] {
			edge(root, to)
		}
	}
	if before == '[' {
		w.out = append(w.out, '[')
	}
	w.out = append(w.out, "]}"...)
}

// node begins the next node.
func (w *stepWriter) node(kind, label string) {
	w.out = append(w.out, "[,"[min(w.nodes, 1)])
	w.out = strconv.AppendInt(append(w.out, `{"n":`...), int64(w.nodes), 10)
	w.nodes++
	w.out = append(append(append(w.out, `,"kind":"`...), kind...), '"')
	if label != "" {
		w.out = event.AppendText(append(w.out, `,"label":`...), label)
	}
}

// step writes a step; what is empty is left out.
func (w *stepWriter) step(s *script, st *parser.Step) {
	if st.Table == "" {
		w.node("expression", st.Name)
	} else {
		w.node("source", st.Name)
		if nodes := s.nodes[st.Table]; len(nodes) > 0 {
			w.out = event.AppendText(append(w.out, `,"column":`...), nodes[0].key, ".", name.Quote(nodes[0].column(st.Name)))
		} else {
			w.out = event.AppendText(append(w.out, `,"column":`...), s.columnKey(st.Table, st.Name))
		}
	}
	w.number(`,"statement":`, st.Statement)
	w.number(`,"line":`, st.Line)
	w.number(`,"at":`, st.Column)
	w.out = append(w.out, '}')
}

func (w *stepWriter) number(name string, n int) {
	if n != 0 {
		w.out = strconv.AppendInt(append(w.out, name...), int64(n), 10)
	}
}

// columns writes the nodes of the columns that the edges go into, each once. The
// edges of a column stand together.
func (w *stepWriter) columns(s *script, edges []parser.ColumnEdge) {
	seen := map[string]int{}
	for i := range edges {
		e := &edges[i]
		if i > 0 && e.ToColumn == edges[i-1].ToColumn && e.ToTable == edges[i-1].ToTable {
			w.targets = append(w.targets, w.targets[i-1])
			continue
		}
		key := s.columnKey(e.ToTable, e.ToColumn)
		n, ok := seen[key]
		if !ok {
			n = w.nodes
			seen[key] = n
			w.node("target", e.ToColumn)
			w.out = append(event.AppendText(append(w.out, `,"column":`...), key), '}')
		}
		w.targets = append(w.targets, n)
	}
}

// columnKey gives the key of a column of a table of the SQL.
func (s *script) columnKey(table, col string) string {
	nodes := s.nodes[table]
	if len(nodes) == 0 {
		return name.JoinPath(table, col)
	}
	return name.ColumnKey(nodes[0].key, nodes[0].column(col))
}
