package graph

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// The reference holds owners in maps and walks by names, with nothing in
// common with the graph but the rules.
type reference struct {
	owners      map[lineage.OwnerKey]OwnerState
	definitions map[string]map[string]Definition // node, branch
}

func newReference() *reference {
	return &reference{owners: map[lineage.OwnerKey]OwnerState{}, definitions: map[string]map[string]Definition{}}
}

// refNode is a node, or with col one of its columns.
type refNode struct{ key, col string }

// visible lists the edges that count on a chain, with their owners.
func (r *reference) visible(chain []string) map[lineage.Edge][]lineage.OwnerKey {
	out := map[lineage.Edge][]lineage.OwnerKey{}
	specBranch := map[string]int{}
	for i := range slices.Backward(chain) {
		for key, o := range r.owners {
			if key.Branch == chain[i] && o.Spec && o.Status != lineage.StatusWithdrawn {
				for _, output := range o.Mentions {
					specBranch[output.Key] = i
				}
			}
		}
	}
	for key, o := range r.owners {
		at := slices.Index(chain, key.Branch)
		if at < 0 || o.Status != lineage.StatusLive {
			continue
		}
		for _, item := range o.Items {
			counts := key.Source == lineage.SourcePeople
			switch {
			case o.Spec:
				counts = specBranch[item.To] == at
			case key.Source != lineage.SourcePeople:
				counts = r.counts(key, at, chain)
			}
			if counts {
				e := item.Edge
				e.Origin = 0
				out[e] = append(out[e], key)
			}
		}
	}
	return out
}

// counts reports whether a task's owner at a place of the chain counts.
func (r *reference) counts(key lineage.OwnerKey, at int, chain []string) bool {
	for i := 0; i <= at; i++ {
		d, ok := r.owners[lineage.OwnerKey{Task: key.Task, Branch: chain[i], Source: lineage.SourceDefinition}]
		if key.Source == lineage.SourceDefinition && i == at {
			return true
		}
		if run, ok := r.owners[lineage.OwnerKey{Task: key.Task, Branch: chain[i], Source: lineage.SourceRuns}]; key.Source == lineage.SourceRuns && ok && run.Status == lineage.StatusLive {
			return i == at
		}
		if ok && !d.Spec && d.Status != lineage.StatusWithdrawn && d.Status != 0 {
			return false
		}
	}
	return false
}

// columns lists the columns of a node that are there.
func (r *reference) columns(key string, edges map[lineage.Edge][]lineage.OwnerKey, chain []string) map[string]bool {
	out := map[string]bool{}
	for _, b := range chain {
		if d, ok := r.definitions[key][b]; ok {
			if !d.Removed {
				for _, c := range d.Columns {
					out[c.Name] = true
				}
			}
			break
		}
	}
	for e := range edges {
		if e.FromColumn != "" && e.From == key {
			out[e.FromColumn] = true
		}
		if e.ToColumn != "" && e.To == key {
			out[e.ToColumn] = true
		}
	}
	return out
}

// next lists what one hop leads to from a node or column.
func (r *reference) next(n refNode, column, up bool, flow Flow, edges map[lineage.Edge][]lineage.OwnerKey, chain []string) []refNode {
	var out []refNode
	for e := range edges {
		if !column {
			if e.FromColumn == "" && !up && e.From == n.key {
				out = append(out, refNode{key: e.To})
			}
			if e.FromColumn == "" && up && e.To == n.key {
				out = append(out, refNode{key: e.From})
			}
			continue
		}
		switch {
		case e.FromColumn == "":
		case e.Direct && flow != FlowIndirect:
			near, nearCol, far, farCol := e.From, e.FromColumn, e.To, e.ToColumn
			if up {
				near, nearCol, far, farCol = far, farCol, near, nearCol
			}
			if near != n.key {
				continue
			}
			if nearCol == n.col || nearCol == Star {
				out = append(out, refNode{far, farCol})
			}
			if nearCol == Star && farCol == Star && n.col != Star && r.columns(far, edges, chain)[n.col] {
				out = append(out, refNode{far, n.col})
			}
		case !e.Direct && flow != FlowDirect && up && e.To == n.key:
			out = append(out, refNode{e.From, e.FromColumn})
		case !e.Direct && flow != FlowDirect && !up && e.From == n.key && e.FromColumn == n.col:
			for c := range r.columns(e.To, edges, chain) {
				out = append(out, refNode{e.To, c})
			}
		}
	}
	return out
}

// walk gives the least distance of everything reached.
func (r *reference) walk(start []refNode, column, up bool, flow Flow, depth int, chain []string) map[refNode]int {
	edges := r.visible(chain)
	dist := map[refNode]int{}
	for _, s := range start {
		dist[s] = 0
	}
	frontier := start
	for d := 1; len(frontier) > 0 && (depth == Unlimited || d <= depth); d++ {
		var reached []refNode
		for _, n := range frontier {
			for _, m := range r.next(n, column, up, flow, edges, chain) {
				if _, ok := dist[m]; !ok {
					dist[m] = d
					reached = append(reached, m)
				}
			}
		}
		frontier = reached
	}
	return dist
}

var testBranches = []string{"master", "develop", "feature"}

func testKey(i int) string { return fmt.Sprintf("dataset|mysql://h:3306|db.t%d", i) }

// drawItems draws a set of edges with self-loops, cycles and both levels.
func drawItems(t *rapid.T, origin lineage.Origin, to int) []lineage.Item {
	n := rapid.IntRange(0, 8).Draw(t, "items")
	seen := map[lineage.Edge]bool{}
	var out []lineage.Item
	for range n {
		e := lineage.Edge{From: testKey(rapid.IntRange(0, 7).Draw(t, "from")), To: testKey(rapid.IntRange(0, 7).Draw(t, "to")), Direct: true, Origin: origin}
		if to >= 0 {
			e.To = testKey(to)
		}
		col := rapid.SampledFrom([]string{"a", "b", "c", Star})
		switch rapid.IntRange(0, 2).Draw(t, "level") {
		case 1:
			e.FromColumn, e.ToColumn = col.Draw(t, "fromCol"), col.Draw(t, "toCol")
		case 2:
			e.FromColumn, e.Direct = col.Draw(t, "fromCol"), false
		}
		if !seen[e] {
			seen[e] = true
			out = append(out, lineage.Item{Edge: e, Statements: []int{rapid.IntRange(1, 3).Draw(t, "statement")}})
		}
	}
	return out
}

func drawOwner(t *rapid.T, version uint64) OwnerState {
	key := lineage.OwnerKey{
		Task:   fmt.Sprintf("default|task%d", rapid.IntRange(0, 5).Draw(t, "task")),
		Branch: rapid.SampledFrom(testBranches).Draw(t, "branch"),
		Source: rapid.SampledFrom([]lineage.Source{lineage.SourceDefinition, lineage.SourceDefinition, lineage.SourceRuns, lineage.SourcePeople}).Draw(t, "source"),
	}
	s := OwnerState{Key: key, Version: version, Status: lineage.StatusLive, Node: "task|" + key.Task, Kind: "batch"}
	origin, to := lineage.OriginParsed, -1
	switch key.Source {
	case lineage.SourceRuns:
		origin = lineage.OriginObserved
	case lineage.SourcePeople:
		to = rapid.IntRange(0, 7).Draw(t, "target")
		s.Key.Task, s.Node, origin = testKey(to), testKey(to), lineage.OriginManual
	case lineage.SourceDefinition:
		// Tasks 4 and 5 are job specs on every branch: what a task is does not
		// change with the branch.
		if s.Spec = key.Task >= "default|task4"; s.Spec {
			s.Mentions = []lineage.Mention{{Key: testKey(rapid.IntRange(0, 7).Draw(t, "output"))}}
		}
	}
	if s.Spec {
		to = slices.IndexFunc([]int{0, 1, 2, 3, 4, 5, 6, 7}, func(i int) bool { return testKey(i) == s.Mentions[0].Key })
	}
	if key.Source != lineage.SourcePeople {
		s.Status = rapid.SampledFrom([]lineage.Status{lineage.StatusLive, lineage.StatusLive, lineage.StatusRemoved, lineage.StatusWithdrawn}).Draw(t, "status")
	}
	if s.Status == lineage.StatusLive {
		s.Items = drawItems(t, origin, to)
	}
	return s
}

func drawChain(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		{"master"}, {"develop", "master"}, {"feature", "develop", "master"}, {"feature", "master"},
		{"feature"}, {"master", "develop"}, {"feature", "develop"}, {"other", "master"},
	}).Draw(t, "chain")
}

// fill applies random batches to a graph and a reference alike.
func fill(t *rapid.T, g *Graph, r *reference, batches int) {
	version := g.Current().Sequence() * 1000
	for range batches {
		b := g.Begin()
		for range rapid.IntRange(1, 6).Draw(t, "owners") {
			version++
			s := drawOwner(t, version)
			require.NoError(t, b.SetOwner(s))
			r.owners[s.Key] = s
		}
		if rapid.Bool().Draw(t, "define") {
			version++
			key, branch := testKey(rapid.IntRange(0, 7).Draw(t, "node")), rapid.SampledFrom(testBranches).Draw(t, "branch")
			d := Definition{Branch: branch, Version: version, Removed: rapid.IntRange(0, 3).Draw(t, "removed") == 0}
			if !d.Removed {
				d.Columns = []event.Column{{Name: "a"}, {Name: "d", Masked: true}}
			}
			require.NoError(t, b.SetDefinition(key, d))
			if r.definitions[key] == nil {
				r.definitions[key] = map[string]Definition{}
			}
			r.definitions[key][branch] = d
		}
		b.Commit(Position{"tributary.lineage": {int64(version)}})
	}
}

func distancesOf(v *View, r columnReach, column bool) map[refNode]int {
	out := map[refNode]int{}
	d := 0
	for i, id := range r.ids {
		for i >= r.ends[d] {
			d++
		}
		if column {
			node, col := v.g.names.column(ColumnID(id))
			out[refNode{v.g.names.key(node), col}] = d
			continue
		}
		out[refNode{key: v.g.names.key(NodeID(id))}] = d
	}
	return out
}

// checkWalks compares walks from every node and column on a chain.
func checkWalks(t *rapid.T, g *Graph, r *reference, chain []string) {
	v := g.Current().View(chain...)
	up := rapid.Bool().Draw(t, "up")
	depth := rapid.SampledFrom([]int{0, 1, 2, 3, Unlimited}).Draw(t, "depth")
	flow := rapid.SampledFrom([]Flow{FlowAll, FlowDirect, FlowIndirect}).Draw(t, "flow")
	for i := range 8 {
		node := v.g.names.find(testKey(i))
		if node == NodeID(NoID) {
			continue
		}
		got := v.walkNodes(context.Background(), []NodeID{node}, up, depth)
		want := r.walk([]refNode{{key: testKey(i)}}, false, up, FlowAll, depth, chain)
		require.Equal(t, want, distancesOf(v, columnReach{reach: got}, false), "tables from %s up=%v depth=%d", testKey(i), up, depth)
		for _, col := range []string{"a", "b", Star} {
			c := v.g.names.findColumn(node, col)
			if c == ColumnID(NoID) {
				continue
			}
			got := v.walkColumns(context.Background(), []ColumnID{c}, up, flow, depth)
			want := r.walk([]refNode{{testKey(i), col}}, true, up, flow, depth, chain)
			require.Equal(t, want, distancesOf(v, got, true), "columns from %s.%s up=%v depth=%d flow=%d", testKey(i), col, up, depth, flow)
		}
	}
}

func TestWalksEqualReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, r := New(), newReference()
		g.mergeLeast = rapid.SampledFrom([]int{0, 5, 1000}).Draw(t, "mergeLeast")
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			fill(t, g, r, rapid.IntRange(1, 4).Draw(t, "batches"))
			checkWalks(t, g, r, drawChain(t))
		}
	})
}

// A snapshot that was taken stays as it was, whatever is committed later.
func TestSnapshotsDoNotChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, r := New(), newReference()
		g.mergeLeast = rapid.SampledFrom([]int{0, 5, 1000}).Draw(t, "mergeLeast")
		fill(t, g, r, 3)
		s := g.Current()
		before := s.View("feature", "master").dump()
		fill(t, g, newReference(), 3)
		require.Equal(t, before, s.View("feature", "master").dump())
		s.views = &viewCache{}
		require.Equal(t, before, s.View("feature", "master").dump())
	})
}

// dump lists all edges of a view by name with their owners.
func (v *View) dump() []string {
	var out []string
	name := func(column bool, id uint32) string {
		if !column {
			return v.g.names.key(NodeID(id))
		}
		node, col := v.g.names.column(ColumnID(id))
		return v.g.names.key(node) + "/" + col
	}
	for l := range levels {
		froms := v.nodes
		if l != levelTable {
			froms = v.columns
		}
		var buf []uint32
		for from := range froms {
			for _, to := range v.edges[l].out.neighbours(from, &buf) {
				for _, o := range v.edges[l].out.owners(from, to, nil) {
					out = append(out, fmt.Sprint(l, " ", name(l != levelTable, from), " ", name(l == levelDirect, to), " ", v.g.keyOf(OwnerID(o))))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// The edges of a view, with those who contribute them, are those of the
// reference, whatever was merged, removed or put on branches before.
func TestViewsEqualReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, r := New(), newReference()
		g.mergeLeast = rapid.SampledFrom([]int{0, 5, 1000}).Draw(t, "mergeLeast")
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			fill(t, g, r, 1)
			chain := drawChain(t)
			require.Equal(t, r.dump(chain), g.Current().View(chain...).dump(), "chain %v", chain)
			for i := range 8 {
				if id := g.Current().View(chain...).Node(testKey(i)); id != NodeID(NoID) {
					here, onMaster := g.Current().View(chain...).Produced(id)
					require.Equal(t, r.produced(testKey(i), chain), here, "%s on %v", testKey(i), chain)
					require.Equal(t, r.produced(testKey(i), []string{"master"}), onMaster, "%s on master", testKey(i))
				}
			}
		}
	})
}

// produced says whether a job spec of the first branch that has one for the
// node produces it.
func (r *reference) produced(node string, chain []string) bool {
	for _, branch := range chain {
		known := false
		for key, o := range r.owners {
			if key.Branch != branch || !o.Spec || o.Status == lineage.StatusWithdrawn || o.Mentions[0].Key != node {
				continue
			}
			if known = true; o.Status == lineage.StatusLive {
				return true
			}
		}
		if known {
			return false
		}
	}
	return false
}

// dump lists all edges that count on a chain in the form of View.dump.
func (r *reference) dump(chain []string) []string {
	var out []string
	for e, owners := range r.visible(chain) {
		l, from, to := levelTable, e.From, e.To
		if e.FromColumn != "" {
			l, from = levelIndirect, from+"/"+e.FromColumn
		}
		if e.ToColumn != "" {
			l, to = levelDirect, to+"/"+e.ToColumn
		}
		for _, o := range owners {
			out = append(out, fmt.Sprint(l, " ", from, " ", to, " ", o))
		}
	}
	slices.Sort(out)
	return out
}
