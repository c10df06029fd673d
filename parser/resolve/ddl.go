package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// createTable resolves CREATE TABLE and its like.
func (r *resolver) createTable(n *ir.CreateTable) {
	switch n.Object {
	case ir.ObjectDictionary:
		r.createDictionary(n)
		return
	case ir.ObjectStage, ir.ObjectPipe, ir.ObjectSchema, ir.ObjectCatalog, ir.ObjectSynonym:
		if n.Object == ir.ObjectSynonym && n.On.Set() {
			r.synonym(n)
		}
		if (n.Object == ir.ObjectSchema || n.Object == ir.ObjectCatalog) && r.d.name == "snowflake" {
			// Snowflake goes to what it creates.
			r.use(&ir.Use{Object: n.Object, Name: n.Name})
		}
		if n.Engine != "" {
			r.foreignSchema(n)
		}
		return
	case ir.ObjectStream:
		r.createStream(n)
		return
	}
	t := r.newTable(n)
	r.describe(t, n)
	switch {
	case n.As != nil:
		rel := r.query(n.As, nil)
		if n.NoData {
			r.createdEmpty(t, rel, n.Columns)
			return
		}
		r.createdFrom(t, rel, n.Columns)
	case n.AsStatement != nil:
		rel := r.executed(n.AsStatement)
		r.createdFrom(t, rel, n.Columns)
	case n.Clone.Set():
		r.copyAll(r.catalog.lookup(n.Clone), t)
	default:
		r.declareColumns(t, n)
	}
}

// foreignSchema is a ClickHouse database of the tables of another system.
func (r *resolver) foreignSchema(n *ir.CreateTable) {
	args := textArgs(n.EngineArgs)
	if len(args) < 2 {
		return
	}
	f := foreign{host: args[0], database: args[1]}
	switch strings.ToLower(n.Engine) {
	case "mysql", "materializedmysql":
		f.scheme = "mysql"
	case "postgresql", "materializedpostgresql":
		f.scheme, f.schema = "postgres", "public"
		if len(args) > 4 && strings.ToLower(n.Engine) == "postgresql" {
			f.schema = args[4]
		}
	default:
		return
	}
	if r.catalog.foreign == nil {
		r.catalog.foreign = map[string]foreign{}
	}
	r.catalog.foreign[r.platform.Table(n.Name.Last().Name, n.Name.Last().Quote != 0)] = f
}

// newTable finds or makes the table that a CREATE names.
func (r *resolver) newTable(n *ir.CreateTable) *Table {
	if n.Temporary && !r.overPlace(n) || r.hashName(n.Name) {
		return r.newTemp(n.Name)
	}
	t := r.catalog.permanent(n.Name)
	t.created = true
	return t
}

// overPlace reports temporary tables that are only names for data elsewhere: it is
// the name that is temporary.
func (r *resolver) overPlace(n *ir.CreateTable) bool {
	if n.As != nil {
		return false
	}
	return r.d.name == "flink" || (r.d.name == "spark" || r.d.name == "databricks") && len(n.Options) > 0
}

func (r *resolver) newTemp(n ir.Name) *Table {
	t := r.catalog.addTemp(n)
	t.rows = &relation{}
	if r.o.KeepTemporary {
		r.catalog.openTable(t)
	}
	return t
}

// describe keeps what a definition says of the place behind a table.
func (r *resolver) describe(t *Table, n *ir.CreateTable) {
	t.engine = n.Engine
	if len(n.Options) > 0 || len(n.Like) > 0 {
		t.options = map[string]string{}
	}
	for _, l := range n.Like {
		base := r.catalog.lookup(l)
		maps.Copy(t.options, base.options)
	}
	for i := range n.Options {
		flattenOption(t.options, "", &n.Options[i])
	}
	if n.Location != "" {
		if t.options == nil {
			t.options = map[string]string{}
		}
		t.options["location"] = r.placeName(n.Location)
	}
	r.physicalOf(t, n)
}

// flattenOption writes nested options as dotted names.
func flattenOption(to map[string]string, prefix string, o *ir.Option) {
	name := strings.ToLower(strings.Trim(o.Name, "`'\""))
	if prefix != "" {
		name = prefix + "." + name
	}
	if o.Value != nil {
		to[name] = o.Value.Text
		switch o.Value.Kind {
		case ir.ExprColumn:
			to[name] = ir.Name{Parts: o.Value.Name}.String()
		case ir.ExprArray:
			to[name] = strings.Join(textArgs(o.Value.Args), listSeparator)
		}
	}
	for i := range o.Items {
		flattenOption(to, name, &o.Items[i])
	}
}

// declareColumns gives a table the columns that its definition lists, those of LIKE
// and of parents included.
func (r *resolver) declareColumns(t *Table, n *ir.CreateTable) {
	var rel *relation
	var names []*value
	complete := true
	for _, parents := range [][]ir.Name{n.Like, n.Inherits, partitionParent(n)} {
		for _, p := range parents {
			base := r.catalog.lookup(p)
			rows := r.content(base)
			if rows == nil || rows.open() {
				complete = false
				continue
			}
			names = append(names, rows.cols...)
		}
	}
	if len(n.Columns) == 0 && len(names) == 0 || !complete {
		return
	}
	rel = &relation{}
	if !t.temp || r.o.KeepTemporary {
		rel.table = t
	}
	for _, c := range names {
		v := r.columnFor(t, c.name, c.key)
		v.hidden = c.hidden
		if len(c.inputs) > 0 && c.owner == nil && !t.temp {
			v = r.computedCopy(t, c)
		}
		rel.add(v)
	}
	for i := range n.Columns {
		d := &n.Columns[i]
		if d.Watermark || !d.Name.Set() {
			continue
		}
		shown := r.shown(d.Name)
		v := r.columnFor(t, shown, r.columnKey(shown))
		if d.Computed == nil && rel.find(v.key) < 0 {
			v.at, v.derived = d.Name.Start, d.Virtual
			rel.add(v)
		}
	}
	t.rows, t.known = rel, true
	r.computedColumns(t, n, rel)
}

func partitionParent(n *ir.CreateTable) []ir.Name {
	if n.PartitionOf.Set() {
		return []ir.Name{n.PartitionOf}
	}
	return nil
}

// columnFor is a table's column, or a fresh value for a session table.
func (r *resolver) columnFor(t *Table, shown, key string) *value {
	if t.temp && !r.o.KeepTemporary {
		return r.newValue(shown, key, 0)
	}
	return r.catalog.column(t, shown, key)
}

// computedCopy is a computed column that LIKE takes over: the same expression over
// the new table's columns.
func (r *resolver) computedCopy(t *Table, c *value) *value {
	v := r.newValue(c.name, c.key, c.at)
	v.hidden = c.hidden
	for _, in := range c.inputs {
		if in.from.owner != nil {
			v.direct(r.catalog.column(t, in.from.name, in.from.key), in.pass)
		}
	}
	return v
}

// computedColumns adds columns that are expressions over others: who reads them
// reads those.
func (r *resolver) computedColumns(t *Table, n *ir.CreateTable, rel *relation) {
	// A name that is no column of the table is the engine's own (VALUE of an external
	// table): it is no error.
	errors := len(r.errors)
	defer func() { r.forget(errors) }()
	for i := range n.Columns {
		d := &n.Columns[i]
		if d.Computed == nil || d.Watermark {
			continue
		}
		shown := r.shown(d.Name)
		if n.External { // over fields of a file, which are no columns
			rel.add(r.columnFor(t, shown, r.columnKey(shown)))
			continue
		}
		in := &scope{rel: &relation{}}
		in.addSource(&source{rel: rel, alias: r.aliasKey(n.Name.Last())})
		v := r.expression(d.Computed, in, shown, r.columnKey(shown))
		v.hidden, v.derived = r.d.name == "clickhouse", true
		rel.add(v)
	}
	inOrder(rel, n, r)
}

// inOrder puts a table's columns into the order of its definition, behind those that it
// takes from other tables.
func inOrder(rel *relation, n *ir.CreateTable, r *resolver) {
	at := make(map[string]int, len(n.Columns))
	for i := range n.Columns {
		if d := &n.Columns[i]; !d.Watermark && d.Name.Set() {
			at[r.columnKey(r.shown(d.Name))] = i + 1
		}
	}
	slices.SortStableFunc(rel.cols, func(a, b *value) int { return at[a.key] - at[b.key] })
	rel.index = nil
}

// createdFrom writes a query's rows to a new table or view, whose columns are then
// known.
func (r *resolver) createdFrom(t *Table, rel *relation, defs []ir.ColumnDef) {
	pairs := r.createdPairs(rel, defs)
	if t.temp && !r.o.KeepTemporary {
		r.noteReads(rel)
		r.tempContent(t, pairs, rel)
		return
	}
	r.emit(t, pairs, rel, true)
	r.knowColumns(t, pairs, defs)
}

// createdEmpty gives a table the columns of a query of which no row is kept.
func (r *resolver) createdEmpty(t *Table, rel *relation, defs []ir.ColumnDef) {
	pairs := r.createdPairs(rel, defs)
	if !t.temp || r.o.KeepTemporary {
		r.knowColumns(t, pairs, defs)
		return
	}
	content := &relation{}
	for i := range pairs {
		if pairs[i].star != nil {
			return
		}
		content.add(r.newValue(pairs[i].shown, pairs[i].key, pairs[i].at))
	}
	t.rows, t.known = content, true
}

// createdPairs names the columns of a CREATE … AS: by the list, by name in MySQL,
// else as the query calls them.
func (r *resolver) createdPairs(rel *relation, defs []ir.ColumnDef) []pair {
	var names []ir.Ident
	for i := range defs {
		if defs[i].Name.Set() && !defs[i].Watermark && defs[i].Computed == nil {
			names = append(names, defs[i].Name)
		}
	}
	if len(names) == 0 || r.d.byNameCreate && typed(defs) {
		return r.byOutput(rel)
	}
	return r.byPosition(rel, names)
}

// typed reports whether a column list gives types: it then defines columns.
func typed(defs []ir.ColumnDef) bool {
	for i := range defs {
		if defs[i].Type != "" {
			return true
		}
	}
	return false
}

// tempContent makes a relation the content of a new session table.
func (r *resolver) tempContent(t *Table, pairs []pair, rel *relation) {
	content := &relation{deps: []*relation{rel}}
	for i := range pairs {
		p := &pairs[i]
		if p.star != nil {
			content.cols = append(content.cols, r.newStar(r.namedStar(p)))
			continue
		}
		if p.v == nil {
			continue
		}
		if p.v.name == p.shown && p.v.key == p.key && p.v.star == nil {
			content.add(p.v)
			continue
		}
		v := r.newValue(p.shown, p.key, p.at)
		v.direct(p.v, passIdentity)
		v.parts = p.v.parts
		content.add(v)
	}
	// Names looked up through stars of the query keep working by the query itself.
	if rel.open() && len(pairs) == len(rel.cols) {
		content.cols = content.cols[:0:0]
		for i, c := range rel.cols {
			if c.star == nil && (pairs[i].key != c.key) {
				v := r.newValue(pairs[i].shown, pairs[i].key, pairs[i].at)
				v.direct(c, passIdentity)
				c = v
			}
			content.cols = append(content.cols, c)
		}
	}
	t.rows = content
}

// knowColumns makes what was written the known columns of a new table.
func (r *resolver) knowColumns(t *Table, pairs []pair, defs []ir.ColumnDef) {
	if t.result || t.place {
		return
	}
	names := make([]string, 0, len(pairs)+len(defs))
	seen := map[string]bool{}
	add := func(shown, key string) {
		if shown != "" && !seen[key] {
			seen[key] = true
			names = append(names, shown)
		}
	}
	if typed(defs) {
		for i := range defs {
			if defs[i].Name.Set() && !defs[i].Watermark {
				shown := r.shown(defs[i].Name)
				add(shown, r.columnKey(shown))
			}
		}
	}
	for i := range pairs {
		if pairs[i].star != nil {
			return
		}
		add(pairs[i].shown, pairs[i].key)
	}
	r.catalog.setColumns(t, names)
	r.targets = append(r.targets, targetColumns{t, names})
}

// targetColumns are the columns that a CREATE gave its table.
type targetColumns struct {
	table *Table
	names []string
}

// createView resolves views of all kinds.
func (r *resolver) createView(n *ir.CreateView) {
	if n.Query == nil {
		r.viewOverPlace(n)
		return
	}
	rel := r.query(n.Query, nil)
	if n.To.Set() {
		t := r.catalog.lookup(n.To)
		r.emit(t, r.byOutput(rel), rel, false)
		if n.Name.Set() {
			// Whoever reads the view reads the table that it fills.
			r.mem.byKey[r.catalog.key(r.catalog.path(n.Name))] = t
		}
		return
	}
	var t *Table
	if n.Temporary {
		t = r.newTemp(n.Name)
	} else {
		t = r.catalog.lookupParts(r.catalog.path(n.Name))
	}
	t.view, t.created = true, true
	r.createdFrom(t, rel, n.Columns)
}

// viewOverPlace is a view over a data source (USING … OPTIONS …).
func (r *resolver) viewOverPlace(n *ir.CreateView) {
	if !n.Name.Set() {
		return
	}
	t := r.catalog.lookupParts(r.viewPath(n))
	t.created = true
	t.options = map[string]string{}
	for i := range n.Options {
		flattenOption(t.options, "", &n.Options[i])
	}
	t.engine = n.Engine
	t.physical = optionsPlace(t)
}

// viewPath is the name of a view; a session view has no schema.
func (r *resolver) viewPath(n *ir.CreateView) []string {
	if n.Temporary && len(n.Name.Parts) == 1 && !r.d.tempQualified {
		last := n.Name.Last()
		part := r.platform.Table(last.Name, last.Quote != 0)
		r.kept = true
		t := r.catalog.add(&Table{parts: []string{part}})
		r.mem.byKey[r.catalog.key(t.parts)] = t
		if r.catalog.temps == nil {
			r.catalog.temps = map[string]*Table{}
		}
		r.catalog.temps[r.catalog.tempKey(part)] = t
		return t.parts
	}
	return r.catalog.path(n.Name)
}

// synonym makes a name another name of a table.
func (r *resolver) synonym(n *ir.CreateTable) {
	r.mem.byKey[r.catalog.key(r.catalog.path(n.Name))] = r.catalog.lookup(n.On)
}

// createStream is a stream over a table: it reads as that table's rows.
func (r *resolver) createStream(n *ir.CreateTable) {
	if !n.On.Set() {
		return
	}
	base := r.catalog.lookup(n.On)
	t := r.catalog.lookupParts(r.catalog.path(n.Name))
	r.copyAll(base, t)
}
