package lineage

import (
	"time"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Rows is what records cause, in the order of the log. Rows of one identity
// may occur more than once; the one of the greatest version stands. A nil *Rows
// takes none, for whoever wants the owners' states alone.
type Rows struct {
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

// Reset takes all rows out and keeps the memory for others.
func (r *Rows) Reset() {
	clear(r.Edges)
	clear(r.Mentions)
	clear(r.Errors)
	clear(r.Extractions)
	clear(r.Owners)
	*r = Rows{Edges: r.Edges[:0], Mentions: r.Mentions[:0], Errors: r.Errors[:0], Extractions: r.Extractions[:0], Owners: r.Owners[:0]}
}

func (r *Rows) open(o *Owner, rec Record, i *Item) {
	if r != nil {
		r.Edges = append(r.Edges, EdgeRow{Item: *i, Owner: o.Key, Partition: rec.Partition, Version: rec.Version})
	}
}

func (r *Rows) close(o *Owner, rec Record, i *Item) {
	if r != nil {
		r.Edges = append(r.Edges, EdgeRow{Item: *i, Owner: o.Key, Partition: rec.Partition, Closed: rec.Version, ClosedAt: rec.At, Version: rec.Version})
	}
}

func (r *Rows) mention(o *Owner, rec Record, m Mention, closed bool) {
	if r != nil {
		r.Mentions = append(r.Mentions, MentionRow{Mention: m, Owner: o.Key, Partition: rec.Partition, Closed: closed, Version: rec.Version})
	}
}

func (r *Rows) errors(o *Owner, rec Record, errs []event.SQLError) {
	if r != nil {
		r.Errors = append(r.Errors, ErrorsRow{Owner: o.Key, Partition: rec.Partition, Version: rec.Version, At: rec.At, Errors: errs})
	}
}

func (r *Rows) owner(o *Owner) {
	if r != nil {
		r.Owners = append(r.Owners, o)
	}
}

// NodesOf gives every node and column that an event mentions, the task itself
// included, some more than once, in the memory of room if it suffices. They are
// stored whatever the fold says of the event.
func NodesOf(data any, room []NodeRow) []NodeRow {
	out := nodeRows(room[:0])
	switch d := data.(type) {
	case *event.LineageExtracted:
		if d.Result != event.ResultExtracted {
			return out
		}
		out.add(d.Task.NodeKey(d.Kind).String(), "")
		for _, n := range d.Nodes {
			out.add(n.Key, "")
		}
		for i := range d.Edges {
			out.add(d.Edges[i].From, d.Edges[i].FromColumn)
		}
		for i := range d.Edges {
			out.add(d.Edges[i].To, d.Edges[i].ToColumn)
		}
		for _, c := range d.Columns {
			key, _ := name.ParseKey(c.Key) // a key that is none is found by its other mentions
			for _, column := range c.Names {
				out.add(c.Key, ColumnName(key, column))
			}
		}
	case *event.EdgeAdded:
		from, to := d.From.NodeKey(), d.To.NodeKey()
		out.add(from.String(), ColumnName(from, d.FromColumn))
		out.add(to.String(), ColumnName(to, d.ToColumn))
	case *event.TaskDefined:
		key := d.NodeKey()
		out.add(key.String(), "")
		for _, c := range d.Columns {
			out.add(key.String(), ColumnName(key, c.Name))
		}
	case *event.TableDefined:
		key := d.NodeKey()
		out.add(key.String(), "")
		for _, c := range d.Columns {
			out.add(key.String(), ColumnName(key, c.Name))
		}
	}
	return out
}

type nodeRows []NodeRow

// add adds a node and a column of it, but for what the row before says: edges
// of one node often come together.
func (r *nodeRows) add(key, column string) {
	if n := len(*r); n == 0 || (*r)[n-1].Key != key {
		*r = append(*r, NodeRow{Key: key})
	}
	if column != "" && (*r)[len(*r)-1].Column != column {
		*r = append(*r, NodeRow{Key: key, Column: column})
	}
}

func (r *Rows) extraction(o *Owner, rec Record, x *event.LineageExtracted) {
	if r != nil {
		r.Extractions = append(r.Extractions, ExtractionRow{Owner: o.Key, Partition: rec.Partition, Version: rec.Version, At: rec.At, Data: x})
	}
}
