package log

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	fetchapi "github.com/segmentio/kafka-go/protocol/fetch"
)

const (
	// fetchBytes is how much of a partition one answer holds, unless a
	// single batch is larger.
	fetchBytes = 1 << 20
	// answerLimit is the largest answer that is taken from a broker.
	answerLimit = 256 << 20
	// minFetchVersion is the oldest that knows batches of today's format.
	minFetchVersion = 4
)

// fetched is what one fetch of one partition brought.
type fetched struct {
	code      int16
	end       int64 // behind the last record that is committed
	start     int64 // first offset that the partition still holds
	aborted   []abortedTx
	batches   []byte
	partition int32
}

// fetchRequest reads the broker's answer itself. The client's own decoding
// drops the time that the broker stamped on a batch (its record_v2.go leaves
// maxTimestamp unused); kafka-go lets a request take over the exchange.
type fetchRequest struct {
	fetchapi.Request
	clientID string
	version  int16
}

// Required is asked by the client with the versions that it negotiated.
func (q *fetchRequest) Required(versions map[protocol.ApiKey]int16) bool {
	q.version = versions[protocol.Fetch]
	return true
}

// RawExchange sends the request and reads the answer off the connection.
func (q *fetchRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	const correlation = 1 // a connection carries one request at a time
	if q.version < minFetchVersion {
		return nil, fmt.Errorf("the broker's fetch version %d is too old: Kafka 0.11 or newer is needed", q.version)
	}
	if err := protocol.WriteRequest(rw, q.version, correlation, q.clientID, &q.Request); err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := io.ReadFull(rw, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:4])) - 4
	if size < 0 || size > answerLimit {
		return nil, fmt.Errorf("the broker announces an answer of %d bytes", size)
	}
	if got := int32(binary.BigEndian.Uint32(head[4:])); got != correlation {
		return nil, fmt.Errorf("the broker answers request %d, not %d", got, correlation)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(rw, body); err != nil {
		return nil, err
	}
	return &fetchAnswer{version: q.version, body: body}, nil
}

// fetchAnswer is the undecoded body of a fetch response.
type fetchAnswer struct {
	version int16
	body    []byte
}

// ApiKey makes the answer a message of the protocol.
func (*fetchAnswer) ApiKey() protocol.ApiKey { return protocol.Fetch }

// decode takes the one partition that was asked for out of the answer.
func (a *fetchAnswer) decode() (fetched, error) {
	d := wire{buf: a.body}
	d.int32() // throttle
	var f fetched
	if a.version >= 7 {
		f.code = d.int16()
		d.int32() // session
	}
	if f.code != 0 || d.int32() != 1 {
		return f, d.fault("an answer without the topic")
	}
	d.skip(int(d.int16()))
	if d.int32() != 1 {
		return f, d.fault("an answer without the partition")
	}
	f.partition = d.int32()
	f.code = d.int16()
	f.end = d.int64()
	if stable := d.int64(); stable >= 0 {
		f.end = stable
	}
	if a.version >= 5 {
		f.start = d.int64()
	}
	for n := d.int32(); n > 0 && !d.bad; n-- {
		f.aborted = append(f.aborted, abortedTx{producer: d.int64(), first: d.int64()})
	}
	if a.version >= 11 {
		d.int32() // preferred replica
	}
	f.batches = d.bytes(int(d.int32()))
	if d.bad {
		return f, errors.New("the broker's answer is cut off")
	}
	return f, nil
}

// fetch asks for records of one partition from an offset on and waits up to
// maxWait for the first.
func (c *Client) fetch(ctx context.Context, topic string, partition int, from int64, maxWait time.Duration) (fetched, error) {
	// A connection that went silent must not hold the reader: the answer is
	// due when the broker's own waiting is over, and a little after.
	ctx, cancel := context.WithTimeout(ctx, maxWait+requestTimeout)
	defer cancel()
	res, err := c.transport.RoundTrip(ctx, c.admin.Addr, &fetchRequest{
		clientID: c.clientID,
		Request: fetchapi.Request{
			ReplicaID:      -1,
			MaxWaitTime:    int32(maxWait / time.Millisecond),
			MinBytes:       1,
			MaxBytes:       fetchBytes,
			IsolationLevel: int8(kafka.ReadCommitted),
			SessionID:      0,
			SessionEpoch:   -1, // no session: each request stands alone
			Topics: []fetchapi.RequestTopic{{
				Topic: topic,
				Partitions: []fetchapi.RequestPartition{{
					Partition:          int32(partition),
					CurrentLeaderEpoch: -1,
					FetchOffset:        from,
					LogStartOffset:     -1,
					PartitionMaxBytes:  fetchBytes,
				}},
			}},
		},
	})
	if err != nil {
		return fetched{}, err
	}
	answer, ok := res.(*fetchAnswer)
	if !ok {
		return fetched{}, fmt.Errorf("unexpected answer %T to a fetch", res)
	}
	f, err := answer.decode()
	if f.code != 0 {
		return f, kafka.Error(f.code)
	}
	return f, err
}

// wire reads Kafka's big-endian encoding; after a read past the end it is bad
// and gives zeros.
type wire struct {
	buf []byte
	bad bool
}

func (d *wire) bytes(n int) []byte {
	if n <= 0 {
		return nil // a null array has length -1
	}
	if n > len(d.buf) {
		d.bad, d.buf = true, nil
		return nil
	}
	b := d.buf[:n:n]
	d.buf = d.buf[n:]
	return b
}

func (d *wire) skip(n int) { d.bytes(n) }

func (d *wire) int16() int16 {
	if b := d.bytes(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (d *wire) int32() int32 {
	if b := d.bytes(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (d *wire) int64() int64 {
	if b := d.bytes(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// varint reads a zigzag number as records carry them.
func (d *wire) varint() int64 {
	v, n := binary.Varint(d.buf)
	if n <= 0 {
		d.bad, d.buf = true, nil
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

func (d *wire) fault(what string) error {
	if d.bad {
		return errors.New("the broker's answer is cut off")
	}
	return errors.New("the broker sent " + what)
}
