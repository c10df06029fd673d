package builder

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// A job spec is a task of its branch, so that its lineage is in the graph. The process that drives a
// partition reads it once more, from the position that was saved last, and for every publication that the
// fold has accepted writes the definitions into tributary.tasks; only then it saves how far it is. None can
// be lost, therefore. One may be written twice, under the same id, which changes nothing.

// TaskPositions saves how far the definitions of a partition have been written.
type TaskPositions interface {
	LoadTasks(ctx context.Context, partition int) (next int64, err error)
	SaveTasks(ctx context.Context, partition int, next int64) error
}

const (
	// TaskSource is the source of the definitions that job specs are.
	TaskSource = "tributary/job-specs"
	// LabelSpace is the label of such a task with its space.
	LabelSpace = "space"
	// LabelCommit is the label with the revision of the code.
	LabelCommit = "commit"
)

// TaskNamespace is the namespace of the tasks that the job specs of a space are.
func TaskNamespace(space string) string { return name.JobSpecScheme + space }

// defineTasks writes definitions for as long as the partition is owned.
func (s *Service) defineTasks(ctx context.Context, p *partition) error {
	from, err := s.cfg.Tasks.LoadTasks(ctx, p.number)
	if err != nil {
		return fmt.Errorf("loading how far job specs are tasks: %w", err)
	}
	return catalogfold.Follow(ctx, s.cfg.Log, p.number, p.of, from, func(recs []catalogfold.Record) error {
		var out []log.Record
		for _, rec := range recs {
			if rec.Event == nil || rec.Event.Type != event.TypeJobSpecPublished {
				continue
			}
			list, err := p.tasksOf(ctx, rec.Event)
			if err != nil {
				return err
			}
			out = append(out, list...)
		}
		if len(out) > 0 {
			if _, err := s.cfg.Log.Append(ctx, out); err != nil {
				return fmt.Errorf("writing job specs as tasks: %w", err)
			}
		}
		next := recs[len(recs)-1].Raw.Offset + 1
		if len(out) == 0 && next-from < saveTasksEvery {
			return nil
		}
		from = next
		return s.cfg.Tasks.SaveTasks(ctx, p.number, next)
	})
}

// saveTasksEvery is how many events without a publication may lie behind the saved position.
const saveTasksEvery = 10_000

// tasksOf makes the events of a publication, once it has been judged; none if it was refused or came before.
func (p *partition) tasksOf(ctx context.Context, e *catalog.Event) ([]log.Record, error) {
	if err := p.waitFor(ctx, e.Offset); err != nil {
		return nil, err
	}
	space := e.Data.Catalog().Space
	var published, removed []*catalog.Spec
	p.read(space, func(known *catalog.Space) {
		if known == nil {
			return
		}
		if out, ok := known.Outcome(e.Source, e.ID); ok && out.Accepted() && out.Offset == e.Offset {
			published, removed = known.SpecsAt(e.Offset)
		}
	})
	var records []log.Record
	add := func(spec *catalog.Spec, typ string, data any) error {
		ev := event.Event{ID: fmt.Sprintf("%s/%s/%s@%d", space, spec.Branch, spec.ID, e.Offset), Source: TaskSource, Type: typ, Time: e.Time, Data: data}
		rec, err := event.Encode(ev)
		if err != nil {
			return fmt.Errorf("writing job spec %s as a task: %w", spec.ID, err)
		}
		records = append(records, recordOf(rec))
		return nil
	}
	for _, spec := range removed {
		if err := add(spec, event.TypeTaskWithdrawn, &event.TaskWithdrawn{Task: taskOf(space, spec), Reason: "the job spec was removed", Labels: labelsOf(space, e.Offset)}); err != nil {
			return nil, err
		}
	}
	for _, spec := range published {
		var err error
		if spec.Withdrawn {
			err = add(spec, event.TypeTaskRemoved, removalOf(space, spec))
		} else {
			err = add(spec, event.TypeTaskDefined, definitionOf(space, spec))
		}
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}

func taskOf(space string, spec *catalog.Spec) event.Task {
	return event.Task{Namespace: TaskNamespace(space), ID: spec.ID, Branch: spec.Branch}
}

// labelsOf are the labels of every event that a publication makes.
func labelsOf(space string, position int64) map[string]string {
	return map[string]string{LabelSpace: space, event.LabelCatalogPosition: strconv.FormatInt(position, 10)}
}

// removalOf says what a withdrawn job spec means for the lineage: it hides what the fallbacks have for its
// outputs, under whatever id.
func removalOf(space string, spec *catalog.Spec) *event.TaskRemoved {
	d := &event.TaskRemoved{Task: taskOf(space, spec), Reason: "the job spec was withdrawn", Labels: labelsOf(space, spec.Published)}
	for _, out := range spec.Outputs {
		d.Outputs = append(d.Outputs, event.Ref{Family: name.FamilyDataset, Namespace: out.Dataset.Namespace, Name: out.Dataset.Name})
	}
	return d
}

// definitionOf says what a job spec means for the lineage: its SQL where it has some, and what it declares.
func definitionOf(space string, spec *catalog.Spec) *event.TaskDefined {
	d := &event.TaskDefined{
		Task: taskOf(space, spec), Kind: "batch", DefaultSource: spec.Outputs[0].Dataset.Namespace,
		Labels: labelsOf(space, spec.Published),
	}
	if spec.Commit != "" {
		d.Labels[LabelCommit] = spec.Commit
	}
	for _, in := range spec.Inputs {
		d.Inputs = append(d.Inputs, event.Input{Ref: event.Ref{Family: name.FamilyDataset, Namespace: in.Dataset.Namespace, Name: in.Dataset.Name}})
	}
	for _, out := range spec.Outputs {
		d.Outputs = append(d.Outputs, event.Output{Ref: event.Ref{Family: name.FamilyDataset, Namespace: out.Dataset.Namespace, Name: out.Dataset.Name}})
	}
	if strings.EqualFold(spec.Logic.Language, "sql") && spec.Logic.Text != "" {
		d.Dialect, d.SQL = spec.Logic.Dialect, spec.Logic.Text
		if len(spec.Outputs) == 1 && isQuery(spec.Logic.Text) {
			d.SQL = "INSERT INTO " + spec.Outputs[0].Dataset.Name + " " + spec.Logic.Text
		}
	}
	return d
}

// isQuery says whether a script begins with SELECT or WITH, behind comments.
func isQuery(sql string) bool {
	for {
		sql = strings.TrimSpace(sql)
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql, "*/")
		default:
			word, _, _ := strings.Cut(sql+" ", " ")
			word, _, _ = strings.Cut(word, "\n")
			return strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "WITH")
		}
	}
}

// recentOutcomes is how many outcomes are kept by offset, for those who wait for an event that they have
// written themselves.
const recentOutcomes = 1 << 16

// outcomeAt is how the event at an offset was judged.
type outcomeAt struct {
	offset  int64
	code    string
	message string
}

// ErrTooOld says that an outcome is not kept by its offset any more; the table outcomes has it.
var ErrTooOld = errors.New("the event was judged too long ago")

// OutcomeAt waits until the event at an offset has been judged, and returns code and sentence of its
// refusal, empty if it was accepted. A repeat has the outcome of the first one.
func (s *Service) OutcomeAt(ctx context.Context, partition int, offset int64) (code, message string, err error) {
	if partition < 0 || partition >= len(s.partitions) {
		return "", "", fmt.Errorf("the catalog has no partition %d", partition)
	}
	p := s.partitions[partition]
	if err := p.waitFor(ctx, offset); err != nil {
		return "", "", err
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := p.recent[offset%recentOutcomes]
	if out.offset != offset {
		return "", "", ErrTooOld
	}
	return out.code, out.message, nil
}
