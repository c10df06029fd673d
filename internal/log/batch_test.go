package log

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// batchOf encodes records as a producer does.
func batchOf(base int64, attributes uint16, values ...string) []byte {
	var body []byte
	for i, value := range values {
		r := kmsg.Record{OffsetDelta: int32(i), Key: []byte("k"), Value: []byte(value), Headers: []kmsg.Header{{Key: "h", Value: []byte("v")}}}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		body = r.AppendTo(body)
	}
	b := kmsg.RecordBatch{
		FirstOffset: base, Magic: 2, Attributes: int16(attributes), LastOffsetDelta: int32(len(values) - 1),
		FirstTimestamp: 1000, MaxTimestamp: 5000, ProducerID: 7, NumRecords: int32(len(values)), Records: body,
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-batchLengthTail))
	binary.BigEndian.PutUint32(raw[atCRC:], crc32.Checksum(raw[atAttributes:], castagnoli))
	return raw
}

func valuesOf(recs []Record) []string {
	var values []string
	for _, r := range recs {
		values = append(values, string(r.Value))
	}
	return values
}

func TestDecodeBatches(t *testing.T) {
	buf := append(batchOf(10, attrAppendTime, "a", "b", "c"), batchOf(13, attrAppendTime, "d")...)
	recs, next := decodeBatches(buf, nil, "t", 2, 11)
	require.Equal(t, []string{"b", "c", "d"}, valuesOf(recs))
	require.EqualValues(t, 14, next)
	require.Equal(t, Record{Topic: "t", Partition: 2, Offset: 11, Time: time.UnixMilli(5000).UTC(), Key: []byte("k"), Value: []byte("b"),
		Headers: []Header{{Key: "h", Value: []byte("v")}}}, recs[0])

	// What is cut off is left for the next answer.
	recs, next = decodeBatches(buf[:len(buf)-1], nil, "t", 2, 10)
	require.Equal(t, []string{"a", "b", "c"}, valuesOf(recs))
	require.EqualValues(t, 13, next)
}

func TestDamagedBatchIsToldAndPassed(t *testing.T) {
	for name, damage := range map[string]func([]byte){
		"checksum":    func(b []byte) { b[len(b)-1] ^= 1 },
		"format":      func(b []byte) { b[atMagic] = 1 },
		"codec":       func(b []byte) { b[atAttributes+1] |= 7; resum(b) },
		"compression": func(b []byte) { b[atAttributes+1] |= 1; resum(b) },
		"count":       func(b []byte) { binary.BigEndian.PutUint32(b[atRecords:], 1<<30); resum(b) },
	} {
		bad := batchOf(1, 0, "x", "y")
		damage(bad)
		buf := append(append(batchOf(0, 0, "a"), bad...), batchOf(3, 0, "d")...)
		recs, next := decodeBatches(buf, nil, "t", 0, 0)
		require.Equal(t, []string{"a", "", "d"}, valuesOf(recs), name)
		require.Error(t, recs[1].Fault, name)
		require.EqualValues(t, 1, recs[1].Offset)
		require.EqualValues(t, 4, next)
	}
}

func TestAbortedTransactionIsPassed(t *testing.T) {
	buf := append(batchOf(0, attrTransactional, "aborted"), batchOf(1, attrTransactional|attrControl, "marker")...)
	buf = append(buf, batchOf(2, attrTransactional, "kept")...)
	recs, next := decodeBatches(buf, []abortedTx{{producer: 7, first: 0}}, "t", 0, 0)
	require.Equal(t, []string{"kept"}, valuesOf(recs))
	require.EqualValues(t, 3, next)
}

func resum(raw []byte) {
	binary.BigEndian.PutUint32(raw[atCRC:], crc32.Checksum(raw[atAttributes:], castagnoli))
}

func TestStampLeavesDamagedBatches(t *testing.T) {
	good, bad := batchOf(0, attrAppendTime, "a"), batchOf(0, 0, "b")
	bad[len(bad)-1] ^= 1
	before := append([]byte(nil), bad...)
	now := time.UnixMilli(77_000)
	stampAppendTime(&kmsg.ProduceRequest{Topics: []kmsg.ProduceRequestTopic{{Partitions: []kmsg.ProduceRequestTopicPartition{
		{Records: good}, {Records: bad}, {Records: []byte("short")},
	}}}}, now)
	require.Equal(t, before, bad)
	recs, _ := decodeBatches(good, nil, "t", 0, 0)
	require.NoError(t, recs[0].Fault)
	require.True(t, now.Equal(recs[0].Time))
}

func FuzzDecodeBatches(f *testing.F) {
	f.Add(batchOf(0, 0, "a", "b"))
	f.Add(append(batchOf(5, attrTransactional, "a"), batchOf(6, attrControl, "b")...))
	f.Add(batchOf(0, 1, "not gzip"))
	f.Fuzz(func(t *testing.T, buf []byte) {
		recs, next := decodeBatches(buf, []abortedTx{{producer: 7}}, "t", 0, 0)
		require.GreaterOrEqual(t, next, int64(0))
		for _, r := range recs {
			require.GreaterOrEqual(t, r.Offset, int64(0))
		}
	})
}

func FuzzFetchAnswer(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0}, int16(11))
	f.Fuzz(func(_ *testing.T, body []byte, version int16) {
		_, _ = (&fetchAnswer{version: version, body: body}).decode()
	})
}
