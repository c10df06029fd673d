package resolve

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// source is one element of a FROM list as names see it.
type source struct {
	rel *relation
	// alias is the compared form of its alias, empty if it has none and is a table.
	alias string
	// path are the compared parts of the table's full name, for `db.t.c`.
	path []string
	// merged are the keys of columns that USING or NATURAL merged.
	merged map[string]bool
	// proven are the keys of columns that a change assigns to: the table surely has them.
	proven map[string]bool
	// hidden marks the side of a semi join whose columns are gone.
	hidden bool
	// unnamed marks the elements of an UNNEST that has no alias.
	unnamed bool
	// table is the table or session table that the source is, if it is one.
	table *Table
	at    int32
}

// mergedColumn is a column made of both sides of a join.
type mergedColumn struct {
	key   string
	value *value
}

// alias is a named select item, or a ClickHouse WITH expression.
type aliasEntry struct {
	expr *ir.Expr
	v    *value
	busy bool
	// item: the name of a select item, which others see only once it has been read
	// (unless the dialect lets aliases be used anywhere); ready: it has been.
	item, ready bool
}

// scope is what names mean at one level of a query.
type scope struct {
	parent *scope
	ctes   *cteScope
	// rel is the relation that is being built: what is read here becomes its
	// dependency.
	rel     *relation
	sources []*source
	byAlias map[string]*source
	merged  []mergedColumn
	aliases names[*aliasEntry]
	// outputs are the select list, for ordinals and ORDER BY.
	outputs []*value
	windows map[string]*ir.Window
	params  []*value // of a lambda
	lambda  bool
	// symbols are pattern variables of MATCH_RECOGNIZE.
	symbols *source
	// useAliases: names may be aliases here; aliasFirst: before columns.
	useAliases, aliasFirst bool
	// proposed is the row that an insert proposes, for MySQL's VALUES(column).
	proposed *relation
	// above is where a qualifier was found last that the nearest scopes around do not
	// know. They do not change while this one is in use.
	above *outerName
}

// outerName is a qualifier with the scope that knows it, far around the one that asks.
type outerName struct {
	key, first string
	at         *scope
}

// farOut is from how many scopes on a name is remembered that was found around them.
// What asks in the next scope inside need then not go through all of them again.
const farOut = 4

// next gives the scope to look for a qualifier in after this one: the one around it
// that is known to have it, else the parent.
func (s *scope) next(key, first string) *scope {
	if s.above != nil && s.above.key == key && s.above.first == first {
		return s.above.at
	}
	return s.parent
}

const aliasIndexFrom = 12

// addSource brings a FROM element into scope.
func (s *scope) addSource(src *source) {
	s.sources = append(s.sources, src)
	if len(s.sources) > aliasIndexFrom {
		if s.byAlias == nil {
			s.byAlias = make(map[string]*source, 2*len(s.sources))
			for _, x := range s.sources {
				s.index(x)
			}
			return
		}
		s.index(src)
	}
}

func (s *scope) index(src *source) {
	key := src.alias
	if key == "" && len(src.path) > 0 {
		key = src.path[len(src.path)-1]
	}
	if _, ok := s.byAlias[key]; !ok {
		s.byAlias[key] = src
	}
}

// sourceOf finds the source that a one-part qualifier names.
func (s *scope) sourceOf(key string) *source {
	if s.byAlias != nil {
		return s.byAlias[key]
	}
	for _, x := range s.sources {
		if x.alias == key {
			return x
		}
	}
	for _, x := range s.sources {
		if x.alias == "" && len(x.path) > 0 && x.path[len(x.path)-1] == key {
			return x
		}
	}
	return nil
}

// twice reports whether two different tables without an alias have that last name.
func (s *scope) twice(key string) bool {
	if s.byAlias != nil {
		return false
	}
	var first *source
	for _, x := range s.sources {
		if x.alias != "" || len(x.path) == 0 || x.path[len(x.path)-1] != key {
			continue
		}
		if first != nil && first.table != x.table {
			return true
		}
		first = x
	}
	return false
}

// sourceOfPath finds the source that a qualifier of several parts names.
func (s *scope) sourceOfPath(keys []string) *source {
	for _, x := range s.sources {
		if len(x.path) >= len(keys) && len(keys) > 0 {
			tail := x.path[len(x.path)-len(keys):]
			same := true
			for i := range keys {
				if tail[i] != keys[i] {
					same = false
					break
				}
			}
			if same {
				return x
			}
		}
	}
	return nil
}
