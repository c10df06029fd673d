package spine_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/metrics"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

// cpu gives the processor time that the process has used.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// usage is memory in MB: what is resident, and what Go has of it (the rest is
// the engine's).
type usage struct{ resident, golang float64 }

func memory() usage {
	const mb = 1 << 20
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	out := usage{golang: float64(samples[0].Value.Uint64()-samples[1].Value.Uint64()) / mb}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")), 64)
			out.resident = n / 1024
		}
	}
	return out
}

// memoryOver notes the memory that is resident while a load goes on.
type memoryOver struct {
	seen []float64 // MB, one a second
	end  chan struct{}
	done sync.WaitGroup
}

func watchMemory() *memoryOver {
	m := &memoryOver{end: make(chan struct{})}
	m.done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.seen = append(m.seen, memory().resident)
			case <-m.end:
				return
			}
		}
	})
	return m
}

func (m *memoryOver) stop() {
	close(m.end)
	m.done.Wait()
}

// print gives the most of each tenth of the time.
func (m *memoryOver) print(tb testing.TB) {
	tb.Helper()
	var out strings.Builder
	for tenth := range 10 {
		first, end := len(m.seen)*tenth/10, len(m.seen)*(tenth+1)/10
		if first < end {
			fmt.Fprintf(&out, " %.0f", slices.Max(m.seen[first:end]))
		}
	}
	fmt.Printf("\n%s: MB resident, the most of each tenth of the time:%s\n", tb.Name(), out.String())
}

// stages are the parts of the pipeline by functions in their stacks. A sample
// is of the first one that it matches.
var stages = []struct{ name, function string }{
	{"collect garbage", "runtime.gcBgMarkWorker"},
	{"collect garbage", "runtime.bgsweep"},
	{"collect garbage", "runtime.bgscavenge"},
	{"collect garbage", "runtime.gcAssistAlloc"},
	{"generate load", "spine_test.(*pipeline).send"},
	{"generate load", "spine_test.bodyOf"},
	{"generate load", "net/http.(*persistConn)"},
	{"take in", "/ingest.(*Handler)"},
	{"take in", "net/http.(*conn).serve"},
	{"broker", "/pkg/kfake."},
	{"parse: TiDB's parser", "/pingcap/tidb/pkg/parser.(*Parser).ParseSQL"},
	{"parse: statements and names", "tributary/parser.Extract"},
	{"parse: encode lineage", "/parser/consumer.encodeLineage"},
	{"parse: rest", "/parser/consumer."},
	{"graph: decode", "/lineage/feed.(*folder).fold;/deadletter.Judge"},
	{"graph: fold", "/lineage/feed."},
	{"project: decode", "/projector.(*desk).judge;/deadletter.Judge"},
	{"project: insert", "/projector.insertRows"},
	{"project: fold", "/projector."},
	{"store's client", "/internal/store."},
	{"log's client", "/internal/log."},
	{"log's client", "/kafka-go"},
	{"engine", "runtime._ExternalCode"},
	{"engine", "<unknown>"},
}

// costs profiles a load.
type costs struct{ written bytes.Buffer }

// startProfile begins to note where time goes.
func startProfile(tb testing.TB) *costs {
	tb.Helper()
	c := &costs{}
	require.NoError(tb, pprof.StartCPUProfile(&c.written))
	return c
}

// profiles keeps what go tool pprof reads; -cpuprofile cannot be given, since
// there is one profile at a time.
var profiles = flag.String("profiles", "", "folder to keep the processor profile of each load in")

// stop ends the profile.
func (c *costs) stop() { pprof.StopCPUProfile() }

// print says how each, the cost of a definition in µs, is made up.
func (c *costs) print(tb testing.TB, each float64) {
	tb.Helper()
	if *profiles != "" {
		require.NoError(tb, os.WriteFile(filepath.Join(*profiles, filepath.Base(tb.Name())+".pprof"), c.written.Bytes(), 0o600))
	}
	p, err := profile.Parse(&c.written)
	require.NoError(tb, err)
	spent, all := map[string]int64{}, int64(0)
	for _, sample := range p.Sample {
		value := sample.Value[len(sample.Value)-1]
		spent[stageOf(sample)] += value
		all += value
	}
	var out strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int { return int(spent[b] - spent[a]) }) {
		share := float64(spent[name]) / float64(all)
		fmt.Fprintf(&out, "\n%6.0f µs %5.1f %%  %s", share*each, 100*share, name)
	}
	// The log of a benchmark is cut after ten lines.
	fmt.Printf("\n%s: where the processor time of a definition goes%s\n", tb.Name(), out.String())
}

// stageOf names the part of the pipeline that a sample is of.
func stageOf(sample *profile.Sample) string {
	var stack strings.Builder
	for _, l := range sample.Location {
		for _, line := range l.Line {
			stack.WriteString(line.Function.Name)
			stack.WriteByte('\n')
		}
	}
	text := stack.String()
	for _, s := range stages {
		if all(text, strings.Split(s.function, ";")) {
			return s.name
		}
	}
	return "Go's runtime"
}

func all(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}
