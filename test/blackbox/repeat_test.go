package blackbox_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rowCounts gives the rows of every table as they are stored, positions apart,
// repeats of a row included.
const rowCounts = `SELECT name, total_rows FROM system.tables
	WHERE database = 'tributary' AND engine LIKE '%MergeTree' AND name NOT IN ('positions', 'schema_versions') AND name NOT LIKE 'catalog%' ORDER BY name FORMAT TSV`

func TestRepeatsLeaveAsManyRowsAsOne(t *testing.T) {
	total := 100_000
	if ci() {
		total = 1_000_000
	}
	const perBatch, senders = 5000, 2
	p := serve(t, t.TempDir())
	client := connect(t, p.Brokers)
	one := task("load", "INSERT INTO dw.orders (id, amount) SELECT o.id, o.price * o.pieces FROM orders o WHERE o.paid = 1")
	post(t, p.URL, table("db.orders", "id", "price", "pieces", "paid"), one)
	settle(t, client, p.Store)
	before := query(t, p.Store, rowCounts)
	require.NotEmpty(t, before)

	began := time.Now()
	var next atomic.Int64
	var group sync.WaitGroup
	faults := make(chan error, senders)
	for range senders {
		group.Go(func() {
			for n := next.Add(1); n <= int64(total/perBatch); n = next.Add(1) {
				var body bytes.Buffer
				for i := range perBatch {
					e := one
					e.ID = fmt.Sprint("repeat", n, ".", i) // the sender does not know that it repeats itself
					body.Write(lines(e))
				}
				a, status, err := tryPost(p.URL, body.Bytes())
				if err == nil && (status != http.StatusOK || a.Accepted != perBatch) {
					err = fmt.Errorf("answered %d: %d accepted, %s", status, a.Accepted, a.Message)
				}
				if err != nil {
					faults <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(faults)
	for err := range faults {
		require.NoError(t, err)
	}
	taken := time.Since(began)
	settle(t, client, p.Store)
	require.Equal(t, before, query(t, p.Store, rowCounts))
	t.Logf("%d repeats taken in %s, folded after %s", total, taken.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	require.Zero(t, p.interrupt())
}
