package consumer

import (
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// refs turns the references of events into keys.
type refs struct{ lookup *lookup }

// key gives the key of a node: of datasets, with the address of a source that
// is named by its id.
func (r refs) key(ref event.Ref) name.Key {
	if ref.Family == "" || ref.Family == name.FamilyDataset {
		namespace := ref.Namespace
		if namespace != "" && !strings.Contains(namespace, "://") {
			namespace = r.lookup.namespace(namespace)
		}
		return name.NewKey(name.FamilyDataset, namespace, ref.Name)
	}
	return ref.NodeKey()
}

// flows are the edges into outputs that events name.
type flows struct {
	refs
	origin string
	nodes  []event.Node
	edges  []event.LineageEdge
	inputs []string
	// open are the outputs that are made from every input.
	open    []string
	outputs []string
}

func (f *flows) node(ref event.Ref) string {
	key := f.key(ref)
	f.nodes = append(f.nodes, event.Node{Key: key.String(), Kind: kindOf(key, false)})
	return key.String()
}

func (f *flows) table(from, to string) {
	f.edges = append(f.edges, event.LineageEdge{From: from, To: to, Level: event.LevelTable, Direct: true, Origin: f.origin})
}

// take adds what a definition declares or a run has seen.
func (f *flows) take(inputs []event.Input, outputs []event.Output) {
	for _, in := range inputs {
		f.inputs = append(f.inputs, f.node(in.Ref))
	}
	for _, out := range outputs {
		to := f.node(out.Ref)
		f.outputs = append(f.outputs, to)
		if out.From == nil {
			f.open = append(f.open, to)
		}
		for _, from := range out.From {
			f.table(f.node(from), to)
		}
		f.columns(out.ColumnEdges, to)
	}
}

// columns adds column edges into a node, and the table edges that they imply.
func (f *flows) columns(edges []event.ColumnEdge, to string) {
	linked := map[string]bool{}
	for _, e := range edges {
		from := f.node(e.From)
		if !linked[from] {
			linked[from] = true
			f.table(from, to)
		}
		edge := event.LineageEdge{
			From: from, FromColumn: column(from, e.FromColumn), To: to, Level: event.LevelColumn,
			Direct: !e.Indirect, Via: e.Via, Origin: f.origin,
		}
		if edge.Direct {
			edge.ToColumn = column(to, e.ToColumn)
		}
		f.edges = append(f.edges, edge)
	}
}

// statement gives inputs and outputs in the form of a statement, number 0, so
// that they are known of a task that has no SQL.
func (f *flows) statement(kind string) []event.Statement {
	if len(f.inputs)+len(f.outputs) == 0 {
		return nil
	}
	return []event.Statement{{Kind: kind, Reads: f.inputs, Writes: f.outputs}}
}

// declared adds what a task's definition declares.
func declared(d *event.TaskDefined, l *lookup, x *event.LineageExtracted) {
	f := flows{refs: refs{l}}
	if d.SQL != "" {
		f.origin = event.OriginDeclared // beside edges that are parsed
	}
	f.take(d.Inputs, d.Outputs)
	own := d.NodeKey()
	if own.Family != name.FamilyTask {
		if len(d.Outputs) == 0 {
			f.open = append(f.open, own.String())
		}
		f.columns(d.ColumnEdges, own.String())
	}
	for _, to := range f.open {
		for _, from := range f.inputs {
			f.table(from, to)
		}
	}
	x.Nodes = append(x.Nodes, f.nodes...)
	x.Edges = append(x.Edges, f.edges...)
	x.Statements = append(x.Statements, f.statement("declared")...)
}

// observed adds what a run's event tells.
func observed(r *event.Run, state string, l *lookup, x *event.LineageExtracted) {
	f := flows{refs: refs{l}}
	f.take(r.Inputs, r.Outputs)
	x.RunID, x.Observed = r.RunID, &event.Observed{State: state, Inputs: f.inputs, Outputs: f.open}
	x.Nodes, x.Edges, x.Statements = f.nodes, f.edges, f.statement("observed")
}

// runOf gives the run of an event and the state that it tells.
func runOf(data any) (run *event.Run, state string) {
	switch d := data.(type) {
	case *event.RunStarted:
		return &d.Run, event.RunStateRunning
	case *event.RunCompleted:
		return &d.Run, event.RunStateCompleted
	case *event.RunFailed:
		return &d.Run, event.RunStateFailed
	case *event.RunAborted:
		return &d.Run, event.RunStateAborted
	}
	return nil, ""
}

// usesOf gives the look-ups in the form of the record.
func usesOf(l *lookup) []event.Use {
	out := make([]event.Use, len(l.uses))
	for i, u := range l.uses {
		out[i] = event.Use{Key: u.key, Found: u.hash != 0, ColumnsHash: formatHash(u.hash)}
	}
	return out
}

// givenColumns are the datasets among the targets of an extraction, with the
// columns that its SQL gives them.
func givenColumns(x *event.LineageExtracted) map[string]*lineage.ColumnList {
	out := map[string]*lineage.ColumnList{}
	for _, c := range x.Columns {
		if strings.HasPrefix(c.Key, name.FamilyDataset+"|") && len(c.Names) > 0 {
			out[c.Key] = lineage.NewColumnList(distinct(c.Names))
		}
	}
	return out
}

// distinct leaves out names that come a second time. No table has two columns
// of one name, and tables that are made of each other by stars would grow.
func distinct(names []string) []string {
	seen := make(map[string]bool, len(names))
	out := make([]string, 0, len(names))
	for _, n := range names {
		if folded := strings.ToLower(n); !seen[folded] {
			seen[folded] = true
			out = append(out, n)
		}
	}
	return out
}
