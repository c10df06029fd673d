package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// Executor runs the logic of a job.
type Executor interface {
	// Run does the job's work: it reads what the claim pins, writes into the output transactions that the
	// claim names and returns their manifests. It stops soon after ctx ends. An error that wraps
	// ErrPermanent is not tried again.
	Run(ctx context.Context, space string, claim *catalogapi.Claim) ([]event.AttemptOutput, error)
}

// ErrPermanent is wrapped by errors that another try would bring again.
var ErrPermanent = errors.New("the job cannot succeed")

// errStopped ends an attempt whose build was aborted, errStale one that was given to another runner.
var (
	errStopped = errors.New("the build was aborted")
	errStale   = errors.New("the attempt is void")
)

// Config says what a runner works with.
type Config struct {
	// Servers are the base URLs of builders. The one that drives the space is found by asking.
	Servers []string
	Space   string
	// Name tells runners apart.
	Name string
	// Executors are those for each engine.
	Executors map[string]Executor
	// Parallel is how many jobs run at a time, 1 unless set.
	Parallel int
	// Client sends the requests; http.DefaultClient unless set.
	Client catalogapi.HttpRequestDoer
	Logger *slog.Logger
	// Idle, if set, ends Run once no job was there for so long.
	Idle time.Duration
}

// Runner claims and runs jobs.
type Runner struct {
	cfg     Config
	engines []string
	clients []catalogapi.ClientInterface
	mu      sync.Mutex
	at      int // the client that is asked first
}

// New makes a runner; Run runs it.
func New(cfg Config) (*Runner, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Client == nil {
		cfg.Client = http.DefaultClient
	}
	cfg.Parallel = max(cfg.Parallel, 1)
	r := &Runner{cfg: cfg}
	for engine := range cfg.Executors {
		r.engines = append(r.engines, engine)
	}
	for _, server := range cfg.Servers {
		client, err := catalogapi.NewClient(server, catalogapi.WithHTTPClient(cfg.Client))
		if err != nil {
			return nil, fmt.Errorf("reading the address %q of a server: %w", server, err)
		}
		r.clients = append(r.clients, client)
	}
	if len(r.clients) == 0 || len(r.engines) == 0 {
		return nil, errors.New("a runner needs a server and an executor")
	}
	return r, nil
}

// Run claims and runs jobs until ctx ends, and returns when the attempts under way have ended too.
func (r *Runner) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range r.cfg.Parallel {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	return nil
}

func (r *Runner) work(ctx context.Context) {
	wait := backoff.NewExponentialBackOff(backoff.WithInitialInterval(100*time.Millisecond), backoff.WithMaxInterval(5*time.Second), backoff.WithMaxElapsedTime(0))
	last := time.Now()
	for ctx.Err() == nil {
		claim, err := r.claim(ctx)
		switch {
		case claim != nil:
			r.attempt(ctx, claim)
			last = time.Now()
			wait.Reset()
		case err != nil && ctx.Err() == nil:
			r.cfg.Logger.WarnContext(ctx, "no job can be claimed, trying again", "error", err)
			pause(ctx, wait.NextBackOff())
		case r.cfg.Idle > 0 && time.Since(last) > r.cfg.Idle:
			return
		default:
			wait.Reset()
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// patience is how long a server may take to answer, beyond what it is asked to wait.
const patience = 45 * time.Second

// sending sends a request to one server.
type sending func(ctx context.Context, client catalogapi.ClientInterface) (*http.Response, error)

// ask sends a request to the servers in turn, the one that answered last first, until one answers it, and
// gives status and body. A server that is away, fails or does not drive the space has not answered.
func (r *Runner) ask(ctx context.Context, wait time.Duration, send sending) (status int, body []byte, err error) {
	for range r.clients {
		r.mu.Lock()
		at := r.at
		r.mu.Unlock()
		status, body, err = once(ctx, wait, r.clients[at], send)
		if err == nil && status < 500 && status != http.StatusMisdirectedRequest || ctx.Err() != nil {
			return status, body, err
		}
		r.mu.Lock()
		if r.at == at {
			r.at = (at + 1) % len(r.clients)
		}
		r.mu.Unlock()
	}
	return status, body, err
}

func once(ctx context.Context, wait time.Duration, client catalogapi.ClientInterface, send sending) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	resp, err := send(ctx, client)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// claim asks for a job; nil if none was ready in time.
func (r *Runner) claim(ctx context.Context) (*catalogapi.Claim, error) {
	wait := 20
	if r.cfg.Idle > 0 {
		wait = max(1, min(wait, int(r.cfg.Idle/time.Second)))
	}
	request := catalogapi.ClaimRequest{Runner: r.cfg.Name, Engines: r.engines, WaitSeconds: wait}
	status, body, err := r.ask(ctx, patience+time.Duration(wait)*time.Second, func(ctx context.Context, client catalogapi.ClientInterface) (*http.Response, error) {
		return client.Claim(ctx, r.cfg.Space, request)
	})
	switch {
	case err != nil || status == http.StatusNoContent:
		return nil, err
	case status != http.StatusOK:
		return nil, problem(status, body)
	}
	claim := &catalogapi.Claim{}
	if err := json.Unmarshal(body, claim); err != nil {
		return nil, fmt.Errorf("reading a claim: %w", err)
	}
	return claim, nil
}

// refusedError is the server's word about a request.
type refusedError struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *refusedError) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

func problem(status int, body []byte) error {
	e := &refusedError{status: status}
	if json.Unmarshal(body, e) != nil || e.Code == "" {
		return fmt.Errorf("the server answered %d: %.200s", status, body)
	}
	return e
}

// attempt runs a job and tells the server how it went.
func (r *Runner) attempt(ctx context.Context, claim *catalogapi.Claim) {
	logger := r.cfg.Logger.With("build", claim.Build, "job", claim.Spec.ID, "attempt", claim.Attempt)
	logger.InfoContext(ctx, "job begins")
	running, cancel := context.WithCancelCause(ctx)
	var beats sync.WaitGroup
	beats.Go(func() { r.heartbeat(running, cancel, claim) })
	outputs, err := r.execute(running, claim)
	cause := context.Cause(running)
	cancel(nil)
	beats.Wait()
	switch {
	case errors.Is(cause, errStale):
		logger.WarnContext(ctx, "attempt is void, another has taken its place")
		return
	case errors.Is(cause, errStopped):
		err = cause
	}
	if told := r.tell(context.WithoutCancel(ctx), claim, outputs, err); told != nil {
		logger.WarnContext(ctx, "the end of the job was refused", "error", told)
		return
	}
	if err != nil {
		logger.WarnContext(ctx, "job has failed", "error", err)
		return
	}
	logger.InfoContext(ctx, "job is done")
}

// execute runs the executor, and takes its panic for a failure.
func (r *Runner) execute(ctx context.Context, claim *catalogapi.Claim) (outputs []event.AttemptOutput, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: the executor panicked: %v", ErrPermanent, p)
		}
	}()
	executor, ok := r.cfg.Executors[claim.Spec.Engine]
	if !ok {
		return nil, fmt.Errorf("%w: this runner has no engine %q", ErrPermanent, claim.Spec.Engine)
	}
	return executor.Run(ctx, r.cfg.Space, claim)
}

// heartbeat keeps the lease, and ends the attempt when a server says so.
func (r *Runner) heartbeat(ctx context.Context, cancel context.CancelCauseFunc, claim *catalogapi.Claim) {
	every := time.Duration(claim.LeaseSeconds) * time.Second / 3
	report := catalogapi.AttemptReport{Build: claim.Build, Job: claim.Job, Token: claim.Token}
	for pause(ctx, every); ctx.Err() == nil; pause(ctx, every) {
		status, body, err := r.ask(ctx, every, func(ctx context.Context, client catalogapi.ClientInterface) (*http.Response, error) {
			return client.Heartbeat(ctx, r.cfg.Space, report)
		})
		var answer catalogapi.HeartbeatAnswer
		switch {
		case err != nil: // the lease bears a few that are lost
		case status == http.StatusConflict:
			cancel(errStale)
		case status == http.StatusOK && json.Unmarshal(body, &answer) == nil && !answer.GoOn:
			cancel(errStopped)
		}
	}
}

// tellTime bounds how long the end of an attempt is tried to be told.
const tellTime = 2 * time.Minute

// tell reports the end of an attempt until a server has answered.
func (r *Runner) tell(ctx context.Context, claim *catalogapi.Claim, outputs []event.AttemptOutput, failure error) error {
	report := catalogapi.AttemptReport{Build: claim.Build, Job: claim.Job, Token: claim.Token}
	word := catalogapi.ClientInterface.FinishAttempt
	switch {
	case errors.Is(failure, errStopped):
		word = catalogapi.ClientInterface.StopAttempt
	case failure != nil:
		word = catalogapi.ClientInterface.FailAttempt
		report.Message, report.Permanent = failure.Error(), errors.Is(failure, ErrPermanent)
	default:
		report.Outputs = outputs
	}
	return backoff.Retry(func() error {
		status, body, err := r.ask(ctx, patience, func(ctx context.Context, client catalogapi.ClientInterface) (*http.Response, error) {
			return word(client, ctx, r.cfg.Space, report)
		})
		switch {
		case err != nil:
			return err
		case status == http.StatusOK:
			return nil
		case status >= 500 || status == http.StatusMisdirectedRequest:
			return problem(status, body)
		}
		return backoff.Permanent(problem(status, body))
	}, backoff.WithContext(backoff.NewExponentialBackOff(backoff.WithMaxElapsedTime(tellTime)), ctx))
}
