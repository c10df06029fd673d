package emit_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/ingest/emit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/event"
)

// scriptedSink remembers what arrived; script says what to do with each event.
type scriptedSink struct {
	mu      sync.Mutex
	arrived []event.Packed
	script  func(p event.Packed) error
	closed  int
}

func (s *scriptedSink) Send(_ context.Context, batch []event.Packed) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(batch))
	for i, p := range batch {
		if s.script != nil {
			errs[i] = s.script(p)
		}
		if errs[i] == nil {
			s.arrived = append(s.arrived, p)
		}
	}
	return errs
}

func (s *scriptedSink) Close() error { s.closed++; return nil }

func options() emit.Options {
	return emit.Options{Source: "/test", MinBackoff: time.Microsecond, MaxBackoff: time.Millisecond}
}

func open(t require.TestingT, sink emit.Sink, o emit.Options) *emit.Emitter {
	e, err := emit.New(sink, o)
	require.NoError(t, err)
	return e
}

func task(id string) *event.TaskDefined { return &event.TaskDefined{Task: event.Task{ID: id}} }

func TestFillsInWhatIsLeftOut(t *testing.T) {
	sink := &scriptedSink{}
	o := options()
	o.Now = func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }
	e := open(t, sink, o)
	require.NoError(t, e.Emit(t.Context(), task("a")))
	require.NoError(t, e.EmitEvent(t.Context(), event.Event{ID: "mine", Source: "/other", Data: task("b")}))
	require.NoError(t, e.Flush(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	first := sink.arrived[0]
	require.Len(t, first.ID, 36)
	require.Equal(t, "/test", first.Source)
	require.Equal(t, event.TypeTaskDefined, first.Type)
	require.Equal(t, o.Now(), first.Time)
	require.Equal(t, event.TopicTasks, first.Topic)
	require.Equal(t, "default|a", first.Key)
	require.Equal(t, "mine", sink.arrived[1].ID)
	require.Equal(t, "/other", sink.arrived[1].Source)
}

func TestMistakesAreErrorsAtOnce(t *testing.T) {
	_, err := emit.New(&scriptedSink{}, emit.Options{})
	require.ErrorContains(t, err, "source")
	sink := &scriptedSink{}
	e := open(t, sink, options())
	require.ErrorIs(t, e.Emit(t.Context(), task("")), event.ErrInvalid)
	require.ErrorIs(t, e.Emit(t.Context(), 7), event.ErrUnknownType)
	require.ErrorIs(t, e.Emit(t.Context(), event.TaskDefined{}), event.ErrUnknownType)
	require.ErrorIs(t, e.EmitEvent(t.Context(), event.Event{Type: "tributary.task.defined.v7", Data: task("a")}), event.ErrUnknownVersion)
	require.NoError(t, e.Close(t.Context()))
	require.Empty(t, sink.arrived)
	_, err = emit.HTTP("127.0.0.1:7070", emit.HTTPOptions{})
	require.ErrorContains(t, err, "base URL")
}

func TestCloseMayBeCalledTwice(t *testing.T) {
	defer goleak.VerifyNone(t)
	sink := &scriptedSink{}
	e := open(t, sink, options())
	require.NoError(t, e.Emit(t.Context(), task("a")))
	require.NoError(t, e.Close(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	require.Equal(t, 1, sink.closed)
	require.Len(t, sink.arrived, 1, "what was queued is sent")
	require.ErrorIs(t, e.Emit(t.Context(), task("b")), emit.ErrClosed)
	require.NoError(t, e.Flush(t.Context()))
}

func TestRefusedEventsAreToldOnceAndGivenUp(t *testing.T) {
	sink := &scriptedSink{script: func(p event.Packed) error {
		if strings.Contains(p.Key, "bad") {
			return &emit.RefusedError{ID: p.ID, Type: p.Type, Code: "InvalidEvent", Message: "no"}
		}
		return nil
	}}
	o := options()
	var told atomic.Int64
	o.OnRefused = func(*emit.RefusedError) { told.Add(1) }
	e := open(t, sink, o)
	for _, id := range []string{"a", "bad", "b"} {
		require.NoError(t, e.Emit(t.Context(), task(id)))
	}
	err := e.Flush(t.Context())
	var refused *emit.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "InvalidEvent", refused.Code)
	require.EqualValues(t, 1, told.Load())
	require.NoError(t, e.Flush(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	require.Len(t, sink.arrived, 2)
}

func TestAFullQueueHoldsTheSenderBack(t *testing.T) {
	release := make(chan struct{})
	sink := &scriptedSink{script: func(event.Packed) error { <-release; return nil }}
	o := options()
	o.Queue, o.MaxBatch = 2, 1
	e := open(t, sink, o)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var err error
	for i := 0; err == nil && i < 10; i++ {
		err = e.Emit(ctx, task("a"))
	}
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(release)
	require.NoError(t, e.Emit(t.Context(), task("b")))
	require.NoError(t, e.Close(t.Context()))
}

func TestCloseSaysWhatWasNotSent(t *testing.T) {
	defer goleak.VerifyNone(t)
	e := open(t, &scriptedSink{script: func(event.Packed) error { return errors.New("away") }}, options())
	require.NoError(t, e.Emit(t.Context(), task("a")))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, e.Flush(ctx), "1 events were not confirmed")
	require.ErrorContains(t, e.Close(ctx), "1 events were not confirmed")
}

// TestEverythingArrivesInOrder lets a sink fail, and lie that it failed, as it
// likes: every event arrives, and the last of a key to arrive is its last.
func TestEverythingArrivesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.IntRange(1, 4).Draw(t, "keys")
		n := rapid.IntRange(1, 40).Draw(t, "events")
		faults := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "fail", "lie"}), 0, 60).Draw(t, "faults")
		sink := &scriptedSink{}
		calls := 0
		sink.script = func(p event.Packed) error {
			calls++
			if calls > len(faults) || faults[calls-1] == "" {
				return nil
			}
			if faults[calls-1] == "lie" {
				sink.arrived = append(sink.arrived, p)
			}
			return errors.New("broken connection")
		}
		o := options()
		o.MaxBatch = rapid.IntRange(1, 10).Draw(t, "batch")
		e := open(t, sink, o)
		ctx := context.Background()
		last := map[string]string{}
		for i := range n {
			id := fmt.Sprint(i % keys)
			ev := event.Event{ID: fmt.Sprint(i), Data: task(id)}
			require.NoError(t, e.EmitEvent(ctx, ev))
			last["default|"+id] = ev.ID
		}
		require.NoError(t, e.Flush(ctx))
		require.NoError(t, e.Close(ctx))
		seen, lastSeen := map[string]bool{}, map[string]string{}
		for _, p := range sink.arrived {
			seen[p.ID] = true
			lastSeen[p.Key] = p.ID
		}
		require.Len(t, seen, n)
		require.Equal(t, last, lastSeen)
	})
}

// recordingLog keeps the keys of what was appended.
type recordingLog struct {
	mu   sync.Mutex
	keys []string
}

func (l *recordingLog) Append(_ context.Context, recs []log.Record) ([]log.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range recs {
		l.keys = append(l.keys, string(r.Key))
	}
	return make([]log.Position, len(recs)), nil
}

// serve runs the real intake behind a fault that answers before it.
func serve(t *testing.T, fault func(n int64, w http.ResponseWriter) bool, c ingest.Config) (*httptest.Server, *recordingLog) {
	t.Helper()
	l := &recordingLog{}
	h, err := ingest.New(ingest.Options{Log: l, Config: c})
	require.NoError(t, err)
	mux := http.NewServeMux()
	h.Register(mux)
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault != nil && fault(n.Add(1), w) {
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s, l
}

func overHTTP(t *testing.T, s *httptest.Server) *emit.Emitter {
	t.Helper()
	sink, err := emit.HTTP(s.URL+"/", emit.HTTPOptions{Client: s.Client()})
	require.NoError(t, err)
	return open(t, sink, options())
}

func TestOverHTTP(t *testing.T) {
	s, l := serve(t, func(n int64, w http.ResponseWriter) bool {
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			http.Error(w, "<html>bad gateway", http.StatusBadGateway)
		case 3:
			panic(http.ErrAbortHandler) // the connection breaks
		default:
			return false
		}
		return true
	}, ingest.Config{MaxBatch: 7})
	e := overHTTP(t, s)
	for i := range 100 {
		require.NoError(t, e.Emit(t.Context(), task(fmt.Sprint(i))))
	}
	require.NoError(t, e.Flush(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	require.Len(t, l.keys, 100, "batches that are too large for the server are halved")
}

func TestHTTPRefusalsNameTheEvent(t *testing.T) {
	s, l := serve(t, nil, ingest.Config{MaxEvent: 1000})
	e := overHTTP(t, s)
	big := task("big")
	big.SQL = strings.Repeat("x", 2000)
	require.NoError(t, e.Emit(t.Context(), task("a")))
	require.NoError(t, e.EmitEvent(t.Context(), event.Event{ID: "too-big", Data: big}))
	require.NoError(t, e.Emit(t.Context(), task("b")))
	var refused *emit.RefusedError
	require.ErrorAs(t, e.Flush(t.Context()), &refused)
	require.Equal(t, "too-big", refused.ID)
	require.Equal(t, "EventTooLarge", refused.Code)
	require.NoError(t, e.Close(t.Context()))
	require.ElementsMatch(t, []string{"default|a", "default|b"}, l.keys)
}

func TestStraightToKafka(t *testing.T) {
	client, brokers := logtest.StartWithAddrs(t)
	sink, err := emit.Kafka(t.Context(), "test", brokers...)
	require.NoError(t, err)
	e := open(t, sink, options())
	for i := range 300 {
		require.NoError(t, e.Emit(t.Context(), task(fmt.Sprint(i%11))))
	}
	require.NoError(t, e.Flush(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	ends, err := client.Ends(t.Context(), event.TopicTasks)
	require.NoError(t, err)
	var total int64
	for _, end := range ends {
		total += end
	}
	require.EqualValues(t, 300, total)
	_, err = emit.Kafka(t.Context(), "test", "127.0.0.1:1")
	require.ErrorContains(t, err, "127.0.0.1:1")
}
