package runner_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/builder/runner"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const space = "shop"

// rig is a builder with its API, an engine and an executor on it.
type rig struct {
	t        *testing.T
	api      *catalogapi.ClientWithResponses
	url      string
	store    *store.Store
	executor *runner.ClickHouseExecutor
	client   *http.Client
	builds   int
}

func start(t *testing.T) *rig {
	t.Helper()
	s := storetest.Open(t)
	service := builder.New(builder.Config{Log: logtest.Start(t), Lease: 3 * time.Second, Backoff: 10 * time.Millisecond})
	require.NoError(t, service.Start(context.Background()))
	mux := http.NewServeMux()
	service.Register(mux)
	server := httptest.NewServer(mux)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
		require.NoError(t, service.Stop())
	})
	api, err := catalogapi.NewClientWithResponses(server.URL, catalogapi.WithHTTPClient(client))
	require.NoError(t, err)
	return &rig{t: t, api: api, url: server.URL, store: s, executor: runner.NewClickHouseExecutor(s.Write()), client: client}
}

func dataset(name string) event.CatalogDataset {
	return event.CatalogDataset{Namespace: "clickhouse://shop", Name: name}
}

// load makes a dataset if need be and commits the rows of a SELECT to its master.
func (r *rig) load(name, typ, sql string) string {
	ctx := context.Background()
	_, err := r.api.CreateDatasetWithResponse(ctx, space, &catalogapi.CreateDatasetParams{Wait: "applied"}, event.DatasetCreated{Dataset: dataset(name)})
	require.NoError(r.t, err)
	_, err = r.api.CreateBranchWithResponse(ctx, space, &catalogapi.CreateBranchParams{Wait: "applied"}, event.BranchCreated{Dataset: dataset(name), Branch: "master"})
	require.NoError(r.t, err)
	open, err := r.api.OpenTransactionWithResponse(ctx, space, &catalogapi.OpenTransactionParams{Wait: "applied"},
		event.TransactionOpened{Dataset: dataset(name), BranchHandle: event.BranchHandle{Branch: "master"}, Type: typ})
	require.NoError(r.t, err)
	require.NotNil(r.t, open.JSON200, string(open.Body))
	out, err := r.executor.InsertRows(ctx, dataset(name), open.JSON200.Transaction, sql)
	require.NoError(r.t, err)
	done, err := r.api.CommitTransactionWithResponse(ctx, space, open.JSON200.Transaction, &catalogapi.CommitTransactionParams{Wait: "applied"},
		event.TransactionCommitted{Manifest: out.Manifest, Schema: out.Schema})
	require.NoError(r.t, err)
	require.NotNil(r.t, done.JSON200, string(done.Body))
	return open.JSON200.Transaction
}

func (r *rig) publish(branch, id, engine, typ, sql string, properties map[string]string, inputs []string, outputs ...string) {
	spec := event.JobSpec{ID: id, Logic: event.Logic{Language: "sql", Dialect: "clickhouse", Text: sql}, Engine: engine, Properties: properties}
	for _, in := range inputs {
		spec.Inputs = append(spec.Inputs, event.SpecInput{Dataset: dataset(in)})
	}
	for _, out := range outputs {
		spec.Outputs = append(spec.Outputs, event.SpecOutput{Dataset: dataset(out), Type: typ})
	}
	resp, err := r.api.PublishJobSpecsWithResponse(context.Background(), space, &catalogapi.PublishJobSpecsParams{Wait: "applied"},
		event.JobSpecPublished{Branch: branch, Specs: []event.JobSpec{spec}})
	require.NoError(r.t, err)
	require.NotNil(r.t, resp.JSON200, string(resp.Body))
}

// build builds targets to the end with a runner beside it.
func (r *rig) build(executors map[string]runner.Executor, branch string, fallbacks []string, targets ...string) catalogapi.Build {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	run, err := runner.New(runner.Config{Servers: []string{r.url}, Space: space, Name: "r1", Executors: executors, Parallel: 2, Client: r.client})
	require.NoError(r.t, err)
	done := make(chan error, 1)
	go func() { done <- run.Run(ctx) }()
	defer func() { cancel(); require.NoError(r.t, <-done) }()
	r.builds++
	req := event.BuildRequested{Build: fmt.Sprintf("b%d", r.builds), Branch: branch, Fallbacks: fallbacks, Mode: event.TargetUpstream, Retries: 2}
	for _, name := range targets {
		req.Targets = append(req.Targets, dataset(name))
	}
	resp, err := r.api.RequestBuildWithResponse(ctx, space, &catalogapi.RequestBuildParams{Wait: "applied"}, req)
	require.NoError(r.t, err)
	require.NotNil(r.t, resp.JSON200, string(resp.Body))
	b := resp.JSON200.Build
	for b.State == "RUNNING" || b.State == "QUEUED" {
		got, err := r.api.GetBuildWithResponse(ctx, space, req.Build, &catalogapi.GetBuildParams{ChangedSince: new(b.Changed + 1)})
		require.NoError(r.t, err)
		require.NotNil(r.t, got.JSON200, string(got.Body))
		b = *got.JSON200
	}
	return b
}

func (r *rig) sql() map[string]runner.Executor {
	return map[string]runner.Executor{"clickhouse-sql": r.executor}
}

// rows reads a dataset on a branch as one sorted line.
func (r *rig) rows(name, branch string) string {
	resp, err := r.api.GetViewWithResponse(context.Background(), space, &catalogapi.GetViewParams{Namespace: dataset(name).Namespace, Name: name, Branch: branch})
	require.NoError(r.t, err)
	require.NotNil(r.t, resp.JSON200, string(resp.Body))
	sql, err := runner.ViewSQL(resp.JSON200.List, resp.JSON200.Schema)
	require.NoError(r.t, err)
	var line string
	require.NoError(r.t, r.store.Read().QueryRow(context.Background(), "SELECT arrayStringConcat(arraySort(groupArray(toString(tuple(*)))), ' ') FROM ("+sql+")").Scan(&line))
	return line
}

func TestFeatureBranchReadsMasterAndLeavesIt(t *testing.T) {
	r := start(t)
	r.load("shop.a", "SNAPSHOT", "SELECT number AS id, number * 10 AS amount FROM numbers(4)")
	r.publish("master", "b", "clickhouse-sql", "", "INSERT INTO shop.b SELECT id, amount FROM shop.a WHERE a.amount > 0", nil, []string{"shop.a"}, "shop.b")
	r.publish("master", "c", "clickhouse-sql", "", "SELECT sum(shop.b.amount) AS total FROM shop.b", nil, []string{"shop.b"}, "shop.c")
	b := r.build(r.sql(), "master", nil, "shop.c")
	require.Equal(t, "SUCCEEDED", b.State, "%+v", b.Jobs)
	require.Equal(t, "(60)", r.rows("shop.c", "master"))

	r.publish("feature", "b", "clickhouse-sql", "", "SELECT id, amount * 2 AS amount, 'x' AS tag FROM shop.a", nil, []string{"shop.a"}, "shop.b")
	r.publish("feature", "c", "clickhouse-sql", "", "SELECT sum(amount) AS total, any(tag) AS tag FROM shop.b", nil, []string{"shop.b"}, "shop.c")
	b = r.build(r.sql(), "feature", []string{"master"}, "shop.c")
	require.Equal(t, "SUCCEEDED", b.State, "%+v", b.Jobs)
	require.Equal(t, "master", b.Jobs[0].Inputs[0].Branch)
	require.Equal(t, "feature", b.Jobs[1].Inputs[0].Branch)
	require.Equal(t, "(120,'x')", r.rows("shop.c", "feature"))
	require.Equal(t, "(60)", r.rows("shop.c", "master"))
	require.Equal(t, "(1,10) (2,20) (3,30)", r.rows("shop.b", "master"))
}

func TestAppendReadsOnlyWhatIsNew(t *testing.T) {
	r := start(t)
	r.load("shop.a", "SNAPSHOT", "SELECT number AS id FROM numbers(3)")
	r.publish("master", "b", "clickhouse-sql", "APPEND", "SELECT id, (SELECT count() FROM shop.a) AS batch FROM shop.a", nil, []string{"shop.a"}, "shop.b")
	require.False(t, r.build(r.sql(), "master", nil, "shop.b").Jobs[0].Incremental)
	require.Equal(t, "(0,3) (1,3) (2,3)", r.rows("shop.b", "master"))
	r.load("shop.a", "APPEND", "SELECT number + 3 AS id FROM numbers(2)")
	b := r.build(r.sql(), "master", nil, "shop.b")
	require.True(t, b.Jobs[0].Incremental)
	require.Equal(t, "(0,3) (1,3) (2,3) (3,2) (4,2)", r.rows("shop.b", "master"))
	r.load("shop.a", "SNAPSHOT", "SELECT toUInt64(9) AS id")
	require.False(t, r.build(r.sql(), "master", nil, "shop.b").Jobs[0].Incremental)
	require.Equal(t, "(9,1)", r.rows("shop.b", "master"))
}

func TestSQLReadsNothingButItsInputs(t *testing.T) {
	r := start(t)
	r.load("shop.a", "SNAPSHOT", "SELECT 1 AS id")
	r.load("shop.secret", "SNAPSHOT", "SELECT 'secret' AS word")
	for name, sql := range map[string]string{
		"table of the catalog": "SELECT count() AS n FROM tributary.catalog_outcomes",
		"in a subquery":        "SELECT id FROM shop.a WHERE id IN (SELECT toUInt8(1) FROM tributary.positions)",
		"IN with a table":      "SELECT id FROM shop.a WHERE 'x' IN tributary.positions",
		"undeclared dataset":   "SELECT * FROM shop.secret",
		"a file":               "SELECT * FROM file('/etc/hostname', 'LineAsString')",
		"an address":           "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
		"system":               "SELECT * FROM system.tables",
		"not a SELECT":         "DROP TABLE tributary.positions",
		"second statement":     "SELECT 1 AS x; DROP TABLE tributary.positions",
		"another output":       "INSERT INTO shop.secret SELECT 1 AS x",
		"no such column":       "SELECT nothing FROM shop.a",
		"division of a text":   "SELECT 'a' / 2 AS x FROM shop.a",
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.publish("master", "b", "clickhouse-sql", "", sql, nil, []string{"shop.a"}, "shop.b")
			b := r.build(r.sql(), "master", nil, "shop.b")
			require.Equal(t, "FAILED", b.State)
			require.Len(t, b.Jobs[0].Attempts, 1, "what cannot succeed is not tried again: %s", b.Jobs[0].Message)
		})
	}
}

func TestTwoOutputsComeTogether(t *testing.T) {
	r := start(t)
	r.load("shop.a", "SNAPSHOT", "SELECT number AS id FROM numbers(4)")
	r.publish("master", "j", "clickhouse-sql", "", "INSERT INTO shop.even SELECT id FROM shop.a WHERE id % 2 = 0; INSERT INTO shop.odd SELECT id FROM shop.a WHERE id % 2 = 1;", nil, []string{"shop.a"}, "shop.even", "shop.odd")
	require.Equal(t, "SUCCEEDED", r.build(r.sql(), "master", nil, "shop.odd").State)
	require.Equal(t, "(0) (2)", r.rows("shop.even", "master"))
	require.Equal(t, "(1) (3)", r.rows("shop.odd", "master"))
}

// script writes a program for the command executor.
func script(t *testing.T, text string) runner.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
	return runner.Program{Path: path, Args: []string{"--flag"}}
}

func TestCommandGetsItsClaimAndCommits(t *testing.T) {
	r := start(t)
	r.load("shop.a", "SNAPSHOT", "SELECT 1 AS id")
	seen := filepath.Join(t.TempDir(), "seen")
	e := &runner.CommandExecutor{Location: "s3://lake/{name}/{transaction}", Environment: []string{"PATH=/usr/bin:/bin", "SEEN=" + seen}, Programs: map[string]runner.Program{
		"good":  script(t, `cat > "$SEEN"; echo '{"outputs":[{"dataset":{"namespace":"clickhouse://shop","name":"shop.b"},"put":[{"path":"p0","rows":5}]}]}'`),
		"bad":   script(t, `echo broken >&2; exit 65`),
		"again": script(t, `if [ -e "$SEEN" ]; then echo '{}'; else touch "$SEEN"; exit 1; fi`),
		"lies":  script(t, `echo nonsense`),
	}}
	executors := map[string]runner.Executor{"command": e}
	with := func(program string) catalogapi.Build {
		r.publish("master", "b", "command", "", program, map[string]string{"program": program}, []string{"shop.a"}, "shop.b")
		return r.build(executors, "master", nil, "shop.b")
	}
	again := with("again")
	require.Equal(t, "SUCCEEDED", again.State)
	require.Len(t, again.Jobs[0].Attempts, 2)
	require.Equal(t, "SUCCEEDED", with("good").State)
	text, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Contains(t, string(text), `"locations":["s3://lake/shop.b/`)
	require.Contains(t, string(text), `"token":""`, "the program does not get the secret")
	bad := with("bad")
	require.Equal(t, "FAILED", bad.State)
	require.Contains(t, bad.Jobs[0].Message, "broken")
	require.Equal(t, "FAILED", with("lies").State)
	require.Equal(t, "FAILED", with("unregistered").State)
	require.Equal(t, "FAILED", r.build(executors, "master", nil, "shop.b").State)
}
