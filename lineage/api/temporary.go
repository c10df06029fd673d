package api

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// kindTemporary is the kind of a script's session tables.
const kindTemporary = "temporary"

// maxTemporaryTasks bounds the scripts that are read again for one answer.
const maxTemporaryTasks = 200

// temporaries shows the session tables of the scripts that the answer passes.
// They are in no stored edge, which sees through them: the scripts are read
// again, and what they make by way of a session table is drawn that way.
func (b *builder) temporaries() error {
	if !b.q.temporary || b.Details == nil || b.Extract == nil {
		return nil
	}
	tasks := slices.Sorted(maps.Keys(b.tasks))
	for _, key := range tasks[:min(len(tasks), maxTemporaryTasks)] {
		d, err := b.Details.Task(b.ctx, recordsKey(key), b.v.TaskBranch(key))
		if err != nil {
			return fmt.Errorf("looking up task %s: %w", key, err)
		}
		if d == nil || d.Definition == nil || d.Definition.SQL == "" {
			continue
		}
		x, err := b.Extract(b.ctx, *d.Definition, true)
		if err != nil {
			return fmt.Errorf("reading the SQL of task %s: %w", key, err)
		}
		b.showTemporary(key, x)
	}
	return nil
}

// showTemporary puts one script's session tables into the answer.
func (b *builder) showTemporary(task string, x *event.LineageExtracted) {
	temporary := map[string]bool{}
	for _, n := range x.Nodes {
		if n.Kind == kindTemporary {
			temporary[n.Key] = true
		}
	}
	if len(temporary) == 0 {
		return
	}
	direct, distance := map[[2]string]bool{}, map[string]int{}
	for _, e := range x.Edges {
		if e.FromColumn != "" {
			continue
		}
		from, to := b.Live.Sources().Canonical(e.From), b.Live.Sources().Canonical(e.To)
		if !temporary[e.From] && !temporary[e.To] {
			direct[[2]string{from, to}] = true
			continue
		}
		if !b.mayEnd(from, temporary[e.From], distance, e.To) || !b.mayEnd(to, temporary[e.To], distance, e.From) {
			continue
		}
		b.out.Edges = append(b.out.Edges, lineageapi.Edge{
			From: from, To: to, Level: lineageapi.EdgeLevelTable, Direct: true, Kind: lineageapi.EdgeKindData,
			Origins: []string{event.OriginParsed}, Tasks: []string{task}, Statements: e.Statements,
		})
	}
	for _, key := range slices.Sorted(maps.Keys(temporary)) {
		b.putTemporary(key, distance[key])
	}
	// What goes by way of a session table alone is not drawn beside it.
	b.out.Edges = slices.DeleteFunc(b.out.Edges, func(e lineageapi.Edge) bool {
		return e.Kind == lineageapi.EdgeKindData && !e.WithManual && len(e.Tasks) == 1 && e.Tasks[0] == task &&
			!temporary[e.From] && !temporary[e.To] && !direct[[2]string{e.From, e.To}]
	})
}

// mayEnd reports whether an edge may end at a node: a session table, or a node
// of the answer, whose distance the session table at the other end then has,
// the farther one of several.
func (b *builder) mayEnd(key string, isTemporary bool, distance map[string]int, other string) bool {
	if isTemporary {
		return true
	}
	s, ok := b.in[b.v.Node(key)]
	if ok {
		distance[other] = max(distance[other], int(s.Distance()))
	}
	return ok
}

func (b *builder) putTemporary(key string, distance int) {
	k, err := name.ParseKey(key)
	if err != nil || b.v.Node(key) != graph.NodeID(graph.NoID) {
		return // a stored table has the name as well; it is shown as that
	}
	n := lineageapi.Node{Key: key, Family: lineageapi.NodeFamilyDataset, Kind: kindTemporary, Name: k.Name, Namespace: k.Namespace, Temporary: true, Distance: distance}
	n.Display, n.Source = b.display(k, "")
	for _, e := range b.out.Edges {
		if e.To == key {
			n.UpstreamCount++
		}
		if e.From == key {
			n.DownstreamCount++
		}
	}
	b.out.Nodes = append(b.out.Nodes, n)
}
