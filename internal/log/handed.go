package log

import (
	"bytes"
	"container/list"
	"slices"
	"sync"

	"github.com/tributary-data/tributary/schemas/event"
)

// handedBytes bounds what a client keeps of what it has appended itself and its own
// readers have not come to, decoded events included.
const handedBytes = 8 << 20

// handed keeps known events that this process has appended, with their records, until
// one of its readers comes to them: it need not decode what was just encoded. The zero
// value keeps none.
type handed struct {
	limit int // bytes that they may take together

	mu sync.Mutex
	at map[Position]*list.Element
	// order has the records, the oldest first.
	order list.List
	bytes int
}

// hand keeps the known events of a batch that the log has taken, where several read the
// partition: what one reads alone is not shared.
func (s *windows) hand(l *lane, base int64, batch []entry) {
	if !s.shared(part{l.topic, l.partition}) {
		return
	}
	for i, e := range batch {
		if e.record.Known != nil {
			s.handed.put(Position{Topic: l.topic, Partition: l.partition, Offset: base + int64(i)}, e.record)
		}
	}
}

// shared reports a partition that several read.
func (s *windows) shared(at part) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.of[at]
	return w != nil && len(w.readers) > 1
}

// put keeps a record that stands at a position, and lets the oldest go while there are
// too many.
func (h *handed) put(at Position, r *Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.at == nil {
		h.at = map[Position]*list.Element{}
	}
	if old := h.at[at]; old != nil {
		h.drop(old) // the topic was made anew
	}
	own := *r
	own.Topic, own.Partition, own.Offset = at.Topic, at.Partition, at.Offset
	h.at[at] = h.order.PushBack(&own)
	h.bytes += own.size()
	for h.bytes > h.limit {
		h.drop(h.order.Front())
	}
}

// take gives the event of a record that was read, and keeps it no longer. It gives nil
// if there is none, or if another record was appended than the one that stands there.
func (h *handed) take(r *Record) *event.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.at[Position{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}]
	if e == nil {
		return nil
	}
	own := h.drop(e)
	if !bytes.Equal(own.Value, r.Value) || !slices.EqualFunc(own.Headers, r.Headers, sameHeader) {
		return nil
	}
	return own.Known
}

func (h *handed) drop(e *list.Element) *Record {
	r, _ := h.order.Remove(e).(*Record)
	delete(h.at, Position{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset})
	h.bytes -= r.size()
	return r
}

func sameHeader(a, b Header) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) }
