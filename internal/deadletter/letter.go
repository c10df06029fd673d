// Package deadletter judges whether a record of the log can be read, and keeps
// those that cannot: as letters in a topic of their own, with the reason and
// where they came from, for people to list, show and retry.
package deadletter

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// Reasons that are not those of event.Code.
const (
	// ReasonWrongPartition: the record does not stand where its key belongs,
	// so its order among those of its key is lost.
	ReasonWrongPartition = "WrongPartition"
	// ReasonWrongKey: the record's key is not that of its event.
	ReasonWrongKey = "WrongKey"
	// ReasonWrongTopic: events of this type travel in another topic.
	ReasonWrongTopic = "WrongTopic"
	// ReasonUnreadable: the log holds bytes that are no record.
	ReasonUnreadable = "Unreadable"
	// ReasonIDCollision: a name in the event has the id of another name.
	ReasonIDCollision = "IDCollision"
)

// Fault says why a record cannot be read.
type Fault struct {
	// Reason is a code, one of those above or of event.Code.
	Reason string
	// Detail is for people.
	Detail string
}

// String gives reason and detail.
func (f *Fault) String() string { return f.Reason + ": " + f.Detail }

// Placed reports a record that does not stand in its key's partition.
func Placed(rec *log.Record, partitions int) *Fault {
	if rec.Fault != nil {
		return &Fault{ReasonUnreadable, rec.Fault.Error()}
	}
	if want := log.PartitionOf(rec.Key, partitions); want != rec.Partition {
		return &Fault{ReasonWrongPartition, fmt.Sprintf("key %q belongs in partition %d; producers must partition by murmur2 of the key", rec.Key, want)}
	}
	return nil
}

// Judge decodes a record of a topic with so many partitions, or says why it
// cannot be read.
func Judge(rec *log.Record, partitions int) (event.Event, *Fault) {
	if f := Placed(rec, partitions); f != nil {
		return event.Event{}, f
	}
	ev, err := rec.Event()
	if err != nil {
		return event.Event{}, &Fault{event.Code(err), err.Error()}
	}
	if topic, err := event.Topic(ev.Type); err != nil || topic != rec.Topic {
		return event.Event{}, &Fault{ReasonWrongTopic, fmt.Sprintf("events of type %s travel in %s", ev.Type, topic)}
	}
	if ev.Key != string(rec.Key) {
		return event.Event{}, &Fault{ReasonWrongKey, fmt.Sprintf("the record's key is %q, the event's is %q", rec.Key, ev.Key)}
	}
	return ev, nil
}

// Place names a record by where it stands in the log.
type Place struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
}

// String gives topic/partition/offset, the form that commands take.
func (p Place) String() string { return fmt.Sprintf("%s/%d/%d", p.Topic, p.Partition, p.Offset) }

// ErrPlace says that a text is no place.
var ErrPlace = errors.New("not of the form topic/partition/offset")

// ParsePlace reads what String gives. Errors wrap ErrPlace.
func ParsePlace(s string) (Place, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || parts[0] == "" {
		return Place{}, fmt.Errorf("%w: %q", ErrPlace, s)
	}
	partition, err1 := strconv.Atoi(parts[1])
	offset, err2 := strconv.ParseInt(parts[2], 10, 64)
	if err1 != nil || err2 != nil || partition < 0 || offset < 0 {
		return Place{}, fmt.Errorf("%w: %q", ErrPlace, s)
	}
	return Place{parts[0], partition, offset}, nil
}

// Letter is a record that could not be read.
type Letter struct {
	Place
	// Written is when the log took the record, Refused when it took the letter.
	Written, Refused time.Time
	Fault            Fault
	// Key, Value and Headers are those of the record.
	Key, Value []byte
	Headers    []log.Header
	// Retried is when someone had it written again; zero if nobody did.
	Retried time.Time
}

// Headers of letters, beside those of the record itself.
const (
	headerPrefix    = "tributary-deadletter-"
	headerReason    = headerPrefix + "reason"
	headerDetail    = headerPrefix + "detail"
	headerPlace     = headerPrefix + "place"
	headerWritten   = headerPrefix + "written"
	headerRetried   = headerPrefix + "retried"
	maxDetailLength = 1000
)

// New makes the letter of a record.
func New(rec *log.Record, f *Fault) Letter {
	detail := f.Detail
	if len(detail) > maxDetailLength {
		detail = strings.ToValidUTF8(detail[:maxDetailLength], "") + "…"
	}
	return Letter{
		Place:   Place{rec.Topic, rec.Partition, rec.Offset},
		Written: rec.Time, Fault: Fault{f.Reason, detail},
		Key: rec.Key, Value: rec.Value, Headers: rec.Headers,
	}
}

// record gives the letter as it is written.
func (l *Letter) record() log.Record {
	headers := make([]log.Header, 0, len(l.Headers)+4)
	for _, h := range l.Headers {
		if !strings.HasPrefix(h.Key, headerPrefix) {
			headers = append(headers, h)
		}
	}
	headers = append(headers,
		log.Header{Key: headerReason, Value: []byte(l.Fault.Reason)},
		log.Header{Key: headerDetail, Value: []byte(l.Fault.Detail)},
		log.Header{Key: headerPlace, Value: []byte(l.String())},
		log.Header{Key: headerWritten, Value: l.Written.AppendFormat(nil, time.RFC3339Nano)},
	)
	return log.Record{Topic: log.TopicDeadletter, Key: l.Key, Value: l.Value, Headers: headers}
}

// mark gives the record that says that a letter was retried.
func mark(l Letter) log.Record {
	return log.Record{Topic: log.TopicDeadletter, Key: l.Key, Headers: []log.Header{
		{Key: headerPlace, Value: []byte(l.String())},
		{Key: headerRetried, Value: []byte("true")},
	}}
}

// read reads a letter back; mark is true for a note that it was retried. The
// error says what is missing.
func read(rec *log.Record) (l Letter, mark bool, err error) {
	l.Key, l.Value, l.Refused = rec.Key, rec.Value, rec.Time
	for _, h := range rec.Headers {
		switch h.Key {
		case headerReason:
			l.Fault.Reason = string(h.Value)
		case headerDetail:
			l.Fault.Detail = string(h.Value)
		case headerPlace:
			l.Place, err = ParsePlace(string(h.Value))
		case headerWritten:
			l.Written, _ = time.Parse(time.RFC3339Nano, string(h.Value))
		case headerRetried:
			mark = true
		default:
			l.Headers = append(l.Headers, h)
		}
	}
	if err == nil && l.Topic == "" {
		err = fmt.Errorf("%w: the record at %s/%d/%d is no letter", ErrPlace, rec.Topic, rec.Partition, rec.Offset)
	}
	return l, mark, err
}

// Appender writes records to the log.
type Appender interface {
	Append(ctx context.Context, recs []log.Record) ([]log.Position, error)
}

// Write appends letters. A record that is refused twice, because its reader
// was restarted, has two letters; readers of letters show it once.
func Write(ctx context.Context, a Appender, letters []Letter) error {
	if len(letters) == 0 {
		return nil
	}
	recs := make([]log.Record, len(letters))
	for i := range letters {
		recs[i] = letters[i].record()
		shorten(&recs[i])
	}
	if _, err := a.Append(ctx, recs); err != nil {
		return fmt.Errorf("writing %d records to the dead letters: %w", len(letters), err)
	}
	return nil
}

// shorten lets go of the value of a record that is as large as the log takes
// and would not fit with the letter's headers; its place still tells where the
// bytes are.
func shorten(rec *log.Record) {
	n := len(rec.Key) + len(rec.Value)
	for _, h := range rec.Headers {
		n += len(h.Key) + len(h.Value)
	}
	if n > log.MaxRecordBytes {
		rec.Value = nil
	}
}
