package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tributary-data/tributary/internal/store"
)

// The nodes are divided into five equal parts: chains of 1,000, and clusters
// of 50, 2,000, 16,000 and 100,000. hubs nodes come after them on each side.
const hubs = 100

// spare is how many more pairs are drawn than edges are wanted, in percent:
// about so many are drawn twice.
const spare = 4

// piece is how many pairs a statement writes.
const piece = 1_000_000

// pairs is the statement that gives the graph: an edge a number, as the
// numbers of its ends. In a chain a node leads to the next one. In a cluster
// it leads forward, half of the time to one of the next 16 and half of the
// time anywhere. Two edges in a hundred go into a hub, two come out of one.
const pairs = `
	SELECT number AS e,
		intHash64(number * 2 + {seed:UInt64} * 1000003) AS q,
		intHash64(number * 2 + 1 + {seed:UInt64} * 1000003) AS r,
		intDiv({nodes:UInt64}, 5) AS fifth,
		if(number < fifth, number, fifth + q % ({nodes:UInt64} - fifth)) AS i,
		least(4, intDiv(i, fifth)) AS part,
		fifth * part AS first,
		[1000, 50, 2000, 16000, 100000][part + 1] AS size,
		(i - first) % size AS place,
		least(size, fifth - (i - place - first)) AS room,
		multiIf(room <= place + 1, 0, part = 0, 1, r % 2 = 0, 1 + intDiv(r, 2) % least(16, room - place - 1), 1 + intDiv(r, 2) % (room - place - 1)) AS step,
		if(number % 50 = 1 AND part > 0, {nodes:UInt64} + {hubs:UInt64} + r % {hubs:UInt64}, i) AS a,
		multiIf(number % 50 = 1 AND part > 0, i, number % 50 = 0 AND part > 0 OR step = 0, {nodes:UInt64} + r % {hubs:UInt64}, i + step) AS b
	FROM numbers({from:UInt64}, {count:UInt64})`

// keyOf is the expression for the key of a node of a number.
func keyOf(number string) string {
	return fmt.Sprintf("concat('dataset|mysql://bench:3306|', %s)", nameOf(number))
}

func nameOf(number string) string {
	words := "['orders', 'customers', 'payments', 'events', 'sessions', 'products', 'shipments', 'invoices']"
	return fmt.Sprintf("concat('dw', toString(intDiv(%[1]s, 10000)), '.', %[2]s[%[1]s %% 8 + 1], '_', ['daily', 'raw', 'agg', 'dim', 'fact'][%[1]s %% 5 + 1], '_', toString(%[1]s))", number, words)
}

// taskOf is the expression for the task that makes the edges into a node of a
// number: three nodes and so about ten edges a task.
func taskOf(number string) string {
	return fmt.Sprintf("concat('default|task_', toString(intDiv(%s, 3)))", number)
}

// generate writes the graph into the store's tables, unless they hold it.
func generate(ctx context.Context, s *store.Store, cfg config) error {
	var there uint64
	if err := s.Read().QueryRow(ctx, "SELECT count() FROM tributary.edges").Scan(&there); err != nil {
		return err
	}
	if there > 0 {
		return nil
	}
	began := time.Now()
	args := []any{
		clickhouse.Named("seed", cfg.seed), clickhouse.Named("nodes", cfg.nodes), clickhouse.Named("hubs", hubs),
		clickhouse.Named("all", cfg.nodes+2*hubs),
	}
	statements := []string{
		`INSERT INTO tributary.nodes SELECT xxHash64(` + keyOf("number") + `), 0, 'dataset', 'mysql://bench:3306', ` + nameOf("number") + `, '' FROM numbers({all:UInt64})`,
		`INSERT INTO tributary.owners (owner_id, branch, source, task, version, status, edge_count)
			SELECT xxHash64(` + taskOf("number * 3") + `), 'master', 'definition', ` + taskOf("number * 3") + `, 1, 'live', 8 FROM numbers(intDiv({all:UInt64}, 3) + 1)`,
		`INSERT INTO tributary.extractions (owner_id, branch, source, version, kind)
			SELECT xxHash64(` + taskOf("number * 3") + `), 'master', 'definition', 1, 'batch' FROM numbers(intDiv({all:UInt64}, 3) + 1)`,
	}
	statements = append(statements, `INSERT INTO tributary.positions (reader, topic, partition, generation, next_offset) VALUES ('lineage', 'tributary.lineage', 0, 0, 1)`)
	for _, table := range []string{"edges", "edges_by_target"} {
		statements = append(statements, `INSERT INTO tributary.`+table+` (from_id, to_id, level, direct, origin, contributor_id, branch, opened, version, via, statements)
			SELECT xxHash64(`+keyOf("a")+`), xxHash64(`+keyOf("b")+`), 'table', true, 'parsed', xxHash64(`+taskOf("b")+`), 'master', 1, 1, 1, [1]
			FROM (`+pairs+`) SETTINGS max_insert_threads = 2`)
	}
	for _, statement := range statements[:len(statements)-2] {
		if err := s.Write().Exec(ctx, statement, args...); err != nil {
			return fmt.Errorf("generating the graph: %w", err)
		}
	}
	all := cfg.edges + cfg.edges*spare/100
	for from := 0; from < all; from += piece {
		for _, statement := range statements[len(statements)-2:] {
			numbers := []any{clickhouse.Named("from", from), clickhouse.Named("count", min(piece, all-from))}
			if err := s.Write().Exec(ctx, statement, append(numbers, args...)...); err != nil {
				return fmt.Errorf("generating the graph: %w", err)
			}
		}
	}
	fmt.Printf("generated in %.1f s\n", time.Since(began).Seconds())
	return nil
}
