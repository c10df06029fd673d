package log

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

func known(value string) *Record {
	return &Record{Key: []byte("k"), Value: []byte(value), Headers: []Header{{"ce_id", []byte("1")}}, Known: &event.Event{ID: value}}
}

// read gives a record as it stands in the log.
func read(offset int64, value string) *Record {
	return &Record{Topic: "t", Partition: 1, Offset: offset, Key: []byte("k"), Value: []byte(value), Headers: []Header{{"ce_id", []byte("1")}}}
}

func at(offset int64) Position { return Position{Topic: "t", Partition: 1, Offset: offset} }

func TestOnlyTheSameRecordIsHandedOver(t *testing.T) {
	h := handed{limit: 1 << 20}
	for other, change := range map[string]func(*Record){
		"a topic":     func(r *Record) { r.Topic = "u" },
		"a partition": func(r *Record) { r.Partition = 2 },
		"a place":     func(r *Record) { r.Offset = 8 },
		"a value":     func(r *Record) { r.Value = []byte("b") },
		"a header":    func(r *Record) { r.Headers[0].Value = []byte("2") },
		"a name":      func(r *Record) { r.Headers[0].Key = "ce_source" },
		"no header":   func(r *Record) { r.Headers = nil },
	} {
		h.put(at(7), known("a"))
		r := read(7, "a")
		change(r)
		require.Nil(t, h.take(r), other)
	}
	a := known("a")
	h.put(at(7), known("before the topic was made anew"))
	h.put(at(7), a)
	require.Same(t, a.Known, h.take(read(7, "a")))
	require.Nil(t, h.take(read(7, "a")), "it is kept no longer")
	require.Zero(t, h.bytes)
	require.Zero(t, h.order.Len())
	require.Empty(t, h.at)
}

// TestWhatNobodyReadsIsLetGo keeps no more than the limit when a record is never taken
// and when all others are.
func TestWhatNobodyReadsIsLetGo(t *testing.T) {
	size := read(0, "00").size()
	h := handed{limit: 3 * size}
	for i := range int64(50) {
		h.put(at(i), known(fmt.Sprintf("%02d", i)))
		require.LessOrEqual(t, h.bytes, h.limit)
	}
	require.Equal(t, 3, h.order.Len())
	require.Nil(t, h.take(read(46, "46")), "the oldest go first")
	for i := int64(48); i < 90; i++ {
		require.NotNil(t, h.take(read(i, fmt.Sprint(i))))
		h.put(at(i+2), known(fmt.Sprint(i+2)))
	}
	require.Equal(t, 3, h.order.Len(), "47 is still there")
	require.Len(t, h.at, 3)
	require.NotNil(t, h.take(read(47, "47")))
	h.put(at(100), known(string(make([]byte, 4*size))))
	require.Zero(t, h.bytes, "it is larger than the limit alone")
}
