// Package api answers questions about lineage over HTTP, as
// schemas/api/lineage.yaml describes them. It asks the graph in memory for what
// is there now, the store for what was and for what is known of a node beside
// its edges, and puts what people draw by hand into the log.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// Live is the graph as of now.
type Live interface {
	// Current gives the latest snapshot; it never waits.
	Current() *graph.Snapshot
	// WaitFor gives a snapshot that covers a position. It returns the
	// context's error once that ends.
	WaitFor(ctx context.Context, position graph.Position) (*graph.Snapshot, error)
	// Sources gives the registered sources and mappings, and how keys follow
	// from them.
	Sources() Sources
}

// Sources tells what is the same as what.
type Sources interface {
	// Canonical gives the key that a node is shown under.
	Canonical(key string) string
	// Registered lists the sources by id, Mappings the mappings by id.
	Registered() []event.SourceRegistered
	Mappings() []event.SourceMerged
	// Columns gives the columns of a dataset on a branch; false if not known.
	Columns(key, branch string) ([]string, bool)
	// Explain gives the steps from a key to its canonical one.
	Explain(key string) []lineage.Step
}

// Scope says which part of a past graph a question needs.
type Scope struct {
	// Keys are the nodes that the walk begins at, tasks included; none for
	// everything.
	Keys     []string
	ByColumn bool
	Up, Down bool
	// Depth is in hops, graph.Unlimited for all.
	Depth int
	Chain []string
	// At is a time (RFC 3339) or a log position.
	At string
}

// Past gives graphs as they were.
type Past interface {
	// Load gives a graph that answers any question within the scope as of the
	// time or position. It may hold more. Errors wrap ErrAsOf if At is neither
	// or lies before the log's beginning, and ErrTooLarge if the scope holds
	// more than one question may load.
	PastGraph(ctx context.Context, s Scope) (*graph.Snapshot, error)
}

// Details is what the store knows of nodes beside their edges.
type Details interface {
	// Task gives what is known of a task on a branch; nil if nothing.
	Task(ctx context.Context, task, branch string) (*TaskDetails, error)
	// Errors gives what could not be parsed in tasks, each (task, branch).
	Errors(ctx context.Context, tasks []TaskOn) ([]lineageapi.SQLError, error)
	// Unparsed lists errors of all tasks, from a cursor on, with their number.
	Unparsed(ctx context.Context, q UnparsedQuestion) (lineageapi.Unparsed, error)
	// Unparseds counts statements and tasks with errors, of the tasks that see
	// admits; nil is all.
	Unparseds(ctx context.Context, see func(task string) bool) (statements, tasks int, err error)
	// Runs gives the latest runs of tasks, newest first.
	Runs(ctx context.Context, tasks []string, limit int) ([]lineageapi.Run, error)
	// Recent lists the latest changes, of one node if its keys are named.
	Recent(ctx context.Context, keys []string, limit int, cursor string) (lineageapi.Recent, error)
	// Dataset gives the branches and the latest transactions of a dataset.
	Dataset(ctx context.Context, q DatasetQuestion) (DatasetDetails, error)
	// Seen tells since when, and until when, each contributor made an edge.
	Seen(ctx context.Context, edge graph.EdgeKey) (map[SeenBy]SeenSpan, error)
}

// TaskOn names a task on a branch.
type TaskOn struct{ Task, Branch string }

// UnparsedQuestion asks for errors.
type UnparsedQuestion struct {
	Task, Kind string
	Limit      int
	Cursor     string
	// See says which tasks are listed and counted; nil is all.
	See func(task string) bool
}

// TaskDetails is what is known of a task beside its edges.
type TaskDetails struct {
	Name, Kind, Owner  string
	Labels             map[string]string
	SQL, Dialect       string
	Guessed            bool
	Parser             int
	Statements         []event.Statement
	Steps              json.RawMessage
	Flink              *event.Flink
	Definition         *event.TaskDefined
	FirstSeen, Defined time.Time
}

// DatasetQuestion asks what the catalog knows of a dataset.
type DatasetQuestion struct {
	// Keys are the keys that the dataset is known to have.
	Keys []string
	// Is says whether another key is one of its.
	Is func(key string) bool
	// Limit bounds the transactions.
	Limit int
}

// DatasetDetails is what the catalog knows of a dataset.
type DatasetDetails struct {
	Branches     []lineageapi.NodeBranch
	Transactions []lineageapi.Transaction
}

// SeenBy names a contributor of an edge.
type SeenBy struct{ Contributor, Branch, Origin string }

// SeenSpan tells when a contributor first and last made its edge.
type SeenSpan struct{ First, Last time.Time }

// Appender puts events into the log.
type Appender interface {
	// Append answers when the event is durably in the log, with its position
	// as topic/partition/offset.
	Append(ctx context.Context, e event.Event) (position string, err error)
}

// Chains gives the branches that a branch falls back on.
type Chains interface {
	// Chain gives the chain that begins with the branch; nil if none is known.
	Chain(ctx context.Context, branch string) ([]string, error)
	// Has reports whether the catalog knows the branch: a dataset had it once,
	// a job spec was published for it or a build asked for on it.
	Has(ctx context.Context, branch string) (bool, error)
}

// Caller is who asks and what they may do.
type Caller struct {
	Name string
	// See says which nodes they may see, Edit to and from which they may draw
	// edges, both by key; nil means all.
	See, Edit func(key string) bool
}

// ErrAsOf says that a text is no time or position that there is an answer for.
var ErrAsOf = errors.New("not a time or position")

// ErrTooLarge says that a question about the past needs more than is allowed.
var ErrTooLarge = errors.New("the past graph that the question needs is too large")

// Config is what the API needs. Live, Details, Log, Caller and Now are
// required.
type Config struct {
	Live    Live
	Past    Past
	Details Details
	Log     Appender
	Chains  Chains
	// Extract finds the lineage of a task definition as the parse role does; if
	// asked to, with session tables as nodes of kind temporary.
	Extract func(ctx context.Context, task event.TaskDefined, keepTemporary bool) (*event.LineageExtracted, error)
	// Caller gives who makes a request.
	Caller func(ctx context.Context) Caller
	Now    func() time.Time
	Logger *slog.Logger
	Limits Limits
}

// Limits bound an answer. Zero values are replaced by DefaultLimits.
type Limits struct {
	// Nodes and Edges are the most that a page holds.
	Nodes, Edges int
	// Deadline is the time that a page may take.
	Deadline time.Duration
	// Visible is how long a change by hand waits to be seen.
	Visible time.Duration
	// SQL is the greatest size of SQL in a request, in bytes.
	SQL int
	// Body is the greatest size of a request's body, in bytes.
	Body int64
}

// DefaultLimits are those of the design: 5,000 nodes and 20,000 edges a page,
// 2 seconds.
func DefaultLimits() Limits {
	return Limits{Nodes: 5000, Edges: 20000, Deadline: 2 * time.Second, Visible: 5 * time.Second, SQL: 4 << 20, Body: 8 << 20}
}

// parsers is how many requests read SQL at once: hostile SQL takes a few
// hundred megabytes each. Others wait as long as their answer may take.
const parsers = 4

// API answers the requests. It is safe for concurrent use.
type API struct {
	Config

	parsing chan struct{}
	crowd   *crowd
}

// parse takes a place among those that read SQL; done gives it back.
func (a *API) parse(ctx context.Context) (done func(), err error) {
	select {
	case a.parsing <- struct{}{}:
		return func() { <-a.parsing }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// New makes an API.
func New(c Config) *API {
	d := DefaultLimits()
	if c.Limits.Nodes == 0 {
		c.Limits.Nodes = d.Nodes
	}
	if c.Limits.Edges == 0 {
		c.Limits.Edges = d.Edges
	}
	if c.Limits.Deadline == 0 {
		c.Limits.Deadline = d.Deadline
	}
	if c.Limits.Visible == 0 {
		c.Limits.Visible = d.Visible
	}
	if c.Limits.SQL == 0 {
		c.Limits.SQL = d.SQL
	}
	if c.Limits.Body == 0 {
		c.Limits.Body = d.Body
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	a := &API{Config: c, parsing: make(chan struct{}, parsers), crowd: newCrowd()}
	if c.Extract != nil {
		a.Extract = func(ctx context.Context, task event.TaskDefined, keepTemporary bool) (*event.LineageExtracted, error) {
			done, err := a.parse(ctx)
			if err != nil {
				return nil, err
			}
			defer done()
			return c.Extract(ctx, task, keepTemporary)
		}
	}
	return a
}

// Register puts the API's paths into a mux.
func (a *API) Register(mux *http.ServeMux) {
	strict := lineageapi.NewStrictHandlerWithOptions(a, nil, lineageapi.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  a.badRequest,
		ResponseErrorHandlerFunc: a.failed,
	})
	lineageapi.HandlerWithOptions(strict, lineageapi.StdHTTPServerOptions{
		BaseRouter:       mux,
		ErrorHandlerFunc: a.badRequest,
		Middlewares:      []lineageapi.MiddlewareFunc{a.takingTurns, a.bounded},
	})
}

// bounded keeps bodies and answers within limits.
func (a *API) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, a.Limits.Body)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// refusal is an error that the caller can do something about.
type refusal struct {
	status int
	body   lineageapi.Error
}

func (r *refusal) Error() string { return r.body.Message }

func refuse(status int, code, message string) *refusal {
	return &refusal{status: status, body: lineageapi.Error{Code: code, Message: message}}
}

func badParameter(parameter, message string) *refusal {
	r := refuse(http.StatusBadRequest, "InvalidParameter", message)
	r.body.Details.Parameter = parameter
	return r
}

func (a *API) badRequest(w http.ResponseWriter, _ *http.Request, err error) {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		write(w, refuse(http.StatusRequestEntityTooLarge, "BodyTooLarge", "the body is larger than this server takes"))
		return
	}
	if missing, ok := errors.AsType[*lineageapi.RequiredParamError](err); ok {
		write(w, badParameter(missing.ParamName, "the parameter "+missing.ParamName+" is missing"))
		return
	}
	if format, ok := errors.AsType[*lineageapi.InvalidParamFormatError](err); ok {
		write(w, badParameter(format.ParamName, unreadable(format.ParamName, format.Err)))
		return
	}
	write(w, refuse(http.StatusBadRequest, "InvalidRequest", "the request cannot be read: "+lastLine(err)))
}

// unreadable says what a parameter should be that could not be read. Those
// that are no text are named here as in schemas/api/lineage.yaml.
func unreadable(parameter string, err error) string {
	switch parameter {
	case "depth":
		return "depth must be a whole number from -1, which is without end"
	case "limit", "slack":
		return parameter + " must be a whole number from 0"
	case "columns", "temporary":
		return parameter + " must be true or false"
	}
	return "the parameter " + parameter + " cannot be read: " + lastLine(err)
}

func lastLine(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return lines[len(lines)-1]
}

func (a *API) failed(w http.ResponseWriter, r *http.Request, err error) {
	var known *refusal
	switch {
	case errors.As(err, &known):
		write(w, known)
	case errors.Is(err, graph.ErrCursor):
		write(w, badParameter("cursor", "the cursor is none that this server gave; ask for the first page again"))
	case errors.Is(err, context.DeadlineExceeded):
		write(w, refuse(http.StatusGatewayTimeout, "Deadline", "the answer took longer than this server allows; ask for less, or for a newer position later"))
	case errors.Is(err, context.Canceled):
		// The caller has gone: there is nobody to answer.
	default:
		a.Logger.ErrorContext(r.Context(), "answering a question about lineage", "path", r.URL.Path, "error", err)
		write(w, refuse(http.StatusInternalServerError, "Internal", "the server could not answer; its log says why"))
	}
}

func write(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	if r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(r.status)
	_ = json.NewEncoder(w).Encode(r.body) //nolint:errchkjson // the client went away: nobody to tell
}
