package grammar

// Bounds that hold where a Limits field is zero.
const (
	DefaultMaxNesting = 1000
	DefaultMaxTokens  = 1_000_000
	DefaultMaxBytes   = 4 << 20
)

// Limits bounds one statement. A zero field means its default. Where a bound
// bites, the statement is skipped and an Error of kind KindLimit names it.
type Limits struct {
	MaxNesting int // levels of parentheses, CASE, subqueries, blocks and unary operators
	MaxTokens  int // tokens
	MaxBytes   int // bytes of source text
	// MaxMemory bounds the memory of a script's tree and tokens, in bytes; zero: it is
	// not bounded.
	MaxMemory int
	// Stop, if set, is asked from time to time; once it returns true, parsing
	// ends with a limit error that names the deadline.
	Stop func() bool
}

func (l Limits) withDefaults() Limits {
	if l.MaxNesting <= 0 {
		l.MaxNesting = DefaultMaxNesting
	}
	if l.MaxTokens <= 0 {
		l.MaxTokens = DefaultMaxTokens
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	return l
}
