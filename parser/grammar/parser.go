package grammar

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/tributary-data/tributary/parser/ir"
)

// Error is one statement that could not be read.
type Error struct {
	Kind      ir.ErrorKind
	Statement int   // 1-based number of the top-level statement
	At        int32 // byte offset of the token that was not expected
	Message   string
}

// Parse reads a script. Every statement of it is in the result, in order; one
// that cannot be read is there as an *ir.Bad, and in errs. Parse never panics,
// and its time and memory are linear in len(src).
func Parse(src []byte, d Dialect, lim Limits) (stmts []*ir.Statement, errs []Error) {
	r := NewReader(src, d, lim)
	for list := r.p.nextStatement(); len(list) > 0; list = r.p.nextStatement() {
		stmts = append(stmts, list...)
	}
	return stmts, r.p.errs
}

// Reader reads a script statement by statement, in memory that it uses again: much of
// the time of reading a short script would else go into allocating its tree, and a long
// script would be there as a whole.
type Reader struct {
	p     *parser
	queue []*ir.Statement // read, but not asked for yet
	kept  bool            // see Keep
}

// NewReader begins to read a script.
func NewReader(src []byte, d Dialect, lim Limits) *Reader {
	mem, ok := arenas.Get().(*arena)
	if !ok {
		mem = newArena()
	}
	p := newParser(src, d.features(), lim.withDefaults(), mem)
	p.load(0, len(src))
	p.mem.size(len(p.toks))
	return &Reader{p: p, kept: true}
}

// Next gives the next statement, nil behind the last. The ones before it are gone,
// their strings excepted, unless Keep was called for them.
func (r *Reader) Next() *ir.Statement {
	if len(r.queue) == 0 {
		if !r.p.atStatement() {
			r.end()
			return nil
		}
		if r.kept {
			r.p.mem.keep()
			r.kept = false
		} else {
			r.p.mem.back()
		}
		r.p.errs = r.p.errs[:0]
		r.queue = r.p.nextStatement()
	}
	if len(r.queue) == 0 {
		return nil
	}
	s := r.queue[0]
	r.queue = r.queue[1:]
	return s
}

// end gives up the tokens of a long script once it is read.
func (r *Reader) end() {
	if cap(r.p.toks) > maxPooled {
		r.p.toks = nil
	}
}

// Keep makes the statement that Next gave stay until Release.
func (r *Reader) Keep() { r.kept = true }

// Bytes is about the memory that the script's tokens and the statements take that are
// there.
func (r *Reader) Bytes() int { return r.p.bytes() }

// MakesTriggers tells whether the script may have triggers: what a function is depends
// on those that run it, wherever they stand.
func (r *Reader) MakesTriggers() bool {
	return slices.ContainsFunc(r.p.toks, func(t token) bool { return t.kw == kwTrigger })
}

// Release gives the memory of all statements to a later Reader. Nobody may look at
// them again; strings of them stay good.
func (r *Reader) Release() {
	r.end()
	r.p.mem.toks = r.p.toks
	r.p.mem.reset()
	arenas.Put(r.p.mem)
	*r = Reader{}
}

// arenas are those of readers that were released.
var arenas sync.Pool

// maxPooled is the number of tokens up to which their memory is kept.
const maxPooled = 1 << 19

// The bounds, as messages name them.
const (
	limitNesting = "nesting"
	limitTokens  = "tokens"
	limitBytes   = "bytes"
	limitTime    = "time"
	limitMemory  = "memory"
)

// parser is the state of one Parse. After a syntax error the cursor stands on
// tEOF until the statement's caller recovers, so that no rule needs to look at
// errors: every loop ends at tEOF.
type parser struct {
	src  []byte
	text string // src as a string, of which names and literals are slices
	base int    // position of src[0] in the script, over 0 inside a decoded body
	f    *features
	lim  Limits

	toks []token
	i    int
	t    token // toks[i]
	over string

	depth   int  // nesting in the source
	steps   int  // tokens taken, to count work
	turned  int  // steps at the last turn of a loop
	idle    int  // turns since then; see turn
	bodies  int  // bodies inside bodies
	program int  // inside so many stored programs or blocks
	number  int  // top-level statement
	blocks  bool // a template has been reported

	bad    *ir.Bad // first error of the current statement
	badTok int     // index of its token

	errs []Error

	mem   *arena
	asked int // see crowded
	full  bool
}

// errorBytes is about the memory of an error.
const errorBytes = 400

// bytes is about the memory that the tree and its tokens take.
func (p *parser) bytes() int {
	return p.mem.bytes() + len(p.toks)*int(unsafe.Sizeof(token{})) + len(p.errs)*errorBytes
}

// crowded tells whether the statements that are there take more memory than they may:
// then the rest of the last one is left out. It is asked often and looks seldom.
func (p *parser) crowded() bool {
	p.asked++
	if p.asked%64 == 0 && p.lim.MaxMemory > 0 && p.bytes() > p.lim.MaxMemory {
		p.full = true
	}
	return p.full
}

func newParser(src []byte, f *features, lim Limits, mem *arena) *parser {
	return &parser{src: src, text: string(src), f: f, lim: lim, mem: mem}
}

// load cuts src[from:to] into tokens and goes to the first.
func (p *parser) load(from, to int) {
	toks, over := lex(p.src, from-p.base, to-p.base, p.f, p.lim, p.mem.toks)
	p.mem.toks = nil // those of a body inside are others
	if p.base != 0 {
		for i := range toks {
			toks[i].pos += uint32(p.base)
			toks[i].end += uint32(p.base)
		}
	}
	p.toks, p.over = toks, over
	p.i, p.t = 0, toks[0]
}

func (p *parser) next() {
	if p.i+1 < len(p.toks) {
		p.i++
		p.t = p.toks[p.i]
		p.steps++
	}
}

// jump goes to the token with index i.
func (p *parser) jump(i int) {
	p.i = i
	p.t = p.toks[i]
}

// peek gives the token n places on.
func (p *parser) peek(n int) token {
	if i := p.i + n; i < len(p.toks) {
		return p.toks[i]
	}
	return p.toks[len(p.toks)-1]
}

// prev gives the token before the current one.
func (p *parser) prev() token {
	if p.i == 0 {
		return token{}
	}
	return p.toks[p.i-1]
}

func (p *parser) is(k kind) bool { return p.t.kind == k }

func (p *parser) isWord(kw keyword) bool { return p.t.kw == kw }

// isWords tells whether the next tokens are these keywords.
func (p *parser) isWords(kws ...keyword) bool {
	for n, kw := range kws {
		if p.peek(n).kw != kw {
			return false
		}
	}
	return true
}

// accept takes the token if it is of this kind.
func (p *parser) accept(k kind) bool {
	if p.t.kind != k {
		return false
	}
	p.next()
	return true
}

// word takes the token if it is this keyword.
func (p *parser) word(kw keyword) bool {
	if p.t.kw != kw {
		return false
	}
	p.next()
	return true
}

// words takes the tokens if they are these keywords, all or none.
func (p *parser) words(kws ...keyword) bool {
	if !p.isWords(kws...) {
		return false
	}
	for range kws {
		p.next()
	}
	return true
}

// anyWord takes the token if it is one of the keywords.
func (p *parser) anyWord(kws ...keyword) bool {
	if p.t.kw == 0 || !slices.Contains(kws, p.t.kw) {
		return false
	}
	p.next()
	return true
}

func (p *parser) isAny(kws ...keyword) bool {
	return p.t.kw != 0 && slices.Contains(kws, p.t.kw)
}

// need takes the token, which must be of this kind.
func (p *parser) need(k kind) {
	if !p.accept(k) {
		p.expected(k.String())
	}
}

// needWord takes the token, which must be this keyword.
func (p *parser) needWord(kw keyword) {
	if !p.word(kw) {
		p.expected(kw.String())
	}
}

// ended tells whether the cursor stands where a statement ends.
func (p *parser) ended() bool {
	return p.t.kind == tEOF || p.t.kind == tSemi || p.t.kind == tBorder || p.t.kind == tBlock && p.closingBlock()
}

func (p *parser) failed() bool { return p.bad != nil }

// expected reports that the current token is not what the grammar asks for.
func (p *parser) expected(what string) {
	if p.bad != nil {
		return
	}
	switch p.t.kind {
	case tUnclosed:
		p.fail(ir.ErrorSyntax, p.unclosed())
	case tOverLimit:
		p.limit(p.over)
	case tBlock:
		p.fail(ir.ErrorTemplate, "template block "+p.excerpt(p.t)+" must be rendered before the SQL can be read")
	case tTemplate, tBind:
		p.fail(ir.ErrorTemplate, "placeholder "+p.excerpt(p.t)+" stands where "+what+" is expected: render the template first")
	default:
		p.fail(ir.ErrorSyntax, "expected "+what+", found "+p.found())
	}
}

// fail records the statement's first error and moves the cursor to the end.
func (p *parser) fail(k ir.ErrorKind, message string) {
	if p.bad != nil {
		return
	}
	p.bad = &ir.Bad{Kind: k, At: int32(p.t.pos), Message: message}
	p.badTok = p.i
	p.jump(len(p.toks) - 1)
}

func (p *parser) limit(what string) {
	bound := map[string]int{limitNesting: p.lim.MaxNesting, limitTokens: p.lim.MaxTokens, limitBytes: p.lim.MaxBytes}[what]
	var message string
	switch what {
	case limitTime:
		message = "the statement passes the limit of parsing time"
	case limitMemory:
		message = fmt.Sprintf("the script passes the limit of %d bytes of memory for its statements", p.lim.MaxMemory)
	default:
		message = fmt.Sprintf("the statement passes the limit of %d %s", bound, limitUnits[what])
	}
	p.fail(ir.ErrorLimit, message)
}

var limitUnits = map[string]string{
	limitNesting: "levels of nesting",
	limitTokens:  "tokens",
	limitBytes:   "bytes",
}

// enter goes one level of nesting down; it fails at the limit. Each enter has
// its leave.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > p.lim.MaxNesting {
		p.limit(limitNesting)
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// found describes the current token for a message.
func (p *parser) found() string {
	switch p.t.kind {
	case tEOF, tSemi, tBorder:
		return "the end of the statement"
	case tIllegal:
		return "the character " + p.excerpt(p.t) + ", which is no SQL outside quotes"
	}
	return p.excerpt(p.t)
}

func (p *parser) unclosed() string {
	switch p.char(p.t.pos) {
	case '/':
		return "comment is not closed"
	case '"', '`', '[':
		return "quoted text is not closed: " + p.excerpt(p.t)
	}
	return "string is not closed: " + p.excerpt(p.t)
}

// excerpt quotes the first characters of a token.
func (p *parser) excerpt(t token) string {
	s := p.raw(t)
	for i := range s {
		if i > 30 || s[i] == '\n' {
			return "“" + s[:i] + "…”"
		}
	}
	return "“" + s + "”"
}

// raw is the source text of a token.
func (p *parser) raw(t token) string { return p.cut(int(t.pos), int(t.end)) }

// cut is the source text between two positions.
func (p *parser) cut(from, to int) string { return p.text[from-p.base : to-p.base] }

// char is the byte at a position.
func (p *parser) char(at uint32) byte { return p.src[int(at)-p.base] }

// between is the source text from token start up to the current token, without
// the white space before it.
func (p *parser) between(start token) string {
	if p.prev().end <= start.pos {
		return ""
	}
	return p.cut(int(start.pos), int(p.prev().end))
}

// span covers the source from a position up to the end of the last token taken.
func (p *parser) span(start uint32) ir.Span {
	return ir.Span{Start: int32(start), End: int32(max(p.prev().end, start))}
}
