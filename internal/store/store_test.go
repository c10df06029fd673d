package store_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	tables "github.com/tributary-data/tributary/schemas/clickhouse"
)

func TestGreatestPositionCounts(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	at, err := s.LoadPosition(ctx, "lineage", "tributary.tasks", 3)
	require.NoError(t, err)
	require.Equal(t, store.Position{Reader: "lineage", Topic: "tributary.tasks", Partition: 3}, at)

	for _, p := range []store.Position{
		{Partition: 3, Next: 10}, {Partition: 3, Next: 30}, {Partition: 3, Next: 20},
		{Partition: 1, Generation: 1, Next: 5}, {Partition: 1, Next: 500},
	} {
		p.Reader, p.Topic = "lineage", "tributary.tasks"
		require.NoError(t, s.SavePosition(ctx, p))
	}
	want := []store.Position{
		{Reader: "lineage", Topic: "tributary.tasks", Partition: 1, Generation: 1, Next: 5},
		{Reader: "lineage", Topic: "tributary.tasks", Partition: 3, Next: 30},
	}
	all, err := s.LoadPositions(ctx, "lineage")
	require.NoError(t, err)
	require.Equal(t, want, all)

	require.NoError(t, s.Write().Exec(ctx, "OPTIMIZE TABLE tributary.positions FINAL"))
	all, err = s.LoadPositions(ctx, "lineage")
	require.NoError(t, err)
	require.Equal(t, want, all, "merging changes nothing")
}

// everyType is a table with the column types that the product's tables use,
// and a row for each case.
const everyType = `CREATE TABLE tributary.every_type (
	u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64, i8 Int8, i32 Int32, i64 Int64, f64 Float64, yes Bool,
	text String, low LowCardinality(String), fixed FixedString(4), id UUID, day Date, at DateTime('UTC'), ms DateTime64(3, 'UTC'),
	kind Enum8('task' = 1, 'api' = 2), list Array(String), lists Array(Array(UInt32)), lows Array(LowCardinality(String)),
	pairs Map(String, String), maybe Nullable(String), maybe_n Nullable(Int64), two Tuple(String, UInt64), dec Decimal(18, 4)
) ENGINE = MergeTree ORDER BY u64`

func TestTypesComeBackAsTheyWere(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	require.NoError(t, s.Write().Exec(ctx, everyType))
	t.Cleanup(func() { require.NoError(t, s.Write().Exec(ctx, "DROP TABLE tributary.every_type")) })

	id := uuid.MustParse("018f2f6e-0000-7000-8000-0123456789ab")
	at := time.Date(2024, 2, 29, 23, 59, 59, 123_000_000, time.UTC)
	word, number := "ein Wort\n", int64(-1)
	rows := [][]any{
		{uint8(255), uint16(65535), uint32(1 << 31), uint64(1<<64 - 1), int8(-128), int32(-1 << 31), int64(-1 << 63), 0.1, true,
			"line\nline\ttab\\ 'quoted' \x00 \xff ☃", "low", "abcd", id, at, at, at,
			"api", []string{"a", "", "b\nc"}, [][]uint32{{1}, {}, {2, 3}}, []string{"x", "x"},
			map[string]string{"k": "v\n", "": ""}, &word, &number, []any{"t", uint64(1)}, "12.3400"},
		{uint8(0), uint16(0), uint32(0), uint64(0), int8(0), int32(0), int64(0), 0.0, false,
			"", "", "\x00\x00\x00\x00", uuid.Nil, time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC(),
			"task", []string{}, [][]uint32{}, []string{}, map[string]string{}, nil, nil, []any{"", uint64(0)}, "0"},
	}
	names := strings.Fields("u8 u16 u32 u64 i8 i32 i64 f64 yes text low fixed id day at ms kind list lists lows pairs maybe maybe_n two dec")
	batch := s.NewBatch("every_type", names...)
	for _, row := range rows {
		batch.Append(row...)
	}
	require.Equal(t, 2, batch.Len())
	require.NoError(t, batch.Send(ctx))

	var texts []string
	found, err := s.Read().Query(ctx, "SELECT text, low, id, ms, kind, list, lists, lows, pairs, maybe, maybe_n, u64, yes, toString(dec) FROM tributary.every_type ORDER BY u64 DESC")
	require.NoError(t, err)
	defer found.Close()
	for i := 0; found.Next(); i++ {
		var text, low, kind, dec string
		var gotID uuid.UUID
		var ms time.Time
		var list, lows []string
		var lists [][]uint32
		var pairs map[string]string
		var maybe *string
		var maybeN *int64
		var u64 uint64
		var yes bool
		require.NoError(t, found.Scan(&text, &low, &gotID, &ms, &kind, &list, &lists, &lows, &pairs, &maybe, &maybeN, &u64, &yes, &dec))
		texts = append(texts, text)
		row := rows[i]
		require.Equal(t, []any{row[9], row[10], row[12], row[15], row[16], row[17], row[18], row[19], row[20], row[3], row[8]},
			[]any{text, low, gotID, ms.UTC(), kind, list, lists, lows, pairs, u64, yes})
		if i == 0 {
			require.Equal(t, word, *maybe)
			require.Equal(t, number, *maybeN)
			require.Equal(t, "12.34", dec)
		} else {
			require.Nil(t, maybe)
			require.Nil(t, maybeN)
		}
	}
	require.NoError(t, found.Err())
	require.Len(t, texts, 2)
}

func TestQueryArgumentsAreNotSQL(t *testing.T) {
	s := storetest.Open(t)
	for _, value := range []string{"plain", "it's", `back\slash`, "line\nline\ttab", "'; DROP TABLE tributary.positions; --", "☃", ""} {
		var got string
		require.NoError(t, s.Read().QueryRow(context.Background(), "SELECT {v:String}", clickhouse.Named("v", value)).Scan(&got))
		require.Equal(t, value, got)
	}
	var got []string
	require.NoError(t, s.Read().QueryRow(context.Background(), "SELECT {v:Array(String)}", clickhouse.Named("v", []string{"a'b", "c\nd"})).Scan(&got))
	require.Equal(t, []string{"a'b", "c\nd"}, got)
}

func TestLargeInsertIsOnePart(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	batch := s.NewBatch("positions", "reader", "topic", "partition", "generation", "next_offset")
	const rows = 100_000
	for i := range rows {
		batch.Append(fmt.Sprintf("reader\n%d", i), "t", int32(0), uint32(0), int64(i))
	}
	require.NoError(t, batch.Send(ctx))
	var parts, newlines uint64
	require.NoError(t, s.Read().QueryRow(ctx, "SELECT count() FROM system.parts WHERE database = 'tributary' AND table = 'positions' AND active").Scan(&parts))
	require.EqualValues(t, 1, parts)
	require.NoError(t, s.Read().QueryRow(ctx, "SELECT countIf(position(reader, '\n') > 0) FROM tributary.positions").Scan(&newlines))
	require.EqualValues(t, rows, newlines)
}

func TestFailedInsertLeavesNothing(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	batch := s.NewBatch("positions", "reader", "topic", "partition", "generation", "next_offset")
	batch.Append("r", "t", int32(0), uint32(0), int64(1))
	batch.Append("r", "t", "not a number", uint32(0), int64(1))
	require.ErrorContains(t, batch.Send(ctx), "inserting into positions")

	batch = s.NewBatch("positions", "reader", "topic")
	batch.Append("only one")
	require.ErrorContains(t, batch.Send(ctx), "1 values for 2 columns")
	require.ErrorContains(t, s.NewBatch("positions; DROP").Send(ctx), "not the name")
	require.Error(t, func() error {
		b := s.NewBatch("nosuch", "a")
		b.Append(1)
		return b.Send(ctx)
	}())
	require.NoError(t, s.NewBatch("positions", "reader").Send(ctx), "no rows, nothing to do")

	var n uint64
	require.NoError(t, s.Read().QueryRow(ctx, "SELECT count() FROM tributary.positions").Scan(&n))
	require.Zero(t, n)
	// The connections of failed inserts are free again.
	require.NoError(t, s.SavePosition(ctx, store.Position{Reader: "r"}))
}

func TestInsertAfterTheTableChanged(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	require.NoError(t, s.Write().Exec(ctx, "CREATE TABLE tributary.changing (a UInt32) ENGINE = MergeTree ORDER BY a"))
	t.Cleanup(func() { require.NoError(t, s.Write().Exec(ctx, "DROP TABLE tributary.changing")) })
	insert := func(value any) error {
		b := s.NewBatch("changing", "a")
		b.Append(value)
		return b.Send(ctx)
	}
	require.NoError(t, insert(uint32(1)))
	require.NoError(t, s.Write().Exec(ctx, "DROP TABLE tributary.changing SYNC"))
	require.NoError(t, s.Write().Exec(ctx, "CREATE TABLE tributary.changing (a String) ENGINE = MergeTree ORDER BY a"))
	require.Error(t, insert("text"), "the old type is still known")
	require.NoError(t, insert("text"))
	other := s.NewBatch("changing", "b")
	other.Append("x")
	require.ErrorContains(t, other.Send(ctx), "no column b")
}

func TestEightConnectionsAtOnce(t *testing.T) {
	s := storetest.Open(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 10 {
				require.NoError(t, s.SavePosition(ctx, store.Position{Reader: fmt.Sprint("r", g), Next: int64(i + 1)}))
			}
		})
		group.Go(func() {
			for range 30 {
				var sum uint64
				require.NoError(t, s.Read().QueryRow(ctx, "SELECT sum(number) FROM numbers(10000)").Scan(&sum))
				require.EqualValues(t, 49995000, sum)
			}
		})
	}
	group.Wait()
	for g := range 4 {
		p, err := s.LoadPosition(ctx, fmt.Sprint("r", g), "", 0)
		require.NoError(t, err)
		require.EqualValues(t, 10, p.Next)
	}
}

func TestErrorsOfTheEngineAreTyped(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	var refused *clickhouse.Exception
	require.ErrorAs(t, s.Write().Exec(ctx, "SELECT FROM WHERE"), &refused)
	require.EqualValues(t, 62, refused.Code)

	// A failure after the first rows is told too.
	rows, err := s.Read().Query(ctx, "SELECT throwIf(number = 900000), number FROM numbers(1000000)")
	require.NoError(t, err)
	for rows.Next() {
	}
	require.ErrorAs(t, rows.Err(), &refused)
	require.EqualValues(t, 395, refused.Code)
	require.ErrorAs(t, rows.Close(), &refused, "closing tells it again")
}

func TestContextEndsAQuery(t *testing.T) {
	s := storetest.Open(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	var n uint64
	err := s.Read().QueryRow(ctx, "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) % 2 = 0 SETTINGS max_execution_time = 1").Scan(&n)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 5*time.Second)
	require.NoError(t, s.Read().Ping(context.Background()))
}

func TestMemoryIsBounded(t *testing.T) {
	s := storetest.Open(t)
	ctx := clickhouse.Context(context.Background(), clickhouse.WithSettings(clickhouse.Settings{"max_memory_usage": 50_000_000}))
	var n uint64
	var refused *clickhouse.Exception
	require.ErrorAs(t, s.Read().QueryRow(ctx, "SELECT length(groupArray(number)) FROM numbers(100000000)").Scan(&n), &refused)
	require.EqualValues(t, 241, refused.Code)
	// The setting was the query's, not the connection's.
	var limit string
	require.NoError(t, s.Read().QueryRow(context.Background(), "SELECT toString(getSetting('max_memory_usage'))").Scan(&limit))
	require.Equal(t, fmt.Sprint(storetest.Engine(t).Memory()/2), limit)
}

func TestInsertsAreSynced(t *testing.T) {
	s := storetest.Open(t)
	for _, setting := range []string{"fsync_after_insert", "fsync_part_directory"} {
		var value string
		require.NoError(t, s.Read().QueryRow(context.Background(),
			"SELECT value FROM system.merge_tree_settings WHERE name = {name:String}", clickhouse.Named("name", setting)).Scan(&value))
		require.Equal(t, "1", value, setting)
	}
}

func TestEveryTableAndColumnIsDocumented(t *testing.T) {
	s := storetest.Open(t)
	rows, err := s.Read().Query(context.Background(), `
		SELECT name FROM system.tables WHERE database = 'tributary' AND comment = '' AND name != 'schema_versions'
		UNION ALL
		SELECT concat(table, '.', name) FROM system.columns
		WHERE database = 'tributary' AND comment = '' AND table != 'schema_versions'
			AND table IN (SELECT name FROM system.tables WHERE database = 'tributary' AND engine LIKE '%MergeTree')`)
	require.NoError(t, err)
	defer rows.Close()
	var bare []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		bare = append(bare, name)
	}
	require.NoError(t, rows.Err())
	require.Empty(t, bare)
}

func TestMigrationsMayBeRepeated(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	require.NoError(t, s.Migrate(ctx, tables.Migrations))
	files := fstest.MapFS{"90001_x.sql": {Data: []byte("SELECT ';\n' -- a comment;\n;\n")}}
	require.NoError(t, s.Migrate(ctx, files))
	require.NoError(t, s.Migrate(ctx, files))
	err := s.Migrate(ctx, fstest.MapFS{"90002_bad.sql": {Data: []byte("CREATE NONSENSE")}})
	require.ErrorContains(t, err, "90002_bad.sql")
	require.ErrorContains(t, s.Migrate(ctx, fstest.MapFS{"x.sql": {}}), "number")
}

func TestOpenTellsWhatIsWrong(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := store.Open(ctx, store.Config{})
	require.ErrorContains(t, err, "either")
	_, err = store.Open(ctx, store.Config{DSN: "not a dsn://%"})
	require.ErrorContains(t, err, "reading the store's address")
	_, err = store.Open(ctx, store.Config{DSN: "http://127.0.0.1:1/tributary"})
	require.ErrorContains(t, err, "reaching the store")
	var refused *net.OpError
	require.ErrorAs(t, err, &refused)
}
