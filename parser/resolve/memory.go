package resolve

import (
	"slices"
	"sync"

	"github.com/tributary-data/tributary/parser/slab"
)

// memory is what the lineage of one script is made in. It is used by one script after
// another: making it anew for each would take longer than finding the lineage.
type memory struct {
	keptMemory

	relations    slab.Of[relation]
	scopes       slab.Of[scope]
	sources      slab.Of[source]
	aliases      slab.Of[aliasEntry]
	aliasNames   slab.Of[named[*aliasEntry]]
	ctes         slab.Of[cte]
	cteScopes    slab.Of[cteScope]
	cteNames     slab.Of[named[*cte]]
	derived      slab.Of[named[*value]]
	columnLists  slab.Of[*value]
	sourceLists  slab.Of[*source]
	relationList slab.Of[*relation]
	tableLists   slab.Of[*Table]
	pairs        slab.Of[pair]
	tableEdges   slab.Of[tableEdge]

	resolver   resolver
	catalog    catalog
	byKey      map[string]*Table
	queries    map[queryKey]*relation
	edgeIndex  edgeIndex
	tables     []*Table
	tableList  []*tableEdge
	statements []statement
	below      []*relation
	emission   emission
}

// keptMemory is what the step graph is made of: it goes with the result that is asked
// for it.
type keptMemory struct {
	values         slab.Of[value]
	inputs         slab.Of[input]
	conds          slab.Of[condition]
	allTables      slab.Of[Table]
	openTables     slab.Of[openTable]
	columnBlocks   slab.Of[columnBlock]
	indirectBlocks slab.Of[indirectBlock]
	columnEdges    []*columnEdge
	indirectEdges  []*indirectEdge
}

// memories are those that no script uses now.
var memories = sync.Pool{New: func() any {
	return &memory{
		byKey: map[string]*Table{}, queries: map[queryKey]*relation{},
		edgeIndex: edgeIndex{map[tableKey]*tableEdge{}, map[columnKey]*columnEdge{}, map[indirectKey]*indirectEdge{}},
	}
}}

func borrowMemory() *memory {
	m, _ := memories.Get().(*memory)
	return m
}

// The bounds of what is kept for the next script: of a long one the memory is given
// up, because emptying it takes time for all that it ever held.
const (
	maxKeptSteps = 1 << 13
	maxKeptEdges = 1 << 10
)

// giveBack lets the next script use the memory; what the step graph is made of stays
// with the result if it was asked for.
func (m *memory) giveBack(steps, edges int, explained bool) {
	if steps > maxKeptSteps || edges > maxKeptEdges {
		return
	}
	if explained {
		m.keptMemory = keptMemory{}
	} else {
		m.reset()
	}
	m.relations.Reset()
	m.scopes.Reset()
	m.sources.Reset()
	m.aliases.Reset()
	m.aliasNames.Reset()
	m.ctes.Reset()
	m.cteScopes.Reset()
	m.cteNames.Reset()
	m.derived.Reset()
	m.columnLists.Reset()
	m.sourceLists.Reset()
	m.relationList.Reset()
	m.tableLists.Reset()
	m.pairs.Reset()
	m.tableEdges.Reset()
	m.resolver = resolver{}
	clear(m.catalog.pathRoom[:cap(m.catalog.pathRoom)])
	m.catalog = catalog{pathRoom: m.catalog.pathRoom, keyRoom: m.catalog.keyRoom}
	clear(m.byKey)
	clear(m.queries)
	m.edgeIndex.clear()
	m.tables, m.tableList = emptied(m.tables), emptied(m.tableList)
	m.statements, m.below = emptied(m.statements), emptied(m.below)
	m.emission = emission{stack: m.emission.stack[:0], pending: m.emission.pending[:0], found: m.emission.found[:0]}
	memories.Put(m)
}

// bytes is about the memory that was handed out.
func (m *memory) bytes() int {
	return m.relations.Bytes() + m.scopes.Bytes() + m.sources.Bytes() + m.aliases.Bytes() + m.aliasNames.Bytes() +
		m.ctes.Bytes() + m.cteScopes.Bytes() + m.cteNames.Bytes() + m.derived.Bytes() + m.columnLists.Bytes() +
		m.sourceLists.Bytes() + m.relationList.Bytes() + m.tableLists.Bytes() + m.pairs.Bytes() + m.tableEdges.Bytes() +
		m.values.Bytes() + m.inputs.Bytes() + m.conds.Bytes() + m.allTables.Bytes() + m.openTables.Bytes() +
		m.columnBlocks.Bytes() + m.indirectBlocks.Bytes()
}

func (k *keptMemory) reset() {
	k.values.Reset()
	k.inputs.Reset()
	k.conds.Reset()
	k.allTables.Reset()
	k.openTables.Reset()
	k.columnBlocks.Reset()
	k.indirectBlocks.Reset()
	k.columnEdges, k.indirectEdges = emptied(k.columnEdges), emptied(k.indirectEdges)
}

// emptied is a list without its elements, and without traces of them.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// named is a value with the name that it is found by.
type named[T any] struct {
	key   string
	value T
}

// names finds values by name: one by one while they are few. The last of a name counts.
type names[T any] struct {
	few  []named[T]
	many map[string]T
}

const fewNames = 16

// get gives the value of a name, the zero value if there is none.
func (n *names[T]) get(key string) (v T) {
	if n.many != nil {
		return n.many[key]
	}
	for i := range slices.Backward(n.few) {
		if n.few[i].key == key {
			return n.few[i].value
		}
	}
	return v
}

// add adds a name, in the memory given.
func (n *names[T]) add(mem *slab.Of[named[T]], key string, v T) {
	if n.many == nil && len(n.few) < fewNames {
		n.few = mem.Append(n.few, named[T]{key, v})
		return
	}
	if n.many == nil {
		n.many = make(map[string]T, 2*fewNames)
		for _, x := range n.few {
			n.many[x.key] = x.value
		}
	}
	n.many[key] = v
}

// someConditions is how many conditions most queries have no more of.
const someConditions = 6

// newRelation makes a relation with room for some columns and for some that it reads.
func (r *resolver) newRelation(cols, deps int) *relation {
	rel := r.mem.relations.One()
	if cols > 0 {
		rel.cols = r.mem.columnLists.Room(cols)
	}
	rel.deps = r.mem.relationList.Room(deps)
	rel.conds = r.mem.conds.Room(someConditions)
	return rel
}

// newScope makes a scope inside another.
func (r *resolver) newScope(outer *scope, rel *relation) *scope {
	s := r.mem.scopes.One()
	s.parent, s.rel = outer, rel
	if outer != nil {
		s.ctes = outer.ctes
	}
	return s
}
