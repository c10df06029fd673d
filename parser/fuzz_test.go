package parser_test

import (
	"context"
	"testing"
	"time"

	"github.com/tributary-data/tributary/parser"
)

// FuzzExtract reads any text in any dialect: it must be answered, soon, within the
// bounds of memory.
func FuzzExtract(f *testing.F) {
	dialects := parser.Dialects()
	index := map[string]uint8{}
	for i, d := range dialects {
		index[d] = uint8(i)
	}
	for _, seed := range []string{"", "\xef\xbb\xbfSELECT 1", "a\x00b", "SELECT 'x", "{% if %}", "\xff\xfe"} {
		f.Add([]byte(seed), uint8(0))
	}
	for _, dir := range goldenCases(f) {
		sql, s := readGolden(f, dir)
		f.Add([]byte(sql), index[s.Dialect])
	}
	f.Fuzz(func(t *testing.T, sql []byte, dialect uint8) {
		if len(sql) > 1<<20 {
			t.Skip("longer than fuzzing can judge")
		}
		d := dialects[int(dialect)%len(dialects)]
		start := time.Now()
		res := parser.Extract(context.Background(), sql, parser.Options{Dialect: d, DefaultSchema: "s", Limits: parser.Limits{Time: 5 * time.Second}})
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("%s took %v", d, took)
		}
		for _, e := range res.Errors {
			if e.Kind == "unsupported" && e.Statement == 0 && len(e.Message) > 0 && e.Line == 1 && e.Column == 1 {
				t.Fatalf("the parser failed in %s: %s", d, e.Message)
			}
		}
		res.Steps()
	})
}
