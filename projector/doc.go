// Package projector folds the log into ClickHouse: tributary.tasks,
// tributary.definitions and tributary.lineage become the tables of lineage.
//
// Delivery is at least once and the effect exactly once: rows are keyed by
// what they are about, with the version of the record that caused them, so a
// record folded again writes the same rows again. The order of writing makes
// a crash harmless at any moment: first the rows, then the rows that prove
// them (owners, tasks, definitions), then the positions to go on from.
package projector
