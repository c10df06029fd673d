package grammar

import (
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// withoutBlocks reads the statement that starts at token start once more, after a
// template's block stopped it, as one way of rendering the template leaves it. The
// block stays reported, as a statement of its own; nil says that the rendered text
// is no statement either.
func (p *parser) withoutBlocks(start int) []*ir.Statement {
	bad, at := p.bad, p.badTok
	if bad.Kind != ir.ErrorTemplate || p.toks[at].kind != tBlock || at < start {
		return nil
	}
	p.bad = nil
	from := p.render(start)
	p.depth, p.program = 0, 0
	p.resetStacks()
	p.jump(from)
	st := p.guarded()
	if p.bad != nil {
		p.bad, p.badTok = bad, at
		return nil
	}
	p.report(bad)
	return []*ir.Statement{{Span: ir.Span{Start: bad.At, End: int32(p.toks[at].end)}, Node: bad}, st}
}

// render takes the blocks out of the tokens of a statement, with the branches that a
// rendering leaves out, and gives the index at which the statement now starts: the
// tokens that stay are moved to its end.
func (p *parser) render(start int) int {
	var b branches
	kept := make([]token, 0, 64)
	i := start
	for ; p.toks[i].kind != tEOF && p.toks[i].kind != tSemi && p.toks[i].kind != tBorder; i++ {
		t := p.toks[i]
		if t.kind != tBlock {
			if !b.dropping() {
				kept = append(kept, t)
			}
			continue
		}
		if !b.block(p.blockWords(t)) {
			break // it closes what was opened before the statement
		}
	}
	copy(p.toks[i-len(kept):i], kept)
	return i - len(kept)
}

// blockWords are the words of a tag.
func (p *parser) blockWords(t token) []string {
	return strings.Fields(strings.Trim(p.raw(t), "{%-+} \t\r\n"))
}

// hidesText tells the blocks whose text stands somewhere else, if anywhere, once the
// template is rendered.
func hidesText(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "set":
		return !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "=") })
	case "macro", "docs", "test":
		return true
	}
	return false
}

// branches are the blocks that are open, each with whether its text is dropped, and
// how many drop theirs.
type branches struct {
	open    []bool
	dropped int
}

func (b *branches) dropping() bool { return b.dropped > 0 }

func (b *branches) push(drop bool) {
	b.open = append(b.open, drop)
	if drop {
		b.dropped++
	}
}

// pop closes the innermost block; it is false if there is none.
func (b *branches) pop() bool {
	last := len(b.open) - 1
	if last < 0 {
		return false
	}
	if b.open[last] {
		b.dropped--
	}
	b.open = b.open[:last]
	return true
}

// block takes the words of one tag: a condition holds, except that a loop is at its
// only pass; a loop runs once. It is false for a tag that belongs to no open block.
func (b *branches) block(words []string) bool {
	if len(words) == 0 {
		return true
	}
	switch tag := words[0]; tag {
	case "if":
		b.push(slices.Contains(words, "not") && slices.Contains(words, "loop.last"))
	case "for", "filter", "raw", "with", "block", "snapshot", "call":
		b.push(false)
	case "set", "macro", "docs", "test":
		if hidesText(words) {
			b.push(true)
		}
	case "else", "elif":
		if !b.pop() {
			return false
		}
		b.push(true)
	default:
		if strings.HasPrefix(tag, "end") {
			return b.pop()
		}
	}
	return true
}
