package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// Program is a program that a runner's owner has registered. It is started as it stands here, without a
// shell; nothing of a job spec becomes an argument.
type Program struct {
	Path string
	Args []string
}

// CommandExecutor starts the registered program that a job spec names in its property "program". The
// program gets a CommandInput on its standard input and prints a CommandOutput. Exit code 0 is success,
// 65 a failure that another try would bring again, any other a failure that is tried again.
type CommandExecutor struct {
	Programs map[string]Program
	// Location is where outputs go; {namespace}, {name}, {branch} and {transaction} are put in.
	Location string
	// Environment is all that the program sees of the runner's environment.
	Environment []string
}

// CommandInput is what a program reads.
type CommandInput struct {
	Space string            `json:"space"`
	Claim *catalogapi.Claim `json:"claim"`
	// Locations says where each output's files belong, in the order of the claim's outputs.
	Locations []string `json:"locations"`
}

// CommandOutput is what a program prints.
type CommandOutput struct {
	Outputs []event.AttemptOutput `json:"outputs"`
}

const (
	exitPermanent = 65 // EX_DATAERR
	maxStderr     = 4000
	maxStdout     = 64 << 20
	killAfter     = 10 * time.Second
)

// Run starts the program.
func (e *CommandExecutor) Run(ctx context.Context, space string, claim *catalogapi.Claim) ([]event.AttemptOutput, error) {
	program, ok := e.Programs[claim.Spec.Properties["program"]]
	if !ok {
		return nil, fmt.Errorf("%w: no program %q is registered with this runner", ErrPermanent, claim.Spec.Properties["program"])
	}
	input := CommandInput{Space: space, Claim: claim}
	hidden := *claim
	hidden.Token = "" // the program has no business with it
	input.Claim = &hidden
	for _, out := range claim.Outputs {
		input.Locations = append(input.Locations, strings.NewReplacer("{namespace}", out.Dataset.Namespace, "{name}", out.Dataset.Name,
			"{branch}", out.Branch, "{transaction}", out.Transaction).Replace(e.Location))
	}
	text, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("writing the program's input: %w", err)
	}
	cmd := exec.CommandContext(ctx, program.Path, program.Args...) //nolint:gosec // the owner of the runner registered it
	cmd.Env = append([]string{}, e.Environment...)
	cmd.Stdin = bytes.NewReader(text)
	stdout, stderr := &bounded{limit: maxStdout}, &bounded{limit: maxStderr, tail: true}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = killAfter
	if err := cmd.Run(); err != nil {
		return nil, commandFailure(ctx, err, stderr.String())
	}
	var output CommandOutput
	if err := json.Unmarshal(stdout.Bytes(), &output); err != nil {
		return nil, fmt.Errorf("%w: what the program printed is not the JSON that is wanted: %w", ErrPermanent, err)
	}
	return output.Outputs, nil
}

func commandFailure(ctx context.Context, err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w: starting the program: %w", ErrPermanent, err)
	case errors.As(err, &exit) && exit.ExitCode() == exitPermanent:
		return fmt.Errorf("%w: %s", ErrPermanent, stderr)
	}
	return fmt.Errorf("the program failed: %w: %s", err, stderr)
}

// bounded keeps the first bytes that are written to it, or the last.
type bounded struct {
	bytes.Buffer
	limit int
	tail  bool
}

// Write takes everything and forgets what is too much.
func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if b.tail {
		_, _ = b.Buffer.Write(p)
		if over := b.Len() - b.limit; over > 0 {
			b.Next(over)
		}
		return n, nil
	}
	if room := b.limit - b.Len(); len(p) > room {
		p = p[:max(room, 0)]
	}
	_, _ = b.Buffer.Write(p)
	return n, nil
}
