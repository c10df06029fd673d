package projector_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

// layoutEdges is how many edges the layouts are measured on.
const layoutEdges = 2_000_000

// BenchmarkLayouts measures the look-ups that docs/adr/0020 decides by, on
// tables with the columns of edges and owners and another granularity:
//
//	go test ./projector -run '^$' -bench Layouts -benchtime 20x
func BenchmarkLayouts(b *testing.B) {
	s := storetest.Open(b)
	for _, granularity := range []int{8192, 1024, 256} {
		table := fmt.Sprintf("layout_%d", granularity)
		exec(b, s, "DROP TABLE IF EXISTS tributary."+table)
		exec(b, s, fmt.Sprintf(`CREATE TABLE tributary.%s (from_id UInt64, to_id UInt64, contributor_id UInt64, opened UInt64, closed UInt64, version UInt64, branch LowCardinality(String))
			ENGINE = ReplacingMergeTree(version) PRIMARY KEY (from_id, to_id) ORDER BY (from_id, to_id, contributor_id, branch, opened) SETTINGS index_granularity = %d`, table, granularity))
		for part := range 10 {
			exec(b, s, fmt.Sprintf(`INSERT INTO tributary.%s SELECT xxHash64(toUInt64(number %% %d)), xxHash64(number + 7), xxHash64(number %% 1000), number, 0, number, 'master'
				FROM numbers(%d, %d)`, table, layoutEdges/5, part*layoutEdges/10, layoutEdges/10))
		}
		for _, keys := range []int{1, 100, 2000} {
			for _, how := range []string{"argMax", "FINAL"} {
				b.Run(fmt.Sprintf("granularity=%d/keys=%d/%s", granularity, keys, how), func(b *testing.B) { lookUp(b, s, table, keys, how) })
			}
		}
		var marks uint64
		require.NoError(b, s.Read().QueryRow(b.Context(), "SELECT sum(primary_key_bytes_in_memory) FROM system.parts WHERE active AND table = ?", table).Scan(&marks))
		b.Logf("granularity %d: the primary key takes %d bytes of memory", granularity, marks)
		exec(b, s, "DROP TABLE tributary."+table)
	}
}

func exec(b *testing.B, s *store.Store, statement string) {
	b.Helper()
	require.NoError(b, s.Write().Exec(b.Context(), statement))
}

// lookUp asks for the open edges of some nodes.
func lookUp(b *testing.B, s *store.Store, table string, keys int, how string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	var took time.Duration
	var read uint64
	for b.Loop() {
		ids := make([]string, keys)
		for i := range ids {
			var key [8]byte
			binary.LittleEndian.PutUint64(key[:], uint64(random.IntN(layoutEdges/5)))
			ids[i] = fmt.Sprint(xxhash.Sum64(key[:]))
		}
		query := "SELECT from_id, to_id FROM tributary." + table + " FINAL WHERE closed = 0 AND from_id IN (" + strings.Join(ids, ",") + ")"
		if how == "argMax" {
			query = "SELECT from_id, to_id FROM tributary." + table + " WHERE from_id IN (" + strings.Join(ids, ",") + ") GROUP BY from_id, to_id, contributor_id, branch, opened HAVING argMax(closed, version) = 0"
		}
		began := time.Now()
		rows, err := s.Read().Query(b.Context(), query)
		require.NoError(b, err)
		n := 0
		for rows.Next() {
			n++
		}
		require.NoError(b, rows.Err())
		require.NoError(b, rows.Close())
		took += time.Since(began)
		read += estimate(b, s, query)
		require.GreaterOrEqual(b, n, keys)
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N)/1000, "ms/look-up")
	b.ReportMetric(float64(read)/float64(b.N), "rows-read/look-up")
	b.ReportMetric(0, "ns/op")
}

// estimate gives the rows that a query reads, which other work of the machine
// does not change.
func estimate(b *testing.B, s *store.Store, query string) uint64 {
	b.Helper()
	var database, table string
	var parts, rows, marks uint64
	require.NoError(b, s.Read().QueryRow(b.Context(), "EXPLAIN ESTIMATE "+query).Scan(&database, &table, &parts, &rows, &marks))
	return rows
}
