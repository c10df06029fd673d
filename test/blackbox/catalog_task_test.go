package blackbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// TestLateDefinitionOfAJobSpec writes what a builder that was stopped would write after another has taken its
// place: events of older publications, behind those of later ones. They change nothing, also after a restart.
func TestLateDefinitionOfAJobSpec(t *testing.T) {
	dir := t.TempDir()
	p := serve(t, dir)
	labels := func(position int) map[string]string {
		return map[string]string{event.LabelCatalogPosition: fmt.Sprint(position)}
	}
	of := event.Task{Namespace: "tributary://shop", ID: "late"}
	write := func(eventType string, data any) {
		t.Helper()
		produce(t, p.Brokers, log.TopicTasks, of.TaskKey(), eventType, data)
		settle(t, connect(t, p.Brokers), p.Store)
	}
	define := func(position int, from string) {
		t.Helper()
		write(event.TypeTaskDefined, &event.TaskDefined{Task: of, Labels: labels(position), Dialect: "mysql", DefaultSource: shop, DefaultSchema: "db",
			SQL: "INSERT INTO dw.late (x) SELECT x FROM " + from})
	}
	const edges = "SELECT from_name FROM tributary.lineage_edges WHERE to_name = 'dw.late'"
	const text = "SELECT argMax(definition, opened) LIKE '%FROM second%' AND argMax(status, opened) = 'defined' FROM tributary.tasks WHERE task = 'tributary://shop|late' FORMAT TSV"
	define(5, "first")
	soon(t, p.Store, edges, "db.first")
	define(7, "second")
	soon(t, p.Store, edges, "db.second")
	stands := func() {
		t.Helper()
		requireAudit(t, connect(t, p.Brokers), p.Store)
		soon(t, p.Store, edges, "db.second")
		soon(t, p.Store, text, "1")
	}
	define(5, "first")
	stands()
	p.kill()
	p = serve(t, dir)
	define(5, "first")
	write(event.TypeTaskWithdrawn, &event.TaskWithdrawn{Task: of, Labels: labels(6)})
	write(event.TypeTaskRemoved, &event.TaskRemoved{Task: of, Labels: labels(6)})
	stands()
	write(event.TypeTaskWithdrawn, &event.TaskWithdrawn{Task: of, Labels: labels(8)})
	soon(t, p.Store, edges)
	define(7, "second")
	requireAudit(t, connect(t, p.Brokers), p.Store)
	soon(t, p.Store, edges)
	require.Zero(t, p.interrupt())
}
