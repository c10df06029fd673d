package resolve

import (
	"context"
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/schemas/name"
)

// SchemaSource knows the columns of tables.
type SchemaSource interface {
	// Columns returns the columns of a table in their order. The name's parts are
	// folded as the dialect folds them, with default catalog and schema filled in.
	Columns(parts []string) ([]string, bool)
}

// Places turns byte offsets into places of the script as it was written.
type Places interface {
	// At returns the 1-based line and column of an offset.
	At(offset int32) (line, column int)
	// Origin returns the offset in the script as written.
	Origin(offset int32) int32
}

// plainPlaces are the places of a text that is as it was written.
type plainPlaces struct{ *ir.Lines }

func (plainPlaces) Origin(offset int32) int32 { return offset }

// Limits bound the work on one script. Zero fields mean the defaults.
type Limits struct {
	// Steps is the number of steps of the lineage graph (columns, expressions).
	Steps int
	// Edges is the number of table, column and indirect edges together.
	Edges int
	// Errors is the number of errors that are listed.
	Errors int
	// Memory is about the bytes that the lineage may take while it is found; zero: they
	// are not bounded.
	Memory int
}

// The default limits.
const (
	DefaultSteps  = 4_000_000
	DefaultEdges  = 1_000_000
	DefaultErrors = 1_000
)

// Options say how names are to be understood.
type Options struct {
	// Dialect is one of the dialects' names.
	Dialect string
	// Catalog and Schema are the defaults of names without them.
	Catalog, Schema string
	Source          SchemaSource
	// KeepTemporary shows session tables instead of seeing through them.
	KeepTemporary bool
	// Parse parses the text of constant dynamic SQL.
	Parse func(text string) []*ir.Statement
	// Places tells where a byte of the text was written, if the text is not what was
	// written (variables put in). By default it is.
	Places Places
	// Explain keeps what Result.Steps tells.
	Explain bool
	Limits  Limits
}

// resolver resolves one script.
type resolver struct {
	o        Options
	d        rules
	platform name.Platform
	lower    bool // see lowerStays
	src      []byte
	// expired reports whether the deadline has passed.
	expired func() bool
	catalog *catalog
	mem     *memory
	script  Reader
	// held is how many statements left something to those behind them.
	held int
	// kept is true if something that the current statement of the script made is needed
	// behind it.
	kept bool

	catalogName, schemaName string

	steps int

	current  *statement
	errors   []problem
	reported map[string]bool
	limited  bool
	stopped  bool
	ticks    int

	vars  *variables
	walks int32
	visit int32
	depth int
	// function is how many bodies of functions are around, whose plain queries have no
	// result.
	function    int
	conditional int
	dynamic     int
	// at replaces positions inside dynamic SQL: the place of the statement that runs it.
	at       int32
	structs  map[exprKey][]*value
	prepared map[string]*ir.Prepare
	triggers map[string][]*ir.CreateRoutine
	// routines are what the script's functions and procedures give, by their full names;
	// giving is what the one gives whose body is being read.
	routines map[string]*given
	giving   *given
	mappings []*Table
	targets  []targetColumns
}

// statement is one leaf statement of the script.
type statement struct {
	n             int32
	span          ir.Span
	kind          string
	reads, writes []*Table
}

// problem is an error before its line is computed.
type problem struct {
	kind    ir.ErrorKind
	n       int32
	at      int32
	message string
}

// Reader hands out the statements of a script.
type Reader interface {
	// Next gives the next statement, nil behind the last. It is good until the next one
	// is asked for, unless Keep is called before.
	Next() *ir.Statement
	Keep()
	// Triggers are those of the whole script. They stay good.
	Triggers() []*ir.CreateRoutine
	// Bytes is about the memory that reading takes now.
	Bytes() int
}

// Script resolves the statements of a script, one after the other. It does not fail:
// what cannot be resolved is listed in the result's Errors. When ctx ends, what has been
// resolved is returned with a `limit` error.
func Script(ctx context.Context, src []byte, script Reader, o Options) *Result {
	if o.Limits.Steps <= 0 {
		o.Limits.Steps = DefaultSteps
	}
	if o.Limits.Edges <= 0 {
		o.Limits.Edges = DefaultEdges
	}
	if o.Limits.Errors <= 0 {
		o.Limits.Errors = DefaultErrors
	}
	m := borrowMemory()
	r := &m.resolver
	*r = resolver{
		o: o, d: rulesFor(o.Dialect), platform: name.PlatformFor(o.Dialect),
		src: src, at: -1, expired: func() bool { return ctx.Err() != nil }, mem: m, script: script,
	}
	r.lower = lowerStays(r.platform)
	r.vars = newVariables(nil)
	r.schemaName = r.platform.Table(o.Schema, true)
	r.catalogName = r.platform.Table(o.Catalog, true)
	r.catalog = &m.catalog
	r.catalog.r = r
	r.findTriggers(script.Triggers())
	for s := script.Next(); s != nil && !r.stopped; s = script.Next() {
		r.top(s)
	}
	big := o.Limits.Memory > 0 && r.taken() > r.o.Limits.Memory-r.o.Limits.Memory/muchMemory
	out := r.result(big)
	switch {
	case big:
	case o.Explain:
		out.graph.memory = m
	default:
		m.giveBack()
	}
	return out
}

// top resolves one statement of the script itself. The memory of the one before is
// used again unless something that it made is needed behind it.
func (r *resolver) top(s *ir.Statement) {
	r.mem.back(r.o.Explain)
	r.structs = nil
	r.kept = !leavesNothing(s.Node)
	r.statement(s)
	if r.kept || r.vars.touched {
		r.vars.touched = false
		r.held++
		r.script.Keep()
		r.mem.keep(r.o.Explain)
	}
}

// stop reports whether the deadline has passed; it is asked often and looks seldom.
func (r *resolver) stop() bool {
	if r.stopped {
		return true
	}
	if r.ticks++; r.ticks&1023 == 0 && r.expired() {
		r.stopped = true
		r.limit("the deadline passed while names were resolved")
	}
	return r.stopped
}

// limit reports that a bound was reached, once.
func (r *resolver) limit(message string) {
	if r.limited {
		return
	}
	r.limited = true
	at := int32(0)
	if r.current != nil {
		at = r.current.span.Start
	}
	r.failf(ir.ErrorLimit, at, "%s", message)
}

// forget drops the errors from the n-th on, but for the limit that was reached:
// it is reported once, and holds for all that follows.
func (r *resolver) forget(n int) {
	kept := r.errors[:n]
	for _, e := range r.errors[n:] {
		if e.kind == ir.ErrorLimit {
			kept = append(kept, e)
		}
	}
	r.errors = kept
}

// failf records an error at a place, each sentence once for a statement.
func (r *resolver) failf(kind ir.ErrorKind, at int32, format string, args ...any) {
	if len(r.errors) >= r.o.Limits.Errors && kind != ir.ErrorLimit {
		return
	}
	if r.at >= 0 {
		at = r.at
	}
	n := int32(0)
	if r.current != nil {
		n = r.current.n
	}
	message := format
	if len(args) > 0 {
		message = fmt.Sprintf(format, args...)
	}
	id := fmt.Sprintf("%d\x00%s\x00%s", n, kind, message)
	if r.reported[id] {
		return
	}
	if r.reported == nil {
		r.reported = map[string]bool{}
	}
	r.reported[id] = true
	r.errors = append(r.errors, problem{kind, n, at, message})
}

// newValue makes a step at a place. Most have one input.
func (r *resolver) newValue(shown, key string, at int32) *value {
	return r.newValueOf(shown, key, at, 1)
}

// newValueOf is newValue with room for some inputs.
func (r *resolver) newValueOf(shown, key string, at int32, inputs int) *value {
	r.countStep()
	v := r.mem.values.One()
	v.name, v.key, v.at, v.parts = shown, key, at, &noParts
	v.inputs = r.mem.inputs.Room(inputs)
	if r.at >= 0 {
		v.at = r.at
	}
	if r.current != nil {
		v.stmt = r.current.n
	}
	return v
}

// countStep counts a step that is made, and ends the work where there are too many.
func (r *resolver) countStep() {
	r.steps++
	if r.steps > r.o.Limits.Steps && !r.limited {
		r.limit(fmt.Sprintf("the script has more than %d steps of lineage", r.o.Limits.Steps))
		r.stopped = true
	}
	if r.steps%64 == 0 {
		r.checkMemory()
	}
}

// The memory of a column's name or a subquery in an index, of what a statement leaves
// to those behind it, and of a statement, an edge and a problem in the result.
const (
	indexBytes     = 100
	heldBytes      = 700
	statementBytes = 250
	edgeBytes      = 200
	problemBytes   = 300
)

// muchMemory is the part of the allowed memory that is left where a script is so big that
// its own is given up while the result is made. Else it is kept for the next one: what is
// made anew each time keeps the collector busy, which costs more than reading does.
const muchMemory = 8

// taken is about the memory that the script has taken so far, and its result will take.
func (r *resolver) taken() int {
	return r.script.Bytes() + r.mem.bytes() + r.held*heldBytes + len(r.mem.statements)*statementBytes +
		r.edgeCount()*edgeBytes + len(r.errors)*problemBytes + (r.catalog.indexed+len(r.mem.queries))*indexBytes
}

// checkMemory ends the work on a script that takes more memory than it may.
func (r *resolver) checkMemory() {
	if r.o.Limits.Memory <= 0 || r.limited {
		return
	}
	if r.taken() > r.o.Limits.Memory {
		r.limit(fmt.Sprintf("the lineage of the script takes more than the %d bytes of memory allowed", r.o.Limits.Memory))
		r.stopped = true
	}
}

// newStar makes the symbolic rest of a relation's columns.
func (r *resolver) newStar(s *star) *value {
	v := r.newValue("*", "*", 0)
	v.star = s
	return v
}

// shown is an identifier as the dialect stores a column's name.
func (r *resolver) shown(i ir.Ident) string {
	if i.Lower && r.lower {
		return i.Name
	}
	return r.platform.Column(i.Name, i.Quote != 0)
}

// columnKey is the form under which a stored column name is compared.
func (r *resolver) columnKey(shown string) string {
	if isLower(shown) {
		return shown
	}
	return r.platform.SameColumn(shown)
}

// identKey is the compared form of an identifier.
func (r *resolver) identKey(i ir.Ident) string {
	if i.Lower && r.lower {
		return i.Name
	}
	return r.columnKey(r.shown(i))
}

// lowerStays reports whether the dialect leaves small letters as they are: a name
// without others is then stored and compared as it is written.
func lowerStays(p name.Platform) bool {
	return p.Unquoted != name.FoldUpper && p.Quoted != name.FoldUpper &&
		p.UnquotedColumn != name.FoldUpper && p.QuotedColumn != name.FoldUpper
}

// isLower reports a text of small letters, digits and the like.
func isLower(s string) bool {
	for i := range len(s) {
		if c := s[i]; c-'A' < 26 || c >= 0x80 {
			return false
		}
	}
	return true
}

// aliasKey is the compared form of a table alias: case counts where it counts for
// columns, but MySQL and BigQuery compare aliases as written and people do not.
func (r *resolver) aliasKey(i ir.Ident) string {
	if i.Lower && r.lower {
		return i.Name
	}
	s := r.platform.Table(i.Name, i.Quote != 0)
	if r.platform.ColumnsIgnoreCase || r.platform.TablesIgnoreCase {
		return strings.ToLower(s)
	}
	return s
}

// schemaOr is the default schema, or another name if there is none.
func (r *resolver) schemaOr(other string) string {
	if r.schemaName != "" {
		return r.schemaName
	}
	return other
}

// text is the source text of a span.
func (r *resolver) text(s ir.Span) string {
	if s.Start < 0 || s.End > int32(len(r.src)) || s.Start >= s.End {
		return ""
	}
	return string(r.src[s.Start:s.End])
}

// place is the position that a node is explained with.
func place(e *ir.Expr) int32 {
	if e == nil {
		return 0
	}
	return e.Start
}
