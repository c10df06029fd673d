package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/demo"
	"github.com/tributary-data/tributary/demo/build"
	"github.com/tributary-data/tributary/ingest/emit"
	"github.com/tributary-data/tributary/internal/app"
	"github.com/tributary-data/tributary/internal/cli"
	"github.com/tributary-data/tributary/internal/config"
	"github.com/tributary-data/tributary/internal/heap"
	"github.com/tributary-data/tributary/internal/telemetry"
	"github.com/tributary-data/tributary/schemas/event"
)

func newDemoCommand() *cobra.Command {
	var server string
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Feed an online shop's warehouse and ask multi-hop questions",
		Long: `Feed an online shop's warehouse (sources, tables, and the SQL of 71 tasks in
six dialects) and ask multi-hop questions about it.

Without --server it runs on a server of its own in a temporary folder, which is
gone afterwards; --keep leaves that server up, with its page, until Ctrl+C.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server != "" {
				return runDemo(cmd, server)
			}
			return withTemporaryServer(cmd, keep, func(a *app.App) error { return runDemo(cmd, a.URL()) })
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "base URL of a running server to use instead of a temporary one")
	addKeepFlag(cmd, &keep)
	cmd.AddCommand(newDemoBuildCommand())
	return cmd
}

func newDemoBuildCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build datasets on a branch, with real rows, and show that master did not change",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withTemporaryServer(cmd, keep, func(a *app.App) error {
				return build.Run(cmd.Context(), build.Config{Server: a.URL(), Conn: a.Store().Write(), Out: cmd.OutOrStdout()})
			})
		},
	}
	addKeepFlag(cmd, &keep)
	return cmd
}

func addKeepFlag(cmd *cobra.Command, keep *bool) {
	cmd.Flags().BoolVar(keep, "keep", false, "leave the temporary server up until Ctrl+C, with its page and, for SQL, its store")
}

// withTemporaryServer runs do against a whole server in a folder that is gone
// afterwards, at once or, with keep, when the caller is told to stop.
func withTemporaryServer(cmd *cobra.Command, keep bool, do func(a *app.App) error) (err error) {
	dir, err := os.MkdirTemp("", "tributary-demo-*")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	settings := &cobra.Command{}
	config.AddFlags(settings.Flags())
	if err := settings.ParseFlags([]string{"--data", dir, "--listen", "127.0.0.1:0", "--store-listen", "127.0.0.1:0", "--log-level", "warn"}); err != nil {
		return err
	}
	cfg, err := config.Load(settings.Flags())
	if err != nil {
		return err
	}
	logger, err := telemetry.NewLogger(cmd.ErrOrStderr(), cfg.Telemetry)
	if err != nil {
		return err
	}
	defer heap.Room()()
	a, err := app.Start(cmd.Context(), cfg, app.AllRoles(), logger, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), drainTimeout)
		defer cancel()
		err = errors.Join(err, a.Stop(ctx))
	}()
	if err := do(a); err != nil || !keep {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nUntil Ctrl+C the page is at %s/ and the store answers SQL at %s/.\n", a.URL(), a.StoreURL())
	<-cmd.Context().Done()
	return nil
}

// question is a command of the demo, with what it shows.
type question struct {
	why  string
	args []string
}

func questions() []question {
	return []question{
		{"What is there?", []string{"lineage", "search", "segment"}},
		{"Where does the champion tag come from? Every table upstream, nearest first.", []string{"lineage", "up", "tag_high_value"}},
		{"Where does one column come from, through seven hops and three engines?", []string{"lineage", "up", "mart.mart.user_segment", "--column", "lifetime_eur", "--flow", "direct"}},
		{"What depends on the exchange rates, down to APIs, metrics and dashboards?", []string{"lineage", "down", "shop.shop.exchange_rates"}},
		{"How does a click reach the churn model?", []string{"lineage", "paths", "bus.clickstream", "warehouse.ads.churn_features"}},
		{"What breaks when the unit price of order items changes?", []string{"lineage", "impact", "shop.shop.order_items", "--column", "unit_price"}},
	}
}

func runDemo(cmd *cobra.Command, server string) error {
	out := cmd.OutOrStdout()
	events, err := demo.Events(time.Now().UTC())
	if err != nil {
		return err
	}
	began := time.Now()
	if err := sendAll(cmd.Context(), server, events); err != nil {
		return err
	}
	fmt.Fprintf(out, "sent %d events (sources, tables, tasks) and saw their lineage in %s\n", len(events), time.Since(began).Round(time.Millisecond))
	for _, q := range questions() {
		fmt.Fprintf(out, "\n── %s\n$ tributary %s\n", q.why, strings.Join(q.args, " "))
		root := newRoot()
		root.SetOut(out)
		root.SetErr(cmd.ErrOrStderr())
		root.SetArgs(append(q.args, "--server", server))
		var exit cli.ExitError
		if err := root.ExecuteContext(cmd.Context()); err != nil && !errors.As(err, &exit) {
			return fmt.Errorf("asking %q: %w", strings.Join(q.args, " "), err)
		}
	}
	return nil
}

// sendAll emits the events and returns when their lineage is to be seen.
func sendAll(ctx context.Context, server string, events []event.Event) error {
	sink, err := emit.HTTP(server, emit.HTTPOptions{Wait: true})
	if err != nil {
		return err
	}
	emitter, err := emit.New(sink, emit.Options{Source: demo.Source}) //nolint:contextcheck // it sends until it is closed
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := emitter.EmitEvent(ctx, e); err != nil {
			return errors.Join(err, emitter.Close(ctx))
		}
	}
	return errors.Join(emitter.Flush(ctx), emitter.Close(ctx))
}
