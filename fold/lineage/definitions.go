package lineage

import (
	"slices"
	"strings"
	"unique"

	"github.com/cespare/xxhash/v2"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Definitions is what tributary.definitions says up to a position: where
// sources are, what is the same as what, and which columns tables have on
// which branch. It answers the look-ups of an extraction. It is not safe for
// concurrent use: its owner guards it.
type Definitions struct {
	version  uint64
	sources  map[string]*event.SourceRegistered
	mappings map[string]*event.SourceMerged
	// exact are the mappings of one dataset each, by namespace and name in
	// lower case; prefixes are the others. Both follow from mappings and home.
	exact    map[string][]*event.SourceMerged
	prefixes []*event.SourceMerged
	// home gives the canonical namespace of each address of a source.
	home map[string]string
	// tables by canonical key.
	tables map[string][]*tableColumns
	// given are the tables that each task's SQL gives columns to, by task and
	// branch.
	given map[givenBy]map[string]uint64
	// stands are the mappings that each task's SQL gives.
	stands map[string]map[string]*event.SourceMerged
}

type givenBy struct{ task, branch string }

// tableColumns is what is known of the columns of one key on one branch.
type tableColumns struct {
	key, branch string
	gone        bool
	defined     *ColumnList
	derived     []derivedColumns
}

type derivedColumns struct {
	task    string
	columns *ColumnList
}

// ColumnList is the columns of a table in order.
type ColumnList struct {
	Names []string
	// Hash tells lists apart; it is never 0.
	Hash uint64
}

// NewColumnList makes a list of column names. Equal names share memory.
func NewColumnList(names []string) *ColumnList {
	l := &ColumnList{Names: make([]string, len(names))}
	d := xxhash.New()
	for i, n := range names {
		l.Names[i] = unique.Make(n).Value()
		_, _ = d.WriteString(n)
		_, _ = d.Write([]byte{0})
	}
	l.Hash = max(d.Sum64(), 1)
	return l
}

// NewDefinitions gives definitions that nothing was said of yet.
func NewDefinitions() *Definitions {
	return &Definitions{
		sources: map[string]*event.SourceRegistered{}, mappings: map[string]*event.SourceMerged{},
		home: map[string]string{}, tables: map[string][]*tableColumns{}, given: map[givenBy]map[string]uint64{},
		stands: map[string]map[string]*event.SourceMerged{},
	}
}

// SourceUse is the key under which the look-up of a source is noted as a use.
func SourceUse(id string) string { return "source|" + id }

// Version is that of the last record applied.
func (d *Definitions) Version() uint64 { return d.version }

// Change says whose look-ups may have another result now.
type Change struct {
	// Uses are look-ups by their canonical keys: a look-up of any key that
	// Canonical takes to one of them may differ. Sources are named by SourceUse.
	Uses []string
	// Everything says that any look-up may: what is the same as what changed,
	// and canonical keys with it.
	Everything bool
	// Derived says that the change comes from the SQL of a task, and not from a
	// platform or a person.
	Derived bool
}

// Apply folds one record of tributary.definitions. A record at or before the
// version was applied before and changes nothing.
func (d *Definitions) Apply(version uint64, data any) Change {
	if version <= d.version {
		return Change{}
	}
	d.version = version
	switch e := data.(type) {
	case *event.SourceRegistered:
		if old := d.sources[e.ID]; old != nil && slices.Equal(old.Addresses, e.Addresses) && old.Engine == e.Engine && equalMaps(old.Catalogs, e.Catalogs) {
			d.sources[e.ID] = e
			return Change{}
		}
		d.sources[e.ID] = e
		return d.rehome(e.ID)
	case *event.SourceRemoved:
		if d.sources[e.ID] == nil {
			return Change{}
		}
		delete(d.sources, e.ID)
		return d.rehome(e.ID)
	case *event.SourceMerged:
		if old := d.mappings[e.ID]; old != nil && SameMapping(old, e) {
			d.mappings[e.ID] = e
			return Change{}
		}
		d.noteStands(d.mappings[e.ID], e)
		d.mappings[e.ID] = e
		d.reindex()
		return Change{Everything: true}
	case *event.SourceUnmerged:
		if d.mappings[e.ID] == nil {
			return Change{}
		}
		d.noteStands(d.mappings[e.ID], nil)
		delete(d.mappings, e.ID)
		d.reindex()
		return Change{Everything: true}
	}
	return d.applyTable(data)
}

// SameMapping says whether two mappings make the same names one, whoever says
// so: clients repeat theirs with every run.
func SameMapping(a, b *event.SourceMerged) bool {
	return a.From == b.From && a.To == b.To && a.Exact == b.Exact && a.IgnoreCase == b.IgnoreCase && a.DerivedBy == b.DerivedBy
}

// Stands tells the mappings that a task's SQL gives, by id. The caller must
// not change the map.
func (d *Definitions) Stands(task string) map[string]*event.SourceMerged { return d.stands[task] }

// noteStands keeps the index of mappings by the task that gives them.
func (d *Definitions) noteStands(old, now *event.SourceMerged) {
	if old != nil && old.DerivedBy != "" {
		delete(d.stands[old.DerivedBy], old.ID)
	}
	if now == nil || now.DerivedBy == "" {
		return
	}
	if d.stands[now.DerivedBy] == nil {
		d.stands[now.DerivedBy] = map[string]*event.SourceMerged{}
	}
	d.stands[now.DerivedBy][now.ID] = now
}

func equalMaps(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func (d *Definitions) applyTable(data any) Change {
	switch e := data.(type) {
	case *event.TableDefined:
		return d.define(e)
	case *event.TableRemoved:
		key := e.NodeKey().String()
		if e.DerivedBy != "" {
			return d.derive(key, e.OnBranch(), e.DerivedBy, nil)
		}
		t := d.table(key, e.OnBranch())
		d.forget(t)
		return d.changed(key)
	case *event.TableRenamed:
		return d.rename(e)
	}
	return Change{}
}

func (d *Definitions) define(e *event.TableDefined) Change {
	key := e.NodeKey().String()
	if e.DerivedBy != "" {
		return d.derive(key, e.OnBranch(), e.DerivedBy, NewColumnList(ColumnNames(e.Columns)))
	}
	t := d.table(key, e.OnBranch())
	t.gone = false
	if e.Columns == nil {
		return Change{}
	}
	list := NewColumnList(ColumnNames(e.Columns))
	if t.defined != nil && t.defined.Hash == list.Hash {
		return Change{}
	}
	t.defined = list
	return d.changed(key)
}

// ColumnNames gives the names of columns.
func ColumnNames(columns []event.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// derive notes (or, without columns, takes back) what a task's SQL gives.
func (d *Definitions) derive(key, branch, task string, list *ColumnList) Change {
	t := d.table(key, branch)
	i, known := slices.BinarySearchFunc(t.derived, task, func(c derivedColumns, task string) int { return strings.Compare(c.task, task) })
	switch {
	case list == nil && !known, known && list != nil && t.derived[i].columns.Hash == list.Hash:
		return Change{}
	case list == nil:
		t.derived = slices.Delete(t.derived, i, i+1)
	case known:
		t.derived[i].columns = list
	default:
		t.derived = slices.Insert(t.derived, i, derivedColumns{unique.Make(task).Value(), list})
	}
	t.gone = false
	d.noteGiven(givenBy{task, branch}, key, list)
	c := d.changed(key)
	c.Derived = true
	return c
}

func (d *Definitions) noteGiven(by givenBy, key string, list *ColumnList) {
	switch {
	case list != nil && d.given[by] == nil:
		d.given[by] = map[string]uint64{key: list.Hash}
	case list != nil:
		d.given[by][key] = list.Hash
	default:
		delete(d.given[by], key)
	}
}

// Given tells the tables that a task's SQL gives columns to on a branch, by
// key, with the hash of the columns. The caller must not change it.
func (d *Definitions) Given(task, branch string) map[string]uint64 {
	return d.given[givenBy{task, branch}]
}

func (d *Definitions) rename(e *event.TableRenamed) Change {
	old := d.table(e.NodeKey().String(), e.OnBranch())
	ref := e.To
	if ref.Namespace == "" {
		ref.Namespace = e.Namespace
	}
	to := d.table(ref.NodeKey().String(), e.OnBranch())
	if to.defined == nil {
		to.defined = old.defined
	}
	to.gone = false
	d.forget(old)
	c := d.changed(old.key)
	c.Uses = append(c.Uses, d.changed(to.key).Uses...)
	return c
}

// changed names the look-ups that see the table of the key.
func (d *Definitions) changed(key string) Change {
	return Change{Uses: []string{d.Canonical(key)}}
}

// forget makes a table one that is gone.
func (d *Definitions) forget(t *tableColumns) {
	for _, c := range t.derived {
		delete(d.given[givenBy{c.task, t.branch}], t.key)
	}
	t.defined, t.derived, t.gone = nil, nil, true
}

func (d *Definitions) table(key, branch string) *tableColumns {
	canonical := d.Canonical(key)
	for _, t := range d.tables[canonical] {
		if t.key == key && t.branch == branch {
			return t
		}
	}
	t := &tableColumns{key: key, branch: unique.Make(branch).Value()}
	d.tables[canonical] = append(d.tables[canonical], t)
	return t
}

// Columns gives the columns of a dataset as a task on the branch sees them:
// those of a definition on the branch, else those that a task's SQL gives it
// there, else the same on master. A definition under the key itself counts
// before one under another key of the same dataset. Nil if not known.
func (d *Definitions) Columns(key, branch string) *ColumnList {
	tables := d.tables[d.Canonical(key)]
	branches := []string{branch, event.MasterBranch}
	if branch == event.MasterBranch {
		branches = branches[:1]
	}
	for _, b := range branches {
		list, known := onBranch(tables, key, b)
		if known {
			return list
		}
	}
	return nil
}

// onBranch looks on one branch; known is true for a table that is gone there,
// which hides what is further back.
func onBranch(tables []*tableColumns, key, branch string) (list *ColumnList, known bool) {
	var best *tableColumns
	for _, t := range tables {
		if t.branch != branch || t.defined == nil && len(t.derived) == 0 && !t.gone {
			continue
		}
		if best == nil || rank(t, key) > rank(best, key) || rank(t, key) == rank(best, key) && t.key < best.key {
			best = t
		}
	}
	switch {
	case best == nil:
		return nil, false
	case best.defined != nil:
		return best.defined, true
	case len(best.derived) > 0:
		return best.derived[0].columns, true
	}
	return nil, true
}

func rank(t *tableColumns, key string) int {
	r := 0
	if t.defined != nil {
		r += 4
	} else if len(t.derived) > 0 {
		r += 2
	}
	if t.key == key {
		r++
	}
	return r
}

// Source gives a registered source, nil if there is none of that id.
func (d *Definitions) Source(id string) *event.SourceRegistered { return d.sources[id] }

// Namespace gives the namespace that keys of a source are made of: the first
// address of a registered source; a physical namespace, or an id that is not
// registered, as it is.
func (d *Definitions) Namespace(source string) string {
	if s := d.sources[source]; s != nil && len(s.Addresses) > 0 {
		return name.Namespace(s.Addresses[0])
	}
	return name.Namespace(source)
}

// SourceHash tells apart what look-ups of a source find; 0 if it is not
// registered.
func (d *Definitions) SourceHash(id string) uint64 {
	s := d.sources[id]
	if s == nil {
		return 0
	}
	h := xxhash.New()
	for _, a := range append([]string{s.Engine}, s.Addresses...) {
		_, _ = h.WriteString(a)
		_, _ = h.Write([]byte{0})
	}
	catalogs := make([]string, 0, len(s.Catalogs))
	for k, v := range s.Catalogs {
		catalogs = append(catalogs, k+"\x00"+v)
	}
	slices.Sort(catalogs)
	for _, c := range catalogs {
		_, _ = h.WriteString(c)
		_, _ = h.Write([]byte{1})
	}
	return max(h.Sum64(), 1)
}

// UseHash gives what a look-up finds now, as a number that changes whenever
// the find does; 0 if it finds nothing. The use is a dataset's key or one of
// SourceUse.
func (d *Definitions) UseHash(use, branch string) uint64 {
	if id, ok := strings.CutPrefix(use, "source|"); ok {
		return d.SourceHash(id)
	}
	if list := d.Columns(use, branch); list != nil {
		return list.Hash
	}
	return 0
}

// maxMappings bounds how many mappings are followed from one key, since a
// circle of them may make ever longer names.
const maxMappings = 64

// Canonical gives the one key of all that are the same dataset: addresses of
// one source are one, then mappings are followed. Mappings that lead in a
// circle make all keys of the circle one, the least of them; a key from which
// they lead to ever longer names is its own. Keys of other families are, too.
func (d *Definitions) Canonical(key string) string {
	if len(d.home) == 0 && len(d.mappings) == 0 {
		return key
	}
	k, err := name.ParseKey(key)
	if err != nil || k.Family != name.FamilyDataset {
		return key
	}
	return d.canonical(k).String()
}

func (d *Definitions) canonical(k name.Key) name.Key {
	k.Namespace = d.homeOf(k.Namespace)
	m := d.mappingOf(k)
	if m == nil {
		return k
	}
	passed := []name.Key{k}
	for range maxMappings {
		next := d.mapped(k, m)
		next.Namespace = d.homeOf(next.Namespace)
		if at := slices.Index(passed, next); at >= 0 {
			return slices.MinFunc(passed[at:], func(a, b name.Key) int { return strings.Compare(a.String(), b.String()) })
		}
		k, passed = next, append(passed, next)
		if m = d.mappingOf(k); m == nil {
			return k
		}
	}
	return passed[0]
}

// mapped gives where a mapping that applies to a key leads.
func (d *Definitions) mapped(k name.Key, m *event.SourceMerged) name.Key {
	return name.Key{Family: k.Family, Namespace: d.Namespace(m.To.Namespace), Name: m.To.Prefix + k.Name[len(m.From.Prefix):]}
}

// mappingOf gives the mapping that applies to a key: the one of the longest
// prefix, of equal ones that of the least id.
func (d *Definitions) mappingOf(k name.Key) *event.SourceMerged {
	var best *event.SourceMerged
	for _, m := range slices.Concat(d.exact[exactKey(k.Namespace, k.Name)], d.prefixes) {
		if d.homeOf(d.Namespace(m.From.Namespace)) != k.Namespace || !matches(m, k.Name) {
			continue
		}
		if best == nil || len(m.From.Prefix) > len(best.From.Prefix) || len(m.From.Prefix) == len(best.From.Prefix) && m.ID < best.ID {
			best = m
		}
	}
	return best
}

// exactKey is where a mapping of one dataset is found, whatever its case rule.
func exactKey(namespace, name string) string { return namespace + "|" + strings.ToLower(name) }

func (d *Definitions) homeOf(namespace string) string {
	if home, ok := d.home[namespace]; ok {
		return home
	}
	return namespace
}

func matches(m *event.SourceMerged, nodeName string) bool {
	if len(nodeName) < len(m.From.Prefix) || m.Exact && len(nodeName) != len(m.From.Prefix) {
		return false
	}
	head := nodeName[:len(m.From.Prefix)]
	return head == m.From.Prefix || m.IgnoreCase && strings.EqualFold(head, m.From.Prefix)
}

// rehome computes anew which addresses are one, after a source changed.
func (d *Definitions) rehome(id string) Change {
	before := len(d.home)
	d.home = map[string]string{}
	ids := make([]string, 0, len(d.sources))
	for id := range d.sources {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	groups := disjoint{}
	for _, id := range ids {
		spaces := []string{id}
		for _, a := range d.sources[id].Addresses {
			spaces = append(spaces, name.Namespace(a))
		}
		for _, s := range spaces {
			groups.join(spaces[len(spaces)-1], s)
		}
	}
	least := map[string]string{}
	for _, id := range ids {
		if len(d.sources[id].Addresses) == 0 {
			continue
		}
		first := name.Namespace(d.sources[id].Addresses[0])
		root := groups.root(first)
		if old, ok := least[root]; !ok || first < old {
			least[root] = first
		}
	}
	for s := range groups {
		if home := least[groups.root(s)]; home != "" && home != s {
			d.home[s] = home
		}
	}
	if len(d.home) == 0 && before == 0 {
		return Change{Uses: []string{SourceUse(id)}}
	}
	d.reindex()
	return Change{Everything: true}
}

// disjoint is a forest of sets of texts.
type disjoint map[string]string

func (f disjoint) root(s string) string {
	for {
		parent, ok := f[s]
		if !ok {
			f[s] = s
			return s
		}
		if parent == s {
			return s
		}
		s = parent
	}
}

func (f disjoint) join(a, b string) {
	if x, y := f.root(a), f.root(b); x != y {
		f[x] = y
	}
}

// reindex files all tables under their canonical keys again.
func (d *Definitions) reindex() {
	d.exact, d.prefixes = map[string][]*event.SourceMerged{}, nil
	for _, m := range d.mappings {
		if !m.Exact {
			d.prefixes = append(d.prefixes, m)
			continue
		}
		key := exactKey(d.homeOf(d.Namespace(m.From.Namespace)), m.From.Prefix)
		d.exact[key] = append(d.exact[key], m)
	}
	old := d.tables
	d.tables = make(map[string][]*tableColumns, len(old))
	for _, list := range old {
		for _, t := range list {
			canonical := d.Canonical(t.key)
			d.tables[canonical] = append(d.tables[canonical], t)
		}
	}
}
