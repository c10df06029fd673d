package parser

import (
	"context"
	"fmt"
	"time"

	"github.com/tributary-data/tributary/parser/grammar"
	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/parser/resolve"
	"github.com/tributary-data/tributary/parser/tidb"
)

// Version is the version of the parser's results. It goes up when the same SQL may
// give other lineage.
const Version = 1

// SchemaSource knows the columns of tables.
type SchemaSource = resolve.SchemaSource

// The parts of a result.
type (
	// Statement is one statement of the script.
	Statement = resolve.Statement
	// TableEdge is a table edge.
	TableEdge = resolve.TableEdge
	// ColumnEdge is a direct column edge.
	ColumnEdge = resolve.ColumnEdge
	// IndirectEdge is an edge from a column that only steers to a table.
	IndirectEdge = resolve.IndirectEdge
	// Error is a place that was not understood.
	Error = resolve.Error
	// Graph is the step graph that explains edges.
	Graph = resolve.Graph
	// Step is one step of it.
	Step = resolve.Step
	// Mapping is a Flink mapping table.
	Mapping = resolve.Mapping
	// Columns are the columns of a table that the script makes.
	Columns = resolve.Columns
	// Use is a table whose columns were looked up.
	Use = resolve.Use
	// Dataset describes a name in the result.
	Dataset = resolve.Dataset
)

// Limits bound the work on one script. A zero field means its default; a bound that
// bites is an error of kind limit that names it.
type Limits struct {
	// Script is the size of a script in bytes (default 64 MiB), Statement that of one
	// statement (4 MiB).
	Script, Statement int
	// Nesting is the depth of parentheses, CASE, subqueries and blocks (1,000), Tokens
	// the number of tokens of a statement (1,000,000).
	Nesting, Tokens int
	// Time is the time for a script (20 s).
	Time time.Duration
	// Steps and Edges bound the lineage graph (4,000,000 and 1,000,000).
	Steps, Edges int
}

const (
	defaultScript = 64 << 20
	defaultTime   = 20 * time.Second
)

// memoryFor is the memory that a script of n bytes may take while its lineage is found,
// without what is not counted: copies of the text, maps, messages, lists while they
// grow. With that it stays under 64 times the text and 16 MiB. The tree may take up to
// treeFor of it.
func memoryFor(n int) int { return 58*n + 12<<20 }

func treeFor(n int) int { return 42*n + 9<<20 }

// Options say how a script is to be read.
type Options struct {
	// Dialect is one of Dialects; empty: it is guessed, and the result says so.
	Dialect string
	// DefaultCatalog and DefaultSchema complete names without them.
	DefaultCatalog, DefaultSchema string
	// Schema knows columns; nil: none are known.
	Schema SchemaSource
	// KeepTemporary shows session tables and views instead of seeing through them.
	KeepTemporary bool
	// Variables are put in where the script names them: ${name}, ${hiveconf:name},
	// {{ name }}.
	Variables map[string]string
	// Encoding names the text's encoding (IANA); empty: it is detected.
	Encoding string
	// Explain keeps what Result.Steps tells: how each edge comes about. Without it the
	// memory of the steps goes to the next script, with it once Result.Release says so.
	Explain bool
	Limits  Limits
}

// Result is the lineage of a script.
type Result struct {
	*resolve.Result
	// Dialect is the dialect that the script was read in; Guessed is true if nobody
	// named it, Confidence then says how sure the guess is, from 0 to 1.
	Dialect    string
	Guessed    bool
	Confidence float64
	// Encoding is the encoding that the text was in.
	Encoding string
	// Fallback are the numbers of statements that TiDB's parser refused and our
	// grammar read.
	Fallback []int
}

// Extract finds the lineage of a script. It never panics and never fails: what is
// wrong with the script, or too big, is in the result's Errors.
func Extract(ctx context.Context, sql []byte, o Options) (res Result) {
	limit := o.Limits.Time
	if limit <= 0 {
		limit = defaultTime
	}
	ctx = timed{ctx, time.Now().Add(limit)}
	defer func() {
		if p := recover(); p != nil {
			res = failed(ir.ErrorUnsupported, fmt.Sprintf("the script could not be read (a fault of the parser: %v)", p))
		}
	}()
	return extract(ctx, sql, o) //nolint:contextcheck // it is the caller's, with an end
}

// timed is a context that ends at a time, for who asks and does not wait: it needs no
// timer.
type timed struct {
	context.Context //nolint:containedctx // it is one
	until           time.Time
}

func (t timed) Err() error {
	if time.Now().After(t.until) {
		return context.DeadlineExceeded
	}
	return t.Context.Err() //nolint:wrapcheck // it stands for that context
}

// failed is a result with nothing but an error.
func failed(kind ir.ErrorKind, message string) Result {
	return Result{Result: &resolve.Result{Errors: []Error{{Kind: kind, Line: 1, Column: 1, Message: message}}}}
}

func extract(ctx context.Context, sql []byte, o Options) Result {
	size := o.Limits.Script
	if size <= 0 {
		size = defaultScript
	}
	if len(sql) > size {
		return failed(ir.ErrorLimit, fmt.Sprintf("the script has %d bytes, more than the %d allowed", len(sql), size))
	}
	text, encoding, err := decode(sql, o.Encoding)
	if err != nil {
		return failed(ir.ErrorUnsupported, err.Error())
	}
	dialect, confidence, guessed := o.Dialect, 1.0, false
	if dialect == "" {
		dialect, confidence = Detect(text)
		guessed = true
	}
	f, ok := frontEnd(dialect, o.Limits, ctx)
	if !ok {
		return failed(ir.ErrorUnsupported, fmt.Sprintf("%q is no dialect; the dialects are %v", o.Dialect, Dialects()))
	}
	f.limits.MaxMemory = treeFor(len(text))
	out := extractWith(ctx, f, text, o)
	out.Dialect, out.Confidence, out.Guessed, out.Encoding = dialect, confidence, guessed, encoding
	return out
}

// extractWith reads a text in UTF-8 with one front end and resolves it.
func extractWith(ctx context.Context, front front, text []byte, o Options) Result {
	var out Result
	filled, places := substitute(text, o.Variables)
	main := front.open(filled)
	scripts := []*script{main}
	out.Result = resolve.Script(ctx, filled, main, resolve.Options{
		Dialect: front.rules, Catalog: o.DefaultCatalog, Schema: o.DefaultSchema, Source: o.Schema,
		KeepTemporary: o.KeepTemporary, Places: places, Explain: o.Explain,
		Parse: func(t string) []*ir.Statement {
			s := front.open([]byte(t))
			scripts = append(scripts, s)
			return s.all()
		},
		Limits: resolve.Limits{Steps: o.Limits.Steps, Edges: o.Limits.Edges, Memory: memoryFor(len(text))},
	})
	for _, s := range scripts {
		s.release() // the result holds nothing of them
	}
	out.Fallback = numbers(out.Statements, main.fallback, places)
	return out
}

// front is the front end for one dialect.
type front struct {
	// rules is the dialect's name for the resolver.
	rules   string
	dialect grammar.Dialect
	limits  grammar.Limits
	tidb    bool
}

// frontEnd picks the front end of a dialect.
func frontEnd(dialect string, l Limits, ctx context.Context) (front, bool) {
	g, ok := grammar.DialectByName(dialect)
	if !ok {
		return front{}, false
	}
	rules := dialect
	switch dialect {
	case "presto", "redshift", "greenplum", "tidb", "databricks":
	default:
		rules = g.Name()
	}
	return front{
		rules: rules, dialect: g,
		tidb: rules == "mysql" || rules == "tidb",
		limits: grammar.Limits{
			MaxNesting: l.Nesting, MaxTokens: l.Tokens, MaxBytes: l.Statement,
			Stop: func() bool { return ctx.Err() != nil },
		},
	}, true
}

// script is a script that is read statement by statement. MySQL's statements are cut
// apart by our grammar, which bounds them, and read by TiDB's parser; where that
// refuses, ours stands.
type script struct {
	front front
	src   []byte
	// reader is nil until our grammar is needed: not for a single statement, which
	// single is the place of until TiDB's parser has been asked for it.
	reader   *grammar.Reader
	single   ir.Span
	triggers *grammar.Reader
	// room is that of the statements that TiDB's parser has read; nil for a long
	// script, whose statements are given up one by one.
	room *tidb.Room
	// foreign says that TiDB's parser has read the last one.
	foreign bool
	// fallback are where the statements begin that TiDB's parser refused.
	fallback []int32
}

// open begins to read a script. It is to be released once nobody looks at the
// statements.
func (f front) open(src []byte) *script {
	s := &script{front: f, src: src}
	single := false
	if f.tidb {
		if len(src) <= maxRoom {
			s.room = tidb.Borrow()
		}
		s.single, single = grammar.Single(src, f.limits)
	}
	if !single {
		s.reader = f.read(src)
	}
	return s
}

func (f front) read(src []byte) *grammar.Reader {
	return grammar.NewReader(src, f.dialect, f.limits)
}

// maxRoom is the length of a script up to which its statements share memory.
const maxRoom = 64 << 10

// Next implements resolve.Reader.
func (s *script) Next() *ir.Statement {
	if !s.front.tidb {
		return s.reader.Next()
	}
	s.foreign = false
	if s.room != nil {
		s.room.Back()
	}
	asked, alone := s.alone()
	if alone {
		if st, ok := s.ask(asked); ok {
			s.skip()
			return st
		}
	}
	if s.reader == nil {
		if !alone {
			return nil // it has been read
		}
		s.reader = s.front.read(s.src)
	}
	st := s.reader.Next()
	if st == nil || st.Empty() {
		return st
	}
	if bad, ok := st.Node.(*ir.Bad); ok && bad.Kind == ir.ErrorLimit {
		return st
	}
	if !alone || st.Span != asked {
		if got, ok := s.ask(st.Span); ok {
			return got
		}
	}
	s.fallback = append(s.fallback, st.Start)
	return st
}

// alone gives the place of the only statement while it is not read, if there is one.
func (s *script) alone() (ir.Span, bool) {
	if s.reader != nil {
		return s.reader.Alone()
	}
	return s.single, s.single != ir.Span{}
}

// skip passes over the only statement.
func (s *script) skip() {
	if s.reader != nil {
		s.reader.Skip()
	}
	s.single = ir.Span{}
}

// ask has TiDB's parser read a statement.
func (s *script) ask(at ir.Span) (st *ir.Statement, ok bool) {
	st, ok = tidb.Parse(string(s.src[at.Start:at.End]), at.Start, s.room)
	s.foreign = ok
	return st, ok
}

// Keep implements resolve.Reader.
func (s *script) Keep() {
	switch {
	case !s.foreign:
		s.reader.Keep()
	case s.room != nil:
		s.room.Keep()
	}
}

// all reads the whole script.
func (s *script) all() []*ir.Statement {
	var list []*ir.Statement
	for st := s.Next(); st != nil; st = s.Next() {
		s.Keep()
		list = append(list, st)
	}
	return list
}

// Triggers implements resolve.Reader: it reads the script once before, if it can have
// any.
func (s *script) Triggers() []*ir.CreateRoutine {
	if s.reader == nil || !s.reader.MakesTriggers() {
		return nil
	}
	s.triggers = s.front.read(s.src)
	var list []*ir.CreateRoutine
	for st := s.triggers.Next(); st != nil; st = s.triggers.Next() {
		if n, ok := st.Node.(*ir.CreateRoutine); ok && n.On.Set() {
			s.triggers.Keep()
			list = append(list, n)
		}
	}
	return list
}

// Bytes implements resolve.Reader.
func (s *script) Bytes() int {
	n := 0
	if s.reader != nil {
		n = s.reader.Bytes()
	}
	if s.triggers != nil {
		n += s.triggers.Bytes()
	}
	return n
}

func (s *script) release() {
	if s.reader != nil {
		s.reader.Release()
	}
	if s.triggers != nil {
		s.triggers.Release()
	}
	if s.room != nil {
		s.room.Release()
	}
}

// numbers turns places of statements into their numbers.
func numbers(stmts []Statement, starts []int32, places resolve.Places) []int {
	if len(starts) == 0 {
		return nil
	}
	at := make(map[int]int, len(stmts))
	for i := range stmts {
		if _, ok := at[stmts[i].Start]; !ok {
			at[stmts[i].Start] = stmts[i].N
		}
	}
	var out []int
	for _, s := range starts {
		if places != nil {
			s = places.Origin(s)
		}
		if n, ok := at[int(s)]; ok {
			out = append(out, n)
		}
	}
	return out
}

// Dialects lists the dialects that scripts can be in.
func Dialects() []string {
	return []string{
		"ansi", "bigquery", "clickhouse", "databricks", "doris", "duckdb", "flink", "greenplum", "hive", "impala", "mysql",
		"oracle", "postgres", "presto", "redshift", "snowflake", "spark", "starrocks", "tidb", "trino", "tsql",
	}
}
