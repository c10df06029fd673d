package api

import (
	"slices"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// renderer turns ids of a view into what the API answers.
type renderer struct {
	v      *graph.View
	q      *asked
	byHome map[string]event.SourceRegistered
	// sources are the ids of registered sources, under which events may name
	// what is theirs.
	sources map[string]bool
}

func (a *API) renderer(v *graph.View, q *asked) *renderer {
	r := &renderer{v: v, q: q, byHome: map[string]event.SourceRegistered{}, sources: map[string]bool{}}
	for _, s := range slices.Backward(a.Live.Sources().Registered()) {
		r.sources[s.ID] = true
		for _, address := range s.Addresses {
			r.byHome[name.Namespace(address)] = s
		}
	}
	return r
}

// display gives a key as people write it, and the registered source's name.
func (r *renderer) display(k name.Key, written string) (display, source string) {
	if k.Family != name.FamilyDataset {
		if k.Namespace == name.DefaultTaskNamespace {
			return k.Name, ""
		}
		return k.Namespace + "." + k.Name, ""
	}
	source = k.Namespace
	s, registered := r.byHome[k.Namespace]
	if registered {
		source = s.ID
	}
	if written != "" {
		k.Name = written
	}
	display = k.Display(source)
	if !registered {
		source = ""
	}
	return display, source
}

// aliases are a node's other names that mean something to people: not its key
// under the id of its own source, which is how events name it.
func (r *renderer) aliases(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		k, err := name.ParseKey(key)
		return err == nil && r.sources[k.Namespace]
	})
}

// node renders one node without its place in an answer.
func (r *renderer) node(id graph.NodeID) lineageapi.Node {
	key := r.v.KeyOf(id)
	k, err := name.ParseKey(key)
	if err != nil {
		k = name.Key{Name: key}
	}
	about := r.v.About(id)
	n := lineageapi.Node{
		Key: key, Family: lineageapi.NodeFamily(k.Family), Kind: about.Kind, Name: k.Name, Namespace: k.Namespace,
		Aliases: r.aliases(about.Aliases), FromFallback: about.FromFallback, WithMasked: r.v.WithMasked(id), CanEdit: r.canEdit(key),
		ColumnCount: r.v.ColumnCount(id),
	}
	n.Display, n.Source = r.display(k, about.Display)
	if k.Family == name.FamilyDataset {
		n.Platform = name.PlatformOf(k.Namespace).Name
		if s, ok := r.byHome[k.Namespace]; ok {
			n.Platform = s.Engine
		}
	}
	if about.Definition != nil {
		n.Branch = about.Definition.Branch
	}
	if b := r.v.TaskBranch(key); b != "" {
		n.Branch = b
	}
	n.HasJobSpec, n.HasJobSpecOnMaster = r.v.Produced(id)
	n.UpstreamCount, n.DownstreamCount = r.v.Degree(id)
	if k.Family == name.FamilyTask {
		inputs, outputs := r.v.TaskEnds(key)
		n.UpstreamCount, n.DownstreamCount = len(inputs), len(outputs)
	}
	return n
}

func (r *renderer) canEdit(key string) bool {
	return r.q.caller.Edit == nil || r.q.caller.Edit(key)
}

// column renders one column without its place in an answer.
func (r *renderer) column(c graph.ColumnInfo) lineageapi.Column {
	out := lineageapi.Column{
		Name: c.Name, Type: c.Defined.Type, Comment: c.Defined.Comment,
		Masked: c.Masked, WithMasked: c.WithMasked, WithManual: c.WithManual,
	}
	out.UpstreamCount, out.DownstreamCount = r.v.ColumnDegree(c.ID)
	return out
}

// edge renders an edge with those who make it. What is said of tasks that the
// caller may not see is left out.
func (r *renderer) edge(e graph.Edge) lineageapi.Edge {
	return r.edgeBy(e, r.v.Contributors(e))
}

// edgeBy is edge with the contributors known.
func (r *renderer) edgeBy(e graph.Edge, by []graph.Contributor) lineageapi.Edge {
	k := r.v.Key(e)
	out := lineageapi.Edge{
		From: k.From, To: k.To, FromColumn: k.FromColumn, ToColumn: k.ToColumn,
		Level: lineageapi.EdgeLevelTable, Direct: k.Direct, Kind: lineageapi.EdgeKindData, Origins: []string{},
	}
	if e.Column() {
		out.Level = lineageapi.EdgeLevelColumn
	}
	var via lineage.Via
	var statements []int
	for _, c := range by {
		via |= c.Via
		out.Unexpanded = out.Unexpanded || c.Unexpanded
		out.Origins = appendNew(out.Origins, c.Origin.String())
		out.Branches = appendNew(out.Branches, c.Owner.Branch)
		if c.Drawn != nil {
			r.drawn(&out, c)
			continue
		}
		if c.Node != "" && r.sees(c.Node) {
			out.Tasks = appendNew(out.Tasks, c.Node)
			statements = append(statements, c.Statements...)
		}
	}
	out.Via = via.Names()
	if len(out.Tasks) == 1 {
		slices.Sort(statements)
		out.Statements = slices.Compact(statements)
	}
	slices.Sort(out.Origins)
	slices.Sort(out.Tasks)
	slices.Sort(out.Branches)
	return out
}

// drawn notes the part of an edge that a person drew. A table edge that is
// there because of column edges goes with them, and cannot be removed alone.
func (r *renderer) drawn(out *lineageapi.Edge, c graph.Contributor) {
	out.WithManual = true
	if c.Drawn.Explicit && r.canEdit(out.From) && r.canEdit(out.To) {
		out.CanDelete = true
	}
	out.Manual = append(out.Manual, lineageapi.ManualEdge{Who: c.Drawn.Who, Why: c.Drawn.Why, At: c.Drawn.At, Branch: c.Owner.Branch})
}

func (r *renderer) sees(key string) bool {
	return r.q.caller.See == nil || r.q.caller.See(key)
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// wanted reports whether a kinds filter lets a node be shown.
func (r *renderer) wanted(id graph.NodeID) bool {
	if len(r.q.kinds) == 0 {
		return true
	}
	return slices.Contains(r.q.kinds, r.v.Family(id)) || slices.Contains(r.q.kinds, r.v.Kind(id))
}

// taskNode gives the key of a task's node from the key of its records, which
// has no family, by trying the families of tasks.
func taskNode(v *graph.View, task string) string {
	for _, family := range name.Families() {
		if family == name.FamilyDataset {
			continue
		}
		if key := family + "|" + task; v.Node(key) != graph.NodeID(graph.NoID) {
			return key
		}
	}
	return name.FamilyTask + "|" + task
}

// recordsKey gives the key of a task's records from that of its node.
func recordsKey(nodeKey string) string {
	_, task, _ := strings.Cut(nodeKey, "|")
	return task
}
