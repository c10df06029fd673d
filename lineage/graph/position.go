package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrPosition says that a text is no log position.
var ErrPosition = errors.New("not a log position")

// Position is how far a log was read: for each topic the next offset of each
// partition. It does not change once made.
type Position map[string][]int64

// String gives topic:offset,offset;topic:… with the topics sorted.
func (p Position) String() string {
	var b strings.Builder
	for _, topic := range slices.Sorted(maps.Keys(p)) {
		if b.Len() > 0 {
			b.WriteByte(';')
		}
		b.WriteString(topic)
		for i, o := range p[topic] {
			b.WriteByte(":,"[min(i, 1)])
			b.WriteString(strconv.FormatInt(o, 10))
		}
	}
	return b.String()
}

// ParsePosition reads what String prints, and topic/partition/offset, which
// names one record and means a position that has it. Errors wrap ErrPosition.
func ParsePosition(s string) (Position, error) {
	if strings.Count(s, "/") == 2 && !strings.Contains(s, ":") {
		return parseRecord(s)
	}
	p := Position{}
	for part := range strings.SplitSeq(s, ";") {
		topic, list, ok := strings.Cut(part, ":")
		if !ok || topic == "" {
			return nil, fmt.Errorf("%w: %q should read topic:offset,offset;… or topic/partition/offset", ErrPosition, s)
		}
		for text := range strings.SplitSeq(list, ",") {
			o, err := strconv.ParseInt(text, 10, 64)
			if err != nil || o < 0 {
				return nil, fmt.Errorf("%w: %q of topic %s is no offset", ErrPosition, text, topic)
			}
			p[topic] = append(p[topic], o)
		}
	}
	return p, nil
}

// maxPartition bounds what a text can make us allocate.
const maxPartition = 1 << 16

func parseRecord(s string) (Position, error) {
	parts := strings.Split(s, "/")
	partition, err1 := strconv.Atoi(parts[1])
	offset, err2 := strconv.ParseInt(parts[2], 10, 64)
	if err1 != nil || err2 != nil || partition < 0 || partition >= maxPartition || offset < 0 || parts[0] == "" {
		return nil, fmt.Errorf("%w: %q should read topic/partition/offset", ErrPosition, s)
	}
	offsets := make([]int64, partition+1)
	offsets[partition] = offset + 1
	return Position{parts[0]: offsets}, nil
}

// Covers reports whether all that q has was read by p.
func (p Position) Covers(q Position) bool {
	for topic, offsets := range q {
		have := p[topic]
		for i, o := range offsets {
			if o > 0 && (i >= len(have) || have[i] < o) {
				return false
			}
		}
	}
	return true
}

// Clone gives a copy that shares nothing.
func (p Position) Clone() Position {
	out := make(Position, len(p))
	for topic, offsets := range p {
		out[topic] = slices.Clone(offsets)
	}
	return out
}
