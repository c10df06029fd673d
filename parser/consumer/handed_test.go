package consumer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
)

// TestKnownEventsAreThoseThatAreRead extracts the SQL of the golden cases, and compares
// the events that are handed to readers with those that others decode.
func TestKnownEventsAreThoseThatAreRead(t *testing.T) {
	cases, err := filepath.Glob("../testdata/*/*/query.sql")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	handed := 0
	for i, file := range cases {
		sql, err := os.ReadFile(file)
		require.NoError(t, err)
		setting, err := os.ReadFile(filepath.Join(filepath.Dir(file), "schema.json"))
		require.NoError(t, err)
		d := &event.TaskDefined{Task: event.Task{ID: fmt.Sprint(i)}, SQL: string(sql), DefaultSource: "mysql://shop:3306"}
		require.NoError(t, json.Unmarshal(setting, d))
		for _, kind := range []string{event.KindBatch, event.KindAPI} {
			d.Kind = kind
			x := (&extractor{catalog: testCatalog()}).define(context.Background(), d, event.Position{Offset: int64(i)}, sum{})
			recs, err := x.encode()
			require.NoError(t, err)
			for _, rec := range recs {
				if rec.Known == nil {
					continue
				}
				handed++
				read, err := event.Decode(rec.Headers, rec.Value)
				require.NoError(t, err, file)
				require.Equal(t, read, *rec.Known, file)
			}
		}
	}
	require.Greater(t, handed, len(cases), "more than half of two for each case")
}

// TestExtractionsDoNotHoldTheirSQL keeps what was extracted of scripts that are long
// for their comments, as readers do that are behind.
func TestExtractionsDoNotHoldTheirSQL(t *testing.T) {
	const scripts, length = 8, 1 << 20
	for _, dialect := range parser.Dialects() {
		heap := func() uint64 {
			for range 3 { // pools are emptied in two
				runtime.GC()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := heap()
		kept := make([]*event.LineageExtracted, scripts)
		for i := range kept {
			sql := "INSERT INTO Sums /* " + strings.Repeat("-", length) + " */ SELECT Id, amount + discount AS paid, nothing.at FROM Orders WHERE kind = 1 ORDER BY paid"
			d := &event.TaskDefined{Task: event.Task{ID: "a"}, SQL: sql, Dialect: dialect, DefaultSource: "mysql://shop:3306"}
			kept[i] = (&extractor{catalog: testCatalog()}).define(context.Background(), d, event.Position{}, sum{}).lineage
		}
		require.NotEmpty(t, kept[0].Edges, dialect)
		after := heap()
		require.Less(t, int(after)-int(before), scripts*length/4, dialect)
		runtime.KeepAlive(kept)
	}
}
