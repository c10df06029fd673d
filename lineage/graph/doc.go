// Package graph keeps the lineage graph in memory and answers questions about
// it: neighbours, closures with exact least distances, ways, differences,
// search.
//
// Names are interned as 32-bit ids. Each level (table edges, direct column
// edges, indirect column edges) is an adjacency in both directions: a compact
// immutable base and a small persistent overlay of what changed since, which a
// background merge folds into a new base. A Snapshot is one immutable state of
// it all; readers take the current one from an atomic pointer and never wait
// for the writer, nor the writer for them.
//
// The package is pure: it knows neither the log nor the store. One goroutine
// at a time may change a Graph; any number may read.
package graph
