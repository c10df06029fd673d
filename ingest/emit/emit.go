// Package emit is how a service written in Go sends events to Tributary: over
// HTTP, or straight to Kafka. Events are queued, sent in batches, and sent
// again until the log has them, so that each arrives at least once; the same
// event arriving twice counts once.
package emit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/google/uuid"

	"github.com/tributary-data/tributary/schemas/event"
)

// ErrClosed says that the emitter was closed before.
var ErrClosed = errors.New("the emitter is closed")

// RefusedError says that an event is at fault and was given up. Sending it
// again would not help.
type RefusedError struct {
	// ID and Type name the event.
	ID, Type string
	// Code is stable, Message is for people.
	Code, Message string
}

// Error names the event and the reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s was refused: %s (%s)", e.Type, e.ID, e.Message, e.Code)
}

// Sink is where batches go.
type Sink interface {
	// Send tries to append a batch once and gives an error for each event, in
	// order: nil if the log has it durably, *RefusedError if it is at fault,
	// any other if it should be sent again.
	Send(ctx context.Context, batch []event.Packed) []error
	// Close frees what the sink holds. It is called once.
	Close() error
}

// Options say how events are sent. Source is required, zero values of the
// others mean the defaults.
type Options struct {
	// Source names the service; together with an event's id it is what makes
	// a repeat a repeat.
	Source string
	// Queue bounds the events that wait; Emit blocks when it is full. 10,000.
	Queue int
	// MaxBatch and MaxBatchBytes bound a batch; 500 events, 4 MiB.
	MaxBatch, MaxBatchBytes int
	// MinBackoff and MaxBackoff bound the pause before a batch is sent again;
	// 100 ms to 30 s. There is no last try: Close bounds the time.
	MinBackoff, MaxBackoff time.Duration
	// OnRefused is told of each event that was given up; nil for none. It is
	// called from the sender and should return soon.
	OnRefused func(*RefusedError)
	// Logger is told of batches that have to be sent again; nil for none.
	Logger *slog.Logger
	// Now is the clock of events that name no time; nil for the real one.
	Now func() time.Time
	// NewID makes ids of events that have none; nil for UUIDs of version 7.
	NewID func() string
}

func (o Options) withDefaults() Options {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	set(&o.Queue, 10_000)
	set(&o.MaxBatch, 500)
	set(&o.MaxBatchBytes, 4<<20)
	if o.MinBackoff <= 0 {
		o.MinBackoff = 100 * time.Millisecond
	}
	if o.MaxBackoff <= 0 {
		o.MaxBackoff = 30 * time.Second
	}
	if o.OnRefused == nil {
		o.OnRefused = func(*RefusedError) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	return o
}

// Emitter queues events and sends them. It may be used by many at once. Events
// of one key are sent in the order in which they were emitted.
type Emitter struct {
	opts Options
	sink Sink

	stop    context.CancelFunc // gives up what is being sent
	stopped chan struct{}      // closed when the sender has ended
	wake    chan struct{}      // told when something was queued or the emitter closed

	mu      sync.Mutex
	queue   []event.Packed
	pushed  uint64        // events queued since the start
	settled uint64        // of those, events that the log has or that were refused
	moved   chan struct{} // closed and renewed when settled grows
	refused []error       // since the last Flush
	closed  bool

	closing  sync.Once
	closeErr error
}

// New starts an emitter that sends to a sink, which it owns from then on.
func New(sink Sink, o Options) (*Emitter, error) {
	if o.Source == "" {
		return nil, errors.New("emit needs a source, such as a URL or the service's name")
	}
	ctx, stop := context.WithCancel(context.Background())
	e := &Emitter{
		opts: o.withDefaults(), sink: sink, stop: stop,
		stopped: make(chan struct{}), wake: make(chan struct{}, 1), moved: make(chan struct{}),
	}
	go e.run(ctx)
	return e, nil
}

// Emit queues an event with a new id and the present time. data is a pointer
// to a struct of package event, *event.TaskDefined for example. It returns
// once the event is queued; Flush says whether the log has it. Errors are
// those of EmitEvent.
func (e *Emitter) Emit(ctx context.Context, data any) error {
	return e.EmitEvent(ctx, event.Event{Data: data})
}

// EmitEvent queues an event. What it leaves out is filled in: id, source,
// type (by its data) and time. An event that breaks the rules of its type is
// an error here and is not queued. It blocks while the queue is full, until
// ctx ends.
func (e *Emitter) EmitEvent(ctx context.Context, ev event.Event) error {
	if ev.Type == "" {
		t, err := event.TypeOf(ev.Data)
		if err != nil {
			return err
		}
		ev.Type = t
	}
	if ev.ID == "" {
		ev.ID = e.opts.NewID()
	}
	if ev.Source == "" {
		ev.Source = e.opts.Source
	}
	if ev.Time.IsZero() {
		ev.Time = e.opts.Now().UTC()
	}
	packed, err := event.Pack(ev)
	if err != nil {
		return err
	}
	return e.push(ctx, packed)
}

func (e *Emitter) push(ctx context.Context, p event.Packed) error {
	for {
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			return ErrClosed
		}
		if len(e.queue) < e.opts.Queue {
			e.queue = append(e.queue, p)
			e.pushed++
			e.mu.Unlock()
			e.tell()
			return nil
		}
		moved := e.moved
		e.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("waiting for room in the queue of %d events: %w", e.opts.Queue, ctx.Err())
		}
	}
}

// tell wakes the sender.
func (e *Emitter) tell() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Flush waits until the log has everything that was emitted before, or ctx
// ends. Events that were refused since the last Flush are returned, joined;
// each is a *RefusedError.
func (e *Emitter) Flush(ctx context.Context) error {
	e.mu.Lock()
	target := e.pushed
	for e.settled < target {
		moved := e.moved
		e.mu.Unlock()
		select {
		case <-moved:
		case <-e.stopped:
			return e.unsent(nil)
		case <-ctx.Done():
			return e.unsent(ctx.Err())
		}
		e.mu.Lock()
	}
	refused := e.refused
	e.refused = nil
	e.mu.Unlock()
	return errors.Join(refused...)
}

// unsent says how many events the log may not have, nil if it has all.
func (e *Emitter) unsent(cause error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := e.pushed - e.settled
	if left == 0 {
		return errors.Join(e.refused...)
	}
	if cause == nil {
		cause = ErrClosed
	}
	return fmt.Errorf("%d events were not confirmed: %w", left, errors.Join(append([]error{cause}, e.refused...)...))
}

// Close sends what is queued, until ctx ends, and frees the sink. Emit fails
// from the moment it is called. It may be called twice; the second call waits
// for the first and returns the same.
func (e *Emitter) Close(ctx context.Context) error {
	e.closing.Do(func() {
		e.mu.Lock()
		e.closed = true
		e.mu.Unlock()
		e.tell()
		var cause error
		select {
		case <-e.stopped:
		case <-ctx.Done():
			cause = ctx.Err()
		}
		e.stop()
		<-e.stopped
		e.closeErr = errors.Join(e.unsent(cause), e.sink.Close())
	})
	return e.closeErr
}

// run sends batch after batch until the emitter is closed and the queue empty.
func (e *Emitter) run(ctx context.Context) {
	defer close(e.stopped)
	for {
		batch, closed := e.take()
		switch {
		case len(batch) > 0:
			if !e.deliver(ctx, batch) {
				return
			}
		case closed:
			return
		default:
			select {
			case <-e.wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

// take gives the next batch: all that is queued, within bounds. There is no
// waiting for company; what arrives while a batch is sent is the next one.
func (e *Emitter) take() (batch []event.Packed, closed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	size, n := 0, 0
	for n < len(e.queue) && n < e.opts.MaxBatch {
		size += len(e.queue[n].Data)
		if n > 0 && size > e.opts.MaxBatchBytes {
			break
		}
		n++
	}
	batch = append(batch, e.queue[:n]...)
	clear(e.queue[:n]) // lets go of what was sent
	e.queue = e.queue[n:]
	if len(e.queue) == 0 {
		e.queue = nil
	}
	return batch, e.closed
}

// deliver sends a batch until all of it is settled. It returns false if ctx
// ended first.
func (e *Emitter) deliver(ctx context.Context, batch []event.Packed) bool {
	pause := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(e.opts.MinBackoff),
		backoff.WithMaxInterval(e.opts.MaxBackoff),
		backoff.WithMaxElapsedTime(0), // the default gives up after 15 minutes, and the events with it
	)
	for {
		errs := e.sink.Send(ctx, batch)
		batch = e.settle(batch, errs)
		if len(batch) == 0 {
			return true
		}
		wait := pause.NextBackOff()
		if later := retryAfter(errs); later > wait {
			wait = later
		}
		e.opts.Logger.WarnContext(ctx, "events will be sent again", "events", len(batch), "pause", wait, "error", firstOf(errs))
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// settle counts what is done and gives back what must be sent again: the
// events that failed, and those of the same key behind them, so that the last
// one of a key to arrive is the last one that was emitted.
func (e *Emitter) settle(batch []event.Packed, errs []error) (again []event.Packed) {
	held := map[string]bool{}
	var refused []error
	for i, p := range batch {
		var r *RefusedError
		switch {
		case errors.As(errs[i], &r):
			refused = append(refused, r)
			e.opts.OnRefused(r)
		case errs[i] != nil || held[p.Key]:
			held[p.Key] = true
			again = append(again, p)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settled += uint64(len(batch) - len(again))
	if room := maxRefused - len(e.refused); len(refused) > room {
		refused = refused[:room]
	}
	e.refused = append(e.refused, refused...)
	close(e.moved)
	e.moved = make(chan struct{})
	return again
}

// maxRefused bounds the refusals that are kept for Flush; OnRefused is told of
// all.
const maxRefused = 100

// laterError asks to send again, but not before a while.
type laterError struct {
	after time.Duration
	err   error
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }

func retryAfter(errs []error) (longest time.Duration) {
	for _, err := range errs {
		if later, ok := errors.AsType[*laterError](err); ok {
			longest = max(longest, later.after)
		}
	}
	return longest
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
