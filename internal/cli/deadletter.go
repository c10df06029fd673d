package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/internal/deadletter"
)

// NewDeadletterCommand returns 'deadletter list|show|retry': the records that
// could not be read.
func NewDeadletterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deadletter",
		Short: "Records that could not be read: list, show, retry",
		Long: "A record that no reader understands does not stop the log: it becomes a dead letter, with the reason and\n" +
			"where it stands. Retry one after the cause is mended: its record is written to its topic again.",
	}
	AddServerFlags(cmd)
	cmd.AddCommand(newDeadletterList(), newDeadletterShow(), newDeadletterRetry())
	return cmd
}

func newDeadletterList() *cobra.Command {
	var topic, reason string
	var retried bool
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List dead letters, latest first",
		Example: "  tributary deadletter list --reason WrongPartition",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q := url.Values{"limit": {strconv.Itoa(limit)}}
			if topic != "" {
				q.Set("topic", topic)
			}
			if reason != "" {
				q.Set("reason", reason)
			}
			if retried {
				q.Set("retried", "true")
			}
			var list deadletter.List
			if err := askDeadletters(cmd, http.MethodGet, "?"+q.Encode(), &list); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), list)
			}
			return printDeadletters(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().StringVar(&topic, "topic", "", "only those of a topic, such as tributary.tasks")
	cmd.Flags().StringVar(&reason, "reason", "", "only those of a reason, such as MalformedEvent")
	cmd.Flags().BoolVar(&retried, "retried", false, "those too that were retried")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many to list at most")
	return cmd
}

func printDeadletters(w io.Writer, list deadletter.List) error {
	if len(list.Letters) == 0 {
		_, err := fmt.Fprintln(w, "no dead letters")
		return err
	}
	t := NewTable(w, "record", "refused", "reason", "type", "key", "detail")
	for _, l := range list.Letters {
		reason := l.Reason
		if l.Retried != nil {
			reason += " (retried)"
		}
		t.AppendRow([]any{l.ID, l.Refused.Local().Format(time.DateTime), reason, strconv.QuoteToGraphic(l.Type), strconv.QuoteToGraphic(shorten(l.Key, 40)), shorten(l.Detail, 80)})
	}
	t.Render()
	if rest := list.Total - len(list.Letters); rest > 0 {
		fmt.Fprintf(w, "%d more; --limit shows them\n", rest)
	}
	if !list.Complete {
		fmt.Fprintln(w, "older ones were not looked at")
	}
	return nil
}

// shorten cuts a text to so many characters.
func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

func newDeadletterShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show TOPIC/PARTITION/OFFSET",
		Short:   "Show a dead letter with the record's headers and bytes",
		Example: "  tributary deadletter show tributary.tasks/3/1042",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := deadletter.ParsePlace(args[0])
			if err != nil {
				return err
			}
			var l deadletter.Whole
			if err := askDeadletters(cmd, http.MethodGet, "/"+place.String(), &l); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), l)
			}
			printDeadletter(cmd.OutOrStdout(), l)
			return nil
		},
	}
}

func printDeadletter(w io.Writer, l deadletter.Whole) {
	fmt.Fprintf(w, "record   %s, written %s\n", l.ID, l.Written.Local().Format(time.RFC3339))
	fmt.Fprintf(w, "refused  %s\n", l.Refused.Local().Format(time.RFC3339))
	if l.Retried != nil {
		fmt.Fprintf(w, "retried  %s\n", l.Retried.Local().Format(time.RFC3339))
	}
	fmt.Fprintf(w, "reason   %s: %s\n", l.Reason, l.Detail)
	fmt.Fprintf(w, "key      %q\n", l.Key)
	names := make([]string, 0, len(l.Headers))
	for n := range l.Headers {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(w, "header   %s: %q\n", n, l.Headers[n])
	}
	switch {
	case l.Value != nil:
		fmt.Fprintf(w, "value\n%s\n", strconv.QuoteToGraphic(*l.Value))
	default:
		fmt.Fprintf(w, "value    %d bytes that are no text; --json shows them in base64\n", len(l.ValueB64))
	}
}

func newDeadletterRetry() *cobra.Command {
	return &cobra.Command{
		Use:     "retry TOPIC/PARTITION/OFFSET…",
		Short:   "Write the records of dead letters to their topics again",
		Example: "  tributary deadletter retry tributary.tasks/3/1042",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var done []deadletter.Retried
			var faults []error
			for _, arg := range args {
				place, err := deadletter.ParsePlace(arg)
				var r deadletter.Retried
				if err == nil {
					err = askDeadletters(cmd, http.MethodPost, "/"+place.String()+"/retry", &r)
				}
				if err != nil {
					faults = append(faults, fmt.Errorf("%s: %w", arg, err))
					continue
				}
				done = append(done, r)
				if !WantsJSON(cmd) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s is written again, as %s\n", arg, r.Position)
				}
			}
			if WantsJSON(cmd) {
				faults = append(faults, PrintJSON(cmd.OutOrStdout(), done))
			}
			return errors.Join(faults...)
		},
	}
}

// askDeadletters sends one request below /api/v1/deadletters.
func askDeadletters(cmd *cobra.Command, method, path string, into any) error {
	req, err := http.NewRequestWithContext(cmd.Context(), method, ServerOf(cmd)+"/api/v1/deadletters"+path, nil)
	if err != nil {
		return err
	}
	res, err := Doer{}.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("reading the server's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return FailureOf(res.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("reading the server's answer: %w", err)
	}
	return nil
}
