package builder_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkCreateBranch creates branches over HTTP, durable and applied, with 64 clients in the same
// process. It must stay above 5,000 a second with a 99th percentile below 50 ms.
func BenchmarkCreateBranch(b *testing.B) {
	r := start(b)
	r.dataset("A")
	r.commit("A", "master", "a")
	const clients = 64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var next atomic.Int64
	times := make([][]time.Duration, clients)
	b.ResetTimer()
	var work sync.WaitGroup
	for c := range clients {
		work.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				began := time.Now()
				text := fmt.Sprintf(`{"dataset":{"namespace":"lake","name":"A"},"branch":"f%d","parent":{"branch":"master"}}`, n)
				resp, err := client.Post(r.url+"/branches?wait=applied", "application/json", strings.NewReader(text))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					b.Error(resp.Status)
				}
				times[c] = append(times[c], time.Since(began))
			}
		})
	}
	work.Wait()
	b.StopTimer()
	all := slices.Concat(times...)
	slices.Sort(all)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "branches/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
}
