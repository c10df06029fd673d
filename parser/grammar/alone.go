package grammar

import "github.com/tributary-data/tributary/parser/ir"

// Alone gives the place of the script's only statement, before it is read, where the
// tokens tell that it is one whatever it says: there is no border between them, no
// template, and there are so few that no bound is passed. Another parser can be asked
// then, and Skip spares reading the statement here. False says that Next has to tell.
func (r *Reader) Alone() (ir.Span, bool) {
	p := r.p
	toks := p.toks[:len(p.toks)-1] // without the end
	for len(toks) > 0 && toks[len(toks)-1].kind == tSemi {
		toks = toks[:len(toks)-1]
	}
	if p.i > 0 || p.f.noSemicolons || len(toks) == 0 || len(toks) > min(p.lim.MaxNesting, p.lim.MaxTokens) {
		return ir.Span{}, false
	}
	for _, t := range toks {
		switch t.kind {
		case tSemi, tBorder, tBlock, tTemplate, tUnclosed, tOverLimit, tIllegal:
			return ir.Span{}, false
		}
	}
	return ir.Span{Start: int32(toks[0].pos), End: int32(toks[len(toks)-1].end)}, true
}

// Skip passes over what is left of the script.
func (r *Reader) Skip() { r.p.jump(len(r.p.toks) - 1) }
