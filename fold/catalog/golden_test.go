package catalog

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/schemas/event"
)

var makeGolden = flag.Bool("make-golden", false, "write golden logs that are missing; those that are there never change")

// goldenEvent is a line of a golden log: an event of the past, and how it was judged then.
type goldenEvent struct {
	Source      string          `json:"source"`
	ID          string          `json:"id"`
	Time        time.Time       `json:"time"`
	Type        string          `json:"type"`
	Data        json.RawMessage `json:"data"`
	Code        Code            `json:"code,omitempty"`
	Failure     Code            `json:"failure,omitempty"`
	Incarnation int             `json:"incarnation,omitempty"`
	// Picture is that of all branches, views and transactions after the event, as a hash.
	Picture string `json:"picture"`
}

// TestGoldenLogs judges logs of the past again: an acknowledged event must never become a refused one, nor
// the other way round, whatever has been corrected since.
func TestGoldenLogs(t *testing.T) {
	dir := filepath.Join("testdata", "golden")
	if *makeGolden {
		for seed := range 4 {
			writeGolden(t, filepath.Join(dir, fmt.Sprintf("rules1_%d.jsonl", seed)), seed)
		}
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	for _, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) { judgeGolden(t, path) })
	}
}

func judgeGolden(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	state := New()
	types := event.CatalogTypes()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	offset := int64(0)
	for ; lines.Scan(); offset++ {
		var g goldenEvent
		require.NoError(t, json.Unmarshal(lines.Bytes(), &g))
		data := types[g.Type]()
		require.NoError(t, json.Unmarshal(g.Data, data))
		out := state.Apply(&Event{Offset: offset, Source: g.Source, ID: g.ID, Time: g.Time, Type: g.Type, Data: data})
		require.Equal(t, g.Code, codeOf(out.Refused), "line %d", offset+1)
		require.Equal(t, g.Failure, codeOf(out.Failure), "line %d", offset+1)
		require.Equal(t, g.Incarnation, out.Incarnation, "line %d", offset+1)
		require.Equal(t, g.Picture, goldenPicture(state), "line %d", offset+1)
	}
	require.NoError(t, lines.Err())
	require.Greater(t, offset, int64(100))
}

func codeOf(r *Refusal) Code {
	if r == nil {
		return ""
	}
	return r.Code
}

func goldenPicture(state *State) string {
	text := ""
	if s := state.Space(testSpace); s != nil {
		text = picture(s)
		for _, b := range s.Builds {
			text += "\n" + b.ID + " " + b.State.String()
			for _, j := range b.Jobs {
				text += fmt.Sprintf("\n  %d %s %s", j.Index, j.Spec.ID, j.State)
			}
		}
	}
	key := seenKey("picture", text)
	return fmt.Sprintf("%x", key[:8])
}

// writeGolden takes a random walk of several hundred events and keeps it.
func writeGolden(t *testing.T, path string, seed int) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	steps := rapid.SliceOfN(rapid.Uint64(), 300, 300).Example(seed)
	w := &walk{world: newWorld(t), model: newModel()}
	w.setUp()
	for i, step := range steps {
		w.dice = dice(step + uint64(i)<<32)
		e := w.next()
		w.follow(e, w.apply(e))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	state := New()
	for _, e := range w.log {
		data, err := json.Marshal(e.Data)
		require.NoError(t, err)
		out := state.Apply(e)
		line, err := json.Marshal(goldenEvent{
			Source: e.Source, ID: e.ID, Time: e.Time, Type: e.Type, Data: data, Code: codeOf(out.Refused), Failure: codeOf(out.Failure),
			Incarnation: out.Incarnation, Picture: goldenPicture(state),
		})
		require.NoError(t, err)
		_, err = f.Write(append(line, '\n'))
		require.NoError(t, err)
	}
}
