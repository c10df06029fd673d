package grammar

import "github.com/tributary-data/tributary/parser/ir"

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

// maxIdle is how many rounds of loops may go by without a token taken, beside those in
// which a statement's levels of nesting end.
const maxIdle = 1 << 16

// turn is asked in each round of a loop that does not show that it takes a token. It is
// true unless the loops go round and round at one token: then the grammar has a fault,
// which ends the statement instead of the program. No reading is stopped by it that gets
// on.
func (p *parser) turn() bool {
	if p.steps != p.turned {
		p.turned, p.idle = p.steps, 0
	}
	p.idle++
	return p.idle < maxIdle || p.getsOn()
}

// getsOn tells whether the idle rounds can be those in which nested rules end. If not,
// the statement fails; if that does not end the loop, the script does.
func (p *parser) getsOn() bool {
	switch {
	case p.idle < maxIdle+idlePerLevel*p.lim.MaxNesting:
		return true
	case p.bad == nil:
		p.idle = 0
		p.fail(ir.ErrorUnsupported, "the statement is not understood from here on (a fault of the parser: it takes no token of "+p.found()+")")
		return false
	}
	panic("the grammar takes no token")
}

// idlePerLevel is more than the rounds of loops that end one level of nesting.
const idlePerLevel = 256
