// Package lineage is the lineage fold: it says, for each event, which nodes,
// edges and table definitions are there afterwards and since when. It is pure:
// no clock, no random number, no I/O. The projector turns its rows into
// ClickHouse rows, the query role folds the same log into its graph, and the
// tests fold a whole log to check both.
//
// The unit of state is an Owner: one task on one branch with everything that
// one source of knowledge (its definition, its runs, or people) says about it.
// All events of an owner stand in one partition, so their versions compare,
// and an owner's state never depends on how partitions were interleaved.
//
// The contract is design: a new definition closes exactly the edges that the
// old one made and the new one does not; nothing is deleted; an extraction
// that is older than what the owner has is dropped; a row written twice is the
// same row.
package lineage
