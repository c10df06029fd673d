package resolve

import (
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/schemas/name"
)

// Table is one dataset as a script names it: a table, view, file or foreign
// table. It keeps its identity when it is renamed; edges are printed with the name
// that it has when the script ends.
type Table struct {
	id    int32
	parts []string
	// place marks files, stages and foreign tables, whose name is one text.
	place bool
	// temp marks session tables, which edges go through.
	temp bool
	// result marks <result>, where a query without target goes.
	result bool
	// view marks views, whose definition columns come from.
	view bool
	// rows are the columns as known now, nil until somebody asks for them (see content).
	rows *relation
	// cols are the columns that were named, shared by all references; colIndex finds
	// them by key once there are many.
	cols     []*value
	colIndex map[string]*value
	// known is true if the list of columns is complete.
	known bool
	// loose marks lists of columns from outside where the dialect folds names: a name
	// that differs in case alone is found in lowered too.
	loose   bool
	lowered map[string]int32
	// physical are the places that the table stands for.
	physical []string
	options  map[string]string
	engine   string
	// mapping marks Flink tables that are mappings of physical ones.
	mapping bool
	created bool
	// gone marks names that a DROP freed.
	gone bool
	// read and written are for the result's lists; readBy and writtenBy are the numbers
	// of the last statements that read and wrote the table.
	read, written     bool
	readBy, writtenBy int32
	// printed is the name that the table has when the script ends.
	printed string
}

// name is the table's name as printed.
func (t *Table) name() string {
	if t.place || t.result {
		return t.parts[0]
	}
	return name.JoinPath(t.parts...)
}

// catalog holds the tables of a script by their names.
type catalog struct {
	r      *resolver
	places map[string]*Table
	temps  map[string]*Table
	result *Table
	uses   []Use
	// foreign are the schemas that stand for those of other systems.
	foreign map[string]foreign
	// indexed is how many columns of tables are in an index.
	indexed int
	// shared is true if two tables ended under one name: only then can names and edges
	// of the result repeat.
	shared bool

	// pathRoom and keyRoom are where a name's path and key are made before it is known
	// whether they are new.
	pathRoom []string
	keyRoom  []byte
	// parts is room for the paths of tables, which go with the result.
	parts []string
}

func (c *catalog) add(t *Table) *Table {
	t.id = int32(len(c.r.mem.tables))
	c.r.mem.tables = append(c.r.mem.tables, t)
	return t
}

// place returns the dataset of a file, stage or foreign table.
func (c *catalog) place(path string) *Table {
	if t := c.places[path]; t != nil {
		return t
	}
	t := c.add(&Table{parts: []string{path}, place: true})
	if c.places == nil {
		c.places = map[string]*Table{}
	}
	c.places[path] = t
	return t
}

// resultTable returns <result>.
func (c *catalog) resultTable() *Table {
	if c.result == nil {
		c.result = c.add(&Table{parts: []string{"<result>"}, result: true})
	}
	return c.result
}

// content are a table's columns, those of the last version of a session table; nil if
// that has none yet. Many tables are only written, and never asked for it.
func (r *resolver) content(t *Table) *relation {
	if t.rows == nil && !t.temp {
		r.catalog.openTable(t)
	}
	return t.rows
}

// openTable gives a table columns that are not known.
func (c *catalog) openTable(t *Table) {
	t.known = false
	o := c.r.mem.openTables.One()
	o.star = star{of: &o.relation}
	o.first = value{name: "*", key: "*", parts: &noParts, star: &o.star}
	o.cols[0] = &o.first
	o.table, o.relation.cols = t, o.cols[:]
	t.rows = &o.relation
}

// openTable is a relation with the star that is its only column, in one piece of
// memory.
type openTable struct {
	relation
	star  star
	first value
	cols  [1]*value
}

// newColumn makes a column of a table, which stays as long as the table.
func (c *catalog) newColumn(t *Table, shown, key string) *value {
	c.r.countStep()
	v := c.r.mem.columns.One()
	v.name, v.key, v.parts, v.owner = shown, key, &noParts, t
	return v
}

// column returns a table's column of that name, the same value for each mention.
func (c *catalog) column(t *Table, shown, key string) *value {
	if v := t.column(key); v != nil {
		return v
	}
	v := c.newColumn(t, shown, key)
	t.cols = c.r.mem.tableColumns.Append(t.cols, v)
	if t.colIndex != nil {
		t.colIndex[key] = v
		c.indexed++
	} else if len(t.cols) > indexFrom {
		t.colIndex = make(map[string]*value, 2*len(t.cols))
		for _, x := range t.cols {
			t.colIndex[x.key] = x
		}
	}
	return v
}

// column finds a column that was named before, nil if it was not.
func (t *Table) column(key string) *value {
	if t.colIndex != nil {
		return t.colIndex[key]
	}
	for _, v := range t.cols {
		if v.key == key {
			return v
		}
	}
	return nil
}

// setColumns makes a list of columns the table's known ones.
func (c *catalog) setColumns(t *Table, names []string) {
	rel := &relation{table: t}
	rel.cols = make([]*value, 0, len(names))
	for _, n := range names {
		rel.cols = append(rel.cols, c.column(t, n, c.r.columnKey(n)))
	}
	t.rows, t.known, t.loose, t.lowered = rel, true, false, nil
}

// listedColumns makes columns that a schema source lists the table's known ones. Sources
// list the columns of engines that fold to upper case in lower case too, so such names
// are those that need no quotes.
func (c *catalog) listedColumns(t *Table, names []string) {
	c.setColumns(t, names)
	t.loose = c.r.platform.UnquotedColumn != name.FoldNone
	if c.r.platform.UnquotedColumn != name.FoldUpper {
		return
	}
	for _, v := range t.rows.cols {
		if up := strings.ToUpper(v.key); strings.ToLower(v.key) == v.key && t.column(up) == nil {
			t.rekey(v, up)
		}
	}
}

// rekey gives a table's column another key.
func (t *Table) rekey(v *value, key string) {
	if t.colIndex != nil {
		delete(t.colIndex, v.key)
		t.colIndex[key] = v
	}
	v.key = key
}

// path turns a written name into parts with the defaults filled in.
func (c *catalog) path(n ir.Name) []string { return c.pathIn(make([]string, 0, 4), n) }

// pathIn is path in room that is there.
func (c *catalog) pathIn(parts []string, n ir.Name) []string {
	r := c.r
	written := n.Parts
	if r.d.liveSchema && len(written) == 2 && strings.EqualFold(written[0].Name, "LIVE") {
		written = written[1:]
	}
	for _, p := range written {
		if r.d.splitQuoted && p.Quote == '`' && strings.Contains(p.Name, ".") {
			for s := range strings.SplitSeq(p.Name, ".") {
				parts = append(parts, r.platform.Table(s, true))
			}
			continue
		}
		parts = append(parts, r.tablePart(p))
	}
	if r.d.partitionSuffix {
		last := &parts[len(parts)-1]
		if at := strings.IndexByte(*last, '$'); at > 0 && !strings.HasPrefix((*last)[at:], "${") {
			*last = (*last)[:at]
		}
	}
	if n.Link != "" {
		parts[len(parts)-1] += "@" + r.platform.Table(n.Link, false)
	}
	return c.qualify(parts)
}

// tablePart is one part of a table's name as the dialect stores it. A placeholder
// that stands in it is kept as written.
func (r *resolver) tablePart(p ir.Ident) string {
	if holdsPlaceholder(p.Name) {
		if strings.HasPrefix(p.Name, "&") {
			return strings.TrimSuffix(p.Name, ".")
		}
		return p.Name
	}
	if p.Lower && r.lower {
		return p.Name
	}
	return r.platform.Table(p.Name, p.Quote != 0)
}

// holdsPlaceholder reports text that is to be put in by a template.
func holdsPlaceholder(s string) bool {
	return (strings.IndexByte(s, '{') >= 0 || strings.IndexByte(s, '&') >= 0) && (strings.Contains(s, "${") || strings.Contains(s, "{{") || s[0] == '&' || s[0] == '{')
}

// qualify fills default schema and catalog in.
func (c *catalog) qualify(parts []string) []string {
	r := c.r
	for i, p := range parts {
		if p != "" {
			continue
		}
		// An empty part, as in T-SQL's db..t, is the default of its place.
		if len(parts)-i == 2 {
			parts[i] = r.schemaOr("dbo")
		} else if len(parts)-i == 3 {
			parts[i] = r.catalogName
		}
	}
	if len(parts) == 1 && r.schemaName != "" {
		parts = slices.Insert(parts, 0, r.schemaName)
	}
	if len(parts) == 2 && r.catalogName != "" && r.d.catalogs {
		parts = slices.Insert(parts, 0, r.catalogName)
	}
	return parts
}

// key is the text that a path is found under.
func (c *catalog) key(parts []string) string {
	return c.r.platform.SameTable(strings.Join(parts, "\x00"))
}

// find gives the table of a path, nil if there is none.
func (c *catalog) find(parts []string) *Table {
	key := c.keyRoom[:0]
	for i, p := range parts {
		if i > 0 {
			key = append(key, 0)
		}
		if !isLower(p) {
			p = c.r.platform.SameTable(p)
		}
		key = append(key, p...)
	}
	c.keyRoom = key
	return c.r.mem.byKey[string(key)]
}

// tempKey is the text that a session table is found under.
func (c *catalog) tempKey(part string) string { return c.r.platform.SameTable(part) }

// temp finds the live session table that a name means, if it means one.
func (c *catalog) temp(n ir.Name) *Table {
	if len(c.temps) == 0 || !n.Set() {
		return nil
	}
	last := n.Parts[len(n.Parts)-1]
	if len(n.Parts) > 1 && !c.tempQualifier(n.Parts[:len(n.Parts)-1]) {
		return nil
	}
	t := c.temps[c.tempKey(c.r.platform.Table(last.Name, last.Quote != 0))]
	c.r.kept = c.r.kept || t != nil // it is read or written: both may change what it holds
	return t
}

// tempQualifier reports whether a prefix is one under which session tables are
// seen.
func (c *catalog) tempQualifier(prefix []ir.Ident) bool {
	last := strings.ToLower(prefix[len(prefix)-1].Name)
	switch last {
	case "_session", "pg_temp", "session", "global_temp":
		return true
	case "":
		return len(prefix) == 2 && strings.EqualFold(prefix[0].Name, "tempdb")
	case "dbo":
		return len(prefix) == 2 && strings.EqualFold(prefix[0].Name, "tempdb")
	}
	// MySQL and Snowflake keep temporary tables in the schema they are made in.
	if !c.r.d.tempInSchema {
		return false
	}
	return c.r.platform.SameTable(c.r.platform.Table(prefix[len(prefix)-1].Name, prefix[len(prefix)-1].Quote != 0)) ==
		c.r.platform.SameTable(c.r.schemaName)
}

// lookup finds or makes the table of a name.
func (c *catalog) lookup(n ir.Name) *Table {
	if t := c.temp(n); t != nil {
		return t
	}
	return c.permanent(n)
}

// permanent finds or makes the table of a name, or the place that Spark's
// delta.`/path` names.
func (c *catalog) permanent(n ir.Name) *Table {
	if c.r.d.pathTables && len(n.Parts) == 2 && n.Parts[1].Quote == '`' && strings.Contains(n.Parts[1].Name, "/") {
		return c.place(n.Parts[1].Name)
	}
	c.pathRoom = c.pathIn(c.pathRoom[:0], n)
	return c.lookupParts(c.pathRoom)
}

// lookupParts finds or makes the table of a full path, with the columns that the
// schema source knows.
func (c *catalog) lookupParts(parts []string) *Table {
	if t := c.find(parts); t != nil {
		t.gone = false
		return t
	}
	t := c.add(c.r.mem.allTables.One())
	t.parts = c.kept(parts)
	c.r.mem.byKey[string(c.keyRoom)] = t
	c.load(t)
	if len(parts) != 2 {
		return t
	}
	if f, ok := c.foreign[parts[0]]; ok {
		t.physical = one(joinPlace(f.host, dotted(f.database, f.schema, parts[1]), f.scheme))
	}
	return t
}

// foreign is a schema that stands for one of another system.
type foreign struct{ scheme, host, database, schema string }

// somePaths is room for the parts of some paths.
const somePaths = 16

// kept copies a path.
func (c *catalog) kept(path []string) []string {
	if len(c.parts) < len(path) {
		c.parts = make([]string, max(somePaths, len(path)))
	}
	out := c.parts[:len(path):len(path)]
	c.parts = c.parts[len(path):]
	copy(out, path)
	return out
}

// load asks the schema source for a table's columns.
func (c *catalog) load(t *Table) {
	if src := c.r.o.Source; src != nil {
		names, ok := src.Columns(t.parts)
		c.uses = append(c.uses, Use{Parts: t.parts, Found: ok})
		if ok {
			c.allow(names)
			c.listedColumns(t, names)
		}
	}
}

// memoryForName is the memory that a byte of a column's name adds to what is allowed.
const memoryForName = 64

// allow raises the bound of memory for what the schema source tells, which is input as
// the script is.
func (c *catalog) allow(names []string) {
	if c.r.o.Limits.Memory <= 0 {
		return
	}
	for _, n := range names {
		c.r.o.Limits.Memory += memoryForName * len(n)
	}
}

// exists reports whether the script or the schema source knows the path already.
func (c *catalog) exists(parts []string) bool {
	t := c.find(parts)
	return t != nil && (t.created || t.known)
}

// rename gives the table of one path another path.
func (c *catalog) rename(from, to []string) {
	t := c.lookupParts(from)
	delete(c.r.mem.byKey, c.key(from))
	t.parts = to
	c.r.mem.byKey[c.key(to)] = t
}

// swap exchanges the names of two tables.
func (c *catalog) swap(a, b []string) {
	ta, tb := c.lookupParts(a), c.lookupParts(b)
	ta.parts, tb.parts = tb.parts, ta.parts
	c.r.mem.byKey[c.key(a)], c.r.mem.byKey[c.key(b)] = tb, ta
}

// drop forgets a session table, or frees a permanent name: what is created under
// it later is another table.
func (c *catalog) drop(n ir.Name) {
	if t := c.temp(n); t != nil {
		delete(c.temps, c.tempKey(t.parts[len(t.parts)-1]))
		return
	}
	parts := c.path(n)
	if t := c.find(parts); t != nil {
		t.gone = true
	}
}

// addTemp makes a new session table that hides other tables of its name.
func (c *catalog) addTemp(n ir.Name) *Table {
	last := n.Last()
	part := c.r.platform.Table(last.Name, last.Quote != 0)
	parts := []string{part}
	if c.r.d.tempQualified {
		parts = c.qualify(parts)
	}
	c.r.kept = true
	t := c.add(&Table{parts: parts, temp: true, created: true})
	if c.temps == nil {
		c.temps = map[string]*Table{}
	}
	c.temps[c.tempKey(part)] = t
	return t
}
