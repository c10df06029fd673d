package log

import (
	"context"
	"slices"
	"sort"
	"sync"
)

// windowBytes bounds what the windows of a client keep together, decoded events
// included. Under a load of task definitions at its peak, with all roles in a
// process, it came to 49 MB: the tables are a second behind the graph, and what is
// extracted is behind what was taken in.
const windowBytes = 64 << 20

// answer is what one fetch brought: the records from an offset up to next.
type answer struct {
	from, next int64
	recs       []Record
	size       int // bytes that the records take
}

// answerOf decodes batches that a reader was given.
func answerOf(batches []byte, aborted []abortedTx, r *reader) answer {
	a := answer{from: r.next}
	a.recs, a.next = decodeBatches(batches, aborted, r.topic, r.partition, r.next)
	for i := range a.recs {
		a.size += a.recs[i].size()
	}
	return a
}

// since gives the part of the answer from an offset on, at which a batch begins.
func (a answer) since(at int64) answer {
	i := sort.Search(len(a.recs), func(i int) bool { return a.recs[i].Offset >= at })
	for n := range a.recs[:i] {
		a.size -= a.recs[n].size()
	}
	return answer{from: at, next: a.next, recs: a.recs[i:], size: a.size}
}

// windows has the windows of the partitions that are being read.
type windows struct {
	limit int // bytes that they may keep together
	// handed has events that the process itself appended.
	handed handed

	mu    sync.Mutex
	of    map[part]*window
	bytes int
}

// part names a partition.
type part struct {
	topic     string
	partition int
}

// window lets the readers that a process has of one partition fetch and decode
// it once. It keeps the answers that the foremost reader got until the others
// have had them. A reader that stands before the first of them, because it began
// there or because there were too many to keep, fetches by itself until it has
// caught up, and nothing is kept for it meanwhile.
type window struct {
	all *windows
	// readers have the offset that each has come to, which is where a batch
	// begins; -1 before a reader's first answer, which may begin within one.
	readers map[*reader]int64
	// answers go on from each other up to head.
	answers []answer
	head    int64
	bytes   int
	// fetching is the reader that fetches from the head, and over is closed when
	// it has: the others wait for that.
	fetching *reader
	over     chan struct{}
}

// enter adds a reader to its partition's window.
func (s *windows) enter(r *reader) *window {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := part{r.topic, r.partition}
	w := s.of[at]
	if w == nil {
		w = &window{all: s, readers: map[*reader]int64{}}
		s.of[at] = w
	}
	w.readers[r] = -1
	return w
}

// leave takes a reader out, and with the last one the window.
func (w *window) leave(r *reader) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	delete(w.readers, r)
	w.trim()
	if len(w.readers) == 0 {
		delete(w.all.of, part{r.topic, r.partition})
	}
}

// read gives the answer at the offset that the reader has come to: one that is
// kept, or what fetch brings. Errors are those of fetch, and the context's.
func (w *window) read(ctx context.Context, r *reader, fetch func() (answer, error)) (answer, error) {
	for {
		kept, over := w.ask(r)
		switch {
		case kept != nil:
			return *kept, nil
		case over == nil:
			a, err := fetch()
			w.fetched(r, a, err)
			return a, err
		}
		select {
		case <-over:
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		}
	}
}

// ask gives what is kept for the reader, or a channel that is closed when it may
// ask again. If it gives neither, the reader has to fetch and call fetched.
func (w *window) ask(r *reader) (kept *answer, over <-chan struct{}) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	at := w.readers[r]
	switch {
	case at < w.start():
		return nil, nil
	case at < w.head:
		a := w.since(at)
		w.readers[r] = a.next
		w.trim()
		return &a, nil
	case w.fetching != nil:
		return nil, w.over
	}
	w.fetching, w.over = r, make(chan struct{})
	return nil, nil
}

// joinBytes is how much of what is kept a reader is given at once: about what the
// broker gives at most, with its decoded events.
const joinBytes = 4 * fetchBytes

// since gives what is kept from an offset on, as one answer: who is behind does
// more at once than who is at the head and takes what little there is each time.
func (w *window) since(at int64) answer {
	i := sort.Search(len(w.answers), func(i int) bool { return w.answers[i].next > at })
	a := w.answers[i].since(at)
	end, size := i+1, a.size
	for end < len(w.answers) && size+w.answers[end].size <= joinBytes {
		size += w.answers[end].size
		end++
	}
	if end == i+1 {
		return a
	}
	recs := slices.Clip(a.recs) // the list is the answer's, which others are given too
	for _, more := range w.answers[i+1 : end] {
		recs = append(recs, more.recs...)
	}
	a.recs, a.next, a.size = recs, w.answers[end-1].next, size
	return a
}

// start is the offset from which on answers are kept.
func (w *window) start() int64 {
	if len(w.answers) == 0 {
		return w.head
	}
	return w.answers[0].from
}

// fetched moves a reader on by what it fetched, and keeps what of that is new for
// the others.
func (w *window) fetched(r *reader, a answer, err error) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	if w.fetching == r {
		w.fetching = nil
		close(w.over)
	}
	if err != nil || a.next == a.from {
		return
	}
	w.readers[r] = a.next
	if a.next > w.head {
		w.keep(a)
	}
	w.trim()
	w.all.bound()
}

// keep adds what an answer has beyond the head.
func (w *window) keep(a answer) {
	if a.from > w.head {
		w.drop(len(w.answers)) // a reader began far ahead of the others
		w.head = a.from
	}
	a = a.since(w.head)
	if len(w.readers) > 1 {
		share(a.recs, &w.all.handed)
	}
	w.answers = append(w.answers, a)
	w.head = a.next
	w.bytes += a.size
	w.all.bytes += a.size
}

// trim lets go what every reader that is not before the first answer has had.
func (w *window) trim() {
	start, least := w.start(), w.head
	for _, at := range w.readers {
		if at >= start {
			least = min(least, at)
		}
	}
	w.drop(sort.Search(len(w.answers), func(i int) bool { return w.answers[i].next > least }))
}

// drop lets the first n answers go.
func (w *window) drop(n int) {
	for _, a := range w.answers[:n] {
		w.bytes -= a.size
		w.all.bytes -= a.size
	}
	w.answers = slices.Delete(w.answers, 0, n)
}

// bound lets the first answers of the largest windows go while there are too many.
func (s *windows) bound() {
	for s.bytes > s.limit {
		var largest *window
		for _, w := range s.of {
			if largest == nil || w.bytes > largest.bytes {
				largest = w
			}
		}
		largest.drop(1)
		largest.trim() // nothing is kept any more for who waited for it
	}
}
