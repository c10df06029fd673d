package ir

// Statement is one statement of a script, or of a body.
type Statement struct {
	Span
	Node Node
}

// Node is one of the statement structs of this package.
type Node interface{ node() }

// Select statements and what changes rows.
type (
	// QueryStmt is a query that is run for its result, SELECT … INTO included.
	QueryStmt struct{ Query *Query }

	// Insert is INSERT, REPLACE, UPSERT INTO in all forms. A plain one has one
	// element in Into.
	Insert struct {
		// With stands before INSERT (or before FROM of a multi-insert).
		With *With
		// Source is the shared query of INSERT ALL | FIRST. Hive's multi-insert is
		// lowered: each element has its own Query, whose Select.From and Laterals are the
		// same pointers.
		Source *Query
		First  bool
		Into   []*InsertInto
	}

	// InsertInto is one target of an Insert.
	InsertInto struct {
		Span
		Target    Target
		Columns   []InsertColumn
		Partition []PartitionValue
		Overwrite bool
		ByName    bool
		// Query gives the rows, a VALUES list included. Set is INSERT … SET a = b.
		Query *Query
		Set   []Assignment
		// Exec gives the rows of INSERT … EXEC procedure or dynamic SQL.
		Exec *Statement
		// When is the condition of a conditional INSERT ALL | FIRST.
		When *Expr
		// Values is the VALUES row of INSERT ALL; nil passes all columns.
		Values []*Expr
		// OnConflict holds assignments of ON CONFLICT DO UPDATE or ON DUPLICATE KEY
		// UPDATE, Where its condition. RowAlias is MySQL's VALUES … AS new (a, b);
		// `excluded` and VALUES(c) mean the proposed row.
		OnConflict []Assignment
		Where      *Expr
		RowAlias   Ident
		RowColumns []Ident
		Returning  []Item
		// ReturningVars are INTO variables, Output the table of OUTPUT … INTO.
		ReturningVars []*Expr
		Output        *Output
	}

	// Update is UPDATE. Tables is what stands after UPDATE (one table, or a MySQL
	// join, or T-SQL's alias of something in From); From the FROM clause.
	Update struct {
		With          *With
		Tables        []*From
		Set           []Assignment
		From          []*From
		Laterals      []*From
		Where         *Expr
		OrderBy       []OrderItem
		Returning     []Item
		ReturningVars []*Expr
		Output        *Output
	}

	// Delete is DELETE. Targets are the names of MySQL's `DELETE a, b FROM …` and
	// T-SQL's `DELETE a FROM …`; empty when the first element of From is the target.
	// Using is the USING clause (PostgreSQL, Snowflake) or T-SQL's second FROM.
	Delete struct {
		With          *With
		Targets       []Name
		From          []*From
		Using         []*From
		Where         *Expr
		OrderBy       []OrderItem
		Returning     []Item
		ReturningVars []*Expr
		Output        *Output
	}

	// Merge is MERGE.
	Merge struct {
		With      *With
		Target    *From
		Source    *From
		On        *Expr
		Whens     []*MergeWhen
		Returning []Item
		Output    *Output
		// ErrorLog is Oracle's LOG ERRORS INTO table.
		ErrorLog Name
	}

	// MergeWhen is one WHEN branch. Update is set for UPDATE, Insert for INSERT, both
	// false for DELETE and DO NOTHING.
	MergeWhen struct {
		Span
		Matched  bool
		BySource bool
		Cond     *Expr
		Update   bool
		Insert   bool
		Delete   bool
		Set      []Assignment
		// Star is UPDATE SET * and INSERT * and INSERT ROW and their BY NAME forms.
		Star bool
		// Except are columns that Star leaves out.
		Except  []Ident
		Columns []InsertColumn
		Values  []*Expr
		// Where and DeleteWhere are Oracle's conditions inside a branch.
		Where       *Expr
		DeleteWhere *Expr
	}
)

// Assignment is `column = value`. Several columns on the left take their values by
// position from a tuple or subquery. Column parts may be qualified; T-SQL's
// `@v = column = value` has Var. Oracle's `SET ROW = r` has no Columns.
type Assignment struct {
	Span
	Columns []Name
	Value   *Expr
	Var     string
}

// Target is what is written to: a table, a path or stage, or a table function.
type Target struct {
	Span
	Name Name
	// Path is a directory, file, stage or URL as written.
	Path string
	// Func is ClickHouse's INSERT INTO FUNCTION f(…), Spark's INSERT INTO a query's
	// function.
	Func *Expr
	// Query is an inline view that is inserted into or updated.
	Query *Query
	Alias Ident
}

// InsertColumn is one element of an insert's column list. A qualified one
// (`t.c`) has all its parts.
type InsertColumn struct {
	Name Name
	// Var is MySQL LOAD DATA's user variable in the place of a column.
	Var string
	// Star and Except are ClickHouse's `(* EXCEPT (a))`.
	Star   bool
	Except []Ident
}

// PartitionValue is one element of PARTITION (…): static with a Value, else dynamic.
type PartitionValue struct {
	Name  Ident
	Value *Expr
}

// Output is T-SQL's OUTPUT clause: Items over `inserted` and `deleted`, going to
// Into (unset: to the client).
type Output struct {
	Items   []Item
	Into    *Target
	Columns []InsertColumn
}

// Object is the kind of thing that CREATE, DROP or ALTER names.
type Object string

// The kinds of object that lineage distinguishes; front ends may pass others.
const (
	ObjectTable            Object = "table"
	ObjectView             Object = "view"
	ObjectMaterializedView Object = "materialized view"
	ObjectDictionary       Object = "dictionary"
	ObjectStage            Object = "stage"
	ObjectStream           Object = "stream"
	ObjectModel            Object = "model"
	ObjectFunction         Object = "function"
	ObjectProcedure        Object = "procedure"
	ObjectTrigger          Object = "trigger"
	ObjectTask             Object = "task"
	ObjectEvent            Object = "event"
	ObjectSynonym          Object = "synonym"
	ObjectSchema           Object = "schema"
	ObjectCatalog          Object = "catalog"
	ObjectPipe             Object = "pipe"
)

// Definitions.
type (
	// CreateTable is CREATE TABLE and its like (dictionary, stage, stream, model).
	CreateTable struct {
		Object      Object
		Name        Name
		OrReplace   bool
		IfNotExists bool
		// Temporary is TEMPORARY, TEMP, VOLATILE, PRIVATE TEMPORARY, DECLARE … TABLE, and
		// names of T-SQL that begin with # (the resolver sees those by itself).
		Temporary bool
		External  bool
		// Columns includes Hive's PARTITIONED BY (c type) columns, last.
		Columns []ColumnDef
		// PartitionBy are names only (CTAS), of columns that move to the end in Hive.
		PartitionBy []Ident
		As          *Query
		// AsStatement is CREATE TABLE … AS EXECUTE … and the like.
		AsStatement *Statement
		// NoData marks a query that only gives columns (WITH NO DATA, EMPTY AS).
		NoData bool
		// Like takes columns but no rows; Clone (CLONE, COPY, SHALLOW CLONE, DEEP CLONE,
		// AS TABLE of ClickHouse) takes rows too. LikeOptions tells Flink's and
		// PostgreSQL's INCLUDING.
		Like  []Name
		Clone Name
		// Inherits are PostgreSQL's parents, PartitionOf its partitioned table.
		Inherits    []Name
		PartitionOf Name
		// Engine is ENGINE = name(args), USING format, STORED BY; Options are WITH (…),
		// OPTIONS (…), PROPERTIES (…), TBLPROPERTIES (…), SETTINGS, a dictionary's
		// SOURCE(…) with nested Options.
		Engine     string
		EngineArgs []*Expr
		Options    []Option
		Location   string
		// On is the base of a stream, the query of a model's training data is As.
		On Name
	}

	// CreateView is CREATE VIEW, MATERIALIZED VIEW, DYNAMIC TABLE, LIVE TABLE, ALTER
	// VIEW … AS (Alter).
	CreateView struct {
		Name         Name
		OrReplace    bool
		IfNotExists  bool
		Alter        bool
		Temporary    bool
		Materialized bool
		Columns      []ColumnDef
		Query        *Query
		// To is the target table of a ClickHouse materialized view, Inner otherwise
		// unnamed; matching is by name. ToColumns as written behind TO.
		To        Name
		ToColumns []ColumnDef
		Engine    string
		Options   []Option
	}

	// ColumnDef is a column of a definition. Computed is GENERATED ALWAYS AS (…),
	// Flink's `c AS expr`, ClickHouse's MATERIALIZED and ALIAS; DEFAULT is not kept.
	ColumnDef struct {
		Name Ident
		Type string
		// Fields are a struct type's fields, if the grammar reads them.
		Fields   []ColumnDef
		Computed *Expr
		// Ordinality marks FOR ORDINALITY of JSON_TABLE and XMLTABLE.
		Ordinality bool
		// Virtual marks a column that can be read only (Flink's METADATA VIRTUAL).
		Virtual bool
		// Watermark marks Flink's WATERMARK FOR c AS …, which is no column.
		Watermark bool
		// From is METADATA FROM 'key' (Flink) or the JSON path of a table function.
		From string
	}

	// Option is `name = value` of an option list. Value is an expression (a literal's
	// Text has no quotes); Items are nested options: SOURCE(CLICKHOUSE(TABLE 't')) is
	// source → clickhouse → table. Names are in lower case.
	Option struct {
		Name  string
		Value *Expr
		Items []Option
	}

	// RenameStmt is RENAME TABLE a TO b, c TO d and ALTER TABLE … RENAME TO (To has as
	// many parts as written), EXCHANGE TABLES a AND b and ALTER … SWAP WITH (Swap).
	// One Swap of RENAME TABLE chains is found by the resolver.
	RenameStmt struct {
		Object Object
		Pairs  []RenamePair
		Swap   bool
	}

	// RenamePair is one rename.
	RenamePair struct{ From, To Name }

	// Alter is ALTER TABLE with what matters for lineage; other actions are dropped.
	Alter struct {
		Object  Object
		Name    Name
		Actions []AlterAction
	}

	// AlterAction is one action of an Alter.
	AlterAction struct {
		Kind  AlterKind
		Table Name
		// Column and NewColumn for columns added, dropped and renamed.
		Column    Ident
		NewColumn Ident
		Query     *Query
		// Path is the place that a partition's data is added from.
		Path string
	}

	// Drop is DROP of any object.
	Drop struct {
		Object Object
		Names  []Name
		// Temporary is DROP TEMPORARY TABLE.
		Temporary bool
	}

	// Truncate is TRUNCATE.
	Truncate struct{ Names []Name }
)

// AlterKind is the kind of an AlterAction.
type AlterKind uint8

// The kinds of AlterAction. In all moves of partitions Table is the other table.
const (
	// AlterAddColumn, AlterDropColumn and AlterRenameColumn change known columns.
	AlterAddColumn AlterKind = iota
	AlterDropColumn
	AlterRenameColumn
	// AlterExchange exchanges a partition's rows with Table (both are written).
	AlterExchange
	// AlterMoveTo moves or copies rows from the altered table to Table (SWITCH TO,
	// MOVE PARTITION TO TABLE, APPEND the other way round is AlterTakeFrom).
	AlterMoveTo
	// AlterTakeFrom brings rows of Table into the altered table (REPLACE PARTITION
	// FROM, ATTACH PARTITION FROM, ATTACH PARTITION t, REPLACE WITH TABLE, APPEND FROM).
	AlterTakeFrom
	// AlterQuery gives a view another Query (MODIFY QUERY, ALTER VIEW AS).
	AlterQuery
	// AlterLocation adds a partition or table data at Path.
	AlterLocation
)

// Data movement between tables and places.
type (
	// Transfer is COPY, LOAD DATA, UNLOAD, EXPORT, IMPORT, INSERT … DIRECTORY of
	// engines that are not inserts, and each part of a broker load.
	Transfer struct {
		To, From Target
		// Query is what is copied, instead of From.
		Query *Query
		// Columns are the target's columns as listed, Set the assignments behind them.
		Columns []InsertColumn
		Set     []Assignment
		Options []Option
	}

	// Use changes the default catalog or schema: Object tells which part a single name
	// is (schema for USE db, catalog for USE CATALOG c; empty: the dialect's rule).
	// Role, warehouse and their like are an Other.
	Use struct {
		Object Object
		Name   Name
	}

	// Set sets variables or settings. For settings Name is as written
	// (`search_path`, `hivevar:d`, `current_schema`, `@x`, `x`), Values its values.
	Set struct{ Items []SetItem }

	// SetItem is one setting. Names has several for SET (a, b) = (…).
	SetItem struct {
		Names  []string
		Values []*Expr
	}
)

// Programs.
type (
	// Block is a body: BEGIN … END, control flow, a statement set, handlers. Conds are
	// its conditions, Body the statements of all its branches in the order written.
	// Scope is true where declarations inside end with it. Text marks the text of
	// dynamic SQL, which does not see the variables around it.
	Block struct {
		Conds []*Expr
		// Counter is the variable of a numeric loop.
		Counter Ident
		Body    []*Statement
		Scope   bool
		Text    bool
	}

	// For is a loop over rows: FOR r IN (query) LOOP, FOR r IN cursor LOOP, FOR x IN
	// (query) DO. Numeric loops are Blocks. Dynamic is FOR r IN EXECUTE text.
	For struct {
		Var     Ident
		Vars    []Ident
		Query   *Query
		Cursor  Ident
		Dynamic *Expr
		Using   []*Expr
		Body    []*Statement
	}

	// Declare declares variables, cursors and table variables.
	Declare struct{ Vars []VarDecl }

	// VarDecl is one declaration. Name is as written, `@` included.
	VarDecl struct {
		Span
		Name    string
		Type    string
		Default *Expr
		Cursor  *Query
		// CursorOf is the result set or prepared statement that a cursor goes over.
		CursorOf string
		// IsTable marks table variables and collections of rows; Columns are theirs, or
		// the parameters of a cursor.
		IsTable bool
		Columns []ColumnDef
		// RowOf is the table, cursor or column of t%ROWTYPE and t.c%TYPE.
		RowOf Name
	}

	// Open opens a cursor; Query or Dynamic for OPEN c FOR ….
	Open struct {
		Cursor  string
		Query   *Query
		Dynamic *Expr
		Using   []*Expr
	}

	// Fetch moves a cursor's row into variables.
	Fetch struct {
		Cursor string
		Into   []*Expr
	}

	// CreateRoutine is CREATE PROCEDURE, FUNCTION, TRIGGER, TASK, EVENT, PACKAGE BODY,
	// and anonymous blocks that declare (DO $$ … $$).
	CreateRoutine struct {
		Object Object
		Name   Name
		Params []VarDecl
		// Language in lower case, empty for SQL. A body in another language is Opaque.
		Language string
		Opaque   bool
		Body     []*Statement
		// Expr is the body of a SQL expression function, Query of a table function.
		Expr  *Expr
		Query *Query
		// Returns are the columns of RETURNS TABLE (…).
		Returns []ColumnDef
		// On is the table of a trigger; NewNames and OldNames are what its rows and
		// transition tables are called (NEW, OLD, inserted, deleted are always known).
		On                 Name
		NewNames, OldNames []Ident
		When               *Expr
	}

	// CallStmt is CALL, EXEC p, EXECUTE PROCEDURE, PERFORM.
	CallStmt struct {
		Name Name
		Args []*Expr
	}

	// Execute is dynamic SQL: EXECUTE IMMEDIATE, EXEC (@s), sp_executesql, EXECUTE s
	// of a prepared name (Prepared).
	Execute struct {
		SQL      *Expr
		Prepared string
		Using    []*Expr
		Into     []*Expr
	}

	// Prepare names a statement: Body if it is written out, SQL if it is text.
	Prepare struct {
		Name string
		Body *Statement
		SQL  *Expr
	}

	// Return is RETURN of a query or value, RETURN QUERY, RETURN NEXT, PIPE ROW.
	Return struct {
		Query *Query
		Expr  *Expr
	}

	// Cache is CACHE TABLE t [AS query]: t is a session view of the query.
	Cache struct {
		Name  Name
		Query *Query
	}

	// Explain holds a statement that is not run.
	Explain struct{ Body *Statement }

	// Other is any statement without lineage. Queries are those it runs for their
	// value only (ASSERT, SHOW … WHERE): they are read.
	Other struct {
		Verb    string
		Queries []*Query
		Exprs   []*Expr
	}
)

func (*QueryStmt) node()     {}
func (*Insert) node()        {}
func (*Update) node()        {}
func (*Delete) node()        {}
func (*Merge) node()         {}
func (*CreateTable) node()   {}
func (*CreateView) node()    {}
func (*RenameStmt) node()    {}
func (*Alter) node()         {}
func (*Drop) node()          {}
func (*Truncate) node()      {}
func (*Transfer) node()      {}
func (*Use) node()           {}
func (*Set) node()           {}
func (*Block) node()         {}
func (*For) node()           {}
func (*Declare) node()       {}
func (*Open) node()          {}
func (*Fetch) node()         {}
func (*CreateRoutine) node() {}
func (*CallStmt) node()      {}
func (*Execute) node()       {}
func (*Prepare) node()       {}
func (*Return) node()        {}
func (*Cache) node()         {}
func (*Explain) node()       {}
func (*Other) node()         {}

// ErrorKind is the kind of a Bad statement.
type ErrorKind string

// The kinds of error that a result can hold.
const (
	ErrorSyntax      ErrorKind = "syntax"
	ErrorUnresolved  ErrorKind = "unresolved"
	ErrorAmbiguous   ErrorKind = "ambiguous"
	ErrorTemplate    ErrorKind = "template"
	ErrorUnsupported ErrorKind = "unsupported"
	ErrorLimit       ErrorKind = "limit"
)

// Bad stands in the list of statements where one could not be parsed. A front end
// gives one Bad for each broken statement and goes on at the next statement's
// border; inside a body, at the next statement of the body if it can. At is the
// byte offset of the token that was not expected. Message says what was found and
// what was expected. A Bad counts as a statement.
type Bad struct {
	Kind    ErrorKind
	At      int32
	Message string
}

func (*Bad) node() {}
