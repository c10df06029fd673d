package ir

// Query is a query expression: exactly one of Select, SetOp, Values, Table, Nested
// and DML is set.
type Query struct {
	Span
	With   *With
	Select *Select
	SetOp  *SetOp
	Values *Values
	// Table is `TABLE t`, DuckDB's bare `FROM t`, or a name where a query may stand.
	Table *From
	// Nested is a parenthesised query that has an own With, OrderBy or Limit beside
	// this one's.
	Nested *Query
	// DML is a statement used as a query: a data-modifying CTE, or T-SQL's
	// `FROM (DELETE … OUTPUT …)`.
	DML *Statement

	OrderBy []OrderItem
	// Limits are the expressions that limit the rows, nil if there are none.
	Limits *Limits
	// Limited is true when some LIMIT, FETCH or TOP is there at all.
	Limited bool
}

// Limits are the expressions that limit a query's rows.
type Limits struct {
	// Counts are those of LIMIT, OFFSET, FETCH and TOP that are not literals.
	Counts []*Expr
	// By is ClickHouse's LIMIT n BY columns.
	By []*Expr
}

// AddLimits gives the query's limits to add to.
func (q *Query) AddLimits() *Limits {
	if q.Limits == nil {
		q.Limits = &Limits{}
	}
	return q.Limits
}

// With is a WITH clause.
type With struct {
	Recursive bool
	CTEs      []*CTE
}

// CTE is one element of a WITH. Query is set, or Expr for ClickHouse's
// `WITH expr AS name`. `WITH name AS (INSERT … RETURNING …)` has a Query with DML.
type CTE struct {
	Span
	Name    Ident
	Columns []Ident
	Query   *Query
	Expr    *Expr
	// Extra are columns that SEARCH and CYCLE clauses add.
	Extra []Ident
}

// SetKind is the kind of a set operation.
type SetKind uint8

// The set operations. MINUS is an EXCEPT.
const (
	SetUnion SetKind = iota
	SetIntersect
	SetExcept
)

// SetOp is a flat chain of set operations of one precedence level, left to right:
// Branches[0] has no operator of its own. A branch that binds tighter (INTERSECT
// inside UNION) is a SetOp in that branch's Query.
type SetOp struct {
	Branches []SetBranch
}

// SetBranch is one operand of a set operation with the operator before it.
type SetBranch struct {
	Op    SetKind
	All   bool
	Query *Query
	// ByName matches columns by name (UNION BY NAME, CORRESPONDING).
	ByName bool
	// By lists the columns of CORRESPONDING BY, the only ones kept. Common keeps the
	// columns that both sides have (CORRESPONDING, BigQuery's INNER UNION), Left those of
	// the first side (BigQuery's LEFT UNION).
	By           []Ident
	Common, Left bool
}

// Values is VALUES (…), (…). Rows of literals only, beyond the first row, may be
// left out.
type Values struct {
	Rows [][]*Expr
}

// Item is one element of a select list.
type Item struct {
	Expr  *Expr
	Alias Ident
	// Aliases are the several outputs of a table-generating function in a select
	// list: `explode(m) AS (k, v)`.
	Aliases []Ident
}

// Select is one SELECT.
type Select struct {
	Span
	Distinct bool
	Items    []Item
	// From is flat: each element joins to those before it. Elements that Hive shares
	// between the inserts of one multi-insert are the same pointers.
	From  []*From
	Where *Expr
	// GroupBy holds all expressions of GROUP BY, those of sets, cubes and rollups
	// included, flattened. GroupAll is GROUP BY ALL.
	GroupBy  []*Expr
	GroupAll bool
	Having   *Expr
	// More are the clauses that few SELECTs have, nil if this one has none of them.
	More *SelectMore
}

// SelectMore are the clauses that few SELECTs have: apart, so that the others are
// smaller.
type SelectMore struct {
	DistinctOn []*Expr
	// Laterals are LATERAL VIEWs and ClickHouse ARRAY JOINs, after the whole FROM in
	// the order written (both FromLateralView and FromArrayJoin may also stand in From).
	Laterals []*From

	Prewhere           *Expr
	StartWith, Connect *Expr
	Qualify            *Expr
	Windows            []NamedWindow
	// SortBy holds SORT BY, DISTRIBUTE BY and CLUSTER BY.
	SortBy []*Expr
	// Into is SELECT … INTO of a new table (T-SQL, PostgreSQL) or an outfile.
	Into *Target
	// IntoTemporary marks SELECT INTO TEMP t.
	IntoTemporary bool
	// IntoVars are the variables of SELECT … INTO a, b (PL/SQL, PL/pgSQL, MySQL), as
	// ExprColumn or ExprParam; where SELECT a INTO x may be a table or a variable
	// (PL/pgSQL inside a body), grammar puts it here.
	IntoVars []*Expr
	// Transform is Hive's SELECT TRANSFORM (…) USING … AS (…): Items is empty then.
	Transform *Transform
	// AsStruct is BigQuery's SELECT AS STRUCT, AsValue SELECT AS VALUE.
	AsStruct, AsValue bool
}

// Rare gives the clauses that few SELECTs have.
func (s *Select) Rare() SelectMore {
	if s.More == nil {
		return SelectMore{}
	}
	return *s.More
}

// AddMore gives them to add to.
func (s *Select) AddMore() *SelectMore {
	if s.More == nil {
		s.More = &SelectMore{}
	}
	return s.More
}

// NamedWindow is one WINDOW name AS (…).
type NamedWindow struct {
	Name   Ident
	Window *Window
}

// Transform is a script in a Hive or Spark select list; REDUCE and MAP too.
type Transform struct {
	Args []*Expr
	// Columns are the outputs; key and value if none are written.
	Columns []Ident
}

// FromKind is the kind of a FROM element.
type FromKind uint8

// The kinds of FROM element.
const (
	// FromTable is a table, view or CTE: Name. A path or URL in quotes (Spark's
	// parquet.`/p`, DuckDB's 'f.csv', Snowflake's @stage/path) has Path.
	FromTable FromKind = iota
	// FromQuery is a derived table: Query.
	FromQuery
	// FromFunc is a table function: Func is an ExprCall. TABLE(f(x)) and
	// LATERAL f(x) and LATERAL FLATTEN(…) are this; Lateral where written.
	FromFunc
	// FromUnnest is UNNEST(a, b) [WITH ORDINALITY|WITH OFFSET [AS o]]: Args, and
	// Ordinality is the name or position of the counter. BigQuery's correlated
	// `FROM t, t.arr` is a FromTable (the resolver finds out).
	FromUnnest
	// FromLateralView is Hive's LATERAL VIEW [OUTER] f(x) alias AS a, b: Func.
	FromLateralView
	// FromArrayJoin is ClickHouse's [LEFT] ARRAY JOIN a AS x, b: Items.
	FromArrayJoin
	// FromGroup is a parenthesised join: Group.
	FromGroup
)

// JoinKind is how a FROM element joins to those before it.
type JoinKind uint8

// The kinds of join. The first element of a list has JoinComma. CROSS APPLY is a
// JoinCross with Lateral, OUTER APPLY a JoinLeft with Lateral. PASTE and others
// that keep both sides are JoinInner.
const (
	JoinComma JoinKind = iota
	JoinInner
	JoinCross
	JoinLeft
	JoinRight
	JoinFull
	// JoinLeftSemi keeps columns of the left side only (LEFT SEMI, LEFT ANTI).
	JoinLeftSemi
	// JoinRightSemi keeps columns of the right side only (RIGHT SEMI, RIGHT ANTI).
	JoinRightSemi
)

// From is one element of a FROM list with the join that brings it in.
type From struct {
	Kind    FromKind
	Join    JoinKind
	Natural bool
	// Asof marks ASOF joins, whose conditions are ordinary conditions.
	Asof bool
	// Lateral lets the element see those before it (LATERAL, APPLY).
	Lateral bool
	Span
	On    *Expr
	Using []Ident

	Name  Name
	Query *Query
	Func  *Expr

	Alias   Ident
	Columns []Ident
	// More is what few elements have, nil if this one has nothing of it.
	More *FromMore
}

// FromMore is what few elements of FROM lists have: apart, so that the others are
// smaller.
type FromMore struct {
	// UsingAlias names the merged columns of USING: JOIN b USING (c) AS x.
	UsingAlias Ident
	Path       string
	// Args are UNNEST's arguments.
	Args  []*Expr
	Items []Item
	Group []*From
	// Ordinality marks WITH ORDINALITY; Offset is WITH OFFSET's alias ("offset" if
	// none is written). With ORDINALITY the counter is the last of Columns.
	Ordinality bool
	Offset     Ident
	// Outer marks LATERAL VIEW OUTER and LEFT ARRAY JOIN.
	Outer bool
	// Defs are columns declared with types behind the alias: AS t(a int, b text).
	Defs []ColumnDef
	// Ops are PIVOT, UNPIVOT and MATCH_RECOGNIZE behind the element, in order.
	// Alias is that of the element before the first of them; each has its own.
	Ops []*TableOp
	// AsOf holds expressions of FOR SYSTEM_TIME AS OF and TABLESAMPLE, if they are
	// not literals: conditions.
	AsOf []*Expr
}

// Rare gives what few elements have.
func (f *From) Rare() FromMore {
	if f.More == nil {
		return FromMore{}
	}
	return *f.More
}

// AddMore gives it to add to.
func (f *From) AddMore() *FromMore {
	if f.More == nil {
		f.More = &FromMore{}
	}
	return f.More
}

// OpKind is the kind of a TableOp.
type OpKind uint8

// The kinds of TableOp.
const (
	OpPivot OpKind = iota
	OpUnpivot
	OpMatch
)

// TableOp is PIVOT, UNPIVOT or MATCH_RECOGNIZE applied to a FROM element.
type TableOp struct {
	Kind OpKind
	Span
	Alias   Ident
	Columns []Ident

	// PIVOT: the aggregates, the FOR columns and the IN values. A value's Alias
	// names its output; several FOR columns have ExprTuple values. PivotAny is IN
	// (ANY) or a subquery, whose outputs are not known; then Query may be set.
	// DuckDB's GROUP BY is GroupBy.
	Aggregates []Item
	For        []*Expr
	In         []Item
	PivotAny   bool
	Query      *Query
	GroupBy    []*Expr

	// UNPIVOT: In holds the source columns (ExprColumn, or ExprTuple of them), Into
	// the value columns, Key the name column.
	Into []Ident
	Key  Ident

	// MATCH_RECOGNIZE. Pattern variables are qualifiers of the columns in Measures
	// and Define. AllRows is ALL ROWS PER MATCH.
	PartitionBy []*Expr
	OrderBy     []OrderItem
	Measures    []Item
	Define      []Item
	AllRows     bool
	Symbols     []Ident
}
