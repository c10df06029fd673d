package log

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestReadersOfAWindowSeeTheLog has readers of two partitions begin, lag, fail
// and end in any order: each sees what one that reads alone does, and no more is
// kept than what a reader is about to have.
func TestReadersOfAWindowSeeTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &windowModel{T: t, windows: windows{limit: rapid.SampledFrom([]int{4 << 10, 1 << 20}).Draw(t, "limit"), of: map[part]*window{}}}
		t.Repeat(map[string]func(*rapid.T){
			"":       func(*rapid.T) { m.check() },
			"append": m.append,
			"enter":  m.enter,
			"ask":    m.ask,
			"answer": m.answer,
			"fail":   m.fail,
			"leave":  m.leave,
		})
		m.catchUp()
	})
}

// windowModel is a log of two partitions that hold the same, and its readers.
type windowModel struct {
	*rapid.T
	windows windows
	batches [][]byte
	end     int64
	readers []*modelReader
}

type modelReader struct {
	reader
	begun    int64
	fetching bool
	seen     []string
}

// append adds a batch: records, one that is damaged, or the end of a transaction.
func (m *windowModel) append(t *rapid.T) {
	values := make([]string, rapid.IntRange(1, 4).Draw(t, "records"))
	for i := range values {
		values[i] = fmt.Sprint("value ", m.end+int64(i))
	}
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	attributes := uint16(0)
	if kind == 0 {
		attributes = attrTransactional | attrControl
	}
	b := batchOf(m.end, attributes, values...)
	if kind == 1 {
		b[len(b)-1] ^= 1
	}
	m.batches, m.end = append(m.batches, b), m.end+int64(len(values))
}

func (m *windowModel) enter(t *rapid.T) {
	from := rapid.Int64Range(0, m.end).Draw(t, "from")
	r := &modelReader{begun: from, reader: reader{topic: "t", partition: rapid.IntRange(0, 1).Draw(t, "partition"), next: from}}
	r.window = m.windows.enter(&r.reader)
	m.readers = append(m.readers, r)
}

// one draws a reader that fetches, or one that does not.
func (m *windowModel) one(t *rapid.T, fetching bool) *modelReader {
	var some []*modelReader
	for _, r := range m.readers {
		if r.fetching == fetching {
			some = append(some, r)
		}
	}
	if len(some) == 0 {
		t.Skip("no such reader")
	}
	return rapid.SampledFrom(some).Draw(t, "reader")
}

func (m *windowModel) ask(t *rapid.T) { m.asks(m.one(t, false)) }

// asks has a reader ask; it waits only for one that fetches.
func (m *windowModel) asks(r *modelReader) {
	kept, over := r.window.ask(&r.reader)
	switch {
	case kept != nil:
		r.take(*kept)
	case over == nil:
		r.fetching = true
	default:
		require.NotNil(m, r.window.fetching)
		require.NotSame(m, r.window.fetching, &r.reader)
		select {
		case <-over:
			m.Fatal("a reader waits for a fetch that is over")
		default:
		}
	}
}

func (m *windowModel) answer(t *rapid.T) {
	m.answers(m.one(t, true), rapid.IntRange(0, 3).Draw(t, "batches"))
}

// answers gives a reader that fetches a few batches.
func (m *windowModel) answers(r *modelReader, batches int) {
	var buf []byte
	for _, b := range m.batches {
		if head, _, _ := nextBatch(b); head.last >= r.next && batches > 0 {
			buf = append(buf, b...)
			batches--
		}
	}
	r.fetching = false
	a := answerOf(buf, nil, &r.reader)
	r.window.fetched(&r.reader, a, nil)
	r.take(a)
}

func (m *windowModel) fail(t *rapid.T) { m.one(t, true).fails() }

func (r *modelReader) fails() {
	r.fetching = false
	r.window.fetched(&r.reader, answer{}, errors.New("the broker is gone"))
}

func (m *windowModel) leave(t *rapid.T) {
	if len(m.readers) == 0 {
		t.Skip("no reader")
	}
	i := rapid.IntRange(0, len(m.readers)-1).Draw(t, "reader")
	r := m.readers[i]
	if r.fetching {
		r.fails()
	}
	r.window.leave(&r.reader)
	m.readers = append(m.readers[:i:i], m.readers[i+1:]...)
}

func (r *modelReader) take(a answer) {
	r.next = a.next
	r.seen = append(r.seen, told(a.recs)...)
}

// told gives all of records that a reader goes by.
func told(recs []Record) (out []string) {
	for _, r := range recs {
		out = append(out, fmt.Sprintf("%s/%d/%d %s %s %s %v %v", r.Topic, r.Partition, r.Offset, r.Time, r.Key, r.Value, r.Headers, r.Fault))
	}
	return out
}

// check compares each reader with one that reads alone.
func (m *windowModel) check() {
	bytes := 0
	for _, w := range m.windows.of {
		bytes += w.bytes
		least, size := w.head, 0
		for r, at := range w.readers {
			require.Contains(m, []int64{r.next, -1}, at)
			if at >= w.start() {
				least = min(least, at)
			}
		}
		next := w.start()
		for _, a := range w.answers {
			require.Equal(m, next, a.from, "answers go on from each other")
			require.Greater(m, a.next, least, "no more is kept than needed")
			for _, r := range a.recs {
				size += r.size()
			}
			next = a.next
		}
		require.Equal(m, w.head, next)
		require.Equal(m, size, w.bytes)
	}
	require.Equal(m, bytes, m.windows.bytes)
	require.LessOrEqual(m, bytes, m.windows.limit)
	for _, r := range m.readers {
		alone := reader{topic: r.topic, partition: r.partition, next: r.begun}
		whole := told(answerOf(m.log(), nil, &alone).recs)
		if r.next < m.end {
			whole = whole[:min(len(r.seen), len(whole))]
		}
		require.Equal(m, strings.Join(whole, "\n"), strings.Join(r.seen, "\n"))
	}
}

func (m *windowModel) log() (buf []byte) {
	for _, b := range m.batches {
		buf = append(buf, b...)
	}
	return buf
}

// catchUp has all readers come to the end and go.
func (m *windowModel) catchUp() {
	for range 3 * (len(m.batches) + 1) {
		for _, r := range m.readers {
			switch {
			case r.fetching:
				m.answers(r, 1)
			case r.next < m.end:
				m.asks(r)
			}
		}
	}
	m.check()
	for _, r := range m.readers {
		require.Equal(m, m.end, r.next)
		if r.fetching {
			r.fails()
		}
		r.window.leave(&r.reader)
	}
	require.Empty(m, m.windows.of)
	require.Zero(m, m.windows.bytes)
}

// TestWindowWaits has two readers come to the end of the log: one fetches, and
// the other has what that brings, the same event with it, or fetches in its place.
func TestWindowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &windows{limit: 1 << 20, of: map[part]*window{}}
		brings := make(chan answer)
		failed := errors.New("the broker is gone")
		read := func(ctx context.Context, r *reader) <-chan answer {
			out := make(chan answer, 1)
			go func() {
				a, err := r.window.read(ctx, r, func() (answer, error) {
					if a := <-brings; a.next > 0 {
						return a, nil
					}
					return answer{}, failed
				})
				if err == nil {
					out <- a
				}
				close(out)
			}()
			synctest.Wait()
			return out
		}
		one, two := &reader{topic: "t"}, &reader{topic: "t"}
		for _, r := range []*reader{one, two} {
			r.window = s.enter(r)
			first := read(t.Context(), r) // each for itself
			brings <- answerOf(batchOf(0, 0, "a"), nil, r)
			require.Len(t, (<-first).recs, 1)
			r.next = 1
		}
		fetches, waits := read(t.Context(), one), read(t.Context(), two)
		brings <- answerOf(batchOf(1, 0, "b", "c"), nil, one)
		got, same := <-fetches, <-waits
		require.Equal(t, []string{"b", "c"}, valuesOf(same.recs))
		require.NotNil(t, got.recs[1].decoded)
		require.Same(t, got.recs[1].decoded, same.recs[1].decoded)
		require.Zero(t, s.bytes, "both have it")

		one.next, two.next = 3, 3
		ctx, cancel := context.WithCancel(t.Context())
		fetches, waits = read(t.Context(), one), read(ctx, two)
		cancel()
		require.Zero(t, <-waits, "who waits can go")
		waits = read(t.Context(), two)
		brings <- answer{}
		require.Zero(t, <-fetches)
		brings <- answerOf(batchOf(3, 0, "d"), nil, two)
		require.Equal(t, []string{"d"}, valuesOf((<-waits).recs))
	})
}
