package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// nextStatement reads the next statement of the tokens, with those that the blocks of a
// template in it stand for; none behind the last.
func (p *parser) nextStatement() []*ir.Statement {
	if !p.atStatement() {
		return nil
	}
	if p.full && p.bytes() > p.lim.MaxMemory {
		return nil // which has been reported
	}
	p.full = false // it was the last statement alone, which is gone
	p.number++
	if p.crowded() {
		return []*ir.Statement{p.tooMuch()}
	}
	return p.topStatement()
}

// atStatement goes to where the next statement begins; false: there is none.
func (p *parser) atStatement() bool {
	for p.is(tSemi) || p.is(tBorder) || p.closingBlock() {
		p.next()
	}
	return !p.is(tEOF)
}

// tooMuch stands for the rest of a script that takes more memory than it may.
func (p *parser) tooMuch() *ir.Statement {
	start := p.i
	p.limit(limitMemory)
	bad := p.recover(start)
	p.jump(len(p.toks) - 1)
	bad.End = int32(p.prev().end)
	return bad
}

// closingBlock tells a {% endif %} or {% else %} that belongs to a block which has
// been reported.
func (p *parser) closingBlock() bool {
	if !p.is(tBlock) || !p.blocks {
		return false
	}
	word := strings.TrimLeft(p.raw(p.t), "{%-+ ")
	return strings.HasPrefix(word, "end") || strings.HasPrefix(word, "el")
}

// topStatement reads one statement of the script, or reports it and skips to its
// border. A block of a template inside a statement is one more in the list.
func (p *parser) topStatement() []*ir.Statement {
	p.depth, p.program = 0, 0
	p.resetStacks()
	start := p.i
	st := p.guarded()
	if p.bad == nil {
		return []*ir.Statement{st}
	}
	if list := p.withoutBlocks(start); list != nil {
		return list
	}
	return []*ir.Statement{p.recover(start)}
}

// resetStacks drops what a broken statement left on the stacks.
func (p *parser) resetStacks() {
	p.mem.argStack = p.mem.argStack[:0]
	p.mem.identStack = p.mem.identStack[:0]
	p.mem.itemStack = p.mem.itemStack[:0]
}

// guarded reads a statement and checks that it ends where a statement may end.
func (p *parser) guarded() *ir.Statement {
	for p.is(tTemplate) && p.opensStatement(p.peek(1)) {
		p.next() // {{ config(..) }} before a model
	}
	if p.is(tBlock) {
		return p.templateBlocks()
	}
	st := p.statement()
	if p.bad == nil && !p.ended() && !p.closingBlock() && !(p.f.noSemicolons && p.statementFollows()) {
		p.expected("the end of the statement")
	}
	return st
}

// opensStatement tells whether a token behind a placeholder starts what the script goes
// on with, so that the placeholder stands by itself.
func (p *parser) opensStatement(t token) bool {
	switch t.kind {
	case tBlock, tTemplate:
		return true
	case tIdent:
		return startWords.has(t.kw)
	}
	return false
}

// templateBlocks reports the {% blocks %} before a statement. What they guard is
// read as if it stood alone.
func (p *parser) templateBlocks() *ir.Statement {
	start := p.t.pos
	bad := &ir.Bad{Kind: ir.ErrorTemplate, At: int32(start),
		Message: "template block " + p.excerpt(p.t) + " must be rendered before the SQL can be read"}
	for p.is(tBlock) {
		words := p.blockWords(p.t)
		p.next()
		if hidesText(words) {
			p.skipToEnd(words[0])
		}
	}
	p.report(bad)
	return &ir.Statement{Span: p.span(start), Node: bad}
}

// skipToEnd goes behind the tag that closes a block whose text is for elsewhere.
func (p *parser) skipToEnd(tag string) {
	for depth := 1; depth > 0 && !p.is(tEOF); p.next() {
		if !p.is(tBlock) {
			continue
		}
		switch words := p.blockWords(p.t); {
		case len(words) == 0:
		case words[0] == "end"+tag:
			depth--
		case words[0] == tag && hidesText(words):
			depth++
		}
	}
}

func (p *parser) report(bad *ir.Bad) {
	p.blocks = p.blocks || bad.Kind == ir.ErrorTemplate
	p.errs = append(p.errs, Error{Kind: bad.Kind, Statement: p.number, At: bad.At, Message: bad.Message})
}

// recover goes behind the broken statement that started at token start, and makes
// it a Bad.
func (p *parser) recover(start int) *ir.Statement {
	bad := p.bad
	p.bad = nil
	p.jump(max(p.badTok, start))
	p.report(bad)
	if p.i == start && !p.ended() {
		p.next()
	}
	for !p.ended() && !p.resumes() {
		p.next()
	}
	st := &ir.Statement{Node: bad}
	st.Start, st.End = int32(p.toks[start].pos), int32(p.prev().end)
	if st.End < st.Start {
		st.End = st.Start
	}
	return st
}

// resumes tells whether, behind an error in a script without semicolons, a new
// statement starts: at a line whose first word starts one and goes on with none.
func (p *parser) resumes() bool {
	return p.f.noSemicolons && p.t.flags&flagNewline != 0 && resumeWords.has(p.t.kw)
}

// body reads statements up to a word that ends their list. Errors are reported for
// the statement that has them; the others are kept.
func (p *parser) body(stop func() bool) []*ir.Statement {
	var list []*ir.Statement
	for {
		p.turn()
		for p.is(tSemi) {
			p.next()
		}
		if p.is(tEOF) || p.is(tBorder) || stop() {
			return list
		}
		before := p.i
		list = append(list, p.bodyStatement())
		if p.i == before {
			p.next()
		}
	}
}

// bodyStatement reads one statement of a body.
func (p *parser) bodyStatement() *ir.Statement {
	start, depth := p.i, p.depth
	args, idents, items := len(p.mem.argStack), len(p.mem.identStack), len(p.mem.itemStack)
	st := p.statement()
	if p.bad == nil && !p.endsInBody() {
		p.expected("the end of the statement")
	}
	if p.bad == nil {
		return st
	}
	p.depth = depth
	p.mem.argStack, p.mem.identStack, p.mem.itemStack = p.mem.argStack[:args], p.mem.identStack[:idents], p.mem.itemStack[:items]
	bad := p.recover(start)
	if p.full {
		p.jump(len(p.toks) - 1)
	}
	return bad
}

// endsInBody tells whether a statement of a body may end at the cursor.
func (p *parser) endsInBody() bool {
	if p.ended() {
		return true
	}
	switch p.t.kw {
	case kwEnd, kwElse, kwElseif, kwElsif, kwException, kwWhen, kwUntil:
		return true
	}
	return p.f.noSemicolons && p.statementFollows()
}

// statementFollows tells whether the word at the cursor starts a statement, where
// no semicolon need stand between two.
func (p *parser) statementFollows() bool {
	if !p.is(tIdent) {
		return p.is(tLParen) && p.t.flags&flagNewline != 0
	}
	switch p.t.kw {
	case kwEnd, kwElse:
		return p.program > 0
	case kwWith:
		return p.cteFollows()
	}
	return startWords.has(p.t.kw) || p.peek(1).kind == tColon && p.t.flags&flagNewline != 0
}

// cteFollows tells a WITH of common table expressions from WITH options.
func (p *parser) cteFollows() bool {
	k := p.peek(1).kind
	return (k == tIdent || k == tQuoted) && (p.peek(2).kw == kwAs || p.peek(2).kind == tLParen && p.afterParensAt(2, 400).kw == kwAs)
}

// sub reads the content of a text token, which is a body, with fn. Positions in the
// body are positions in the script.
func (p *parser) sub(text token, fn func() []*ir.Statement) []*ir.Statement {
	if p.bad != nil {
		return nil
	}
	if p.bodies >= maxBodies {
		p.limit(limitNesting)
		return nil
	}
	outer := *p
	p.bodies++
	from, to := p.textRange(text)
	if text.flags&flagEscaped != 0 {
		p.src = p.undoEscapes(from, to)
		p.text, p.base = string(p.src), from
	}
	p.load(from, to)
	list := fn()
	p.src, p.text, p.base = outer.src, outer.text, outer.base
	p.toks, p.over, p.bodies = outer.toks, outer.over, outer.bodies
	p.jump(outer.i)
	if p.bad != nil {
		p.badTok = outer.i
		p.jump(len(p.toks) - 1)
	}
	return list
}

// maxBodies bounds texts of bodies inside texts of bodies.
const maxBodies = 20

// textRange gives the source range of a string's content.
func (p *parser) textRange(t token) (from, to int) {
	if t.kind == tBody {
		n := len(p.raw(t)) - len(p.stringValue(t))
		return int(t.pos) + n/2, int(t.end) - n/2
	}
	s := p.raw(t)
	i := strings.IndexAny(s, "'\"")
	from, to = int(t.pos)+i+1, int(t.end)-1
	if strings.ContainsAny(s[:i], "qQ") {
		return from + 1, to - 1
	}
	if p.f.tripleQuotes && to-from > 4 && s[i+1] == s[i] && s[i+2] == s[i] {
		return from + 2, to - 2
	}
	return from, to
}

// undoEscapes gives a string's content with its escapes replaced by as many
// characters, so that positions stay right: a doubled quote becomes one and a
// space.
func (p *parser) undoEscapes(from, to int) []byte {
	src := []byte(p.cut(from, to))
	quote := p.char(uint32(from) - 1)
	inner := false
	for i := 0; i+1 < len(src); i++ {
		switch {
		case src[i] == quote && src[i+1] == quote:
			if inner = !inner; inner {
				src[i] = ' '
			} else {
				src[i+1] = ' '
			}
			i++
		case src[i] == '\\' && p.f.backslash:
			src[i] = ' '
			if src[i+1] == 'n' || src[i+1] == 't' || src[i+1] == 'r' {
				src[i+1] = ' '
			}
			i++
		}
	}
	return src
}
