package chsql

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// functionList names the functions that people may call: those of the engine
// and its types, without those that read files, dial out, wait or ask another
// service. A function that is not in it is refused, so one that a later engine
// brings must be looked at first; see functions_test.go.
//
//go:embed functions.txt
var functionList string

// refusedList names the engine's other functions. They may not be called, nor
// be named where a value is expected: the engine takes the bare name of a
// function behind APPLY and as the first argument of arrayMap and its like.
//
//go:embed refused.txt
var refusedList string

// Guard decides whether a person may run a statement.
type Guard struct{ functions, refused map[string]bool }

// NewGuard makes a guard that lets through what functions.txt names.
func NewGuard() *Guard {
	return &Guard{functions: listed(functionList), refused: listed(refusedList)}
}

// listed reads a list of names, one a line, in lower case.
func listed(list string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(list) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			set[strings.ToLower(name)] = true
		}
	}
	return set
}

// openers are the words that a person's statement may begin with.
var openers = words("SELECT WITH SHOW DESCRIBE DESC EXPLAIN EXISTS")

// refusedWords write, change settings, or reach out of the store, wherever
// they stand but behind a dot, where only a name can. A column of such a name
// must be quoted.
var refusedWords = words(`INTO OUTFILE INFILE INSERT CREATE ALTER DROP DELETE UPDATE TRUNCATE ATTACH DETACH
	RENAME EXCHANGE OPTIMIZE GRANT REVOKE SET SETTINGS KILL BACKUP RESTORE UNDROP EXECUTE PARALLEL IMPERSONATE TEMPORARY PROCESSLIST`)

// beforeBracket are the keywords that an opening bracket may follow without
// being a call.
var beforeBracket = words(`SELECT WITH FROM JOIN IN NOT AND OR ON USING WHERE PREWHERE HAVING QUALIFY BY
	AS CASE WHEN THEN ELSE OVER FILTER WINDOW UNION ALL DISTINCT EXCEPT INTERSECT ANY SOME EXISTS BETWEEN
	LIKE ILIKE IS LIMIT OFFSET ARRAY INTERVAL VALUES ROLLUP CUBE SETS SYNTAX AST PLAN PIPELINE TREE ESTIMATE
	EXPLAIN DIV MOD XOR REPLACE APPLY COLUMNS TABLE GLOBAL OF ROWS RANGE TOP MATERIALIZED`)

// formats are the output formats that a person may ask for in the statement.
var formats = words(`TabSeparated TabSeparatedRaw TabSeparatedWithNames TabSeparatedWithNamesAndTypes TSV TSVRaw
	TSVWithNames TSVWithNamesAndTypes CSV CSVWithNames CSVWithNamesAndTypes JSON JSONStrings JSONCompact
	JSONCompactStrings JSONColumns JSONEachRow JSONLines NDJSON JSONCompactEachRow JSONCompactEachRowWithNames
	JSONCompactEachRowWithNamesAndTypes JSONStringsEachRow JSONColumnsWithMetadata Vertical Pretty PrettyCompact
	PrettyCompactMonoBlock PrettySpace PrettyNoEscapes PrettyCompactNoEscapes PrettyJSONEachRow Values Markdown XML
	Native RowBinary RowBinaryWithNames RowBinaryWithNamesAndTypes Arrow ArrowStream Parquet ORC Null TSKV LineAsString`)

// KnownFormat says whether a person may ask for the output format.
func KnownFormat(name string) bool { return formats[strings.ToUpper(name)] }

// otherDatabases may not be named. Files of the working directory, and any
// path, are tables of the engine's database default.
var otherDatabases = words("DEFAULT _TEMPORARY_AND_EXTERNAL_TABLES")

// refusedTables may not be named, with quotes or without. Reading stack_trace
// sends a signal to every thread of the process, which is ours too; the others
// tell what is nobody's business, such as what others are asking.
var refusedTables = words("PROCESSES USER_PROCESSES STACK_TRACE JEMALLOC_PROFILE_TEXT NAMED_COLLECTIONS ZOOKEEPER FAIL_POINTS")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[strings.ToUpper(w)] = true
	}
	return set
}

// number is what counts as one: letters behind digits could be a name to the
// engine.
var number = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9][0-9_]*(\.[0-9_]*)*([eE][+-]?[0-9]+)?)$`)

// maxTokens bounds a person's statement.
const maxTokens = 100_000

// Check returns nil when a person may run the statement, else an *Error that
// says what is refused. It lets one SELECT, SHOW, DESCRIBE, EXISTS or EXPLAIN
// through that calls only known functions and writes nothing. What it does not
// know it refuses.
func (g *Guard) Check(sql string) error {
	tokens, err := tokensUpTo(sql, maxTokens)
	if err != nil {
		return err
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].Sign(";") {
		tokens = tokens[:len(tokens)-1]
	}
	if err := checkOpener(tokens); err != nil {
		return err
	}
	if tokens, err = cutFormat(tokens); err != nil {
		return err
	}
	for i := range tokens {
		if err := g.checkToken(sql, tokens, i); err != nil {
			return err
		}
	}
	return nil
}

// checkOpener looks at the first word, which may stand in brackets.
func checkOpener(tokens []Token) error {
	i := 0
	for i < len(tokens) && tokens[i].Sign("(") {
		i++
	}
	if i == len(tokens) {
		return &Error{Reason: "it is empty"}
	}
	first := tokens[i]
	if first.Kind != KindWord || !openers[strings.ToUpper(first.Value)] {
		return &Error{Offset: first.Start, Reason: "only SELECT, WITH, SHOW, DESCRIBE, EXISTS and EXPLAIN may begin it"}
	}
	return nil
}

// cutFormat takes FORMAT and a known format's name off the end. Anywhere else
// the word is refused, unless it is called as the function of that name.
func cutFormat(tokens []Token) ([]Token, error) {
	n := len(tokens)
	if n >= 2 && tokens[n-2].Is("FORMAT") && tokens[n-1].Kind == KindWord {
		if !formats[strings.ToUpper(tokens[n-1].Value)] {
			return nil, &Error{Offset: tokens[n-1].Start, Reason: "the format " + tokens[n-1].Value}
		}
		tokens = tokens[:n-2]
	}
	for i, t := range tokens {
		if t.Is("FORMAT") && !bracketFollows(tokens, i) {
			return nil, &Error{Offset: t.Start, Reason: "FORMAT anywhere but at the end"}
		}
	}
	return tokens, nil
}

func (g *Guard) checkToken(sql string, tokens []Token, i int) error {
	t := tokens[i]
	upper := strings.ToUpper(t.Value)
	switch {
	case t.Sign(";"):
		return &Error{Offset: t.Start, Reason: "a second statement"}
	case t.Sign("@"):
		return &Error{Offset: t.Start, Reason: "a variable"}
	case t.Sign("{"):
		return checkPlaceholder(tokens, i)
	case t.Kind == KindNumber && !number.MatchString(t.Value):
		return &Error{Offset: t.Start, Reason: "the number " + t.Value}
	case !t.Name():
		return nil
	case t.Kind == KindQuoted && strings.Contains(sql[t.Start:t.End], `\`):
		return &Error{Offset: t.Start, Reason: "a backslash in a quoted name"}
	case t.Kind == KindWord && refusedWords[upper] && (i == 0 || !tokens[i-1].Sign(".")):
		return &Error{Offset: t.Start, Reason: fmt.Sprintf("the word %s (a column or table of that name must be quoted)", upper)}
	case refusedTables[upper]:
		return &Error{Offset: t.Start, Reason: "the table " + t.Value}
	case otherDatabases[upper] && dotFollows(tokens, i):
		return &Error{Offset: t.Start, Reason: "the database " + t.Value}
	case bracketFollows(tokens, i):
		return g.checkCall(t, upper)
	case g.refused[strings.ToLower(t.Value)] && !qualifiedOrNew(tokens, i):
		return &Error{Offset: t.Start, Reason: fmt.Sprintf("the function %s, if only by its name (write a column of that name behind its table's name and a dot)", t.Value)}
	}
	return nil
}

// qualifiedOrNew says that a name cannot be a function's: it stands behind a
// dot, or AS gives it to something.
func qualifiedOrNew(tokens []Token, i int) bool {
	return i > 0 && (tokens[i-1].Sign(".") || tokens[i-1].Is("AS"))
}

func (g *Guard) checkCall(t Token, upper string) error {
	if t.Kind == KindWord && beforeBracket[upper] || g.functions[strings.ToLower(t.Value)] {
		return nil
	}
	return &Error{Offset: t.Start, Reason: "the function " + t.Value}
}

// checkPlaceholder refuses a parameter that stands for a name: its value is
// not in the statement and could name anything.
func checkPlaceholder(tokens []Token, i int) error {
	for _, t := range tokens[i+1:] {
		if t.Sign("}") {
			return nil
		}
		if t.Name() && strings.EqualFold(t.Value, "Identifier") {
			return &Error{Offset: t.Start, Reason: "a parameter that names a table or column"}
		}
	}
	return &Error{Offset: tokens[i].Start, Reason: "a brace that does not close"}
}

func bracketFollows(tokens []Token, i int) bool {
	return i+1 < len(tokens) && tokens[i+1].Sign("(")
}

func dotFollows(tokens []Token, i int) bool {
	return i+1 < len(tokens) && tokens[i+1].Sign(".")
}
