package grammar

// kind is the lexical class of a token.
type kind uint8

const (
	tEOF       kind = iota
	tIdent          // plain word: identifier or keyword (see token.kw)
	tQuoted         // quoted identifier
	tString         // string literal of any form
	tBody           // dollar-quoted text
	tNumber         // numeric literal
	tVariable       // @name, @@name, $name, $1
	tStage          // Snowflake stage path: @stage/dir/file
	tBind           // :name, %s, %(name)s, {name:Type}
	tTemplate       // ${name}, {{ expression }}: a placeholder filled in before the SQL runs
	tBlock          // {% block %}: template control flow
	tSemi           // ; inside a script
	tBorder         // a border stronger than ";": GO, "/" line, DELIMITER text
	tIllegal        // a character that starts no token
	tUnclosed       // a string, quoted name or comment that never ends
	tOverLimit      // the statement passed a bound; see lexer.over

	tLParen
	tRParen
	tLBracket
	tRBracket
	tLBrace
	tRBrace
	tComma
	tDot
	tDotDot
	tColon
	tQuestion
	tAt
	tDollar

	tPlus
	tMinus
	tStar
	tSlash
	tPercent
	tConcat // ||
	tPipe   // |
	tPipeGt // |>
	tAmp    // &
	tAmpAmp // &&
	tCaret  // ^
	tTilde  // ~
	tBang   // !
	tHash   // #
	tShl    // <<
	tShr    // >>
	tEq     // = and ==
	tNe     // <>, != and ^=
	tLt
	tGt
	tLe
	tGe
	tNullSafe  // <=>
	tAssign    // :=
	tCast      // ::
	tArrow     // ->
	tArrow2    // ->>
	tFatArrow  // =>
	tOuterJoin // (+)
	tOperator  // any other operator of the Postgres family
)

// Flags of a token.
const (
	flagSpace    uint8 = 1 << iota // white space or a comment stands before it
	flagNewline                    // it is the first token of its line
	flagTemplate                   // the word holds a placeholder: db_${env}
	flagEscaped                    // the quoted text holds escapes and must be decoded
	flagLower                      // the word has small letters only
)

// token is a piece of the source, src[pos:end]. It holds no text of its own.
type token struct {
	pos, end uint32
	kw       keyword
	kind     kind
	flags    uint8
}

// kindNames are the kinds as messages name what was expected.
var kindNames = map[kind]string{
	tLParen: "(", tRParen: ")", tLBracket: "[", tRBracket: "]", tLBrace: "{", tRBrace: "}",
	tComma: "a comma", tDot: "a dot", tColon: ":", tEq: "=", tAssign: ":=", tGt: ">", tShr: ">>",
}

func (k kind) String() string { return kindNames[k] }
