// Package cli holds the commands for people. They speak to a server through
// the generated clients, print tables for people and, with --json, what the
// server said for programs.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// DefaultServer is where 'tributary serve' listens when nothing else is said.
const DefaultServer = "http://127.0.0.1:7070"

// ExitError ends the process with a code of its own. Err is what there is to
// say of it, nil where that was printed.
type ExitError struct {
	Code int
	Err  error
}

func (e ExitError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Unwrap gives the reason.
func (e ExitError) Unwrap() error { return e.Err }

// AddServerFlags gives a command, and those below it, --server and --json.
func AddServerFlags(cmd *cobra.Command) {
	addServerFlag(cmd)
	cmd.PersistentFlags().Bool("json", false, "print the server's answer as JSON, and its refusals on standard error")
}

func addServerFlag(cmd *cobra.Command) {
	def := os.Getenv("TRIBUTARY_SERVER")
	if def == "" {
		def = DefaultServer
	}
	cmd.PersistentFlags().String("server", def, "base URL of the server (TRIBUTARY_SERVER)")
}

// ServerOf returns the base URL to ask, without a trailing slash.
func ServerOf(cmd *cobra.Command) string {
	s, _ := cmd.Flags().GetString("server")
	return strings.TrimRight(s, "/")
}

// WantsJSON says whether --json was given.
func WantsJSON(cmd *cobra.Command) bool {
	b, _ := cmd.Flags().GetBool("json")
	return b
}

// Doer sends requests with the caller's token (TRIBUTARY_TOKEN), and turns a
// refused connection into a sentence that says what to do. It fits the
// generated clients' HttpRequestDoer.
type Doer struct{ Client *http.Client }

// Do sends one request.
func (d Doer) Do(req *http.Request) (*http.Response, error) {
	if token := os.Getenv("TRIBUTARY_TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := d.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking %s://%s: %w\nIs it running? Start it with 'tributary serve', or name another with --server", req.URL.Scheme, req.URL.Host, errors.Unwrap(err))
	}
	return resp, nil
}

// RefusedError is the server's own description of what went wrong.
type RefusedError struct {
	Status  int             `json:"-"`
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"`
}

func (f *RefusedError) Error() string {
	lines := []string{fmt.Sprintf("%s (%s)", f.Message, f.Code)}
	told := f.told()
	for _, r := range told.Refusals {
		if r.Message != f.Message {
			lines = append(lines, fmt.Sprintf("%s (%s)", r.Message, r.Code))
		}
	}
	if len(told.Near) > 0 && !strings.Contains(f.Message, told.Near[0]) {
		lines = append(lines, "It could be: "+strings.Join(told.Near, ", "))
	}
	return strings.Join(lines, "\n")
}

// told is what people are told of the details. The others, such as a place in
// the log, are for programs.
type told struct {
	// Near are names like one that is not known, or keys that one stands for.
	Near []string `json:"near"`
	// Refusals are all reasons why a build cannot be.
	Refusals []struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"refusals"`
}

func (f *RefusedError) told() told {
	var t told
	_ = json.Unmarshal(f.Details, &t) // details of another form tell people nothing
	return t
}

// FailureOf reads an answer that is not a success.
func FailureOf(status int, body []byte) error {
	f := &RefusedError{Status: status}
	if err := json.Unmarshal(body, f); err != nil || f.Message == "" {
		return fmt.Errorf("the server answered %d %s: %.300s", status, http.StatusText(status), body)
	}
	return f
}

// PrintJSON prints v as indented JSON.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// NewTable returns a table for people that prints to w.
func NewTable(w io.Writer, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row(header))
	return t
}
