// Package log is the adapter to the event log: Apache Kafka, or the broker
// that runs inside the process. It is the one package that imports a Kafka
// client.
//
// A consumer group only says who works on a partition. Where to start is the
// caller's business: positions are kept with the rows that they cover, and
// every read names the offset that it begins at.
package log

import (
	"fmt"
	"sync"
	"time"

	"github.com/tributary-data/tributary/schemas/event"
)

// Header is one header of a record.
type Header struct {
	Key   string
	Value []byte
}

// Record is one record of the log.
//
// Append looks at Topic, Key, Value, Headers and Known and chooses the partition by
// PartitionOf. Records that were read share the buffer of the answer that
// they came in: keep one and its neighbours stay in memory. Others in the process
// may read the same ones, so nobody may change them.
type Record struct {
	Topic     string
	Partition int
	Offset    int64
	// Time is when the broker appended the record, in UTC, to the millisecond.
	Time    time.Time
	Key     []byte
	Value   []byte
	Headers []Header
	// Fault is set when the batch that stands at Offset cannot be read (a
	// wrong checksum, an unknown codec, a size beyond all limits). Key, Value
	// and Headers are then empty. The reader goes on behind the batch.
	Fault error
	// Known is the event that a record to append was encoded from, where decoding it
	// gives an equal one; nil if that is not known, and in records that were read. Who
	// reads the record in this process may be given this event, so nobody may change
	// it, nor the record's bytes, once they were appended.
	Known *event.Event

	// decoded is the same for all copies of the record; nil for one that a
	// single reader has.
	decoded *decoded
}

// decoded is the event of a record.
type decoded struct {
	once   sync.Once
	handed *handed
	event  event.Event
	err    error
}

// Event decodes the record, once for all that read it in this process, or gives the
// event that the process has encoded it from: nobody may change what it gives. Errors
// are those of event.Decode.
func (r *Record) Event() (event.Event, error) {
	if r.decoded == nil {
		return event.Decode(r.Headers, r.Value)
	}
	d := r.decoded
	d.once.Do(func() {
		if !d.given(r) { // the broker may have told the reader before the writer
			d.event, d.err = event.Decode(r.Headers, r.Value)
		}
	})
	return d.event, d.err
}

// given takes the event if it was handed over.
func (d *decoded) given(r *Record) bool {
	own := d.handed.take(r)
	if own != nil {
		d.event = *own
	}
	return own != nil
}

// size is about what the record takes in memory with its event decoded, which is
// 1.1 to 2.6 times as large as its value: measured with task definitions, their
// lineage and its markers.
func (r *Record) size() int {
	const itself = 1 << 10
	return itself + len(r.Key) + 2*len(r.Value)
}

// share has records decoded once, and those not at all that were handed over.
func share(recs []Record, h *handed) {
	sheet := make([]decoded, len(recs))
	for i := range recs {
		d := &sheet[i]
		d.handed, recs[i].decoded = h, d
		if d.given(&recs[i]) {
			d.once.Do(func() {})
		}
	}
}

// Header returns the value of the first header of that name, and whether
// there is one.
func (r *Record) Header(key string) ([]byte, bool) {
	for i := range r.Headers {
		if r.Headers[i].Key == key {
			return r.Headers[i].Value, true
		}
	}
	return nil, false
}

// Position says where a record stands in the log.
type Position struct {
	Topic     string
	Partition int
	Offset    int64
}

// String writes the position as topic/partition/offset.
func (p Position) String() string {
	return fmt.Sprintf("%s/%d/%d", p.Topic, p.Partition, p.Offset)
}

// TooLargeError says that a record is beyond what the log takes. It is the
// sender's fault and sending again does not help.
type TooLargeError struct {
	// Index is the record's place in what Append was given.
	Index int
	// Size and Limit are bytes of key, value and headers together.
	Size, Limit int
}

// Error gives the size and the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("record %d has %d bytes, the log takes %d", e.Index, e.Size, e.Limit)
}

// OutOfRangeError says that a read began where the partition has no record
// and will have none: before its first one or behind its end.
type OutOfRangeError struct {
	Topic     string
	Partition int
	// From is the offset asked for; the partition holds Start up to End-1.
	From, Start, End int64
}

// Error gives the offset asked for and what the partition holds.
func (e *OutOfRangeError) Error() string {
	return fmt.Sprintf("offset %d of %s/%d is outside of what the log holds (%d to %d)",
		e.From, e.Topic, e.Partition, e.Start, e.End)
}

// AppendError says which records of one Append failed. The others are in the
// log. A failed one may be there too: the broker's answer may have been lost.
// Send it again; readers judge an event's id once.
type AppendError struct {
	// Records has an entry for each record, nil where it was appended.
	Records []error
}

// Error counts the failures and shows the first.
func (e *AppendError) Error() string {
	failed := 0
	for _, err := range e.Records {
		if err != nil {
			failed++
		}
	}
	return fmt.Sprintf("appending %d of %d records failed: %v", failed, len(e.Records), e.first())
}

// Unwrap gives the first failure.
func (e *AppendError) Unwrap() error { return e.first() }

func (e *AppendError) first() error {
	for _, err := range e.Records {
		if err != nil {
			return err
		}
	}
	return nil
}
