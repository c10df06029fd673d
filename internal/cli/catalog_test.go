package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/builder/runner"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// catalogServer is a builder behind HTTP, for commands to speak to.
func catalogServer(t *testing.T) string {
	t.Helper()
	service := builder.New(builder.Config{Log: logtest.Start(t)})
	require.NoError(t, service.Start(context.Background()))
	mux := http.NewServeMux()
	service.Register(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
		require.NoError(t, service.Stop())
	})
	return server.URL
}

// catalogCommand runs a command and returns what it printed.
func catalogCommand(t *testing.T, server string, args ...string) (string, error) {
	t.Helper()
	root := &cobra.Command{Use: "tributary", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(NewDatasetCommand(), NewBranchCommand(), NewTransactionCommand(), NewBuildCommand(), NewPublishCommand())
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(append(args, "--server", server, "--space", "shop", "--namespace", "lake"))
	err := root.ExecuteContext(context.Background())
	return out.String(), err
}

func must(t *testing.T, server string, args ...string) string {
	t.Helper()
	out, err := catalogCommand(t, server, args...)
	require.NoError(t, err, "%v\n%s", args, out)
	return out
}

// instant is an executor that writes one file into each output.
type instant struct{}

func (instant) Run(_ context.Context, _ string, claim *catalogapi.Claim) ([]event.AttemptOutput, error) {
	var out []event.AttemptOutput
	for _, o := range claim.Outputs {
		out = append(out, event.AttemptOutput{Dataset: o.Dataset, Manifest: event.Manifest{Put: []event.File{{Path: "part-" + o.Transaction, Rows: 3}}}})
	}
	return out, nil
}

// withRunner runs jobs of the engine test while do works.
func withRunner(t *testing.T, server string, do func()) {
	t.Helper()
	r, err := runner.New(runner.Config{Servers: []string{server}, Space: "shop", Name: "r1", Executors: map[string]runner.Executor{"test": instant{}}})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	do()
	cancel()
	require.NoError(t, <-done)
}

func TestBranchAndTransactionCommands(t *testing.T) {
	server := catalogServer(t)
	must(t, server, "dataset", "create", "shop.a")
	require.Regexp(t, `(?m)\bshop\s+1\s+-\s+0\s+0\b`, must(t, server, "dataset", "spaces"))
	must(t, server, "branch", "create", "shop.a", "master")
	id := strings.TrimSpace(must(t, server, "transaction", "open", "shop.a", "--type", "SNAPSHOT"))
	must(t, server, "transaction", "add", id, "--put", "p0=s3://lake/p0,5,50")
	require.Contains(t, must(t, server, "transaction", "commit", id, "--put", "p1=s3://lake/p1,7,70"), "is committed")
	require.Contains(t, must(t, server, "branch", "create", "dataset|lake|shop.a", "f", "--from", "master"), "branch f#1 of shop.a")
	require.Contains(t, must(t, server, "dataset", "view", "lake|shop.a", "--branch", "f"), "2 files, 12 rows, 120 bytes")
	require.Contains(t, must(t, server, "dataset", "view", "shop.a", "--at", "3"), "master#1 is empty: nothing was committed by position 3")
	require.Contains(t, must(t, server, "dataset", "history", "shop.a", "--branch", "f"), id)
	require.Contains(t, must(t, server, "transaction", "show", id), "shown by: master, f")
	require.Contains(t, must(t, server, "branch", "list", "shop.a"), "f#1")
	must(t, server, "branch", "protect", "f", "--dataset", "shop.a")
	_, err := catalogCommand(t, server, "branch", "delete", "shop.a", "f")
	require.ErrorContains(t, err, "BranchProtected")
	must(t, server, "branch", "unprotect", "f", "--dataset", "shop.a")
	must(t, server, "branch", "delete", "shop.a", "f")
	must(t, server, "branch", "restore", "shop.a", "f")
	must(t, server, "branch", "delete", "shop.a", "f")
	must(t, server, "branch", "sweep")
	_, err = catalogCommand(t, server, "branch", "restore", "shop.a", "f")
	require.ErrorContains(t, err, "NotRestorable")
	_, err = catalogCommand(t, server, "dataset", "view", "a|b|c|d")
	require.ErrorContains(t, err, "is not the name of a dataset")
	require.Contains(t, must(t, server, "branch", "list", "shop.a", "--json"), `"name": "master"`)
}

// gitTree makes a working tree on a branch.
func gitTree(t *testing.T, branch string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"init", "-q", "-b", branch}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x"}} {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return dir
}

func TestPublishAndBuildCommands(t *testing.T) {
	server := catalogServer(t)
	must(t, server, "dataset", "create", "shop.a")
	must(t, server, "branch", "create", "shop.a", "master")
	id := strings.TrimSpace(must(t, server, "transaction", "open", "shop.a"))
	must(t, server, "transaction", "commit", id)
	spec := func(in, out string) string {
		return "-- inputs: " + in + "\n-- outputs: " + out + "\n-- engine: test\nSELECT 1\n"
	}
	master := gitTree(t, "master", map[string]string{"b.sql": spec("shop.a", "shop.b"), "c.sql": spec("shop.b", "shop.c")})
	require.Contains(t, must(t, server, "publish", master, "--dry-run"), "add      b")
	require.Contains(t, must(t, server, "publish", master), "branch master has 2 job specs of commit ")
	require.Contains(t, must(t, server, "publish", master), "has these 2 job specs already")
	withRunner(t, server, func() {
		require.Contains(t, must(t, server, "build", "run", "--id", "b2", "shop.c", "--mode", "upstream"), "COMPLETED     c")
	})

	// On feature the logic of b changes and c is gone.
	feature := gitTree(t, "feature", map[string]string{"b.sql": spec("shop.a", "shop.b") + "-- changed\n"})
	require.Contains(t, must(t, server, "publish", feature), "withdraw c")
	require.NoError(t, os.WriteFile(filepath.Join(feature, "b.sql"), []byte(spec("shop.a", "shop.b")+"-- changed again\n"), 0o600))
	require.Regexp(t, "of commit [0-9a-f]+-dirty", must(t, server, "publish", feature))
	_, err := catalogCommand(t, server, "build", "run", "shop.c", "--branch", "feature", "--fallback", "master")
	require.ErrorContains(t, err, "withdrawn on branch feature")

	plan := must(t, server, "build", "plan", "shop.b", "--branch", "feature", "--fallback", "master")
	require.Contains(t, plan, "RUN  b  (spec of feature)")
	_, digest, _ := strings.Cut(strings.TrimSpace(plan), "\nplan ")
	withRunner(t, server, func() {
		out := must(t, server, "build", "apply", "shop.b", "--branch", "feature", "--fallback", "master", "--plan", digest)
		require.Contains(t, out, "is SUCCEEDED")
	})
	_, err = catalogCommand(t, server, "build", "apply", "shop.b", "--branch", "feature", "--fallback", "master", "--plan", digest)
	require.ErrorContains(t, err, "PlanStale")
	require.Contains(t, must(t, server, "build", "why", "b2", "c"), "reads shop.b on master")
	_, err = catalogCommand(t, server, "build", "why", "b2", "none")
	require.ErrorContains(t, err, "has no job none")
	refused, err := catalogCommand(t, server, "build", "plan", "shop.b", "--mode", "sideways")
	require.Equal(t, ExitError{Code: exitFailed}, err)
	require.Contains(t, refused, "InvalidBuild")
	require.NotContains(t, refused, "plan ", "nothing can be applied")
	require.Contains(t, must(t, server, "build", "list"), "SUCCEEDED")
	must(t, server, "build", "run", "--id", "b3", "shop.c", "--force", "--watch=false")
	must(t, server, "build", "abort", "b3", "--reason", "a mistake")
	_, err = catalogCommand(t, server, "build", "watch", "b3")
	require.Equal(t, ExitError{Code: exitFailed}, err)
	require.Contains(t, must(t, server, "build", "why", "b3"), "aborted: a mistake")
}
