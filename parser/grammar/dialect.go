package grammar

// Dialect is one of the dialects that the grammar reads. The zero Dialect is
// ANSI.
type Dialect struct{ f *features }

// Name is the canonical name of the dialect, such as "postgres".
func (d Dialect) Name() string { return d.features().name }

func (d Dialect) features() *features {
	if d.f == nil {
		return dialects["ansi"]
	}
	return d.f
}

// DialectByName finds a dialect by its canonical name or an alias ("presto",
// "redshift", "sqlserver"), in lower case.
func DialectByName(name string) (Dialect, bool) {
	if canonical, ok := aliases[name]; ok {
		name = canonical
	}
	f, ok := dialects[name]
	return Dialect{f}, ok
}

// Dialects lists the canonical names, in no particular order.
func Dialects() []string {
	names := make([]string, 0, len(dialects))
	for name := range dialects {
		names = append(names, name)
	}
	return names
}

// aliases are other names of dialects.
var aliases = map[string]string{
	"presto":     "trino",
	"athena":     "trino",
	"postgresql": "postgres",
	"sqlserver":  "tsql",
	"mssql":      "tsql",
	"synapse":    "tsql",
	"flinksql":   "flink",
	"sparksql":   "spark",
	"plsql":      "oracle",
	"mariadb":    "mysql",
	"generic":    "ansi",
	"":           "ansi",
}

// features says how a dialect differs. Where dialects do not contradict each
// other the grammar takes the union of their syntax, so only what would be read
// wrongly otherwise is here.
type features struct {
	name string

	// Lexis.
	chars              *charTable
	doubleQuoteStrings bool // "x" is a string, not a name
	bracketNames       bool // [x] is a name
	backslash          bool // a backslash escapes in strings
	backslashNames     bool // a backslash escapes in `names`
	tripleQuotes       bool // """x""" and '''x'''
	rawStrings         bool // r'x'
	rawBackslash       bool // a quote behind a backslash does not end r'x'
	escapeStrings      bool // E'x'
	qStrings           bool // q'[x]'
	nestedComments     bool // /* /* */ */
	execComments       bool // /*! SQL */
	hashComment        bool // # comment
	hashSpaceComment   bool // "# comment" and "#! comment"
	slashComment       bool // // comment
	dashSpace          bool // "--" is a comment only before white space
	dollarBodies       bool // $$x$$ and $tag$x$tag$
	operatorRuns       bool // operators are the longest run of operator characters
	atVariables        bool // @x and @@x
	stages             bool // @stage/path
	digitWords         bool // words may start with digits
	typedBinds         bool // {name:Type}
	parenTemplates     bool // $(name)
	ampersand          bool // &name
	goLines            bool // GO
	notebooks          bool // "-- COMMAND ---" between cells, %language in front of one
	delimiterLines     bool // DELIMITER //
	slashLine          bool // a line "/" ends a statement
	sqlPlus            bool // SQL*Plus commands
	atLine             bool // a line @file runs a script
	bangLine           bool // a line !command
	backslashLines     bool // a line \command
	copyData           bool // data behind COPY .. FROM STDIN
	formatData         bool // data behind INSERT .. FORMAT name

	// Words.
	reserved   *wordSet // no column or alias has this name without quotes
	tableStops *wordSet // words that are no table alias without AS

	// Syntax.
	noSemicolons     bool     // statements need no ";" between them (T-SQL)
	trailingCommas   bool     // SELECT a, b, FROM t
	stringAliases    bool     // SELECT a 'alias'
	dashNames        bool     // my-project.d.t
	equalsAlias      bool     // SELECT alias = expression
	colonPaths       bool     // col:a.b
	questionOps      bool     // a ? 'key'
	ternary          bool     // a ? b : c
	typedStrings     bool     // any_type 'text'
	withExpressions  bool     // WITH expression AS name
	bracketHints     bool     // [SHUFFLE]
	fromFirst        bool     // FROM t SELECT x; FROM t
	namedValues      bool     // VALUES (1) AS t (a) as a query
	bareCTEs         bool     // WITH name (query), without AS
	elementPaths     bool     // FROM t.column[0].field
	keyColumns       bool     // KEY is reserved, but people have columns of that name
	plsql            bool     // PL/SQL and PL/pgSQL block syntax: DECLARE before BEGIN
	intoVariables    bool     // SELECT INTO fills variables inside a body
	arrowIsJSON      bool     // a -> b is JSON access, never a lambda
	arrowBoth        bool     // a -> b is JSON access where b is a literal, else a lambda
	convertTypeFirst bool     // CONVERT(type, e)
	rawSettings      bool     // SET key=text up to the end of the statement
	regexColumns     bool     // `(a|b)?+.+` is a pattern of column names
	pathTables       bool     // parquet.`/path`
	methods          wordList // functions that are called as x.f()
	declareBlocks    bool     // DECLARE a INT; BEGIN .. END
	textBodies       bool     // a body in a string without a language is SQL
	valuesFunction   bool     // VALUES(c) is the proposed value of a column
}
