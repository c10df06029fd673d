package builder_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// positions are TaskPositions in memory that can fail to save.
type positions struct {
	mu   sync.Mutex
	next map[int]int64
	fail bool
}

func (p *positions) LoadTasks(_ context.Context, partition int) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next[partition], nil
}

func (p *positions) SaveTasks(_ context.Context, partition int, next int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail {
		p.fail = false
		return errors.New("the store is away")
	}
	p.next[partition] = next
	return nil
}

// tasks reads the events of tributary.tasks, by id, until there are n. One may be there twice.
func (r *rig) tasks(n int) map[string]event.Event {
	list := map[string]event.Event{}
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var readers sync.WaitGroup
	for partition := range log.EmbeddedPartitions {
		readers.Go(func() {
			_ = r.log.Read(ctx, log.TopicTasks, partition, 0, func(recs []log.Record) error {
				mu.Lock()
				defer mu.Unlock()
				for _, rec := range recs {
					ev, err := event.Decode(rec.Headers, rec.Value)
					if err != nil {
						return err
					}
					list[ev.ID] = ev
				}
				if len(list) >= n {
					cancel()
				}
				return nil
			})
		})
	}
	readers.Wait()
	require.GreaterOrEqual(r.t, len(list), n)
	return list
}

func TestJobSpecsBecomeTasks(t *testing.T) {
	r := start(t)
	r.stop()
	saved := &positions{next: map[int]int64{}, fail: true}
	r.serveWith(builder.Config{Tasks: saved})
	r.dataset("A")
	spec := func(id, text string, more object) object {
		s := object{"id": id, "inputs": []object{{"dataset": ref("A")}}, "outputs": []object{{"dataset": ref("shop." + id)}}, "logic": object{"language": "sql", "dialect": "clickhouse", "text": text}}
		maps.Copy(s, more)
		return s
	}
	r.ok("/job-specs", object{"branch": "f", "commit": "abc", "specs": []object{spec("b", "-- a remark\nSELECT 1", nil), spec("c", "INSERT INTO shop.c SELECT 2", nil)}})
	r.refused("InvalidJobSpec", "/job-specs", object{"branch": "f", "specs": []object{{"id": "d", "outputs": []object{}}}})
	r.ok("/job-specs", object{"branch": "f", "complete": true, "specs": []object{spec("b", "-- a remark\nSELECT 1", nil)}})
	r.ok("/job-specs", object{"branch": "f", "specs": []object{spec("b", "", object{"withdrawn": true})}})
	byID := r.tasks(4)
	require.Len(t, byID, 4)
	kinds := map[string]int{}
	for _, ev := range byID {
		kinds[ev.Type]++
		if d, ok := ev.Data.(*event.TaskRemoved); ok {
			require.Equal(t, "shop.b", d.Outputs[0].Name)
		}
		if d, ok := ev.Data.(*event.TaskDefined); ok {
			require.Equal(t, "f", d.Branch)
			require.Equal(t, "tributary://shop", d.Namespace)
			require.Equal(t, "abc", d.Labels[builder.LabelCommit])
			require.Contains(t, []string{"INSERT INTO shop.b -- a remark\nSELECT 1", "INSERT INTO shop.c SELECT 2"}, d.SQL)
		}
	}
	require.Equal(t, map[string]int{event.TypeTaskDefined: 2, event.TypeTaskWithdrawn: 1, event.TypeTaskRemoved: 1}, kinds)
}

func TestOutcomeAtAnOffset(t *testing.T) {
	r := start(t)
	w := r.ok("/datasets", object{"dataset": ref("A")})
	code, _, err := r.service.OutcomeAt(context.Background(), w.Partition, w.Offset)
	require.NoError(t, err)
	require.Empty(t, code)
	r.refused("DatasetExists", "/datasets", object{"dataset": ref("A")})
	code, message, err := r.service.OutcomeAt(context.Background(), w.Partition, w.Offset+1)
	require.NoError(t, err)
	require.Equal(t, "DatasetExists", code)
	require.NotEmpty(t, message)
}
