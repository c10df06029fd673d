// Command tributary is every role of Tributary in one binary, and the commands
// for people.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/internal/cli"
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and gives its exit code: 0 done, 1 failed, or
// the code of a cli.ExitError.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal drains, a second one ends the process at once
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(cli.ForPeople(os.Stdout))
	root.SetErr(cli.ForPeople(os.Stderr))
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	exit, coded := errors.AsType[cli.ExitError](err)
	if !coded {
		exit = cli.ExitError{Code: 1, Err: err}
	}
	if exit.Err != nil {
		tell(cmd, exit.Err)
	}
	return exit.Code
}

// tell prints why a command failed: with --json what the server said, as it
// said it.
func tell(cmd *cobra.Command, err error) {
	if refused, ok := errors.AsType[*cli.RefusedError](err); ok && cli.WantsJSON(cmd) {
		_ = cli.PrintJSON(cmd.ErrOrStderr(), refused) // standard error is gone: nobody to tell
		return
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "tributary:", err)
}
