package blackbox_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
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
	requireAnswers(t, p.URL)
	requireCommands(t, p.URL)
	require.Zero(t, p.interrupt())
}

// Keys of the warehouse that feed sends.
const (
	orders   = "dataset|" + shop + "|db.orders"
	dwOrders = "dataset|" + shop + "|dw.orders"
	daily    = "dataset|" + shop + "|mart.daily"
	top      = "dataset|" + shop + "|mart.top"
	export   = "dataset|s3://exports|top/daily"
	prices   = "api|default|prices"
)

// reached lists what a closure reached, as "distance key" or, with columns,
// "distance key column".
func reached(c lineageapi.Closure) []string {
	var out []string
	for _, n := range c.Nodes {
		out = append(out, strings.TrimSpace(fmt.Sprint(n.Distance, " ", n.Key, " ", n.Column)))
	}
	slices.Sort(out)
	return out
}

// requireAnswers asks about several hops, up and down, by tables and columns.
func requireAnswers(t *testing.T, base string) {
	t.Helper()
	closure := func(want []string, params url.Values) {
		t.Helper()
		poll(t, settleTime, func() error {
			var c lineageapi.Closure
			if err := tryGet(base, "/api/v1/closure", params, &c); err != nil {
				return err
			}
			if got := reached(c); !slices.Equal(want, got) {
				return fmt.Errorf("%v reaches %v, not %v", params, got, want)
			}
			return nil
		})
	}
	closure([]string{"1 " + dwOrders, "2 " + daily, "3 " + prices, "3 " + top, "4 " + export}, url.Values{"node": {orders}, "direction": {"down"}})
	closure([]string{"1 " + top, "2 " + daily, "3 " + dwOrders, "4 " + orders}, url.Values{"node": {export}, "direction": {"up"}})
	closure([]string{"1 " + top + " total", "2 " + daily + " total", "3 " + dwOrders + " amount", "4 " + orders + " pieces", "4 " + orders + " price"},
		url.Values{"node": {export}, "column": {"amount"}, "direction": {"up"}, "flow": {"direct"}})

	var g lineageapi.Graph
	get(t, base, "/api/v1/graph", url.Values{"node": {daily}, "tasks": {"all"}, "depth": {"1"}}, &g)
	var nodes []string
	for _, n := range g.Nodes {
		nodes = append(nodes, fmt.Sprint(n.Side, " ", n.Key))
	}
	require.Subset(t, nodes, []string{"0 " + daily, "-1 " + dwOrders, "1 " + top, "1 " + prices})
	require.Contains(t, strings.Join(nodes, "\n"), "task|default|daily")
	require.Contains(t, strings.Join(nodes, "\n"), "task|scheduler|marts.top")
	require.NotEmpty(t, g.Position)
}

// requireCommands asks the same by the command line.
func requireCommands(t *testing.T, server string) {
	t.Helper()
	a := command(t, server, "", "lineage", "down", orders, "--json")
	require.Zero(t, a.code, a.errors)
	var c lineageapi.Closure
	require.NoError(t, json.Unmarshal([]byte(a.out), &c), a.out)
	require.Equal(t, []string{"1 " + dwOrders, "2 " + daily, "3 " + prices, "3 " + top, "4 " + export}, reached(c))

	a = command(t, server, "", "lineage", "up", export, "--column", "who", "--flow", "direct", "--json")
	require.Zero(t, a.code, a.errors)
	c = lineageapi.Closure{}
	require.NoError(t, json.Unmarshal([]byte(a.out), &c), a.out)
	require.Equal(t, []string{"1 " + top + " customer", "2 " + daily + " customer", "3 " + dwOrders + " customer", "4 " + orders + " customer"}, reached(c))

	a = command(t, server, "", "lineage", "show", daily)
	require.Zero(t, a.code, a.errors)
	require.Contains(t, a.out, "mart.top")
	a = command(t, server, "", "lineage", "search", "daily", "--json")
	require.Zero(t, a.code, a.errors)
	require.Contains(t, a.out, daily)
	a = command(t, server, "", "lineage", "down", "dataset|"+shop+"|no.such")
	require.Equal(t, 1, a.code)
	require.Contains(t, a.errors, "no.such")
}
