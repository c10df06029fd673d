package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
)

const (
	// emitBatch and emitBatchBytes bound what is sent at a time.
	emitBatch      = 1000
	emitBatchBytes = 4 << 20
	// emitMaxLine bounds a line; the server takes less.
	emitMaxLine = 16 << 20
	// emitSource is the source of events that name none.
	emitSource = "tributary-emit"
)

// NewEmitCommand returns the command that sends events from a file.
func NewEmitCommand() *cobra.Command {
	var wait bool
	var patience time.Duration
	cmd := &cobra.Command{
		Use:   "emit FILE|-",
		Short: "Send events, one JSON object a line",
		Long: `Send events, one JSON object a line.

A line is a CloudEvent. What it leaves out is filled in: specversion, source
("` + emitSource + `") and id (from the line's content, so that sending a file again
repeats its events and nothing more). The type may be written short:

  {"type":"task.defined","data":{"id":"orders","sql":"INSERT INTO d SELECT a FROM t"}}

Each line that is not taken is named on standard error with the reason, and the
exit code is 1; the other lines are in the log. 'GET /api/v1/event-types' and
docs/events.md list the types.`,
		Example: `  tributary emit events.jsonl
  some-export | tributary emit - --wait`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := eventsapi.NewClientWithResponses(ServerOf(cmd), eventsapi.WithHTTPClient(Doer{}))
			if err != nil {
				return err
			}
			e := &emission{
				cmd: cmd, client: client, name: args[0], patience: patience,
				params: eventsapi.PostEventsParams{Results: eventsapi.PostEventsParamsResultsRefused},
			}
			if wait {
				e.params.Wait = eventsapi.Applied
			}
			if WantsJSON(cmd) {
				e.params.Results = eventsapi.PostEventsParamsResultsAll
			}
			return e.run()
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the events are applied, and tell what was rejected")
	cmd.Flags().DurationVar(&patience, "patience", time.Minute, "how long to go on when the server is overloaded or away")
	AddServerFlags(cmd)
	return cmd
}

// emission is one run of the command.
type emission struct {
	cmd      *cobra.Command
	client   *eventsapi.ClientWithResponses
	name     string
	params   eventsapi.PostEventsParams
	patience time.Duration

	batch    []line
	size     int
	seen     map[[sha256.Size]byte]int
	accepted int
	refused  int
}

// line is an event on its way, with its place in the file from 1.
type line struct {
	number int
	text   []byte
}

func (e *emission) run() error {
	in := e.cmd.InOrStdin()
	if e.name != "-" {
		f, err := os.Open(e.name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	if err := e.sendAll(in); err != nil {
		return err
	}
	if !WantsJSON(e.cmd) {
		fmt.Fprintf(e.cmd.OutOrStdout(), "%s accepted, %d refused\n", counted(e.accepted, "event"), e.refused)
	}
	if e.refused > 0 {
		return ExitError{Code: 1}
	}
	return nil
}

// sendAll reads lines and sends them in batches.
func (e *emission) sendAll(in io.Reader) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), emitMaxLine)
	number := 0
	for scanner.Scan() {
		number++
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		full, err := e.complete(text)
		if err != nil {
			e.tell(number, event.Code(err), err.Error())
			continue
		}
		if len(e.batch) == emitBatch || e.size+len(full) > emitBatchBytes {
			if err := e.send(); err != nil {
				return err
			}
		}
		e.batch = append(e.batch, line{number, full})
		e.size += len(full)
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		e.tell(number+1, "EventTooLarge", fmt.Sprintf("the line has more than %d bytes; it and what follows were not read", emitMaxLine))
	} else if err := scanner.Err(); err != nil {
		return fmt.Errorf("reading %s: %w", e.name, err)
	}
	return e.send()
}

// complete fills in what a line leaves out. An id is made of the line and of
// how often it stood in the file before: a file that is sent again repeats its
// events, but the same line twice in one file is two events.
func (e *emission) complete(text []byte) ([]byte, error) {
	if err := event.CheckJSON(text); err != nil {
		return nil, err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil || given == nil {
		return nil, fmt.Errorf("%w: a line is a JSON object", event.ErrMalformed)
	}
	var eventType string
	if json.Unmarshal(given["type"], &eventType) == nil && eventType != "" {
		if _, err := event.Lookup(eventType); err != nil {
			if _, err := event.Lookup("tributary." + eventType + ".v1"); err == nil {
				given["type"], _ = json.Marshal("tributary." + eventType + ".v1") //nolint:errchkjson // text always encodes
			}
		}
	}
	sum := sha256.Sum256(text)
	if e.seen == nil {
		e.seen = map[[sha256.Size]byte]int{}
	}
	e.seen[sum]++
	id := fmt.Sprintf("%s-%d", hex.EncodeToString(sum[:16]), e.seen[sum])
	for member, value := range map[string]string{"specversion": event.SpecVersion, "source": emitSource, "id": id} {
		if _, ok := given[member]; !ok {
			given[member], _ = json.Marshal(value) //nolint:errchkjson // text always encodes
		}
	}
	return json.Marshal(given)
}

// send sends the batch, and again what the server could not take, until its
// patience ends.
func (e *emission) send() error {
	batch := e.batch
	e.batch, e.size = nil, 0
	ctx := e.cmd.Context()
	pause := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(200*time.Millisecond),
		backoff.WithMaxElapsedTime(e.patience),
	)
	for len(batch) > 0 {
		again, why, err := e.sendOnce(ctx, batch)
		if err != nil {
			return err
		}
		if len(again) == 0 {
			return nil
		}
		wait := pause.NextBackOff()
		if wait == backoff.Stop {
			return fmt.Errorf("the server did not take the events from line %d on: %s", again[0].number, why)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		batch = again
	}
	return nil
}

// sendOnce sends a batch once and gives back the lines to send again, and why.
func (e *emission) sendOnce(ctx context.Context, batch []line) (again []line, why string, err error) {
	var body bytes.Buffer
	for _, l := range batch {
		body.Write(l.text)
		body.WriteByte('\n')
	}
	resp, err := e.client.PostEventsWithBodyWithResponse(ctx, &e.params, "application/x-ndjson", &body)
	if err != nil {
		return nil, "", err
	}
	var answer eventsapi.EventsAnswer
	if err := json.Unmarshal(resp.Body, &answer); err != nil || len(answer.Results) == 0 && resp.StatusCode() >= http.StatusBadRequest {
		failure := FailureOf(resp.StatusCode(), resp.Body)
		if resp.StatusCode() == http.StatusServiceUnavailable {
			return batch, failure.Error(), nil
		}
		return nil, "", failure
	}
	e.accepted += answer.Accepted
	for _, r := range answer.Results {
		l := batch[r.Index]
		switch {
		case r.Retry:
			again, why = append(again, l), r.Message
		case r.Status == eventsapi.EventResultStatusAccepted:
			e.print(l.number, r)
		default:
			e.tell(l.number, r.Code, r.Message)
			e.print(l.number, r)
		}
	}
	if resp.StatusCode() == http.StatusGatewayTimeout {
		return again, why, fmt.Errorf("%s (%s)", answer.Message, answer.Code)
	}
	return again, why, nil
}

// tell names a line that was not taken.
func (e *emission) tell(number int, code, message string) {
	e.refused++
	fmt.Fprintf(e.cmd.ErrOrStderr(), "%s:%d: %s (%s)\n", e.name, number, strings.ReplaceAll(message, "\n", " "), code)
}

// print prints a result for programs, with the line instead of the place in
// the batch.
func (e *emission) print(number int, r eventsapi.EventResult) {
	if !WantsJSON(e.cmd) {
		return
	}
	out := struct {
		Line int `json:"line"`
		eventsapi.EventResult
	}{number, r}
	// A closed pipe is the reader's business.
	_ = json.NewEncoder(e.cmd.OutOrStdout()).Encode(out) //nolint:errchkjson // the API's own types
}
