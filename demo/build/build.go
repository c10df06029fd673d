// Package build shows a build on a branch with real rows: A, B and C on master, where A are orders, B their
// revenue and C a summary. A feature changes B and C; building it reads A from master and B from feature,
// and leaves master as it was.
package build

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/builder/runner"
	"github.com/tributary-data/tributary/builder/specfile"
	"github.com/tributary-data/tributary/internal/cli"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

//go:embed master feature
var trees embed.FS

const (
	space     = "demo"
	namespace = "clickhouse://shop"
	feature   = "feature"
	orders    = "shop.orders"
	revenue   = "shop.revenue"
	summary   = "shop.summary"
)

// ordersSQL are the rows of A.
const ordersSQL = `SELECT id, customer, amount, returned, paid FROM values('id UInt32, customer String, amount Decimal(10, 2), returned Decimal(10, 2), paid Bool',
	(1, 'Ada', 120, 0, true), (2, 'Ada', 80, 80, true), (3, 'Grace', 45, 0, true), (4, 'Grace', 300, 0, false), (5, 'Alan', 210, 10, true))`

// Config says what the demo runs on.
type Config struct {
	// Server is the base URL of a server with the roles ingest and build.
	Server string
	// Conn is a connection to ClickHouse where the rows are kept.
	Conn   driver.Conn
	Out    io.Writer
	Client *http.Client
}

// demo is a run of it.
type demo struct {
	Config
	api      *catalogapi.Client
	executor *runner.ClickHouseExecutor
}

// Run tells the story and prints what happens. It returns an error if master did not stay as it was.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Client == nil {
		cfg.Client = http.DefaultClient
	}
	api, err := catalogapi.NewClient(cfg.Server, catalogapi.WithHTTPClient(cfg.Client))
	if err != nil {
		return err
	}
	d := &demo{Config: cfg, api: api, executor: runner.NewClickHouseExecutor(cfg.Conn)}
	ctx, cancel := context.WithCancel(ctx)
	work, err := runner.New(runner.Config{Servers: []string{cfg.Server}, Space: space, Name: "demo", Client: cfg.Client,
		Executors: map[string]runner.Executor{"clickhouse-sql": d.executor}})
	if err != nil {
		cancel()
		return err
	}
	done := make(chan error, 1)
	go func() { done <- work.Run(ctx) }()
	defer func() {
		cancel()
		<-done //nolint:errcheck // it ends with the context and has nothing to say
	}()
	return d.story(ctx)
}

func (d *demo) story(ctx context.Context) error {
	d.say("A: orders are loaded on master, in a transaction")
	if err := d.load(ctx); err != nil {
		return err
	}
	d.say("B and C: their job specs are published on master, and built")
	if err := d.publishAndBuild(ctx, event.MasterBranch); err != nil {
		return err
	}
	before, err := d.picture(ctx, event.MasterBranch)
	if err != nil {
		return err
	}
	fmt.Fprint(d.Out, before)
	d.say("The branch feature changes B and C, and is built with master as its fallback")
	if err := d.publishAndBuild(ctx, feature, event.MasterBranch); err != nil {
		return err
	}
	after, err := d.picture(ctx, feature)
	if err != nil {
		return err
	}
	fmt.Fprint(d.Out, after)
	d.say("The proof: master, read once more")
	again, err := d.picture(ctx, event.MasterBranch)
	if err != nil {
		return err
	}
	fmt.Fprint(d.Out, again)
	if again != before {
		return errors.New("master is not as it was before feature was built")
	}
	fmt.Fprintln(d.Out, "Transactions and rows of A, B and C on master are exactly as before.")
	return nil
}

func (d *demo) say(s string) { fmt.Fprintf(d.Out, "\n── %s\n", s) }

func dataset(name string) event.CatalogDataset {
	return event.CatalogDataset{Namespace: namespace, Name: name}
}

// read reads an answer and closes it, or tells the reason for none.
func read[T any](resp *http.Response, err error) (v T, failure error) {
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return v, err
	}
	if resp.StatusCode >= 300 {
		return v, cli.FailureOf(resp.StatusCode, body)
	}
	return v, json.Unmarshal(body, &v)
}

// load makes A and commits its rows.
func (d *demo) load(ctx context.Context) error {
	if _, err := read[catalogapi.Written](d.api.CreateDataset(ctx, space, &catalogapi.CreateDatasetParams{Wait: "applied"}, event.DatasetCreated{Dataset: dataset(orders)})); err != nil {
		return err
	}
	if _, err := read[catalogapi.Written](d.api.CreateBranch(ctx, space, &catalogapi.CreateBranchParams{Wait: "applied"}, event.BranchCreated{Dataset: dataset(orders), Branch: event.MasterBranch})); err != nil {
		return err
	}
	open, err := read[catalogapi.Written](d.api.OpenTransaction(ctx, space, &catalogapi.OpenTransactionParams{Wait: "applied"},
		event.TransactionOpened{Dataset: dataset(orders), BranchHandle: event.BranchHandle{Branch: event.MasterBranch}, Type: event.TransactionSnapshot}))
	if err != nil {
		return err
	}
	rows, err := d.executor.InsertRows(ctx, dataset(orders), open.Transaction, ordersSQL)
	if err != nil {
		return err
	}
	_, err = read[catalogapi.Written](d.api.CommitTransaction(ctx, space, open.Transaction, &catalogapi.CommitTransactionParams{Wait: "applied"},
		event.TransactionCommitted{Manifest: rows.Manifest, Schema: rows.Schema}))
	if err == nil {
		fmt.Fprintf(d.Out, "%d rows in transaction %s\n", rows.Put[0].Rows, open.Transaction)
	}
	return err
}

// publishAndBuild publishes the specs of a tree for its branch, shows the plan and applies it.
func (d *demo) publishAndBuild(ctx context.Context, branch string, fallbacks ...string) error {
	tree, err := fs.Sub(trees, branch)
	if err != nil {
		return err
	}
	specs, err := specfile.Read(tree, specfile.Options{Namespace: namespace, Engine: "clickhouse-sql", Dialect: "clickhouse"})
	if err != nil {
		return err
	}
	if _, err := read[catalogapi.Written](d.api.PublishJobSpecs(ctx, space, &catalogapi.PublishJobSpecsParams{Wait: "applied"},
		event.JobSpecPublished{Branch: branch, Specs: specs, Complete: true})); err != nil {
		return err
	}
	req := event.BuildRequested{Branch: branch, Fallbacks: fallbacks, Targets: []event.CatalogDataset{dataset(summary)}, Mode: event.TargetUpstream}
	plan, err := read[catalogapi.Plan](d.api.PlanBuild(ctx, space, &catalogapi.PlanBuildParams{}, req))
	if err != nil {
		return err
	}
	if err := cli.ShowPlan(d.Out, plan); err != nil {
		return err
	}
	req.PlanDigest = plan.Digest
	written, err := read[catalogapi.Written](d.api.RequestBuild(ctx, space, &catalogapi.RequestBuildParams{Wait: "applied"}, req))
	if err != nil {
		return err
	}
	return d.watch(ctx, written.Build)
}

// watch waits for the end of a build.
func (d *demo) watch(ctx context.Context, b catalogapi.Build) error {
	for b.State == "QUEUED" || b.State == "RUNNING" {
		since := b.Changed + 1
		var err error
		if b, err = read[catalogapi.Build](d.api.GetBuild(ctx, space, b.Id, &catalogapi.GetBuildParams{ChangedSince: &since})); err != nil {
			return err
		}
	}
	for _, j := range b.Jobs {
		fmt.Fprintf(d.Out, "%s: %s", j.Spec, j.State)
		for _, in := range j.Inputs {
			fmt.Fprintf(d.Out, "; read %s on %s", in.Dataset.Name, in.Branch)
		}
		fmt.Fprintf(d.Out, "; wrote %s on %s %s\n", j.Outputs[0].Dataset.Name, j.Outputs[0].Branch, j.Message)
	}
	if b.State != "SUCCEEDED" {
		return fmt.Errorf("the build on %s ended as %s", b.Branch, b.State)
	}
	return nil
}

// picture shows what a branch has: for each dataset the branch's transaction and its rows.
func (d *demo) picture(ctx context.Context, branch string) (string, error) {
	var out strings.Builder
	for _, name := range []string{orders, revenue, summary} {
		view, err := read[catalogapi.View](d.api.GetView(ctx, space, &catalogapi.GetViewParams{Namespace: namespace, Name: name, Branch: branch}))
		if failure, ok := err.(*cli.RefusedError); ok && failure.Code == "BranchNotFound" { //nolint:errorlint // read returns it as it is
			fmt.Fprintf(&out, "%s has no branch %s: it was only read\n", name, branch)
			continue
		}
		if err != nil {
			return "", err
		}
		lines, err := d.rows(ctx, view)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s on %s, transaction %s:\n%s", name, branch, view.Transaction, lines)
	}
	return out.String(), nil
}

// rows reads the rows of a view.
func (d *demo) rows(ctx context.Context, view catalogapi.View) (string, error) {
	sql, err := runner.ViewSQL(view.List, view.Schema)
	if err != nil {
		return "", err
	}
	rows, err := d.Conn.Query(ctx, "SELECT formatRow('CSV', *) AS line FROM ("+sql+") ORDER BY line")
	if err != nil {
		return "", fmt.Errorf("reading rows: %w", err)
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return "", fmt.Errorf("reading rows: %w", err)
		}
		out.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return out.String(), rows.Err()
}
