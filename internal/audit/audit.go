// Package audit compares the tables of lineage with a plain fold of the log.
// It shows that nothing that the log holds was lost on the way to the tables,
// and that nothing had its effect twice.
package audit

import (
	"fmt"
	"slices"
	"sort"
)

// Picture is the content of the tables as sorted texts, by table.
type Picture map[string][]string

func (p Picture) addf(table, format string, args ...any) {
	p[table] = append(p[table], fmt.Sprintf(format, args...))
}

func (p Picture) sorted() Picture {
	for _, rows := range p {
		sort.Strings(rows)
	}
	return p
}

// Rows counts the rows of all tables.
func (p Picture) Rows() int {
	n := 0
	for _, rows := range p {
		n += len(rows)
	}
	return n
}

// Differences tells, a sentence each, what only one of two pictures has; none
// if they are the same.
func Differences(want, got Picture) []string {
	tables := map[string]bool{}
	for table := range want {
		tables[table] = true
	}
	for table := range got {
		tables[table] = true
	}
	var out []string
	for table := range tables {
		for _, row := range got[table] {
			if _, ok := slices.BinarySearch(want[table], row); !ok {
				out = append(out, "only in "+table+": "+row)
			}
		}
		for _, row := range want[table] {
			if _, ok := slices.BinarySearch(got[table], row); !ok {
				out = append(out, "missing in "+table+": "+row)
			}
		}
		if len(got[table]) != len(want[table]) {
			out = append(out, fmt.Sprintf("%s has %d rows, not %d", table, len(got[table]), len(want[table])))
		}
	}
	sort.Strings(out)
	return out
}
