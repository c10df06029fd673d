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

	"github.com/tributary-data/tributary/internal/cli"
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and gives its exit code: 0 done, 1 failed, or
// the code of a cli.ExitError.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var exit cli.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	default:
		fmt.Fprintln(os.Stderr, "tributary:", err)
		return 1
	}
}
