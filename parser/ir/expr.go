package ir

// ExprKind says which fields of an Expr are filled.
type ExprKind uint8

// The kinds of expression.
const (
	// ExprLiteral is a constant, also DATE '…', INTERVAL …, NULL, DEFAULT, NEXT
	// VALUE FOR s, SYSDATE-like keywords without parentheses where the grammar
	// knows them. Text is a string's value (unquoted, unescaped), else the text as
	// written; IsString tells them apart.
	ExprLiteral ExprKind = iota
	// ExprColumn is a dotted name: Name holds all parts (`c`, `t.c`, `db.t.c`,
	// `t.c.field.field`). Keywords that work like columns (LEVEL, ROWNUM, SYSDATE,
	// CURRENT_DATE, seq.NEXTVAL) may come as columns, the resolver knows them.
	ExprColumn
	// ExprParam is a placeholder or variable that stands for a value: Text is as
	// written (`?`, `:name`, `$1`, `@x`, `@@x`, `%s`, `%(x)s`, `${x}`, `{{ x }}`,
	// `&x`, `{x:UInt32}`).
	ExprParam
	// ExprStar is `*` or `t.*` (Name is the qualifier, may be empty). Star holds
	// EXCEPT, REPLACE, RENAME, patterns. Args[0] is the base of `(expr).*`.
	ExprStar
	// ExprCall is a function call: Name, Args, Call for its clauses. PRIOR x,
	// CONNECT_BY_ROOT x, COLLATE and the like are calls of that name. A method
	// (`x.f(y)`, where x is not a plain schema path) is a call of f with the
	// receiver as first argument.
	ExprCall
	// ExprCase is CASE; Case is filled.
	ExprCase
	// ExprCast is CAST, TRY_CAST, CONVERT, `::`: Args[0], Text the type as written.
	ExprCast
	// ExprSubquery is a scalar subquery: Query.
	ExprSubquery
	// ExprExists is EXISTS (query): Query.
	ExprExists
	// ExprIn is IN and NOT IN: Args[0] on the left; Query, or Args[1:] of which
	// literals may be left out. Text is InName where a bare name stands on the right,
	// which may be a table (ClickHouse).
	ExprIn
	// ExprQuantified is `x op ANY|ALL|SOME (query)`: Args[0], Query.
	ExprQuantified
	// ExprOp is any other operator, n-ary and flat where it chains: Text is the
	// operator in upper case (`+`, `||`, `AND`, `OR`, `NOT`, `=`, `LIKE`, `BETWEEN`,
	// `IS NULL`, `AT TIME ZONE`, …), Args its operands. ClickHouse's `a ? b : c` is
	// a call of IF.
	ExprOp
	// ExprLambda is `(x, y) -> body`: Name holds the parameters, Args[0] the body.
	ExprLambda
	// ExprStruct builds a struct or row with fields: Args, and Fields with their
	// names by position (unset where a field is not named; the resolver then takes
	// the argument's own name). STRUCT(a AS x), NAMED_STRUCT('x', a) may come as a
	// plain call, OBJECT_CONSTRUCT too, ROW(a AS x), {'x': a} (DuckDB) as this.
	ExprStruct
	// ExprArray is an array constructor: Args, or Query for ARRAY(SELECT …).
	ExprArray
	// ExprMap is a map constructor: Args are keys and values in turn.
	ExprMap
	// ExprField is `base.field` where base is no plain name: Args[0], Name[0].
	// Also Snowflake's `col:path.path` (Name holds the path) and `(row).field`.
	ExprField
	// ExprIndex is `base[i]`, `base->k`, `base->>k`, `base#>k`: Args[0] base,
	// Args[1:] indexes.
	ExprIndex
	// ExprTuple is a row value `(a, b)`: Args. A parenthesised single expression is
	// that expression.
	ExprTuple
	// ExprAlias names an expression where it stands (ClickHouse `(a + 1 AS b)`):
	// Args[0], Name[0].
	ExprAlias
	// ExprNamedArg is `name => value` in a call: Args[0], Name[0].
	ExprNamedArg
	// ExprAssign sets a variable in a SELECT list (T-SQL `@x = e`, MySQL `@x := e`):
	// Text the variable as written, Args[0].
	ExprAssign
	// ExprTableArg is a table given to a table function (`TABLE t`, `TABLE(query)`,
	// DESCRIPTOR columns come as a call of DESCRIPTOR): Table.
	ExprTableArg
)

// InName is the Text of an ExprIn with a bare name on the right.
const InName = "name"

// Expr is an expression. One struct serves every kind, so that walking needs no
// reflection; ExprKind's comments say which fields are filled.
type Expr struct {
	Kind     ExprKind
	IsString bool // an ExprLiteral that is a quoted string
	Span
	Name  []Ident
	Text  string
	Args  []*Expr
	Query *Query
	// More holds what only some kinds have: *Call, *Case, *StarMods, *From (of an
	// ExprTableArg), Fields (of an ExprStruct); nil otherwise.
	More More
}

// More marks the rarely filled parts of an expression.
type More interface{ more() }

// Fields are the field names of an ExprStruct, by position.
type Fields []Ident

// Call holds the clauses of a function call.
type Call struct {
	Distinct bool
	// Star is true for f(*): COUNT(*), and BigQuery's or ClickHouse's f(*).
	Star bool
	// Params are ClickHouse's parameters of a parametric aggregate: quantile(0.9)(x).
	Params []*Expr
	// OrderBy is ORDER BY inside the parentheses, WithinGroup the one after them.
	OrderBy     []OrderItem
	WithinGroup []OrderItem
	// Keep is Oracle's KEEP (DENSE_RANK FIRST ORDER BY …).
	Keep []OrderItem
	// Having is BigQuery's HAVING MAX|MIN expression.
	Having *Expr
	Filter *Expr
	Over   *Window
	// Columns are the outputs that a table-producing function declares: JSON_TABLE's
	// COLUMNS, OPENJSON's and XMLTABLE's WITH, `AS (a int, b text)`. Ordinality
	// columns are marked.
	Columns []ColumnDef
}

// Case is a CASE expression.
type Case struct {
	Operand *Expr
	Whens   []When
	Else    *Expr
}

// When is one branch of a CASE.
type When struct{ Cond, Then *Expr }

// StarMods narrow or change a star.
type StarMods struct {
	// Except lists columns left out (EXCEPT, EXCLUDE; Hive's regex as Pattern).
	Except []Ident
	// Replace gives columns another value, under the same name.
	Replace []Item
	// Rename gives columns another name: From, To by position.
	Rename []Rename
	// Pattern is a regular expression or LIKE pattern that the columns' names must
	// match (ClickHouse COLUMNS('…'), DuckDB COLUMNS, Hive `(a|b)?+.+`, Snowflake
	// ILIKE); Like tells the second kind.
	Pattern string
	Like    bool
	// Apply names the functions of ClickHouse's APPLY and of COLUMNS(...) inside a call.
	Apply []string
	// Columns lists columns explicitly (ClickHouse COLUMNS(a, b)).
	Columns []Ident
}

// Rename is one `old AS new`.
type Rename struct{ From, To Ident }

func (*Call) more()     {}
func (*Case) more()     {}
func (*StarMods) more() {}
func (*From) more()     {}
func (Fields) more()    {}

// CallOf returns the clauses of a call, or an empty set of clauses.
func (e *Expr) CallOf() *Call {
	if c, ok := e.More.(*Call); ok {
		return c
	}
	return &emptyCall
}

var emptyCall Call

// Window is an OVER clause or a named window.
type Window struct {
	// Base is the named window that it is or extends.
	Base        Ident
	PartitionBy []*Expr
	OrderBy     []OrderItem
	// Frame holds expressions of frame bounds, if they are not literals.
	Frame []*Expr
}

// OrderItem is one sort key.
type OrderItem struct {
	Expr *Expr
	Desc bool
}
