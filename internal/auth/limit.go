package auth

import (
	"sync"

	"golang.org/x/time/rate"
)

// Limits bound what one caller may ask for; zero stands for no limit.
type Limits struct {
	// Rate is how many requests a second a token may make over time, Burst how
	// many at once. Callers without a token are not counted.
	Rate  float64
	Burst int
	// Concurrent is how many requests of a caller are answered at once.
	Concurrent int
}

// limiter applies limits to callers by name.
type limiter struct {
	limits  Limits
	mu      sync.Mutex
	callers map[string]*caller
}

// caller is what one of them uses.
type caller struct {
	rate  *rate.Limiter
	slots chan struct{}
}

func newLimiter(l Limits) *limiter { return &limiter{limits: l, callers: map[string]*caller{}} }

// of finds a caller. There are no more of them than names in the token file.
func (l *limiter) of(id Identity) *caller {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.callers[id.Name]
	if c == nil {
		c = &caller{}
		if l.limits.Rate > 0 {
			c.rate = rate.NewLimiter(rate.Limit(l.limits.Rate), max(1, l.limits.Burst))
		}
		if l.limits.Concurrent > 0 {
			c.slots = make(chan struct{}, l.limits.Concurrent)
		}
		l.callers[id.Name] = c
	}
	return c
}

// admit says why a request has to wait, and what to call when it is answered.
func (c *caller) admit(counted bool) (done func(), why string) {
	done = func() {}
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			done = func() { <-c.slots }
		default:
			return done, "too many requests of this caller are under way"
		}
	}
	if counted && c.rate != nil && !c.rate.Allow() {
		done()
		return func() {}, "this token asks more often than it may"
	}
	return done, ""
}
