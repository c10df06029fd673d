package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"

	"github.com/segmentio/kafka-go/compress"
)

// Layout of a record batch, format 2: https://kafka.apache.org/documentation/#recordbatch
const (
	batchHead       = 61 // bytes before the first record
	batchLengthTail = 12 // bytes that the batch's length does not count
	atMagic         = 16
	atCRC           = 17
	atAttributes    = 21
	atLastDelta     = 23
	atFirstTime     = 27
	atMaxTime       = 35
	atProducer      = 43
	atRecords       = 57

	attrCodec         = 0x07
	attrAppendTime    = 0x08
	attrTransactional = 0x10
	attrControl       = 0x20

	batchFormat = 2
	// inflatedLimit is what a batch may have when decompressed. A batch is
	// taken up to 16 MiB packed, and a packed one may unpack to anything.
	inflatedLimit = 128 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// abortedTx is a transaction that was aborted: what its producer wrote from
// first on, up to the marker, does not count.
type abortedTx struct{ producer, first int64 }

// batch is the head of one batch and its undecoded records.
type batch struct {
	base, last, producer int64
	maxTime              int64
	attributes           uint16
	count                int32
	raw                  []byte // from the attributes on, as the checksum covers it
	crc                  uint32
	magic                byte
}

// decodeBatches turns the batches of an answer into records from offset from
// on, and returns the offset to go on at. What is cut off at the end is left
// for the next answer; a batch that cannot be read yields one record with its
// Fault set.
func decodeBatches(buf []byte, aborted []abortedTx, topic string, partition int, from int64) ([]Record, int64) {
	var recs []Record
	next := from
	dead := make(map[int64]bool)
	for {
		b, rest, ok := nextBatch(buf)
		if !ok {
			return recs, next
		}
		buf = rest
		aborted = openAborted(aborted, dead, b.last)
		switch {
		case b.attributes&attrControl != 0:
			// A control batch ends its producer's transaction.
			delete(dead, b.producer)
		case b.attributes&attrTransactional != 0 && dead[b.producer]:
		default:
			recs = b.appendRecords(recs, topic, partition, from)
		}
		next = max(next, b.last+1)
	}
}

// openAborted notes the producers whose aborted transaction has begun at or
// before the offset, and returns the transactions that have not.
func openAborted(aborted []abortedTx, dead map[int64]bool, last int64) []abortedTx {
	for len(aborted) > 0 && aborted[0].first <= last {
		dead[aborted[0].producer] = true
		aborted = aborted[1:]
	}
	return aborted
}

// nextBatch cuts one whole batch off the buffer.
func nextBatch(buf []byte) (b batch, rest []byte, ok bool) {
	if len(buf) < batchHead {
		return batch{}, nil, false
	}
	size := int64(int32(binary.BigEndian.Uint32(buf[8:]))) + batchLengthTail
	if size < batchHead || size > int64(len(buf)) {
		return batch{}, nil, false
	}
	raw := buf[:size:size]
	b = batch{
		base:       int64(binary.BigEndian.Uint64(raw)),
		magic:      raw[atMagic],
		crc:        binary.BigEndian.Uint32(raw[atCRC:]),
		attributes: binary.BigEndian.Uint16(raw[atAttributes:]),
		maxTime:    int64(binary.BigEndian.Uint64(raw[atMaxTime:])),
		producer:   int64(binary.BigEndian.Uint64(raw[atProducer:])),
		count:      int32(binary.BigEndian.Uint32(raw[atRecords:])),
		raw:        raw[atAttributes:],
	}
	b.last = b.base + int64(binary.BigEndian.Uint32(raw[atLastDelta:]))
	return b, buf[size:], true
}

// appendRecords decodes the batch's records at from and behind.
func (b *batch) appendRecords(recs []Record, topic string, partition int, from int64) []Record {
	if b.last < from {
		return recs
	}
	before := len(recs)
	decoded, err := b.decode(recs, topic, partition, from)
	if err == nil {
		return decoded
	}
	return append(recs[:before], Record{
		Topic: topic, Partition: partition, Offset: max(b.base, from), Time: b.time(),
		Fault: fmt.Errorf("the batch at offset %d cannot be read: %w", b.base, err),
	})
}

func (b *batch) decode(recs []Record, topic string, partition int, from int64) ([]Record, error) {
	if b.magic != batchFormat {
		return nil, fmt.Errorf("its format is %d, not %d", b.magic, batchFormat)
	}
	if crc32.Checksum(b.raw, castagnoli) != b.crc {
		return nil, errors.New("its checksum does not match")
	}
	body, err := b.inflate()
	if err != nil {
		return nil, err
	}
	d := wire{buf: body}
	var headers []Header
	recs = slices.Grow(recs, max(0, min(int(b.count), len(body)/shortestRecord)))
	for n := b.count; n > 0; n-- {
		r := Record{Topic: topic, Partition: partition}
		headers = b.decodeRecord(&d, &r, headers)
		if d.bad {
			return nil, errors.New("a record in it is cut off")
		}
		if r.Offset >= from {
			recs = append(recs, r)
		}
	}
	return recs, nil
}

// shortestRecord is the length of a record without key, value and headers.
const shortestRecord = 7

// headerSheet is how many headers of a batch's records share an array at most;
// usualHeaders is how many a record mostly has.
const (
	headerSheet  = 256
	usualHeaders = 6
)

// decodeRecord decodes one record. Its headers are appended to those before it, which
// have room for more, and given.
func (b *batch) decodeRecord(d *wire, r *Record, headers []Header) []Header {
	size := d.varint()
	if size < 0 || size > int64(len(d.buf)) {
		d.bad = true
		return headers
	}
	one := wire{buf: d.bytes(int(size))}
	one.skip(1)  // attributes, unused
	one.varint() // the producer's time
	r.Time = b.time()
	r.Offset = b.base + one.varint()
	r.Key = one.sized()
	r.Value = one.sized()
	if n := one.varint(); n > 0 && n <= int64(len(one.buf)) {
		if cap(headers)-len(headers) < int(n) {
			headers = make([]Header, 0, max(min(headerSheet, usualHeaders*int(b.count)), int(n)))
		}
		start := len(headers)
		for range n {
			headers = append(headers, Header{Key: headerKey(one.sized()), Value: one.sized()})
		}
		r.Headers = headers[start:len(headers):len(headers)]
	}
	d.bad = d.bad || one.bad
	return headers
}

// headerKeys are the keys of nearly all headers, to be in memory once.
var headerKeys = func() map[string]string {
	keys := map[string]string{}
	for _, k := range []string{"content-type", "ce_specversion", "ce_id", "ce_source", "ce_type", "ce_time"} {
		keys[k] = k
	}
	return keys
}()

func headerKey(b []byte) string {
	if k, ok := headerKeys[string(b)]; ok {
		return k
	}
	return string(b)
}

// sized reads bytes with their length before them; nil for length -1.
func (d *wire) sized() []byte {
	n := d.varint()
	switch {
	case n < 0:
		return nil
	case n == 0:
		return []byte{}
	case n > int64(len(d.buf)):
		d.bad, d.buf = true, nil
		return nil
	}
	return d.bytes(int(n))
}

// time is when the broker appended the batch: it writes that into the batch's
// head, where the greatest of its records' times stands otherwise, and leaves
// the times in the records as the producer set them.
func (b *batch) time() time.Time { return time.UnixMilli(b.maxTime).UTC() }

func (b *batch) inflate() ([]byte, error) {
	body := b.raw[batchHead-atAttributes:]
	which := compress.Compression(b.attributes & attrCodec)
	if which == compress.None {
		return body, nil
	}
	codec := which.Codec()
	if codec == nil {
		return nil, fmt.Errorf("its compression %d is unknown", which)
	}
	reader := codec.NewReader(bytes.NewReader(body))
	defer reader.Close()
	inflated, err := io.ReadAll(io.LimitReader(reader, inflatedLimit+1))
	if err != nil {
		return nil, fmt.Errorf("decompressing it: %w", err)
	}
	if len(inflated) > inflatedLimit {
		return nil, fmt.Errorf("it unpacks to more than %d bytes", inflatedLimit)
	}
	return inflated, nil
}
