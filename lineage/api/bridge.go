package api

import (
	"slices"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

// maxBridged bounds the hidden nodes that are passed to bridge one page.
const maxBridged = 20000

// hide takes out of an answer what the kinds filter does not want, the centres
// apart, and gives the nodes taken out.
func (b *builder) hide(all *graph.Around) map[graph.NodeID]bool {
	if len(b.q.kinds) == 0 {
		return nil
	}
	hidden := map[graph.NodeID]bool{}
	all.Nodes = slices.DeleteFunc(all.Nodes, func(s graph.Spot) bool {
		id := graph.NodeID(s.ID)
		if s.Distance() == 0 || b.wanted(id) {
			return false
		}
		hidden[id] = true
		return true
	})
	all.Columns = slices.DeleteFunc(all.Columns, func(s graph.Spot) bool {
		node, _ := b.v.ColumnName(graph.ColumnID(s.ID))
		return hidden[node]
	})
	return hidden
}

// bridge adds an edge for each pair of shown nodes that hidden ones join,
// with the least number of hidden nodes between them.
func (b *builder) bridge(page []graph.Spot, hidden map[graph.NodeID]bool) {
	if len(hidden) == 0 || b.q.byColumn {
		return
	}
	drawn := map[[2]graph.NodeID]bool{}
	budget := maxBridged
	for _, s := range page {
		id := graph.NodeID(s.ID)
		for _, up := range []bool{false, true} {
			for far, passed := range b.across(id, up, hidden, &budget) {
				pair := [2]graph.NodeID{id, far}
				if up {
					pair = [2]graph.NodeID{far, id}
				}
				if _, shown := b.in[far]; shown && !drawn[pair] {
					drawn[pair] = true
					b.out.Edges = append(b.out.Edges, lineageapi.Edge{
						From: b.v.KeyOf(pair[0]), To: b.v.KeyOf(pair[1]), Level: lineageapi.EdgeLevelTable, Direct: true,
						Kind: lineageapi.EdgeKindBridge, Hidden: passed, Origins: []string{},
					})
				}
			}
		}
	}
	slices.SortStableFunc(b.out.Edges, func(x, y lineageapi.Edge) int {
		if x.Kind != lineageapi.EdgeKindBridge || y.Kind != lineageapi.EdgeKindBridge {
			return 0
		}
		return graph.EdgeKey{From: x.From, To: x.To}.Compare(graph.EdgeKey{From: y.From, To: y.To})
	})
}

// across gives the nodes that hidden nodes lead to from one node, with the
// least number of hidden nodes passed.
func (b *builder) across(from graph.NodeID, up bool, hidden map[graph.NodeID]bool, budget *int) map[graph.NodeID]int {
	found, passed := map[graph.NodeID]int{}, map[graph.NodeID]bool{}
	frontier := []graph.NodeID{from}
	for n := 0; len(frontier) > 0 && *budget > 0; n++ {
		var next []graph.NodeID
		for _, id := range frontier {
			for _, to := range b.v.Neighbours(id, up) {
				switch {
				case hidden[to] && !passed[to]:
					*budget--
					passed[to] = true
					next = append(next, to)
				case !hidden[to] && n > 0:
					if _, known := found[to]; !known {
						found[to] = n
					}
				}
			}
		}
		frontier = next
	}
	return found
}
