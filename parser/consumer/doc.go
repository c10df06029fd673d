// Package consumer turns tributary.tasks into tributary.lineage: it reads task
// events, extracts their lineage with the definitions known at that position,
// and appends what it found under the same key, before it saves its position.
//
// Every task event gets a record: its extraction, a removal, or the marker
// that nothing changed, so that whoever sent the event can wait for it. When a
// definition changes, the tasks that used it (or missed it) are extracted
// again, in a lane behind live events, each once however many changes wait.
//
// Several consumers share the partitions by group membership, which for a
// moment may give one partition to two of them. Both then write the same
// records, and the fold lets the later of two equal ones go.
package consumer
