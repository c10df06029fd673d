package spine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/heap"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/lineage/feed"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/lineage/history"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
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
	body := make([]byte, 0, n*2048)
	for i := first; i < first+n; i++ {
		text, err := json.Marshal(sql(i))
		require.NoError(tb, err)
		body = fmt.Appendf(append(body, ','), `{"specversion":"1.0","id":"%[1]d","source":"bench","type":%[2]q,"datacontenttype":"application/json",`+
			`"data":{"id":"load_%[1]d","sql":%[3]s,"dialect":"mysql","default_source":"mysql://shop:3306","owner":"warehouse"}}`, i, event.TypeTaskDefined, text)
	}
	body[0] = '['
	return append(body, ']')
}

// BenchmarkDefinitions measures task definitions of about 1 KB of SQL from
// HTTP batches to answers: visible is what is in the tables and in the graph
// that questions are answered from. The log, the store, all roles and the load
// generator are in this one process. The limits beside it: 3,000 distinct ones
// and 20,000 unchanged ones a second on 2 cores, below 1.5 GB, and below 2 s
// from acknowledged to visible at half of the peak.
//
// It prints where the processor time of each load went; what "behind" a
// definition is at half of the peak that was just measured is part of the same
// run, since a peak measured elsewhere says nothing here.
//
//	go test ./internal/spine -pgo cmd/tributary/default.pgo -run '^$' -bench Definitions -benchtime 20000x
//
// The profile has it compiled as the binary is.
func BenchmarkDefinitions(b *testing.B) {
	for _, c := range []struct {
		name  string
		first func(batch int) int
		known int
	}{
		{"distinct", func(batch int) int { return batch * batchSize }, 0},
		{"unchanged", func(batch int) int { return batch * batchSize % repeated }, repeated},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newPipeline(b)
			p.post(b, c.known, func(batch int) int { return batch * batchSize })
			p.settle(b)
			perSecond := p.peak(b, c.first)
			p.half(b, perSecond/2, b.N, c.first, c.known == 0)
		})
	}
}

const (
	// batchSize is the number of definitions of a request, repeated the number
	// of definitions that the unchanged ones repeat.
	batchSize = 200
	repeated  = 2000
)

// pipeline is everything that a definition goes through, in one process.
type pipeline struct {
	url   string
	log   *log.Client
	board *progress.Board
	graph *feed.Feed
}

func newPipeline(b *testing.B) *pipeline {
	b.Helper()
	b.Cleanup(heap.Room()) // as cmd/tributary runs
	p := &pipeline{log: logtest.Start(b), board: progress.NewBoard()}
	s := storetest.Open(b)
	handler, err := ingest.New(ingest.Options{Log: p.log})
	require.NoError(b, err)
	mux := http.NewServeMux()
	handler.Register(mux)
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	p.url = server.URL
	p.graph = feed.New(feed.Config{Log: p.log, Store: history.New(s, p.log, nil)})
	for _, role := range []interface {
		Start(ctx context.Context) error
		Stop() error
	}{
		consumer.New(consumer.Config{Log: p.log, Store: s, Board: p.board}),
		projector.New(projector.Config{Log: p.log, Store: s, Board: p.board}),
		p.graph,
	} {
		require.NoError(b, role.Start(b.Context()))
		b.Cleanup(func() { require.NoError(b, role.Stop()) })
	}
	return p
}

// clients is how many requests are under way at a time.
const clients = 4

// post sends n definitions as fast as they are answered. Requests are made as
// they are sent, since all of them together would be what takes the memory; those
// that come again are made once. As our own client for services does, it asks for
// refused events alone.
func (p *pipeline) post(b *testing.B, n int, first func(batch int) int) {
	b.Helper()
	work := make(chan []byte)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for body := range work {
				p.send(b, body, "?results=refused")
			}
		})
	}
	made := map[int][]byte{}
	comeAgain := first(repeated/batchSize) == first(0)
	for batch := 0; batch*batchSize < n; batch++ {
		at, size := first(batch), min(batchSize, n-batch*batchSize)
		body := made[at]
		if body == nil || size < batchSize {
			body = bodyOf(b, at, size, definitionSQL)
		}
		if comeAgain && size == batchSize {
			made[at] = body
		}
		work <- body
	}
	close(work)
	wg.Wait()
}

// send posts one request and gives the positions of its events, unless the query
// leaves them out.
func (p *pipeline) send(b *testing.B, body []byte, query string) []log.Position {
	b.Helper()
	res, err := http.Post(p.url+"/api/v1/events"+query, event.ContentTypeBatch, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return nil
	}
	defer res.Body.Close()
	var answer eventsapi.EventsAnswer
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Refused > 0 || answer.Accepted == 0 {
		b.Errorf("answer %s, %d refused: %v", res.Status, answer.Refused, err)
	}
	at := make([]log.Position, 0, len(answer.Results))
	for _, r := range answer.Results {
		if r.Partition != nil && r.Offset != nil {
			at = append(at, log.Position{Topic: log.TopicTasks, Partition: *r.Partition, Offset: *r.Offset})
		}
	}
	return at
}

// inTables waits until what task events cause is in the tables.
func (p *pipeline) inTables(b *testing.B, at []log.Position) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	w := progress.Waiter{Board: p.board, Log: p.log}
	if err := w.WaitFolded(ctx, at); err != nil {
		b.Error(err)
	}
}

// inGraph waits until what task events cause is in the graph.
func (p *pipeline) inGraph(b *testing.B, at []log.Position) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	next := graph.Position{}
	for _, place := range at {
		for len(next[place.Topic]) <= place.Partition {
			next[place.Topic] = append(next[place.Topic], 0)
		}
		next[place.Topic][place.Partition] = max(next[place.Topic][place.Partition], place.Offset+1)
	}
	if _, err := p.graph.WaitFor(ctx, next); err != nil {
		b.Error(err)
	}
}

// patience is how long is waited for what was acknowledged.
const patience = 5 * time.Minute

// settle waits until everything in the log is visible.
func (p *pipeline) settle(b *testing.B) {
	b.Helper()
	ends, err := p.log.Ends(b.Context(), log.TopicTasks)
	require.NoError(b, err)
	var at []log.Position
	for partition, end := range ends {
		at = append(at, log.Position{Topic: log.TopicTasks, Partition: partition, Offset: end - 1})
	}
	p.inTables(b, at)
	p.inGraph(b, at)
}

// peak sends everything at once, reports what it took, and gives the
// definitions a second.
func (p *pipeline) peak(b *testing.B, first func(batch int) int) float64 {
	b.Helper()
	runtime.GC()
	profile, over := startProfile(b), watchMemory()
	b.ResetTimer()
	start, used := time.Now(), cpu(b)
	p.post(b, b.N, first)
	acknowledged := time.Since(start)
	p.settle(b)
	b.StopTimer()
	took := time.Since(start)
	profile.stop()
	over.stop()
	// On a machine that does other things too, what counts is what it costs:
	// two processors have 2,000,000 µs a second.
	each := float64((cpu(b) - used).Microseconds()) / float64(b.N)
	b.ReportMetric(each, "cpu-µs/definition")
	b.ReportMetric(float64(b.N)/took.Seconds(), "definitions/s")
	b.ReportMetric(float64(b.N)/acknowledged.Seconds(), "acknowledged/s")
	b.ReportMetric((took - acknowledged).Seconds(), "s-behind")
	after := memory()
	b.ReportMetric(after.resident, "MB-resident")
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(after.golang, "MB-of-Go")
	if b.N > 1 { // not for the trial run
		profile.print(b, each)
		over.print(b)
	}
	return float64(b.N) / took.Seconds()
}

// halfSeconds is how long the load goes on at half of the peak.
const halfSeconds = 10

// half sends definitions at an even rate, and reports how long after its answer
// each request was visible: in the graph, which answers questions about now, and
// in the tables.
func (p *pipeline) half(b *testing.B, perSecond float64, from int, first func(batch int) int, distinct bool) {
	b.Helper()
	const size = 20
	n := max(int(perSecond*halfSeconds)/size, 1)
	bodies := make([][]byte, n)
	for i := range bodies {
		at := first(0) + i*size%repeated
		if distinct {
			at = from + i*size
		}
		bodies[i] = bodyOf(b, at, size, definitionSQL)
	}
	inGraph, inTables := make([]time.Duration, n), make([]time.Duration, n)
	var wg sync.WaitGroup
	tick := time.NewTicker(time.Duration(float64(time.Second) * size / perSecond))
	defer tick.Stop()
	for i := range bodies {
		<-tick.C
		wg.Go(func() {
			at := p.send(b, bodies[i], "")
			acknowledged := time.Now()
			p.inGraph(b, at)
			inGraph[i] = time.Since(acknowledged)
			p.inTables(b, at)
			inTables[i] = time.Since(acknowledged)
		})
	}
	wg.Wait()
	for where, behind := range map[string][]time.Duration{"graph": inGraph, "tables": inTables} {
		slices.Sort(behind)
		b.ReportMetric(float64(behind[n/2].Milliseconds()), "ms-to-"+where+"-p50")
		b.ReportMetric(float64(behind[n*99/100].Milliseconds()), "ms-to-"+where+"-p99")
	}
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
			_ = lineage.NodesOf(extracted, nil)
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
	written, err := audit.ReadAll(b.Context(), client, log.TopicLineage)
	require.NoError(b, err)
	for _, rec := range written {
		ev, err := event.Decode(rec.Headers, rec.Value)
		require.NoError(b, err)
		found, _ = ev.Data.(*event.LineageExtracted)
	}
	require.NotNil(b, found)
	require.NotEmpty(b, found.Edges)
	return found
}
