package feed

import (
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// answers says how far the parser has answered the task events that were read.
// The parser answers the events of one partition of tributary.tasks in order
// within each partition of tributary.lineage, so an answer there answers all
// that came before and belong there.
type answers struct {
	partitions int
	// waiting holds, for each partition of tasks, the events not yet answered.
	waiting [][]asked
	// answered holds, for each partition of tasks and of lineage, the greatest
	// offset of tasks that was answered.
	answered [][]int64
}

// asked is a task event, with the partition of lineage that its answer is in.
type asked struct {
	offset    int64
	partition int
}

func newAnswers(tasks, lineage int) *answers {
	a := &answers{partitions: lineage, waiting: make([][]asked, tasks), answered: make([][]int64, tasks)}
	for i := range a.answered {
		a.answered[i] = make([]int64, lineage)
		for j := range a.answered[i] {
			a.answered[i][j] = -1
		}
	}
	return a
}

// note takes a record of tasks or lineage into account.
func (a *answers) note(rec *log.Record, data any) {
	switch d := data.(type) {
	case *event.LineageExtracted:
		if p := d.From.Partition; p >= 0 && p < len(a.answered) && rec.Topic == log.TopicLineage {
			a.answered[p][rec.Partition] = max(a.answered[p][rec.Partition], d.From.Offset)
		}
	case *event.EdgeAdded, *event.EdgeRemoved:
		// Edges drawn by hand need no parser.
	default:
		if rec.Topic == log.TopicTasks {
			a.waiting[rec.Partition] = append(a.waiting[rec.Partition], asked{rec.Offset, log.PartitionOf(rec.Key, a.partitions)})
		}
	}
}

// position gives the next offset of each partition of tasks before which all
// events were answered, where next is how far they were read.
func (a *answers) position(next []int64) []int64 {
	out := make([]int64, len(next))
	for p := range out {
		waiting := a.waiting[p]
		for len(waiting) > 0 && a.answered[p][waiting[0].partition] >= waiting[0].offset {
			waiting = waiting[1:]
		}
		a.waiting[p] = waiting
		out[p] = next[p]
		if len(waiting) > 0 {
			out[p] = waiting[0].offset
		}
	}
	return out
}
