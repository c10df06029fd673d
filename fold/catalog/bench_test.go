package catalog

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

// history makes n events of ordinary life: on many branches, transactions that are opened and committed.
func history(n int) []*Event {
	var log []*Event
	add := func(typ string, d event.CatalogEvent) {
		log = append(log, &Event{Offset: int64(len(log)), Source: "bench", ID: fmt.Sprintf("%x", len(log)), Type: typ, Data: d, Time: time.UnixMilli(int64(len(log)))})
	}
	for i := range 10 {
		ds := dataset(fmt.Sprint("d", i))
		add(event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head(), Dataset: ds})
		add(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head(), Dataset: ds, Branch: "m"})
	}
	for i := 0; len(log) < n; i++ {
		ds := dataset(fmt.Sprint("d", i%10))
		branch := "m"
		if i%3 == 0 {
			branch = fmt.Sprint("f", i)
			add(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head(), Dataset: ds, Branch: branch, Parent: &event.BranchHandle{Branch: "m"}})
		}
		id := outputID("bench", "", i, 0, 0).String()
		add(event.TypeTransactionOpened, &event.TransactionOpened{CatalogHead: head(), Dataset: ds, BranchHandle: event.BranchHandle{Branch: branch}, Transaction: id, Type: "APPEND"})
		add(event.TypeTransactionCommitted, &event.TransactionCommitted{CatalogHead: head(), Transaction: id, Manifest: event.Manifest{Put: files(fmt.Sprintf("part/%09d.parquet", i))}})
	}
	return log[:n]
}

// BenchmarkFold must stay above 200,000 events a second on one core.
func BenchmarkFold(b *testing.B) {
	log := history(b.N)
	state := New()
	b.ReportAllocs()
	b.ResetTimer()
	for _, e := range log {
		if out := state.Apply(e); out.Refused != nil {
			b.Fatal(out.Refused)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRestore must stay below 2 seconds for a history of 1,000,000 events.
func BenchmarkRestore(b *testing.B) {
	state := New()
	for _, e := range history(1_000_000) {
		state.Apply(e)
	}
	start := time.Now()
	saved := state.Snapshot()
	b.ReportMetric(time.Since(start).Seconds(), "snapshot-s")
	b.ReportMetric(float64(len(saved))/(1<<20), "MiB")
	b.ResetTimer()
	for range b.N {
		_, err := Restore(saved)
		require.NoError(b, err)
	}
}

// warehouse publishes n job specs, each of which reads three datasets of the layer below.
func warehouse(n int) *State {
	state := New()
	offset := int64(0)
	apply := func(typ string, d event.CatalogEvent) {
		out := state.Apply(&Event{Offset: offset, Source: "bench", ID: fmt.Sprint(offset), Type: typ, Data: d})
		if out.Refused != nil {
			panic(out.Refused)
		}
		offset++
	}
	d := &event.JobSpecPublished{CatalogHead: head(), Branch: "m"}
	for i := range n {
		spec := event.JobSpec{ID: fmt.Sprintf("job%06d", i), Logic: event.Logic{Text: "v1"}, Outputs: []event.SpecOutput{{Dataset: dataset(fmt.Sprint("t", i))}}}
		for k := range 3 {
			spec.Inputs = append(spec.Inputs, event.SpecInput{Dataset: dataset(fmt.Sprint("t", i-100+k*7))})
		}
		d.Specs = append(d.Specs, spec)
	}
	apply(event.TypeJobSpecPublished, d)
	for i := range 100 {
		ds := dataset(fmt.Sprint("t", i-100))
		apply(event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head(), Dataset: ds})
		apply(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head(), Dataset: ds, Branch: "m"})
		id := outputID("bench", "", i, 1, 0).String()
		apply(event.TypeTransactionOpened, &event.TransactionOpened{CatalogHead: head(), Dataset: ds, BranchHandle: event.BranchHandle{Branch: "m"}, Transaction: id, Type: "APPEND"})
		apply(event.TypeTransactionCommitted, &event.TransactionCommitted{CatalogHead: head(), Transaction: id})
	}
	return state
}

// BenchmarkPlan must stay below 100 ms for a plan of 10,000 jobs.
func BenchmarkPlan(b *testing.B) {
	const jobs = 10_000
	state := warehouse(jobs)
	req := &event.BuildRequested{CatalogHead: head(), Build: "b", Branch: "f", Fallbacks: []string{"m"}, Mode: event.TargetUpstream}
	for i := range 100 {
		req.Targets = append(req.Targets, dataset(fmt.Sprint("t", jobs-1-i)))
	}
	for b.Loop() {
		if p := state.Space(testSpace).Plan(req); len(p.Refusals) > 0 || len(p.Jobs) < jobs*9/10 {
			b.Fatal(len(p.Jobs), p.Refusals)
		}
	}
}
