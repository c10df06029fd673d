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
	statementMemory

	resolver   resolver
	catalog    catalog
	byKey      map[string]*Table
	queries    map[queryKey]*relation
	edgeIndex  edgeIndex
	tables     []*Table
	tableList  []*tableEdge
	tableLists slab.Of[*Table]
	tableEdges slab.Of[tableEdge]
	leaves     slab.Of[statement]
	statements []*statement
	below      []*relation
	emission   emission

	ofScript, ofSteps, ofStatement, ofKept slab.Group
}

// keptMemory is what the step graph is made of.
type keptMemory struct {
	stepMemory

	columns        slab.Of[value]
	tableColumns   slab.Of[*value]
	allTables      slab.Of[Table]
	openTables     slab.Of[openTable]
	columnBlocks   slab.Of[columnBlock]
	indirectBlocks slab.Of[indirectBlock]
	columnEdges    []*columnEdge
	indirectEdges  []*indirectEdge
}

// stepMemory are the steps between columns of tables. They go with their statement
// unless they are to be explained.
type stepMemory struct {
	values slab.Of[value]
	inputs slab.Of[input]
	conds  slab.Of[condition]
}

// statementMemory is what only one statement needs, unless it leaves something to those
// behind it: a session table, a variable.
type statementMemory struct {
	relations    slab.Of[relation]
	relConds     slab.Of[condition]
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
	readLists    slab.Of[*Table]
	pairs        slab.Of[pair]
}

func newMemory() *memory {
	m := &memory{
		byKey: map[string]*Table{}, queries: map[queryKey]*relation{},
		edgeIndex: edgeIndex{map[tableKey]*tableEdge{}, map[columnKey]*columnEdge{}, map[indirectKey]*indirectEdge{}},
	}
	m.ofScript = slab.Group{&m.tableLists, &m.tableEdges, &m.leaves}
	m.ofSteps = slab.Group{&m.values, &m.inputs, &m.conds}
	m.ofKept = slab.Group{&m.columns, &m.tableColumns, &m.allTables, &m.openTables, &m.columnBlocks, &m.indirectBlocks}
	m.ofStatement = slab.Group{
		&m.relations, &m.relConds, &m.scopes, &m.sources, &m.aliases, &m.aliasNames, &m.ctes, &m.cteScopes, &m.cteNames,
		&m.derived, &m.columnLists, &m.sourceLists, &m.relationList, &m.readLists, &m.pairs,
	}
	return m
}

// memories are those that no script uses now.
var memories = sync.Pool{New: func() any { return newMemory() }}

func borrowMemory() *memory {
	m, _ := memories.Get().(*memory)
	return m
}

// resolved gives up what a big script needs no more once all its statements are
// resolved: its result takes memory too.
func (m *memory) resolved(explain bool) {
	m.byKey, m.queries, m.edgeIndex = nil, nil, edgeIndex{}
	m.statementMemory = statementMemory{}
	for _, t := range m.tables {
		if !t.known {
			t.rows = nil
		}
	}
	m.openTables = slab.Of[openTable]{}
	if !explain {
		m.stepMemory = stepMemory{}
	}
}

// listed gives up the statements of a big script once they are in its result.
func (m *memory) listed() {
	m.statements, m.leaves, m.tableLists = nil, slab.Of[statement]{}, slab.Of[*Table]{}
}

// giveBack lets a later script use the memory.
func (m *memory) giveBack() {
	m.ofKept.Reset()
	m.ofSteps.Reset()
	m.columnEdges, m.indirectEdges = emptied(m.columnEdges), emptied(m.indirectEdges)
	m.ofScript.Reset()
	m.ofStatement.Reset()
	m.resolver = resolver{}
	clear(m.catalog.pathRoom[:cap(m.catalog.pathRoom)])
	m.catalog = catalog{pathRoom: m.catalog.pathRoom, keyRoom: m.catalog.keyRoom}
	m.byKey, m.queries = emptiedMap(m.byKey), emptiedMap(m.queries)
	m.edgeIndex.clear()
	m.tables, m.tableList = emptied(m.tables), emptied(m.tableList)
	m.statements, m.below = emptied(m.statements), emptied(m.below)
	m.emission = emission{stack: m.emission.stack[:0], pending: m.emission.pending[:0], found: m.emission.found[:0]}
	memories.Put(m)
}

// keep makes what was made so far stay when back is called.
func (m *memory) keep(explain bool) {
	m.ofStatement.Keep()
	if !explain {
		m.ofSteps.Keep()
	}
}

// back takes back what was made for the statements since keep was called.
func (m *memory) back(explain bool) {
	m.ofStatement.Back()
	if !explain {
		m.ofSteps.Back()
	}
	m.queries = emptiedMap(m.queries)
}

// maxKeptMap is how much a map may hold to be used again: emptying it takes time for all
// that it ever had room for.
const maxKeptMap = 1 << 9

// emptiedMap is a map without its elements.
func emptiedMap[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > maxKeptMap {
		return map[K]V{}
	}
	clear(m)
	return m
}

// bytes is about the memory that was handed out.
func (m *memory) bytes() int {
	return m.ofScript.Bytes() + m.ofSteps.Bytes() + m.ofStatement.Bytes() + m.ofKept.Bytes()
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
	rel.conds = r.mem.relConds.Room(someConditions)
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
