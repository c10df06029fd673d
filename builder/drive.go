package builder

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// maxBackoff is the longest wait before a retry.
const maxBackoff = time.Minute

// driver is what the process that drives a partition knows by its own clock. All of it may be lost: after
// a restart every live attempt has a full lease of grace, and retries wait anew.
type driver struct {
	partition *partition
	mu        sync.Mutex
	owned     bool
	leases    map[string]time.Time // by the token's fingerprint
	claimed   map[string]bool      // attempts that a claim is being written for
	retries   map[string]time.Time // when the next attempt at a job may begin
}

// drive times the leases of a partition while this process owns it.
func (s *Service) drive(ctx context.Context, a log.Assignment) error {
	p := s.partitions[a.Partition]
	d := &p.driver
	d.take(true)
	defer d.take(false)
	if s.cfg.Tasks != nil {
		var tasks sync.WaitGroup
		tasks.Go(func() { s.keepDefining(ctx, p) })
		defer tasks.Wait()
	}
	tick := time.NewTicker(s.cfg.Tick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := d.expire(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Logger.WarnContext(ctx, "an expired attempt could not be written, it is tried again", "partition", p.number, "error", err)
			}
		}
	}
}

// keepDefining writes job specs as tasks, and tries again what fails, while the partition is owned.
func (s *Service) keepDefining(ctx context.Context, p *partition) {
	wait := backoff.NewExponentialBackOff(backoff.WithMaxElapsedTime(0))
	for {
		err := s.defineTasks(ctx, p)
		if ctx.Err() != nil {
			return
		}
		s.cfg.Logger.WarnContext(ctx, "job specs could not be written as tasks, trying again", "partition", p.number, "error", err)
		timer := time.NewTimer(wait.NextBackOff())
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

func (d *driver) take(owned bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owned = owned
	clear(d.leases)
	clear(d.claimed)
	clear(d.retries)
}

func (d *driver) owns() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.owned
}

// lapsed is a live attempt whose lease has ended.
type lapsed struct {
	space string
	event.AttemptHandle
}

// expire voids the attempts whose lease has ended.
func (d *driver) expire(ctx context.Context) error {
	s := d.partition.service
	for _, l := range d.look(s.cfg.Now()) {
		wr := &write{space: l.space, source: "/builder", id: "expired/" + l.Token, typ: event.TypeAttemptExpired, wait: true,
			data: &event.AttemptExpired{CatalogHead: event.CatalogHead{Space: l.space, Rules: catalog.RulesVersion, Actor: "builder"}, AttemptHandle: l.AttemptHandle}}
		// That the attempt ended meanwhile is no failure: the fold voids only live ones.
		if _, p := s.append(ctx, wr); p != nil && p.status >= 500 {
			return p
		}
	}
	return nil
}

// look gives new attempts their lease, forgets ended ones and returns those whose lease has ended.
func (d *driver) look(now time.Time) []lapsed {
	p := d.partition
	p.mu.RLock()
	defer p.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	var ended []lapsed
	live := map[string]bool{}
	for _, space := range p.state.Spaces() {
		for _, b := range space.Running {
			for _, j := range b.Jobs {
				a := j.Live()
				if a == nil {
					continue
				}
				live[a.Token] = true
				end, known := d.leases[a.Token]
				switch {
				case !known:
					d.leases[a.Token] = now.Add(p.service.cfg.Lease)
				case now.After(end):
					ended = append(ended, lapsed{space.Name, event.AttemptHandle{Build: b.ID, Job: j.Index, Token: a.Token}})
				}
			}
		}
	}
	for token := range d.leases {
		if !live[token] {
			delete(d.leases, token)
		}
	}
	return ended
}

// extend gives an attempt a new lease.
func (d *driver) extend(token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leases[token] = d.partition.service.cfg.Now().Add(d.partition.service.cfg.Lease)
}

// attemptKey names the next attempt at a job.
func attemptKey(j *catalog.Job) string {
	return fmt.Sprintf("%s/%d/%d", j.Build.ID, j.Index, len(j.Attempts)+1)
}

// choose finds a job that may be claimed now and keeps others from it. Without one it says when a retry
// is due, if that is all that is waited for.
func (d *driver) choose(space string, engines []string) (found *catalog.Job, key string, due time.Time) {
	p := d.partition
	now := p.service.cfg.Now()
	p.mu.RLock()
	defer p.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	known := p.state.Space(space)
	if known == nil {
		return nil, "", due
	}
	for _, b := range known.Running {
		running := 0
		for _, j := range b.Jobs {
			if j.Live() != nil || len(d.claimed) > 0 && j.State == catalog.JobRunPending && d.claimed[attemptKey(j)] {
				running++
			}
		}
		for _, j := range b.Jobs {
			if b.Request.MaxParallel > 0 && running >= b.Request.MaxParallel {
				break
			}
			if j.State != catalog.JobRunPending || len(engines) > 0 && !slices.Contains(engines, j.Spec.Engine) {
				continue
			}
			key := attemptKey(j)
			if d.claimed[key] {
				continue
			}
			if at := d.retryAt(j, key, now); at.After(now) {
				if due.IsZero() || at.Before(due) {
					due = at
				}
				continue
			}
			d.claimed[key] = true
			return j, key, due
		}
	}
	return nil, "", due
}

// retryAt is when the next attempt at a job may begin: the first at once, others after a wait that
// doubles each time, from when this process saw that it is wanted.
func (d *driver) retryAt(j *catalog.Job, key string, now time.Time) time.Time {
	if len(j.Attempts) == 0 {
		return now
	}
	at, known := d.retries[key]
	if !known {
		wait := backoff.NewExponentialBackOff(
			backoff.WithInitialInterval(d.partition.service.cfg.Backoff), backoff.WithMultiplier(2),
			backoff.WithMaxInterval(maxBackoff), backoff.WithMaxElapsedTime(0), backoff.WithRandomizationFactor(0))
		for range j.Attempts {
			at = now.Add(wait.NextBackOff())
		}
		d.retries[key] = at
	}
	return at
}

// release lets go of a claim that was written, or could not be.
func (d *driver) release(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.claimed, key)
	delete(d.retries, key)
}
