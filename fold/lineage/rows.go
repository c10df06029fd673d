package lineage

import (
	"time"

	"github.com/tributary-data/tributary/schemas/event"
)

// Rows is what records cause, in the order of the log. Rows of one identity
// may occur more than once; the one of the greatest version stands.
type Rows struct {
	Nodes    []NodeRow
	Edges    []EdgeRow
	Mentions []MentionRow
	Errors   []ErrorsRow
	// Extractions are what the extractions said beside edges.
	Extractions []ExtractionRow
	// Owners are the owners that changed, perhaps more than once. They are
	// stored after all other rows: a stored owner proves them.
	Owners []*Owner
}

// NodeRow names a node, or with Column one of its columns. It never changes.
type NodeRow struct{ Key, Column string }

// EdgeRow is one period in which one contributor's edge was there. Its
// identity is the edge, the owner and Opened.
type EdgeRow struct {
	Item
	Owner     OwnerKey
	Partition int
	// Closed is the version since which it is not there; 0 while it is.
	Closed   uint64
	ClosedAt time.Time
	// Version is that of the record that caused the row.
	Version uint64
}

// MentionRow is what an owner says of a node. Its identity is owner and node.
type MentionRow struct {
	Mention
	Owner     OwnerKey
	Partition int
	// Closed says that the owner does not mention it any more.
	Closed  bool
	Version uint64
}

// ErrorsRow holds all errors of an owner's extraction; none once it has none.
type ErrorsRow struct {
	Owner     OwnerKey
	Partition int
	Version   uint64
	At        time.Time
	Errors    []event.SQLError
}

// ExtractionRow holds what an owner's extraction says beside its edges:
// statements, steps, columns given to targets, Flink's mapping tables.
type ExtractionRow struct {
	Owner     OwnerKey
	Partition int
	Version   uint64
	At        time.Time
	Data      *event.LineageExtracted
}

func (r *Rows) open(o *Owner, rec Record, i Item) {
	r.Edges = append(r.Edges, EdgeRow{Item: i, Owner: o.Key, Partition: rec.Partition, Version: rec.Version})
}

func (r *Rows) close(o *Owner, rec Record, i Item) {
	r.Edges = append(r.Edges, EdgeRow{Item: i, Owner: o.Key, Partition: rec.Partition, Closed: rec.Version, ClosedAt: rec.At, Version: rec.Version})
}

func (r *Rows) mention(o *Owner, rec Record, m Mention, closed bool) {
	r.Mentions = append(r.Mentions, MentionRow{Mention: m, Owner: o.Key, Partition: rec.Partition, Closed: closed, Version: rec.Version})
}

func (r *Rows) node(key, column string) {
	r.Nodes = append(r.Nodes, NodeRow{Key: key})
	if column != "" {
		r.Nodes = append(r.Nodes, NodeRow{Key: key, Column: column})
	}
}

// addNodes gives out every node that an extraction mentions, the task itself
// included.
func (r *Rows) addNodes(x *event.LineageExtracted) {
	r.node(x.Task.NodeKey(x.Kind).String(), "")
	for _, n := range x.Nodes {
		r.node(n.Key, "")
	}
	for _, e := range x.Edges {
		r.node(e.From, e.FromColumn)
		r.node(e.To, e.ToColumn)
	}
	for _, c := range x.Columns {
		for _, column := range c.Names {
			r.node(c.Key, column)
		}
	}
}

func (r *Rows) addExtraction(o *Owner, rec Record, x *event.LineageExtracted) {
	r.Extractions = append(r.Extractions, ExtractionRow{Owner: o.Key, Partition: rec.Partition, Version: rec.Version, At: rec.At, Data: x})
}
