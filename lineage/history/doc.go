// Package history reads lineage from ClickHouse: the whole graph as of now, to
// be kept in memory; the part of a past graph that a question needs, hop by
// hop on sorted keys; and what is known of tasks, datasets and edges beside
// the graph. Statements carry values as parameters, never as text.
package history
