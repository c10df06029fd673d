package projector

import (
	"fmt"
	"strconv"
	"time"

	json "github.com/go-json-experiment/json/v1"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// epoch stands for "not yet" in columns of times.
func epoch() time.Time { return time.Unix(0, 0).UTC() }

func orEpoch(t time.Time) time.Time {
	if t.IsZero() {
		return epoch()
	}
	return t
}

// ownerID gives the id by which rows name an owner's task or node.
func ownerID(task string) uint64 { return name.ID(task) }

func (c *ownerColumns) addOwner(k lineage.OwnerKey) {
	c.owner.add(ownerID(k.Task))
	c.branch.add(k.Branch)
	c.source.add(int8(k.Source))
}

func (b *nodeBlock) add(n *node) {
	b.rows++
	b.id.add(n.id)
	b.parent.add(n.parent)
	b.of.add(n.row.Column)
	if n.row.Column != "" {
		b.family.add("")
		b.namespace.add("")
		b.nodeName.add("")
		return
	}
	b.family.add(n.key.Family)
	b.namespace.add(n.key.Namespace)
	b.nodeName.add(n.key.Name)
}

func (b *edgeBlock) add(r *lineage.EdgeRow) {
	if b.rows == 0 {
		b.numbers = b.numbers[:0]
	}
	b.rows++
	b.from.add(r.FromID())
	b.to.add(r.ToID())
	b.level.add(int8(r.Level()))
	b.direct.add(r.Direct)
	b.origin.add(int8(r.Origin))
	b.contributor.add(ownerID(r.Owner.Task))
	b.branch.add(r.Owner.Branch)
	b.opened.add(r.Opened)
	b.closed.add(r.Closed)
	b.version.add(r.Version)
	b.partition.add(uint16(r.Partition))
	b.via.add(uint16(r.Via))
	b.unexpanded.add(r.Unexpanded)
	first := len(b.numbers)
	b.numbers = appendUint32s(b.numbers, r.Statements)
	b.statements.add(b.numbers[first:len(b.numbers):len(b.numbers)])
	b.openedAt.add(orEpoch(r.OpenedAt))
	b.closedAt.add(orEpoch(r.ClosedAt))
	b.who.add(r.Who)
	b.why.add(r.Why)
}

func uint32s(numbers []int) []uint32 {
	return appendUint32s(make([]uint32, 0, len(numbers)), numbers)
}

func appendUint32s(out []uint32, numbers []int) []uint32 {
	for _, n := range numbers {
		out = append(out, uint32(max(n, 0)))
	}
	return out
}

func (b *mentionBlock) add(r *lineage.MentionRow) {
	b.rows++
	b.addOwner(r.Owner)
	b.node.add(name.ID(r.Key))
	b.kind.add(r.Kind)
	b.display.add(r.Display)
	b.closed.add(r.Closed)
	b.version.add(r.Version)
	b.partition.add(uint16(r.Partition))
}

func (b *errorBlock) add(r *lineage.ErrorsRow) {
	b.rows++
	b.addOwner(r.Owner)
	b.version.add(r.Version)
	b.partition.add(uint16(r.Partition))
	b.at.add(orEpoch(r.At))
	n := len(r.Errors)
	kinds, messages := make([]string, n), make([]string, n)
	statements, lines, places := make([]int, n), make([]int, n), make([]int, n)
	for i, e := range r.Errors {
		kinds[i], messages[i], statements[i], lines[i], places[i] = e.Kind, e.Message, e.Statement, e.Line, e.Column
	}
	b.kinds.add(kinds)
	b.messages.add(messages)
	b.statements.add(uint32s(statements))
	b.lines.add(uint32s(lines))
	b.places.add(uint32s(places))
}

func (b *extractionBlock) add(r *lineage.ExtractionRow) error {
	columns, err := jsonText(r.Data.Columns, len(r.Data.Columns) == 0)
	if err != nil {
		return err
	}
	flink, err := jsonText(r.Data.Flink, r.Data.Flink == nil)
	if err != nil {
		return err
	}
	b.rows++
	b.addOwner(r.Owner)
	b.version.add(r.Version)
	b.partition.add(uint16(r.Partition))
	b.at.add(orEpoch(r.At))
	b.kind.add(r.Data.Kind)
	b.taskName.add(r.Data.Name)
	b.dialect.add(r.Data.Dialect)
	b.guessed.add(r.Data.DialectGuessed)
	b.confidence.add(float32(r.Data.Confidence))
	b.run.add(r.Data.RunID)
	b.statements.add(string(event.AppendStatements(nil, r.Data.Statements)))
	b.givenColumns.add(columns)
	b.steps.add(r.Data.Steps)
	b.mapped.add(flink)
	return nil
}

// jsonText gives a value as JSON, or nothing if it is empty.
func jsonText(v any, empty bool) (string, error) {
	if empty {
		return "", nil
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding a column: %w", err)
	}
	return string(out), nil
}

func (b *ownerBlock) add(o *lineage.Owner) error {
	state, err := o.EncodeState()
	if err != nil {
		return err
	}
	b.rows++
	b.addOwner(o.Key)
	b.task.add(o.Key.Task)
	b.partition.add(uint16(o.Partition))
	b.version.add(o.Version)
	b.status.add(int8(o.Status))
	b.fromGeneration.add(uint16(o.From.Generation))
	b.fromPartition.add(uint16(o.From.Partition))
	b.fromOffset.add(o.From.Offset)
	b.defGeneration.add(uint16(o.Order.DefinitionsGeneration))
	b.defOffset.add(o.Order.DefinitionsOffset)
	b.parser.add(uint32(o.Order.Parser))
	b.hash.add(o.Hash)
	keys, hashes := make([]string, len(o.Uses)), make([]string, len(o.Uses))
	for i, u := range o.Uses {
		keys[i], hashes[i] = u.Key, u.ColumnsHash
	}
	b.useKeys.add(keys)
	b.useHashes.add(hashes)
	b.edges.add(uint32(len(o.Items)))
	b.updated.add(orEpoch(o.At))
	b.state.add(state)
	return nil
}

// addRows turns what the fold gave into blocks, all but the owners.
func (b *blocks) addRows(rows *lineage.Rows) error {
	for i := range rows.Edges {
		b.edges.add(&rows.Edges[i])
	}
	for i := range rows.Mentions {
		b.mentions.add(&rows.Mentions[i])
	}
	for i := range rows.Errors {
		b.errors.add(&rows.Errors[i])
	}
	for i := range rows.Extractions {
		if err := b.extractions.add(&rows.Extractions[i]); err != nil {
			return err
		}
	}
	return nil
}

// addOwners adds the states that owners have come to: of one that changed more
// than once the last, since only that is asked for.
func (b *blocks) addOwners(owners []*lineage.Owner) error {
	for _, o := range owners {
		if err := b.owners.add(o); err != nil {
			return err
		}
	}
	return nil
}

// runStates gives the number that run_events has for a state.
func runState(data any) (*event.Run, int8) {
	switch d := data.(type) {
	case *event.RunStarted:
		return &d.Run, 1
	case *event.RunCompleted:
		return &d.Run, 2
	case *event.RunFailed:
		return &d.Run, 3
	case *event.RunAborted:
		return &d.Run, 4
	}
	return nil, 0
}

func (b *runBlock) add(r *event.Run, state int8, rec lineage.Record, occurred time.Time, value []byte) {
	b.rows++
	b.task.add(ownerID(r.Task.TaskKey()))
	b.run.add(r.RunID)
	b.state.add(state)
	b.version.add(rec.Version)
	b.partition.add(uint16(rec.Partition))
	b.at.add(orEpoch(rec.At))
	b.occurred.add(orEpoch(occurred))
	b.key.add(r.Task.TaskKey())
	b.branch.add(r.Task.OnBranch())
	b.started.add(r.Started)
	b.ended.add(r.Ended)
	failure := ""
	if r.Error != nil {
		failure = r.Error.Message
	}
	b.failure.add(failure)
	b.data.add(string(value))
}

// columnArrays splits columns into parallel arrays, fields of structs under
// their column's name and a dot.
func columnArrays(columns []event.Column) (names, types, comments []string, masked []bool) {
	names, types, comments, masked = []string{}, []string{}, []string{}, []bool{}
	var walk func(prefix string, columns []event.Column)
	walk = func(prefix string, columns []event.Column) {
		for _, c := range columns {
			names = append(names, prefix+c.Name)
			types = append(types, c.Type)
			comments = append(comments, c.Comment)
			masked = append(masked, c.Masked)
			walk(prefix+c.Name+".", c.Fields)
		}
	}
	walk("", columns)
	return names, types, comments, masked
}

// idList writes ids for an IN of a statement.
func idList(ids []uint64) string {
	out := make([]byte, 0, len(ids)*20)
	for i, id := range ids {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendUint(out, id, 10)
	}
	return string(out)
}
