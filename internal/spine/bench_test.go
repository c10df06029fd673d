package spine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/projector/audit"
	"github.com/tributary-data/tributary/schemas/event"
)

// definitionSQL is about 1 KB of SQL as a layered warehouse has it.
func definitionSQL(i int) string {
	return fmt.Sprintf(`-- daily facts of shop %[1]d
INSERT INTO dwd.fact_orders_%[1]d (order_id, customer_id, region, paid_amount, discount, item_count, first_paid_at, is_large)
SELECT o.order_id,
       o.customer_id,
       UPPER(c.region) AS region,
       SUM(i.price * i.quantity) AS paid_amount,
       SUM(COALESCE(i.discount, 0)) AS discount,
       COUNT(DISTINCT i.item_id) AS item_count,
       MIN(p.paid_at) AS first_paid_at,
       CASE WHEN SUM(i.price * i.quantity) > %[2]d THEN 1 ELSE 0 END AS is_large
FROM ods.orders_%[1]d o
JOIN ods.order_items_%[1]d i ON i.order_id = o.order_id AND i.deleted = 0
LEFT JOIN ods.customers_%[3]d c ON c.customer_id = o.customer_id
LEFT JOIN (
    SELECT order_id, MIN(created_at) AS paid_at
    FROM ods.payments_%[3]d
    WHERE status IN ('paid', 'settled') AND created_at >= '2026-01-01'
    GROUP BY order_id
) p ON p.order_id = o.order_id
WHERE o.status <> 'cancelled'
  AND o.created_at >= DATE_SUB(CURRENT_DATE, INTERVAL 7 DAY)
GROUP BY o.order_id, o.customer_id, UPPER(c.region)`, i, i%1000+100, i%50)
}

// bodyOf gives a batch of definitions as an HTTP client sends it.
func bodyOf(tb testing.TB, first, n int, sql func(i int) string) []byte {
	tb.Helper()
	var batch []map[string]any
	for i := first; i < first+n; i++ {
		batch = append(batch, map[string]any{
			"specversion": "1.0", "id": strconv.Itoa(i), "source": "bench", "type": event.TypeTaskDefined, "datacontenttype": "application/json",
			"data": map[string]any{"id": fmt.Sprintf("load_%d", i), "sql": sql(i), "dialect": "mysql", "default_source": "mysql://shop:3306", "owner": "warehouse"},
		})
	}
	body, err := json.Marshal(batch)
	require.NoError(tb, err)
	return body
}

// load posts bodies from several clients and gives the positions' ends.
func load(tb testing.TB, url string, clients int, bodies [][]byte) {
	tb.Helper()
	work := make(chan []byte)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for body := range work {
				res, err := http.Post(url+"/api/v1/events", event.ContentTypeBatch, bytes.NewReader(body))
				if err != nil {
					tb.Error(err)
					continue
				}
				if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusAccepted && res.StatusCode != http.StatusCreated {
					tb.Errorf("answer %s", res.Status)
				}
				res.Body.Close()
			}
		})
	}
	for _, b := range bodies {
		work <- b
	}
	close(work)
	wg.Wait()
}

// cpu gives the processor time that the process has used.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func rss() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")))
			return n / 1024
		}
	}
	return 0
}

// BenchmarkDefinitions measures task definitions of about 1 KB of SQL from
// HTTP batches to visible rows, everything and the load generator in this one
// process. The limits beside it: 3,000 distinct ones and 20,000 unchanged ones
// a second on 2 cores, below 1.5 GB.
//
//	go test ./internal/spine -run '^$' -bench Definitions -benchtime 20000x
func BenchmarkDefinitions(b *testing.B) {
	for _, c := range []struct {
		name      string
		unchanged bool
	}{{"distinct", false}, {"unchanged", true}} {
		b.Run(c.name, func(b *testing.B) { benchDefinitions(b, c.unchanged) })
	}
}

func benchDefinitions(b *testing.B, unchanged bool) {
	b.Helper()
	client, s, board := logtest.Start(b), storetest.Open(b), progress.NewBoard()
	handler, err := ingest.New(ingest.Options{Log: client})
	require.NoError(b, err)
	mux := http.NewServeMux()
	handler.Register(mux)
	server := httptest.NewServer(mux)
	defer server.Close()
	parse := consumer.New(consumer.Config{Log: client, Store: s, Board: board})
	project := projector.New(projector.Config{Log: client, Store: s, Board: board})
	require.NoError(b, parse.Start(b.Context()))
	require.NoError(b, project.Start(b.Context()))
	defer func() {
		require.NoError(b, parse.Stop())
		require.NoError(b, project.Stop())
	}()
	const batch, distinct = 200, 2000
	var bodies [][]byte
	for first := 0; first < b.N; first += batch {
		n := min(batch, b.N-first)
		if unchanged {
			bodies = append(bodies, bodyOf(b, first%distinct, n, definitionSQL))
		} else {
			bodies = append(bodies, bodyOf(b, first, n, definitionSQL))
		}
	}
	if unchanged {
		var known [][]byte
		for first := 0; first < distinct; first += batch {
			known = append(known, bodyOf(b, first, batch, definitionSQL))
		}
		load(b, server.URL, 2, known)
		visible(b, client, board)
	}
	runtime.GC()
	b.ResetTimer()
	start, used := time.Now(), cpu(b)
	load(b, server.URL, 4, bodies)
	acknowledged := time.Since(start)
	visible(b, client, board)
	b.StopTimer()
	took := time.Since(start)
	// On a machine that does other things too, what counts is what it costs:
	// two processors have 2,000,000 µs a second.
	b.ReportMetric(float64((cpu(b)-used).Microseconds())/float64(b.N), "cpu-µs/definition")
	b.ReportMetric(float64(b.N)/took.Seconds(), "definitions/s")
	b.ReportMetric(float64(b.N)/acknowledged.Seconds(), "acknowledged/s")
	b.ReportMetric((took - acknowledged).Seconds(), "s-behind")
	b.ReportMetric(float64(rss()), "MB-resident")
	b.ReportMetric(0, "ns/op")
}

// visible waits until everything in the log is in the rows.
func visible(b *testing.B, client *log.Client, board *progress.Board) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	ends, err := client.Ends(ctx, log.TopicTasks)
	require.NoError(b, err)
	var at []log.Position
	for p, end := range ends {
		at = append(at, log.Position{Topic: log.TopicTasks, Partition: p, Offset: end - 1})
	}
	w := progress.Waiter{Board: board, Log: client}
	require.NoError(b, w.WaitFolded(ctx, at))
}

// BenchmarkStages says where the time of a distinct definition goes, a stage
// at a time and on one processor: what is left of BenchmarkDefinitions' cost is
// the broker, the store and HTTP.
//
//	go test ./internal/spine -run '^$' -bench Stages
func BenchmarkStages(b *testing.B) {
	definition := func(i int) *event.TaskDefined {
		return &event.TaskDefined{Task: event.Task{ID: fmt.Sprint("load_", i)}, SQL: definitionSQL(i), Dialect: "mysql", DefaultSource: "mysql://shop:3306", Owner: "warehouse"}
	}
	written := record(b, "1", definition(1))
	extracted := extractionOf(b, definition(1))
	lineageRecord := record(b, "2", extracted)
	b.Run("decode-task", func(b *testing.B) {
		for b.Loop() {
			_, err := event.Decode(written.Headers, written.Value)
			require.NoError(b, err)
		}
	})
	b.Run("parse", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			res := parser.Extract(b.Context(), []byte(definitionSQL(i)), parser.Options{Dialect: "mysql"})
			require.Empty(b, res.Errors)
		}
	})
	b.Run("encode-lineage", func(b *testing.B) {
		for b.Loop() {
			_, err := event.Encode(event.Event{ID: "2", Source: "bench", Type: event.TypeLineageExtracted, Data: extracted})
			require.NoError(b, err)
		}
	})
	b.Run("decode-lineage", func(b *testing.B) {
		b.SetBytes(int64(len(lineageRecord.Value)))
		for b.Loop() {
			_, err := event.Decode(lineageRecord.Headers, lineageRecord.Value)
			require.NoError(b, err)
		}
	})
	b.Run("fold", func(b *testing.B) {
		for b.Loop() {
			o := &lineage.Owner{Key: lineage.OwnersOf(extracted)[0]}
			var rows lineage.Rows
			require.Equal(b, lineage.OutcomeApplied, o.Apply(lineage.Record{Version: 1, Data: extracted}, &rows))
			_ = lineage.NodesOf(extracted)
			_, err := o.EncodeState()
			require.NoError(b, err)
		}
	})
	b.Run("know-a-repeat", func(b *testing.B) {
		for b.Loop() {
			_ = sha256.Sum256(written.Value)
		}
	})
}

// extractionOf has a parser extract a definition and gives its record.
func extractionOf(b *testing.B, d *event.TaskDefined) *event.LineageExtracted {
	b.Helper()
	client, s, board := logtest.Start(b), storetest.Open(b), progress.NewBoard()
	parse := consumer.New(consumer.Config{Log: client, Store: s, Board: board})
	require.NoError(b, parse.Start(b.Context()))
	defer func() { require.NoError(b, parse.Stop()) }()
	at, err := client.Append(b.Context(), []log.Record{record(b, "1", d)})
	require.NoError(b, err)
	require.NoError(b, board.Wait(b.Context(), progress.At{Reader: progress.ReaderParser, Topic: log.TopicTasks, Partition: at[0].Partition}, at[0].Offset))
	var found *event.LineageExtracted
	require.NoError(b, audit.Each(b.Context(), client, log.TopicLineage, func(rec *log.Record, _ int) error {
		ev, err := event.Decode(rec.Headers, rec.Value)
		found, _ = ev.Data.(*event.LineageExtracted)
		return err
	}))
	require.NotNil(b, found)
	require.NotEmpty(b, found.Edges)
	return found
}
