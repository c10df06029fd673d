package grammar

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

func TestScratch(t *testing.T) {
	f, _ := os.Open("/work/shared/sqlcases/cases.jsonl")
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		var c struct {
			ID, Dialect, Kind, Sql, Sql_b64 string
			Expect                          struct{ Error *string }
		}
		json.Unmarshal(sc.Bytes(), &c)
		sql := []byte(c.Sql)
		if c.Sql_b64 != "" {
			sql, _ = base64.StdEncoding.DecodeString(c.Sql_b64)
		}
		d, ok := DialectByName(c.Dialect)
		if !ok {
			fmt.Println("NO DIALECT", c.Dialect)
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Println("PANIC", c.ID, r, string(debug.Stack()))
				}
			}()
			_, errs := Parse(sql, d, Limits{})
			want := ""
			if c.Expect.Error != nil {
				want = *c.Expect.Error
			}
			for _, e := range errs {
				if string(e.Kind) != want {
					lo, hi := max(0, int(e.At)-40), min(len(sql), int(e.At)+30)
					fmt.Printf("%s want=%q %s st=%d %s\n     %q\n", c.ID, want, e.Kind, e.Statement, e.Message, sql[lo:hi])
				}
			}
			if (want == "syntax" || want == "template") && len(errs) == 0 {
				fmt.Println("MISSING ERROR", c.ID, want)
			}
		}()
	}
}
