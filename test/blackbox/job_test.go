package blackbox_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// produce writes an event to Kafka as any Go service would, without a line of
// Tributary's code between.
func produce(t *testing.T, brokers []string, topic, key, eventType string, data any) {
	t.Helper()
	value, err := json.Marshal(data)
	require.NoError(t, err)
	w := &kafka.Writer{Addr: kafka.TCP(brokers...), Topic: topic, Balancer: kafka.Murmur2Balancer{}, RequiredAcks: kafka.RequireAll}
	defer w.Close()
	require.NoError(t, w.WriteMessages(t.Context(), kafka.Message{
		Key: []byte(key), Value: value,
		Headers: []kafka.Header{
			{Key: "ce_specversion", Value: []byte("1.0")}, {Key: "ce_id", Value: []byte("kafka-go-" + key)},
			{Key: "ce_source", Value: []byte("kafka-go")}, {Key: "ce_type", Value: []byte(eventType)},
			{Key: "content-type", Value: []byte("application/json")},
		},
	}))
}

// python runs a script of testdata.
func python(t *testing.T, script, stdin string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(needPython(t), append([]string{"testdata/" + script}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// feed sends a small warehouse by every way in.
func feed(t *testing.T, p *process) {
	t.Helper()
	post(t, p.URL,
		table("db.orders", "id", "customer", "price", "pieces"),
		task("load_orders", "INSERT INTO dw.orders (id, customer, amount) SELECT o.id, o.customer, o.price * o.pieces FROM orders o"))
	produce(t, p.Brokers, log.TopicTasks, "default|daily", event.TypeTaskDefined, map[string]any{
		"id": "daily", "dialect": "mysql", "default_source": shop,
		"sql": "INSERT INTO mart.daily (customer, total) SELECT customer, sum(amount) FROM dw.orders GROUP BY customer",
	})
	python(t, "kafka_events.py", `{"id":"prices","kind":"api","name":"Daily prices","dialect":"mysql","default_source":"`+shop+`","sql":"SELECT total FROM mart.daily"}`,
		nil, strings.Join(p.Brokers, ","), log.TopicTasks, "default|prices", event.TypeTaskDefined)
	python(t, "openlineage_events.py", "", []string{"OPENLINEAGE_URL=" + p.URL})
}

func TestEveryWayInLeadsToOneLineage(t *testing.T) {
	needPython(t)
	p := serve(t, t.TempDir())
	feed(t, p)
	soon(t, p.Store, "SELECT from_name, to_name, arraySort(origins) FROM tributary.lineage_edges ORDER BY ALL FORMAT TSV",
		"db.orders\tdw.orders\t['parsed']",
		"dw.orders\tmart.daily\t['parsed']",
		"mart.daily\tmart.top\t['observed','parsed']",
		"mart.daily\tprices\t['parsed']",
		"mart.top\ttop/daily\t['observed']",
	)
	requireAudit(t, connect(t, p.Brokers), p.Store)
	require.Zero(t, p.interrupt())
}
