package grammar

import (
	"slices"
	"testing"

	"github.com/tributary-data/tributary/parser/ir"
)

// FuzzParse reads any text in any dialect: no panic, no endless loop, and every
// position inside the text.
func FuzzParse(f *testing.F) {
	for _, s := range append(samples(f, "accepted"), samples(f, "rejected")...) {
		f.Add(byte(slices.Index(allDialects, s.dialect)), s.sql)
	}
	f.Fuzz(func(t *testing.T, dialect byte, sql string) {
		d, _ := DialectByName(allDialects[int(dialect)%len(allDialects)])
		stmts, errs := Parse([]byte(sql), d, Limits{MaxNesting: 200})
		for _, e := range errs {
			if e.At < 0 || int(e.At) > len(sql) || e.Message == "" {
				t.Fatalf("error at %d of %d bytes: %s", e.At, len(sql), e.Message)
			}
		}
		checkStatements(t, stmts, len(sql))
	})
}

// checkStatements looks at the positions of statements and those inside them.
func checkStatements(t *testing.T, stmts []*ir.Statement, size int) {
	t.Helper()
	for _, st := range stmts {
		if st == nil || st.Node == nil {
			t.Fatal("a statement without a node")
		}
		if st.Start < 0 || st.End < st.Start || int(st.End) > size {
			t.Fatalf("statement at [%d, %d) of %d bytes", st.Start, st.End, size)
		}
		if b, ok := st.Node.(*ir.Block); ok {
			checkStatements(t, b.Body, size)
		}
		if r, ok := st.Node.(*ir.CreateRoutine); ok {
			checkStatements(t, r.Body, size)
		}
	}
}
