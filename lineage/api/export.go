package api

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// ExportGraph answers with the graph around a node, or all of it, as a file.
// The file is written while it is sent, so its size is not bounded by memory.
func (a *API) ExportGraph(ctx context.Context, req lineageapi.ExportGraphRequestObject) (lineageapi.ExportGraphResponseObject, error) {
	p := req.Params
	q, err := a.ask(ctx, params{
		node: p.Node, level: p.Level, direction: p.Direction, depth: p.Depth, flow: p.Flow, branch: p.Branch, fallback: p.Fallback,
		asOf: p.AsOf, kinds: p.Kinds, defaultDepth: graph.Unlimited,
	})
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	e := &exporter{builder: a.builder(ctx, v, q), ctx: ctx}
	if p.Node != "" {
		if err := e.around(p.Node); err != nil {
			return nil, err
		}
	}
	write, ok := map[lineageapi.ExportGraphParamsFormat]func(io.Writer) error{
		lineageapi.ExportGraphParamsFormatJson: e.json, lineageapi.ExportGraphParamsFormatCsv: e.csv, lineageapi.ExportGraphParamsFormatDot: e.dot, lineageapi.ExportGraphParamsFormatOpenlineage: e.openLineage,
	}[p.Format]
	if !ok {
		return nil, badParameter("format", fmt.Sprintf("format is %q; it is json, csv, dot or openlineage", p.Format))
	}
	r, w := io.Pipe()
	go func() {
		buf := bufio.NewWriter(w)
		err := write(buf)
		if err == nil {
			err = buf.Flush()
		}
		w.CloseWithError(err)
	}()
	return lineageapi.ExportGraph200ApplicationoctetStreamResponse{Body: r}, nil
}

// exporter writes a graph in one of the forms. The nodes are those around one,
// or all.
type exporter struct {
	*builder
	ctx   context.Context //nolint:containedctx // lives as long as its request
	nodes []graph.NodeID
	among map[graph.NodeID]bool
	cols  map[graph.ColumnID]bool
}

func (e *exporter) around(node string) error {
	id, columns, err := e.centre(e.v, e.q, node)
	if err != nil {
		return err
	}
	q := graph.Question{Nodes: []graph.NodeID{id}, Columns: columns, ByColumn: e.q.byColumn, Up: e.q.up, Down: e.q.down, Depth: e.q.depth, Flow: e.q.flow}
	all := e.v.Around(e.ctx, q)
	if e.v.Family(id) == name.FamilyTask {
		inputs, outputs := e.v.TaskEnds(e.v.KeyOf(id))
		all = e.taskReach(q, inputs, outputs)
	}
	e.among = map[graph.NodeID]bool{}
	for _, s := range all.Nodes {
		if n := graph.NodeID(s.ID); e.wanted(n) {
			e.nodes, e.among[n] = append(e.nodes, n), true
		}
	}
	if e.q.byColumn {
		e.cols = map[graph.ColumnID]bool{}
		for _, c := range all.Columns {
			e.cols[graph.ColumnID(c.ID)] = true
		}
	}
	return nil
}

// eachNode calls f for each node of the export.
func (e *exporter) eachNode(f func(graph.NodeID) error) error {
	if e.among != nil {
		for _, n := range e.nodes {
			if err := f(n); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	e.v.EachNode(func(id graph.NodeID) bool {
		if e.wanted(id) {
			err = f(id)
		}
		return err == nil && e.ctx.Err() == nil
	})
	if err == nil {
		err = e.ctx.Err()
	}
	return err
}

// eachEdge calls f for each edge between nodes of the export.
func (e *exporter) eachEdge(f func(lineageapi.Edge) error) error {
	return e.eachNode(func(id graph.NodeID) error {
		for _, x := range e.v.EdgesFrom(id, e.q.byColumn) {
			if !e.has(x) {
				continue
			}
			if err := f(e.edge(x)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *exporter) has(x graph.Edge) bool {
	if e.q.flow == graph.FlowDirect && !x.Direct() || e.q.flow == graph.FlowIndirect && x.Direct() {
		return false
	}
	to := graph.NodeID(x.To)
	if x.Column() && x.Direct() {
		to, _ = e.v.ColumnName(graph.ColumnID(x.To))
	}
	if e.among == nil {
		return len(e.q.kinds) == 0 || e.wanted(to)
	}
	if !e.among[to] {
		return false
	}
	return e.cols == nil || e.cols[graph.ColumnID(x.From)] && (!x.Direct() || e.cols[graph.ColumnID(x.To)])
}

// json writes an object a line: the nodes, then the edges.
func (e *exporter) json(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	err := e.eachNode(func(id graph.NodeID) error {
		return enc.Encode(map[string]any{"node": e.node(id)})
	})
	if err != nil {
		return err
	}
	return e.eachEdge(func(x lineageapi.Edge) error { return enc.Encode(map[string]any{"edge": x}) })
}

// csv writes a line an edge. Cells that a spreadsheet would take for a formula
// begin with an apostrophe.
func (e *exporter) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"from", "from_column", "to", "to_column", "level", "direct", "via", "origins", "tasks", "statements"}); err != nil {
		return err
	}
	err := e.eachEdge(func(x lineageapi.Edge) error {
		statements := make([]string, len(x.Statements))
		for i, n := range x.Statements {
			statements[i] = strconv.Itoa(n)
		}
		row := []string{
			x.From, x.FromColumn, x.To, x.ToColumn, string(x.Level), strconv.FormatBool(x.Direct),
			strings.Join(x.Via, " "), strings.Join(x.Origins, " "), strings.Join(x.Tasks, " "), strings.Join(statements, " "),
		}
		for i := range row {
			row[i] = SafeCell(row[i])
		}
		return c.Write(row)
	})
	if err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

// SafeCell puts an apostrophe before a cell that a spreadsheet would take for
// a formula.
func SafeCell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// dot writes a graph for Graphviz, columns as nodes of their own.
func (e *exporter) dot(w io.Writer) error {
	if _, err := io.WriteString(w, "digraph lineage {\n  rankdir=LR;\n  node [shape=box];\n"); err != nil {
		return err
	}
	err := e.eachNode(func(id graph.NodeID) error {
		n := e.node(id)
		_, err := fmt.Fprintf(w, "  %s [label=%s];\n", dotQuote(n.Key), dotQuote(n.Display+"\n"+n.Kind))
		return err
	})
	if err != nil {
		return err
	}
	err = e.eachEdge(func(x lineageapi.Edge) error {
		from, to, style := x.From, x.To, "solid"
		if x.FromColumn != "" {
			from = name.ColumnKey(from, x.FromColumn)
		}
		if x.ToColumn != "" {
			to = name.ColumnKey(to, x.ToColumn)
		}
		if !x.Direct {
			style = "dashed"
		}
		if x.WithManual {
			style = "bold"
		}
		_, err := fmt.Fprintf(w, "  %s -> %s [style=%s];\n", dotQuote(from), dotQuote(to), style)
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "}\n")
	return err
}

func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// openLineageProducer names us in what we write as OpenLineage.
const openLineageProducer = "https://github.com/tributary-data/tributary"

// openLineage writes a job event a line, one for each node that edges go into:
// its inputs, and at column level the columnLineage facet.
func (e *exporter) openLineage(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	inputs := map[graph.NodeID]bool{}
	return e.eachNode(func(id graph.NodeID) error {
		clear(inputs)
		for _, x := range e.v.EdgesTo(id, true, func(n graph.NodeID) bool { return e.among == nil || e.among[n] }) {
			inputs[graph.NodeID(x.From)] = true
		}
		if len(inputs) == 0 {
			return nil
		}
		return enc.Encode(e.jobEvent(id, inputs))
	})
}

func (e *exporter) jobEvent(id graph.NodeID, inputs map[graph.NodeID]bool) map[string]any {
	output := e.dataset(id)
	if fields := e.columnLineage(id); len(fields) > 0 {
		output["facets"] = map[string]any{"columnLineage": map[string]any{
			"_producer": openLineageProducer, "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json", "fields": fields,
		}}
	}
	var ins []map[string]any
	ids := make([]graph.NodeID, 0, len(inputs))
	for n := range inputs {
		ids = append(ids, n)
	}
	e.v.SortByHash(ids)
	for _, n := range ids {
		ins = append(ins, e.dataset(n))
	}
	return map[string]any{
		"eventTime": e.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "producer": openLineageProducer,
		"schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
		"job":       map[string]any{"namespace": "tributary", "name": "lineage of " + e.v.KeyOf(id)},
		"inputs":    ins, "outputs": []map[string]any{output},
	}
}

func (e *exporter) dataset(id graph.NodeID) map[string]any {
	k, err := name.ParseKey(e.v.KeyOf(id))
	if err != nil {
		k = name.Key{Name: e.v.KeyOf(id)}
	}
	return map[string]any{"namespace": k.Namespace, "name": k.Name}
}

// columnLineage gives the fields of the facet for one dataset.
func (e *exporter) columnLineage(id graph.NodeID) map[string]any {
	fields := map[string]any{}
	for _, c := range e.v.Columns(id) {
		var inputs []map[string]any
		for _, x := range e.v.ColumnSources(c.ID) {
			k := e.v.Key(x)
			in := e.dataset(e.v.Node(k.From))
			in["field"] = k.FromColumn
			var ways []map[string]any
			for _, via := range e.edge(x).Via {
				ways = append(ways, map[string]any{"type": "DIRECT", "subtype": strings.ToUpper(via), "masking": via == event.ViaMasking})
			}
			if len(ways) > 0 {
				in["transformations"] = ways
			}
			inputs = append(inputs, in)
		}
		if len(inputs) > 0 {
			fields[c.Name] = map[string]any{"inputFields": inputs}
		}
	}
	return fields
}
