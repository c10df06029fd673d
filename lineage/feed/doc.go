// Package feed keeps a graph in memory fresh: it loads what the store holds,
// and then folds the log from where those rows end, with the same fold that
// the projector runs. An answer carries the log position that the graph has
// come to, and a question can wait for one.
package feed
