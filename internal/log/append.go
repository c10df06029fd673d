package log

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// batchRecords and batchBytes bound one batch of one partition.
	batchRecords = 2000
	batchBytes   = 1 << 20
	// linger is how long a batch waits at most for the callers of the one
	// before it, who have just been answered and often come back at once.
	linger = time.Millisecond
	// deliveryTimeout is how long a batch is tried before its callers are
	// told that it failed.
	deliveryTimeout = 30 * time.Second
)

// Append writes the records and returns their positions, in the order given,
// when every replica that must have them does. Records of one call that have
// the same key keep their order. Failing brokers are retried for 30 s, so a
// record may stand in the log twice.
//
// Errors: *TooLargeError, and nothing was written; *AppendError when some
// records failed, and the positions of those have offset -1; the context's
// error when it ended first, and then the records may or may not be written.
func (c *Client) Append(ctx context.Context, recs []Record) ([]Position, error) {
	if len(recs) == 0 {
		return nil, nil
	}
	for i := range recs {
		if n := payload(&recs[i]); n > MaxRecordBytes {
			return nil, &TooLargeError{Index: i, Size: n, Limit: MaxRecordBytes}
		}
	}
	call := newCall(len(recs))
	if err := c.appender.accept(ctx, recs, call); err != nil {
		return nil, fmt.Errorf("appending to the log: %w", err)
	}
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("appending to the log: %w", context.Cause(ctx))
	case <-call.done:
	}
	for _, err := range call.errs {
		if err != nil {
			return call.positions, &AppendError{Records: call.errs}
		}
	}
	return call.positions, nil
}

// payload counts the bytes that the sender chose.
func payload(r *Record) int {
	n := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// call is one Append that waits.
type call struct {
	positions []Position
	errs      []error
	done      chan struct{}

	mu   sync.Mutex
	left int
}

func newCall(n int) *call {
	return &call{positions: make([]Position, n), errs: make([]error, n), done: make(chan struct{}), left: n}
}

// settle notes what became of one record.
func (c *call) settle(i int, p Position, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.positions[i], c.errs[i] = p, err
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

// entry is one record on its way, with the call to tell.
type entry struct {
	record *Record
	size   int
	call   *call
	index  int
}

// lane is a partition. One batch of it is under way at a time, which keeps
// its records in order; what arrives meanwhile is the next batch, so that
// batches grow with the load and a lone record does not wait for company.
type lane struct {
	topic     string
	partition int

	mu      sync.Mutex
	waiting []entry
	busy    bool
	want    int           // how many records the drain waits for, 0 when it does not
	wanted  chan struct{} // told when they are there
}

// appender has the lanes.
type appender struct {
	client *Client

	mu     sync.Mutex
	lanes  map[string][]*lane // by topic, one for each partition
	closed bool
	busy   sync.WaitGroup
}

// accept puts the records on their lanes.
func (a *appender) accept(ctx context.Context, recs []Record, call *call) error {
	perLane := make(map[*lane][]entry, 4)
	for i := range recs {
		lanes, err := a.lanesOf(ctx, recs[i].Topic)
		if err != nil {
			return err
		}
		l := lanes[PartitionOf(recs[i].Key, len(lanes))]
		perLane[l] = append(perLane[l], entry{record: &recs[i], size: payload(&recs[i]), call: call, index: i})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return errors.New("the log's client is closed")
	}
	for l, entries := range perLane {
		if l.add(entries) {
			a.busy.Add(1)
			go a.drain(l) //nolint:contextcheck // a batch has many callers, and outlives each
		}
	}
	return nil
}

// lanesOf finds out how many partitions a topic has, once.
func (a *appender) lanesOf(ctx context.Context, topic string) ([]*lane, error) {
	a.mu.Lock()
	lanes := a.lanes[topic]
	a.mu.Unlock()
	if lanes != nil {
		return lanes, nil
	}
	n, err := a.client.Partitions(ctx, topic)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("topic %s has no partitions", topic)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lanes[topic] == nil {
		lanes = make([]*lane, n)
		for p := range lanes {
			lanes[p] = &lane{topic: topic, partition: p, wanted: make(chan struct{}, 1)}
		}
		a.lanes[topic] = lanes
	}
	return a.lanes[topic], nil
}

// close refuses new records and waits for those under way.
func (a *appender) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.busy.Wait()
}

// drain sends a lane's batches until nothing waits.
func (a *appender) drain(l *lane) {
	defer a.busy.Done()
	for {
		batch := l.take()
		if batch == nil {
			return
		}
		base, err := a.deliver(l, batch)
		if err == nil {
			a.client.windows.hand(l, base, batch)
		}
		for i, e := range batch {
			p := Position{Topic: l.topic, Partition: l.partition, Offset: base + int64(i)}
			if err != nil {
				p.Offset = -1
			}
			e.call.settle(e.index, p, err)
		}
		l.gather(len(batch))
	}
}

// deliver sends one batch until the broker has it, and returns the offset of
// its first record.
func (a *appender) deliver(l *lane, batch []entry) (int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deliveryTimeout)
	defer cancel()
	for try := 0; ; try++ {
		base, err := a.produce(ctx, l, batch)
		if err == nil || permanent(err) || ctx.Err() != nil {
			return base, err
		}
		a.client.logger.Warn("writing to the log fails, trying again",
			"topic", l.topic, "partition", l.partition, "records", len(batch), "error", err)
		if pause(ctx, backoff(try)) != nil {
			return 0, fmt.Errorf("gave up after %s: %w", deliveryTimeout, err)
		}
	}
}

func (a *appender) produce(ctx context.Context, l *lane, batch []entry) (int64, error) {
	records := make([]kafka.Record, len(batch))
	for i := range batch {
		records[i] = outgoing(batch[i].record)
	}
	res, err := a.client.admin.Produce(ctx, &kafka.ProduceRequest{
		Topic:        l.topic,
		Partition:    l.partition,
		RequiredAcks: kafka.RequireAll,
		Records:      kafka.NewRecordReader(records...),
	})
	if err != nil {
		return 0, err
	}
	return res.BaseOffset, res.Error
}

// outgoing gives the record the client's form. It has no time: the broker's
// counts.
func outgoing(r *Record) kafka.Record {
	out := kafka.Record{Key: kafka.NewBytes(r.Key), Value: kafka.NewBytes(r.Value)}
	if len(r.Headers) > 0 {
		out.Headers = make([]kafka.Header, len(r.Headers))
		for i, h := range r.Headers {
			out.Headers[i] = kafka.Header(h)
		}
	}
	return out
}

// permanent says whether the broker will refuse the batch again.
func permanent(err error) bool {
	var code kafka.Error
	return errors.As(err, &code) && !code.Temporary()
}

// add reports whether the lane was idle and needs somebody to drain it.
func (l *lane) add(entries []entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, entries...)
	if l.want > 0 && len(l.waiting) >= l.want {
		l.want = 0
		l.wanted <- struct{}{}
	}
	idle := !l.busy
	l.busy = true
	return idle
}

// gather waits, linger at most, until as many records wait as were under way
// and waiting when the last batch was answered. Without it the callers fall
// into two groups that take turns, and batches are half as large.
func (l *lane) gather(answered int) {
	l.mu.Lock()
	l.want = min(len(l.waiting)+answered, batchRecords)
	l.mu.Unlock()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case <-l.wanted:
		return
	case <-timer.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.want == 0 {
		<-l.wanted // it came with the timer
	}
	l.want = 0
}

// take cuts the next batch off what waits; nil, and the lane is idle, when
// nothing does.
func (l *lane) take() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.busy, l.waiting = false, nil
		return nil
	}
	n, size := 0, 0
	for n < len(l.waiting) && n < batchRecords {
		size += l.waiting[n].size
		if n > 0 && size > batchBytes {
			break
		}
		n++
	}
	batch := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	return batch
}
