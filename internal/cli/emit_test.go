package cli_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/internal/cli"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// eventLog keeps what was appended.
type eventLog struct{ records []log.Record }

func (l *eventLog) Append(_ context.Context, recs []log.Record) ([]log.Position, error) {
	positions := make([]log.Position, len(recs))
	for i, r := range recs {
		positions[i] = log.Position{Topic: r.Topic, Offset: int64(len(l.records))}
		l.records = append(l.records, r)
	}
	return positions, nil
}

// emitTo runs the emit command against the real intake, which first answers
// busy times that it is overloaded.
func emitTo(t *testing.T, l *eventLog, busy int64, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	h, err := ingest.New(ingest.Options{Log: l})
	require.NoError(t, err)
	mux := http.NewServeMux()
	h.Register(mux)
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= busy {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	defer server.Close()
	cmd := cli.NewEmitCommand()
	var out, errOut bytes.Buffer
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&errOut)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(append(args, "--server", server.URL))
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestEmitFillsInWhatALineLeavesOut(t *testing.T) {
	l := &eventLog{}
	lines := `{"type":"task.defined","data":{"id":"a"}}

{"specversion":"1.0","id":"mine","source":"/s","type":"tributary.task.removed.v1","data":{"id":"a"}}
{"type":"task.defined","data":{"id":"a"}}
`
	file := filepath.Join(t.TempDir(), "events.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	out, errOut, err := emitTo(t, l, 2, "", file)
	require.NoError(t, err)
	require.Empty(t, errOut)
	require.Equal(t, "3 events accepted, 0 refused\n", out)
	_, _, err = emitTo(t, l, 0, lines, "-")
	require.NoError(t, err)
	var ids []string
	for _, r := range l.records {
		ev, err := event.Decode(r.Headers, r.Value)
		require.NoError(t, err)
		ids = append(ids, ev.Source+" "+ev.ID)
	}
	require.Equal(t, "/s mine", ids[1])
	require.True(t, strings.HasPrefix(ids[0], "tributary-emit "), ids[0])
	require.NotEqual(t, ids[0], ids[2], "the same line twice is two events")
	require.Equal(t, ids[:3], ids[3:], "the same file again is a repeat")
}

func TestEmitNamesLinesThatAreNotTaken(t *testing.T) {
	l := &eventLog{}
	out, errOut, err := emitTo(t, l, 0, `{"type":"task.defined","data":{"id":"a"}}
{"type":
{"type":"task.exploded","data":{}}
[]
{"type":"task.defined","data":{"sql":7}}
{"type":"task.defined","data":{"id":"b"}}`, "-")
	require.ErrorAs(t, err, &cli.ExitError{})
	require.Equal(t, "2 events accepted, 4 refused\n", out)
	for _, want := range []string{"-:2: malformed event: not JSON at byte 8", "-:3: unknown event type", "-:4: malformed event", "-:5: invalid event", "(UnknownType)"} {
		require.Contains(t, errOut, want)
	}
	require.Len(t, l.records, 2)

	out, _, err = emitTo(t, l, 0, `{"type":"task.defined","data":{"id":"a"}}`, "-", "--json")
	require.NoError(t, err)
	require.Contains(t, out, `"line":1`)
	require.Contains(t, out, `"offset":2`)

	_, _, err = emitTo(t, l, 0, `{"type":"task.defined","data":{"id":"a"}}`, "-", "--wait")
	require.ErrorContains(t, err, "WaitUnsupported")
	_, _, err = emitTo(t, l, 1000, `{"type":"task.defined","data":{"id":"a"}}`, "-", "--patience", "1ms")
	require.ErrorContains(t, err, "from line 1 on")
	_, _, err = emitTo(t, l, 0, "", "/no/such/file")
	require.ErrorIs(t, err, os.ErrNotExist)
}
