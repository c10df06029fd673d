package projector_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
)

// requireAudit compares the tables with a fold of the whole log.
func requireAudit(tb testing.TB, client *log.Client, s *store.Store) {
	tb.Helper()
	diff, err := audit.Compare(tb.Context(), client, s)
	require.NoError(tb, err)
	require.Empty(tb, strings.Join(diff[:min(len(diff), 12)], "\n"))
}

// records encodes events as records of the log.
func records(tb testing.TB, events ...event.Event) []log.Record {
	tb.Helper()
	out := make([]log.Record, len(events))
	for i, ev := range events {
		rec, err := event.Encode(ev)
		require.NoError(tb, err)
		out[i] = log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
		for _, h := range rec.Headers {
			out[i].Headers = append(out[i].Headers, log.Header(h))
		}
	}
	return out
}

// story draws events of all kinds that the projector folds.
type story struct {
	*rand.Rand
	n int
}

func newStory(seed uint64) *story { return &story{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (s *story) events(n int) []event.Event {
	out := make([]event.Event, n)
	for i := range out {
		s.n++
		out[i] = event.Event{ID: fmt.Sprint(s.n), Source: "story", Time: time.UnixMilli(int64(1_700_000_000_000 + s.n)).UTC()}
		out[i].Type, out[i].Data = s.data()
	}
	return out
}

func (s *story) task() event.Task {
	t := event.Task{ID: fmt.Sprintf("task%d", s.IntN(30))}
	if s.IntN(5) == 0 {
		t.Branch = "dev"
	}
	return t
}

func (s *story) table() string { return fmt.Sprintf("dataset|mysql://h:3306|db.t%d", s.IntN(12)) }

func (s *story) data() (string, any) {
	switch s.IntN(12) {
	case 0:
		return event.TypeTaskDefined, &event.TaskDefined{Task: s.task(), SQL: fmt.Sprintf("INSERT INTO t%d SELECT 1", s.IntN(3)), Labels: map[string]string{"team": "shop"}}
	case 1:
		return event.TypeTaskRemoved, &event.TaskRemoved{Task: s.task()}
	case 2:
		return event.TypeTableDefined, &event.TableDefined{
			Dataset: event.Dataset{Namespace: "mysql://h", Name: fmt.Sprintf("db.t%d", s.IntN(12))}, Kind: "table",
			Columns: []event.Column{{Name: "id", Type: "bigint"}, {Name: fmt.Sprintf("c%d", s.IntN(3)), Masked: true}},
		}
	case 3, 4:
		e := event.Edge{From: event.Ref{Namespace: "mysql://h", Name: fmt.Sprintf("db.t%d", s.IntN(4))}, To: event.Ref{Namespace: "mysql://h", Name: fmt.Sprintf("db.t%d", s.IntN(4))}, Who: "ann", Why: "known"}
		if s.IntN(2) == 0 {
			e.FromColumn, e.ToColumn = "a", fmt.Sprintf("c%d", s.IntN(2))
		}
		if s.IntN(3) == 0 {
			return event.TypeEdgeRemoved, &event.EdgeRemoved{Edge: e}
		}
		return event.TypeEdgeAdded, &event.EdgeAdded{Edge: e}
	case 5:
		return event.TypeRunCompleted, &event.RunCompleted{Run: event.Run{RunID: fmt.Sprint("r", s.IntN(9)), Task: s.task()}}
	case 6:
		return event.TypeSourceRegistered, &event.SourceRegistered{ID: fmt.Sprint("s", s.IntN(3)), Engine: "mysql", Addresses: []string{"mysql://h"}}
	}
	return event.TypeLineageExtracted, s.extraction()
}

func (s *story) extraction() *event.LineageExtracted {
	x := &event.LineageExtracted{
		Task: s.task(), Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Parser: 1, Origin: event.OriginParsed, Dialect: "mysql",
		From: event.Position{Partition: s.IntN(4), Offset: int64(s.n/2 + s.IntN(6))}, Definitions: event.Position{Offset: int64(s.IntN(3))},
	}
	switch s.IntN(10) {
	case 0:
		x.Result = event.ResultUnchanged
		return x
	case 1:
		x.Result = event.ResultRemoved
		return x
	case 2:
		x.Origin, x.RunID = event.OriginObserved, fmt.Sprint("r", s.IntN(4))
		x.Observed = &event.Observed{State: event.RunStateCompleted, Inputs: []string{s.table()}, Outputs: []string{s.table()}}
	case 3:
		x.Parts, x.Part = 2, 1+s.IntN(2)
	}
	for range s.IntN(6) {
		e := event.LineageEdge{From: s.table(), To: s.table(), Direct: true, Statements: []int{1 + s.IntN(3)}}
		if s.IntN(2) == 0 {
			e.FromColumn, e.ToColumn, e.Via = "a", fmt.Sprintf("c%d", s.IntN(3)), []string{event.ViaIdentity}
		}
		x.Edges = append(x.Edges, e)
	}
	x.Nodes = []event.Node{{Key: s.table(), Kind: []string{"", "view", "topic"}[s.IntN(3)]}}
	x.Statements = slices.Repeat([]event.Statement{{N: 1, Line: 1, Kind: "insert"}}, s.IntN(3))
	x.Uses = []event.Use{{Key: s.table(), Found: true, ColumnsHash: "1"}}
	if s.IntN(4) == 0 {
		x.Errors = []event.SQLError{{Kind: "syntax", Statement: 2, Line: 3, Column: 4, Message: "expected a table"}}
	}
	return x
}
