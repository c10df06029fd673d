package grammar

import (
	"bytes"

	"github.com/tributary-data/tributary/parser/ir"
)

// Alone gives the place of a script's only statement where its tokens tell that it
// is one, whatever it says: there is no border between them, no template, and there
// are so few that no bound is passed. Another parser can be asked then without
// reading the statement here. False says that Read has to tell.
func Alone(src []byte, d Dialect, lim Limits) (ir.Span, bool) {
	if len(src) > maxPooled || bytes.IndexByte(bytes.TrimRight(src, "; \t\r\n"), ';') >= 0 || d.features().noSemicolons {
		return ir.Span{}, false
	}
	mem, ok := arenas.Get().(*arena)
	if !ok {
		mem = &arena{}
	}
	defer arenas.Put(mem)
	lim = lim.withDefaults()
	toks, _ := lex(src, 0, len(src), d.features(), lim, mem.toks)
	mem.toks = toks
	toks = toks[:len(toks)-1] // the end
	for len(toks) > 0 && toks[len(toks)-1].kind == tSemi {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 || len(toks) > min(lim.MaxNesting, lim.MaxTokens) {
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
