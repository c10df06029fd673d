package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	defaultLinger = time.Millisecond
	// batchRecords is how many records go into one batch. The client
	// allocates a slice of this length for each batch.
	batchRecords = 512
)

// slot receives the position of one record when its batch is answered.
type slot struct{ position Position }

func newWriter(c *Client, linger time.Duration) *kafka.Writer {
	if linger <= 0 {
		linger = defaultLinger
	}
	return &kafka.Writer{
		Addr:         c.admin.Addr,
		Transport:    c.transport,
		RequiredAcks: kafka.RequireAll,
		BatchTimeout: linger,
		BatchSize:    batchRecords,
		BatchBytes:   MaxRecordBytes,
		ReadTimeout:  requestTimeout,
		WriteTimeout: requestTimeout,
		Balancer: kafka.BalancerFunc(func(m kafka.Message, partitions ...int) int {
			return partitions[PartitionOf(m.Key, len(partitions))]
		}),
		// Offsets are in the messages that Completion is given; the slice
		// that the caller passed stays as it was.
		Completion: func(messages []kafka.Message, err error) {
			if err != nil {
				return
			}
			for i := range messages {
				m := &messages[i]
				m.WriterData.(*slot).position = Position{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset}
			}
		},
		ErrorLogger: kafka.LoggerFunc(func(format string, args ...any) {
			c.logger.Warn("writing to the log", "detail", fmt.Sprintf(format, args...))
		}),
	}
}

// Append writes the records and returns their positions, in the order given,
// when every replica that must have them does. Records of one call that have
// the same key keep their order.
//
// Errors: *TooLargeError, and nothing was written; *AppendError when some
// records failed, and the positions of those have offset -1; the context's
// error when it ended first, and then the records may or may not be written.
func (c *Client) Append(ctx context.Context, recs []Record) ([]Position, error) {
	if len(recs) == 0 {
		return nil, nil
	}
	messages, slots, err := outgoing(recs)
	if err != nil {
		return nil, err
	}
	err = c.writer.WriteMessages(ctx, messages...)
	var perRecord kafka.WriteErrors
	if err != nil && !errors.As(err, &perRecord) {
		return nil, fmt.Errorf("appending to the log: %w", err)
	}
	positions := make([]Position, len(recs))
	for i := range slots {
		positions[i] = slots[i].position
	}
	if perRecord != nil {
		return positions, &AppendError{Records: perRecord}
	}
	return positions, nil
}

func outgoing(recs []Record) ([]kafka.Message, []slot, error) {
	messages := make([]kafka.Message, len(recs))
	slots := make([]slot, len(recs))
	for i := range recs {
		r := &recs[i]
		if n := payload(r); n > MaxRecordBytes {
			return nil, nil, &TooLargeError{Index: i, Size: n, Limit: MaxRecordBytes}
		}
		slots[i].position = Position{Topic: r.Topic, Offset: -1}
		messages[i] = kafka.Message{Topic: r.Topic, Key: r.Key, Value: r.Value, WriterData: &slots[i]}
		if len(r.Headers) > 0 {
			messages[i].Headers = make([]kafka.Header, len(r.Headers))
			for j, h := range r.Headers {
				messages[i].Headers[j] = kafka.Header(h)
			}
		}
	}
	return messages, slots, nil
}

// payload counts the bytes that the sender chose.
func payload(r *Record) int {
	n := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}
