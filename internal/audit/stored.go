package audit

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/internal/store"
)

// Stored reads the picture from the tables. Both tables of edges must have the
// same rows, else the error tells what differs.
func Stored(ctx context.Context, s *store.Store) (Picture, error) {
	p := Picture{}
	for table, query := range queries() {
		if err := p.read(ctx, s, table, query); err != nil {
			return nil, fmt.Errorf("reading %s: %w", table, err)
		}
	}
	p.sorted()
	if d := Differences(Picture{"edges_by_target": p["edges"]}, Picture{"edges_by_target": p["edges_by_target"]}); len(d) > 0 {
		return nil, fmt.Errorf("the two tables of edges differ in %d rows: %s", len(d), d[0])
	}
	delete(p, "edges_by_target")
	return p, nil
}

func (p Picture) read(ctx context.Context, s *store.Store, table, query string) error {
	rows, err := s.Read().Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		p[table] = append(p[table], text)
	}
	return rows.Err()
}

// queries give of each table its rows as texts, each identity once.
func queries() map[string]string {
	return map[string]string{
		"nodes": `SELECT concat(toString(id), ' ', toString(parent_id), ' ', family, '|', namespace, '|', name, '|', if(column = '', ' ', concat(' ', column))) FROM tributary.nodes FINAL`,
		"edges": edgeText("edges"), "edges_by_target": edgeText("edges_by_target"),
		"mentions": `SELECT concat(toString(node_id), ' ', toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' "', kind, '" "', display, '" ', if(closed, 'true', 'false'), ' v', toString(version)) FROM tributary.mentions FINAL`,
		"errors": `SELECT concat(toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' v', toString(version), ' ',
			arrayStringConcat(arrayMap((k, n, l, c, m) -> concat(k, ' ', toString(n), ' ', toString(l), ' ', toString(c), ' ', m), kinds, statements, lines, columns, messages), ';')) FROM tributary.sql_errors FINAL`,
		"extractions": `SELECT concat(toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' v', toString(version), ' "', dialect, '" "', run_id, '" ', toString(length(JSONExtractArrayRaw(statements)))) FROM tributary.extractions FINAL`,
		"owners": `SELECT concat(toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' ', task, ' p', toString(partition), ' v', toString(version), ' s', toString(toInt8(status)),
			' from ', toString(from_partition), '/', toString(from_offset), ' def ', toString(definitions_offset), ' parser ', toString(parser), ' hash "', hash, '" edges ', toString(edge_count), ' ', state) FROM tributary.owners FINAL`,
		"tasks":             `SELECT concat(toString(task_id), ' ', branch, ' o', toString(opened), ' ', toString(status), ' ', definition) FROM tributary.tasks FINAL`,
		"run_events":        `SELECT concat(toString(task_id), ' ', run_id, ' ', toString(state), ' v', toString(version), ' ', data) FROM tributary.run_events FINAL`,
		"table_definitions": `SELECT concat(key, ' ', branch, ' "', derived_by, '" o', toString(opened), if(columns_known, ' true (', ' false ('), arrayStringConcat(column_names, ','), ') ', toString(status), ' ', renamed_to, ' ', definition) FROM tributary.table_definitions FINAL`,
		"sources":           `SELECT concat(id, ' o', toString(opened), ' ', toString(status), ' ', definition) FROM tributary.sources FINAL`,
		"source_mappings":   `SELECT concat(id, ' o', toString(opened), ' ', toString(status), ' ', from_namespace, ' ', from_prefix, ' ', to_namespace, ' ', to_prefix, ' ', toString(exact), ' ', toString(ignore_case), ' "', who, '" "', why, '"') FROM tributary.source_mappings FINAL`,
	}
}

func edgeText(table string) string {
	return `SELECT concat(toString(from_id), ' ', toString(to_id), ' ', toString(toInt8(level)), ' ', if(direct, 'true', 'false'), ' ', toString(toInt8(origin)), ' ', toString(contributor_id), ' ', branch,
		' o', toString(opened), ' c', toString(closed), ' v', toString(version), ' p', toString(partition), ' via ', toString(via), ' ', if(unexpanded, 'true', 'false'), ' [', arrayStringConcat(arrayMap(s -> toString(s), statements), ' '), '] ',
		toString(toUnixTimestamp64Milli(opened_at)), ' ', toString(toUnixTimestamp64Milli(closed_at)), ' "', who, '" "', why, '"') FROM tributary.` + table + ` FINAL`
}
