package deadletter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tributary-data/tributary/internal/log"
)

// ErrNotFound says that no letter of that place is there.
var ErrNotFound = errors.New("no such dead letter")

// Log is what the service needs of the log.
type Log interface {
	Appender
	Starts(ctx context.Context, topic string) ([]int64, error)
	Ends(ctx context.Context, topic string) ([]int64, error)
	ReadUntil(ctx context.Context, topic string, partition int, from, until int64, fn func([]log.Record) error) error
	RecordAt(ctx context.Context, topic string, partition int, offset int64) (log.Record, error)
}

// Service lists, shows and retries letters.
type Service struct{ log Log }

// NewService makes a service on a log.
func NewService(l Log) *Service { return &Service{log: l} }

// Filter says which letters to list.
type Filter struct {
	// Topic and Reason are empty for any.
	Topic, Reason string
	// Retried lists those too that were retried.
	Retried bool
	// Limit bounds how many are listed; 0 means 100.
	Limit int
}

// Page is a list of letters, latest first.
type Page struct {
	Letters []Letter
	// Total is how many there are in all of what was asked for.
	Total int
	// Scanned is false if the topic holds more letters than are looked
	// through: then Total counts the latest ones only.
	Scanned bool
}

const (
	defaultLimit = 100
	// maxScan bounds how many of a partition's latest letters are looked at.
	maxScan = 100_000
)

// List gives letters, latest first. Values are left out.
func (s *Service) List(ctx context.Context, f Filter) (Page, error) {
	letters, whole, err := s.scan(ctx)
	if err != nil {
		return Page{}, err
	}
	letters = slices.DeleteFunc(letters, func(l Letter) bool {
		return f.Topic != "" && l.Topic != f.Topic || f.Reason != "" && l.Fault.Reason != f.Reason || !f.Retried && !l.Retried.IsZero()
	})
	page := Page{Total: len(letters), Scanned: whole}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	page.Letters = letters[:min(limit, len(letters))]
	return page, nil
}

// Show gives one letter whole. Errors wrap ErrNotFound.
func (s *Service) Show(ctx context.Context, place Place) (Letter, error) {
	letters, _, err := s.scan(ctx)
	if err != nil {
		return Letter{}, err
	}
	i := slices.IndexFunc(letters, func(l Letter) bool { return l.Place == place })
	if i < 0 {
		return Letter{}, fmt.Errorf("%w: %s", ErrNotFound, place)
	}
	l := letters[i]
	rec, err := s.log.RecordAt(ctx, place.Topic, place.Partition, place.Offset)
	if err != nil {
		return Letter{}, fmt.Errorf("reading the record of dead letter %s: %w", place, err)
	}
	l.Key, l.Value, l.Headers = rec.Key, rec.Value, rec.Headers
	return l, nil
}

// Retry writes the letter's record to its topic again, into the partition of
// its key, and notes that. Its readers judge it as any other record; if they
// refuse it again there is a new letter. Errors wrap ErrNotFound.
func (s *Service) Retry(ctx context.Context, place Place) (log.Position, error) {
	l, err := s.Show(ctx, place)
	if err != nil {
		return log.Position{}, err
	}
	at, err := s.log.Append(ctx, []log.Record{{Topic: l.Topic, Key: l.Key, Value: l.Value, Headers: l.Headers}})
	if err != nil {
		return log.Position{}, fmt.Errorf("writing dead letter %s to %s again: %w", place, l.Topic, err)
	}
	if _, err := s.log.Append(ctx, []log.Record{mark(l)}); err != nil {
		return log.Position{}, fmt.Errorf("noting that dead letter %s was retried: %w", place, err)
	}
	return at[0], nil
}

// scan reads the letters, each once, latest first, without their values.
func (s *Service) scan(ctx context.Context) (letters []Letter, whole bool, err error) {
	starts, err := s.log.Starts(ctx, log.TopicDeadletter)
	if err != nil {
		return nil, false, fmt.Errorf("reading dead letters: %w", err)
	}
	ends, err := s.log.Ends(ctx, log.TopicDeadletter)
	if err != nil {
		return nil, false, fmt.Errorf("reading dead letters: %w", err)
	}
	found := findings{letters: map[Place]Letter{}}
	whole = true
	errs := make([]error, len(ends))
	var reads sync.WaitGroup
	for p := range ends {
		from := max(starts[p], ends[p]-maxScan)
		whole = whole && from == starts[p]
		reads.Go(func() {
			errs[p] = s.log.ReadUntil(ctx, log.TopicDeadletter, p, from, ends[p], func(recs []log.Record) error {
				found.add(recs)
				return nil
			})
		})
	}
	reads.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, false, fmt.Errorf("reading dead letters: %w", err)
	}
	return found.sorted(), whole, nil
}

// findings collects letters from several partitions.
type findings struct {
	mu      sync.Mutex
	letters map[Place]Letter
}

func (f *findings) add(recs []log.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range recs {
		l, retried, err := read(&recs[i])
		if err != nil {
			continue // not written by us, and nothing to show of it
		}
		known, ok := f.letters[l.Place]
		switch {
		case retried && ok:
			known.Retried = l.Refused
			f.letters[l.Place] = known
		case !retried && !ok:
			l.Key, l.Value = slices.Clone(l.Key), nil
			f.letters[l.Place] = l
		}
	}
}

func (f *findings) sorted() []Letter {
	out := make([]Letter, 0, len(f.letters))
	for _, l := range f.letters {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Letter) int {
		return cmp.Or(b.Refused.Compare(a.Refused), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(b.Offset, a.Offset))
	})
	return out
}
