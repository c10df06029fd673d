package graph

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/fold/lineage"
)

// Whatever the limits, all pages together have every node and every edge
// between them once, and the counts of what is left are true.
func TestPagesHaveEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, r := New(), newReference()
		fill(t, g, r, 3)
		v := g.Current().View(drawChain(t)...)
		q := Question{ByColumn: rapid.Bool().Draw(t, "byColumn"), Up: rapid.Bool().Draw(t, "up"), Down: rapid.Bool().Draw(t, "down"), Depth: rapid.IntRange(-1, 3).Draw(t, "depth")}
		node := v.Node(testKey(rapid.IntRange(0, 7).Draw(t, "start")))
		if node == NodeID(NoID) {
			return
		}
		q.Nodes, q.Columns = []NodeID{node}, v.columnsOf(node)
		all := v.Around(context.Background(), q)
		whole := v.Page(all, q.ByColumn, nil, Limits{Nodes: 1 << 20, Edges: 1 << 20})
		require.Nil(t, whole.Next)
		require.Len(t, whole.Nodes, len(all.Nodes))

		limits := Limits{Nodes: rapid.IntRange(1, 4).Draw(t, "nodes"), Edges: rapid.IntRange(1, 6).Draw(t, "edges")}
		var nodes []Spot
		var edges []Edge
		var after *Cursor
		for n := 0; ; n++ {
			require.Less(t, n, 1000, "pages without end")
			p := v.Page(all, q.ByColumn, after, limits)
			require.LessOrEqual(t, len(p.Nodes), limits.Nodes)
			require.LessOrEqual(t, len(p.Edges), limits.Edges)
			nodes, edges = append(nodes, p.Nodes...), append(edges, p.Edges...)
			require.Equal(t, len(all.Nodes), len(nodes)+p.NodesLeft)
			if p.Next == nil {
				break
			}
			back, err := ParseCursor(p.Next.String())
			require.NoError(t, err)
			require.Equal(t, *p.Next, back)
			after = &back
		}
		require.Equal(t, whole.Nodes, nodes)
		require.Equal(t, sorted(whole.Edges), sorted(edges))
	})
}

func sorted(edges []Edge) []Edge {
	out := slices.Clone(edges)
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp3(uint32(a.level), uint32(b.level), a.From, b.From, a.To, b.To)
	})
	return out
}

func TestCursorsOfOthersAreRefused(t *testing.T) {
	for _, text := range []string{"", "x", "AAAA", "!!!!", "AAAAAAAAAAAAAAAAAAAA"} {
		if c, err := ParseCursor(text); err == nil {
			require.Equal(t, text, c.String())
		}
	}
	_, err := ParsePosition("tributary.tasks/0")
	require.ErrorIs(t, err, ErrPosition)
	for _, text := range []string{"tributary.tasks/3/7", "a:1,2;b:0"} {
		p, err := ParsePosition(text)
		require.NoError(t, err)
		q, err := ParsePosition(p.String())
		require.NoError(t, err)
		require.True(t, p.Covers(q) && q.Covers(p))
	}
}

// A hub of many neighbours is answered page by page, and changing one of its
// edges does not copy the others.
func TestHub(t *testing.T) {
	g := New()
	b := g.Begin()
	const size = 30_000
	for i := range size {
		s := OwnerState{Key: lineage.OwnerKey{Task: fmt.Sprint("default|t", i), Branch: "master", Source: lineage.SourceDefinition}, Status: lineage.StatusLive, Version: 1}
		s.Items = []lineage.Item{{Edge: lineage.Edge{From: testKey(-1), To: testKey(i), Direct: true, Origin: lineage.OriginParsed}}}
		require.NoError(t, b.SetOwner(s))
	}
	b.Commit(Position{})
	v := g.Current().View()
	hub := v.Node(testKey(-1))
	_, down := v.Degree(hub)
	require.Equal(t, size, down)
	seen := 0
	var after *Cursor
	all := v.Around(context.Background(), Question{Nodes: []NodeID{hub}, Down: true, Depth: 1})
	for {
		p := v.Page(all, false, after, Limits{Nodes: 5000, Edges: 20000})
		seen += len(p.Nodes)
		if p.Next == nil {
			break
		}
		after = p.Next
	}
	require.Equal(t, size+1, seen)

	b = g.Begin()
	gone := OwnerState{Key: lineage.OwnerKey{Task: "default|t7", Branch: "master", Source: lineage.SourceDefinition}, Status: lineage.StatusRemoved, Version: 2}
	require.NoError(t, b.SetOwner(gone))
	opened, closed := b.Changed()
	require.Equal(t, [2]int{0, 1}, [2]int{opened, closed})
	b.Commit(Position{})
	require.LessOrEqual(t, len(g.Current().edges[levelTable].out.over.get(uint32(hub)).gone), 1)
	_, down = g.Current().View().Degree(hub)
	require.Equal(t, size-1, down)
}

// There is no number of branches at which one of them becomes another.
func TestManyBranchesStayApart(t *testing.T) {
	g := New()
	b := g.Begin()
	const branches = 1<<16 + 1
	for i := range branches {
		s := OwnerState{Key: lineage.OwnerKey{Task: "default|t", Branch: fmt.Sprint("b", i), Source: lineage.SourceDefinition}, Status: lineage.StatusLive, Version: 1}
		s.Items = []lineage.Item{{Edge: lineage.Edge{From: testKey(0), To: testKey(1 + i%2), Direct: true, Origin: lineage.OriginParsed}}}
		require.NoError(t, b.SetOwner(s))
	}
	s := b.Commit(Position{})
	require.Zero(t, s.Counts().Table, "master has none of it")
	require.Len(t, s.Branches(), branches+1)
	for _, i := range []int{0, 1, 1<<16 - 2, 1<<16 - 1, 1 << 16} {
		v := s.View(fmt.Sprint("b", i))
		_, down := v.Degree(v.Node(testKey(0)))
		require.Equal(t, 1, down)
		up, _ := v.Degree(v.Node(testKey(1 + i%2)))
		require.Equal(t, 1, up, "branch b%d", i)
	}
	require.True(t, s.KnowsBranch("b7"))
	require.False(t, s.KnowsBranch("b"))
}

// Names that share an id are never taken for one.
func TestCollidingNamesStayApart(t *testing.T) {
	g := New()
	l := g.Load()
	require.NoError(t, l.Node(7, testKey(0)))
	require.NoError(t, l.Node(8, testKey(1)))
	require.NoError(t, l.Node(9, testKey(3)))
	require.ErrorIs(t, l.Node(7, testKey(2)), ErrCollision)
	require.Len(t, l.Collisions(), 1)
	id, err := l.Owner(LoadedOwner{Key: lineage.OwnerKey{Task: "default|t", Branch: "master", Source: lineage.SourceDefinition}, Status: lineage.StatusLive})
	require.NoError(t, err)
	var shared []LoadedEdge
	l.Edges([]LoadedEdge{
		{Owner: id, From: 9, To: 8, Direct: true, Origin: lineage.OriginParsed, Statement: 1},
		{Owner: id, From: 7, To: 8, Direct: true, Origin: lineage.OriginParsed},
		{Owner: id, From: 10, To: 8, Direct: true, Origin: lineage.OriginParsed},
	}, func(e *LoadedEdge) { shared = append(shared, *e) })
	require.Len(t, shared, 1, "it may be either one's")
	require.Equal(t, uint64(7), shared[0].From)
	require.Equal(t, 1, l.Finish(Position{}).Counts().Table)
}

func TestSearchRanks(t *testing.T) {
	g := New()
	b := g.Begin()
	for _, n := range []string{"shop.orders", "shop.orders_daily", "orders.items", "shop.all_orders", "shop.reorders", "shop.Orders2"} {
		require.NoError(t, b.Mention("dataset|mysql://h:3306|"+n))
	}
	b.Commit(Position{})
	v := g.Current().View()
	hits, more := v.Search("ORDERS", 10, nil)
	require.False(t, more)
	var got []string
	for _, h := range hits {
		got = append(got, h.name)
	}
	require.Equal(t, []string{"shop.orders", "shop.orders2", "shop.orders_daily", "orders.items", "shop.all_orders", "shop.reorders"}, got)
	hits, more = v.Search("orders", 2, nil)
	require.True(t, more)
	require.Len(t, hits, 2)
	require.Equal(t, []string{"dataset|mysql://h:3306|shop.orders"}, v.Near("shop.ordres", 1))
}
