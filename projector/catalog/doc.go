// Package catalog projects tributary.catalog: it folds each partition and writes what every event changed
// as rows that are keyed by the entity and versioned by the event.
//
// A fold never reads its rows back. It begins with the newest snapshot of its state, folds what stands
// behind that in the log, and writes all those rows again, which changes nothing. A snapshot is saved
// after the rows that led to it.
package catalog
