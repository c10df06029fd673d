package builder_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/event"
)

// history writes n events of ordinary life into the log: branches, and transactions that are opened and
// committed.
func history(b *testing.B, client *log.Client, n int) (partition int) {
	b.Helper()
	head := event.CatalogHead{Space: "shop", Rules: 1, Actor: "ann"}
	var recs []log.Record
	written := 0
	flush := func() {
		positions, err := client.Append(context.Background(), recs)
		require.NoError(b, err)
		partition = positions[0].Partition
		written += len(recs)
		recs = recs[:0]
	}
	add := func(typ string, data any) {
		rec, err := event.Encode(event.Event{ID: fmt.Sprint(written + len(recs)), Source: "bench", Type: typ, Time: time.UnixMilli(1), Data: data})
		require.NoError(b, err)
		out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
		for _, h := range rec.Headers {
			out.Headers = append(out.Headers, log.Header(h))
		}
		if recs = append(recs, out); len(recs) == 2000 {
			flush()
		}
	}
	ds := func(i int) event.CatalogDataset {
		return event.CatalogDataset{Namespace: "lake", Name: fmt.Sprint("d", i%10)}
	}
	for i := range 10 {
		add(event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head, Dataset: ds(i)})
		add(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head, Dataset: ds(i), Branch: "m"})
	}
	for i := 0; written+len(recs) < n; i++ {
		h := event.BranchHandle{Branch: "m"}
		if i%3 == 0 {
			h.Branch = fmt.Sprint("f", i)
			add(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head, Dataset: ds(i), Branch: h.Branch, Parent: &event.BranchHandle{Branch: "m"}})
		}
		id := fmt.Sprintf("00000000-0000-0000-0000-%012d", i)
		add(event.TypeTransactionOpened, &event.TransactionOpened{CatalogHead: head, Dataset: ds(i), BranchHandle: h, Transaction: id, Type: "APPEND"})
		add(event.TypeTransactionCommitted, &event.TransactionCommitted{CatalogHead: head, Transaction: id, Manifest: event.Manifest{Put: []event.File{{Path: fmt.Sprintf("part/%09d", i), Rows: 1, Bytes: 10}}}})
	}
	if len(recs) > 0 {
		flush()
	}
	return partition
}

// saved is a snapshot in memory.
type saved struct {
	partition int
	state     []byte
}

func (s saved) Load(_ context.Context, partition int) ([]byte, error) {
	if partition == s.partition {
		return s.state, nil
	}
	return nil, nil
}

// BenchmarkRestart starts a builder on a history of 1,000,000 events. It must be ready in 10 s without a
// snapshot, and in 2 s with one.
func BenchmarkRestart(b *testing.B) {
	const events = 1_000_000
	client := logtest.Start(b)
	partition := history(b, client, events)
	start := func(snapshots catalogfold.Snapshots) time.Duration {
		runtime.GC()
		service := builder.New(builder.Config{Log: client, Snapshots: snapshots})
		began := time.Now()
		require.NoError(b, service.Start(context.Background()))
		took := time.Since(began)
		require.NoError(b, service.Stop())
		return took
	}
	for b.Loop() {
		b.ReportMetric(start(nil).Seconds(), "s-without")
		state := catalog.New()
		ends, err := client.Ends(context.Background(), log.TopicCatalog)
		require.NoError(b, err)
		err = client.ReadUntil(context.Background(), log.TopicCatalog, partition, 0, ends[partition], func(raw []log.Record) error {
			for _, rec := range catalogfold.Decode(raw, log.EmbeddedPartitions) {
				state.Apply(rec.Event)
			}
			return nil
		})
		require.NoError(b, err)
		b.ReportMetric(start(saved{partition, state.Snapshot()}).Seconds(), "s-with")
	}
}
