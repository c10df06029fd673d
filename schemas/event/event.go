// Package event holds every event of the log as Go types: what each one says,
// which topic and key it travels under, and how it is written and read as
// CloudEvents 1.0, in binary mode (Kafka records), structured and in batches.
// It is a leaf: it imports the standard library and schemas/name alone.
package event

import (
	"errors"
	"fmt"
	"time"
)

// SpecVersion is the version of CloudEvents that events are written in.
const SpecVersion = "1.0"

// MasterBranch is the branch of an event that names none.
const MasterBranch = "master"

// Reasons for which an event cannot be read. Each has a code for people and
// programs, see Code.
var (
	// ErrMalformed: the bytes are not JSON, or not of the event's shape.
	ErrMalformed = errors.New("malformed event")
	// ErrAttribute: a CloudEvents attribute is missing or has a wrong value.
	ErrAttribute = errors.New("wrong event attribute")
	// ErrUnknownType: no event of this name is known.
	ErrUnknownType = errors.New("unknown event type")
	// ErrUnknownVersion: the event is known, but not in this major version.
	ErrUnknownVersion = errors.New("unknown major version")
	// ErrInvalid: the data breaks a rule of its type.
	ErrInvalid = errors.New("invalid event")
)

// Code gives the stable code of an error of this package, MalformedEvent if
// it wraps none of the errors above.
func Code(err error) string {
	switch {
	case errors.Is(err, ErrUnknownVersion):
		return "UnknownVersion"
	case errors.Is(err, ErrUnknownType):
		return "UnknownType"
	case errors.Is(err, ErrAttribute):
		return "InvalidAttribute"
	case errors.Is(err, ErrInvalid):
		return "InvalidEvent"
	}
	return "MalformedEvent"
}

// Event is one event, decoded.
type Event struct {
	// ID and Source together are the idempotency key: an event that is sent
	// again under the same pair counts once.
	ID, Source string
	// Type ends in its major version: tributary.task.defined.v1.
	Type string
	// Time is when it happened, as its sender says. It is shown, never
	// compared; the order of events is that of the log.
	Time time.Time
	// Key is the key of its record in the log, as Decode computed it from
	// Data. Encode computes it afresh.
	Key string
	// Data points to the struct of the type, *TaskDefined for example.
	Data any
	// Extensions holds CloudEvents extension attributes (traceparent, …)
	// under their names; nil if there are none.
	Extensions map[string]string
}

// Position is a place in a topic. Positions of one generation and partition
// compare by offset, others do not compare.
type Position struct {
	// Generation counts how often the topic was repartitioned, from 0.
	Generation int   `json:"generation"`
	Partition  int   `json:"partition"`
	Offset     int64 `json:"offset"`
}

// Version gives the version of a row that the record at this position caused.
func (p Position) Version() uint64 { return Version(p.Generation, p.Offset) }

// String gives generation/partition/offset.
func (p Position) String() string {
	return fmt.Sprintf("%d/%d/%d", p.Generation, p.Partition, p.Offset)
}

// offsetBits is the room of the offset in a version.
const offsetBits = 48

// Version gives the version of a row that the record at an offset of a
// topic's generation caused: generation<<48 | offset+1. It is never 0.
func Version(generation int, offset int64) uint64 {
	return uint64(generation)<<offsetBits | uint64(offset+1)
}

// SplitVersion gives generation and offset back from a version.
func SplitVersion(v uint64) (generation int, offset int64) {
	return int(v >> offsetBits), int64(v&(1<<offsetBits-1)) - 1
}
