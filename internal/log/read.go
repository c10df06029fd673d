package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// tailWait is how long the broker holds a fetch at the end of a partition.
	tailWait = 500 * time.Millisecond
	// stalls is after how many empty answers, while the broker says that
	// there is more, the connections are made anew.
	stalls = 3
)

// Read gives fn the records of one partition from an offset on, in order and
// in batches as they come, and waits for more at the end until the context
// ends, whose error it returns. No group is involved. Several that read the
// same partition at a time share what they fetch.
//
// Failing brokers and connections are retried for as long as the context
// lasts. An error of fn ends the read and is returned as it is. Read returns
// *OutOfRangeError when the partition holds nothing at from.
func (c *Client) Read(ctx context.Context, topic string, partition int, from int64, fn func([]Record) error) error {
	return c.ReadUntil(ctx, topic, partition, from, math.MaxInt64, fn)
}

// ReadUntil is Read up to, and without, the offset until: it returns nil when
// all records before it were given. Beyond the partition's end it waits.
func (c *Client) ReadUntil(ctx context.Context, topic string, partition int, from, until int64, fn func([]Record) error) error {
	r := &reader{client: c, topic: topic, partition: partition, next: from}
	if until == math.MaxInt64 {
		r.window = c.windows.enter(r)
		defer r.window.leave(r)
	}
	for r.next < until {
		recs, err := r.poll(ctx)
		if err != nil {
			return err
		}
		for len(recs) > 0 && recs[len(recs)-1].Offset >= until {
			recs = recs[:len(recs)-1]
		}
		if len(recs) == 0 {
			continue
		}
		if err := fn(recs); err != nil {
			return err
		}
	}
	return nil
}

// RecordAt returns the record that stands at the offset. The error is an
// *OutOfRangeError when the partition does not hold it.
func (c *Client) RecordAt(ctx context.Context, topic string, partition int, offset int64) (Record, error) {
	ends, err := c.Ends(ctx, topic)
	if err != nil {
		return Record{}, err
	}
	if partition < 0 || partition >= len(ends) || offset < 0 || offset >= ends[partition] {
		gone := &OutOfRangeError{Topic: topic, Partition: partition, From: offset}
		if partition >= 0 && partition < len(ends) {
			gone.End = ends[partition]
		}
		return Record{}, gone
	}
	var found Record
	err = c.ReadUntil(ctx, topic, partition, offset, offset+1, func(recs []Record) error {
		found = recs[0]
		return nil
	})
	if err == nil && found.Topic == "" {
		err = &OutOfRangeError{Topic: topic, Partition: partition, From: offset, End: ends[partition]}
	}
	return found, err
}

// reader goes through one partition.
type reader struct {
	client    *Client
	topic     string
	partition int
	next      int64
	failures  int
	empty     int
	// window is what the reader shares with others; nil if it reads alone.
	window *window
}

// poll returns the next records, none when there were none in a while.
func (r *reader) poll(ctx context.Context) ([]Record, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	a, err := r.answer(ctx)
	switch {
	case err == nil:
		r.failures = 0
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, kafka.OffsetOutOfRange):
		return nil, r.outOfRange(ctx)
	default:
		return nil, r.retry(ctx, err)
	}
	r.next = a.next
	return a.recs, nil
}

// answer gives what stands at the reader's offset.
func (r *reader) answer(ctx context.Context) (answer, error) {
	fetch := func() (answer, error) { return r.fetch(ctx) }
	if r.window == nil {
		return fetch()
	}
	return r.window.read(ctx, r, fetch)
}

// fetch asks the broker for it.
func (r *reader) fetch(ctx context.Context) (answer, error) {
	f, err := r.client.fetch(ctx, r.topic, r.partition, r.next, tailWait)
	if err != nil {
		return answer{}, err
	}
	a := answerOf(f.batches, f.aborted, r)
	r.watch(a.next, f.end)
	return a, nil
}

// watch restarts a read that brings nothing although the broker has more.
func (r *reader) watch(next, end int64) {
	if next > r.next || end <= next {
		r.empty = 0
		return
	}
	if r.empty++; r.empty < stalls {
		return
	}
	r.empty = 0
	r.client.logger.Warn("a read stalls, connecting anew",
		"topic", r.topic, "partition", r.partition, "offset", next, "end", end)
	r.client.transport.CloseIdleConnections()
}

func (r *reader) retry(ctx context.Context, err error) error {
	r.client.logger.Warn("reading the log fails, trying again",
		"topic", r.topic, "partition", r.partition, "offset", r.next, "error", err)
	wait := backoff(r.failures)
	r.failures++
	return pause(ctx, wait)
}

// outOfRange finds out what the partition holds, for the person who reads
// the error.
func (r *reader) outOfRange(ctx context.Context) error {
	gone := &OutOfRangeError{Topic: r.topic, Partition: r.partition, From: r.next}
	starts, err := r.client.Starts(ctx, r.topic)
	if err != nil {
		return fmt.Errorf("%w; and %w", gone, err)
	}
	ends, err := r.client.Ends(ctx, r.topic)
	if err != nil {
		return fmt.Errorf("%w; and %w", gone, err)
	}
	gone.Start, gone.End = starts[r.partition], ends[r.partition]
	return gone
}
