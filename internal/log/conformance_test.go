package log_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/kafkatest"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/event"
)

// The same suite holds on the embedded broker and on Apache Kafka.

func TestEmbeddedBrokerConforms(t *testing.T) {
	_, addrs := logtest.StartWithAddrs(t)
	conform(t, addrs)
}

func TestApacheKafkaConforms(t *testing.T) {
	conform(t, []string{kafkatest.Start(t)})
}

func conform(t *testing.T, addrs []string) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, *bench){
		"appended records are read back":       appendedIsRead,
		"sizes up to the limit":                sizes,
		"keys stay in order":                   keysStayInOrder,
		"many callers":                         manyCallers,
		"other producers, every codec":         otherProducers,
		"the broker's time counts":             brokerTime,
		"reads are bounded":                    boundedReads,
		"reads outside of the log are told":    outOfRange,
		"a tail sees what comes":               tailSees,
		"reads of a partition share":           readsShare,
		"what was just encoded is not decoded": encodedIsGiven,
		"aborted transactions do not count":    abortedTransactions,
		"topics are made once and checked":     topicsAreChecked,
		"a group shares the partitions":        groupShares,
		"a failing run ends the membership":    failingRun,
		"an ended run waits for its next turn": endedRun,
		"repeats after rebalances are seen":    rebalances,
	} {
		t.Run(name, func(t *testing.T) { check(t, newBench(t, addrs)) })
	}
}

// bench is a client with a topic of its own.
type bench struct {
	*log.Client
	addrs []string
	topic string
	ctx   context.Context //nolint:containedctx // the one deadline of a test
}

const benchPartitions = 4

var topics atomic.Int64

func newBench(t *testing.T, addrs []string) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	b := &bench{addrs: addrs, topic: fmt.Sprintf("conformance-%d-%d", time.Now().UnixNano(), topics.Add(1)), ctx: ctx}
	b.Client = b.another(t)
	require.NoError(t, b.EnsureTopics(ctx, []log.TopicSpec{{Name: b.topic, Partitions: benchPartitions}}))
	return b
}

// another opens a second client, as another process would.
func (b *bench) another(t *testing.T) *log.Client {
	t.Helper()
	c, err := log.Open(b.ctx, log.Config{Brokers: b.addrs, ClientID: "conformance"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func (b *bench) record(key, value string) log.Record {
	return log.Record{Topic: b.topic, Key: []byte(key), Value: []byte(value)}
}

// all reads the whole topic, partition after partition.
func (b *bench) all(t *testing.T) []log.Record {
	t.Helper()
	ends, err := b.Ends(b.ctx, b.topic)
	require.NoError(t, err)
	var all []log.Record
	for p, end := range ends {
		require.NoError(t, b.ReadUntil(b.ctx, b.topic, p, 0, end, func(recs []log.Record) error {
			all = append(all, recs...)
			return nil
		}))
	}
	return all
}

func appendedIsRead(t *testing.T, b *bench) {
	t.Helper()
	sent := []log.Record{
		{Topic: b.topic, Key: []byte("a"), Value: []byte("1"), Headers: []log.Header{{Key: "ce_id", Value: []byte("x")}, {Key: "empty", Value: []byte{}}, {Key: "ce_id", Value: []byte("y")}}},
		{Topic: b.topic, Key: []byte("b"), Value: []byte{}},
		{Topic: b.topic, Key: []byte("ключ\x00\n"), Value: []byte{0, 255, '\n'}},
		{Topic: b.topic, Key: []byte{}, Value: []byte("no key")},
	}
	for i := range 200 {
		sent = append(sent, b.record(fmt.Sprint("k", i), fmt.Sprint("v", i)))
	}
	positions, err := b.Append(b.ctx, sent)
	require.NoError(t, err)
	require.Len(t, positions, len(sent))
	seen := map[log.Position]bool{}
	for i, p := range positions {
		require.Equal(t, b.topic, p.Topic)
		require.Equal(t, log.PartitionOf(sent[i].Key, benchPartitions), p.Partition)
		require.False(t, seen[p], "%s was given twice", p)
		seen[p] = true
		got, err := b.RecordAt(b.ctx, p.Topic, p.Partition, p.Offset)
		require.NoError(t, err)
		require.Equal(t, sent[i].Key, got.Key)
		require.Equal(t, sent[i].Value, got.Value)
		require.Equal(t, sent[i].Headers, got.Headers)
		require.Equal(t, []any{p.Topic, p.Partition, p.Offset}, []any{got.Topic, got.Partition, got.Offset})
		require.NoError(t, got.Fault)
	}
	id, ok := (&sent[0]).Header("ce_id")
	require.True(t, ok)
	require.Equal(t, "x", string(id), "the first header of a name counts")
	_, ok = (&sent[1]).Header("ce_id")
	require.False(t, ok)
}

func sizes(t *testing.T, b *bench) {
	t.Helper()
	big := b.record("big", string(bytes.Repeat([]byte("x"), log.MaxRecordBytes-3)))
	positions, err := b.Append(b.ctx, []log.Record{b.record("big", "before"), big, b.record("big", "after")})
	require.NoError(t, err)
	got, err := b.RecordAt(b.ctx, b.topic, positions[1].Partition, positions[1].Offset)
	require.NoError(t, err)
	require.True(t, bytes.Equal(big.Value, got.Value))
	got, err = b.RecordAt(b.ctx, b.topic, positions[2].Partition, positions[2].Offset)
	require.NoError(t, err)
	require.Equal(t, "after", string(got.Value))

	big.Value = append(big.Value, 'x')
	_, err = b.Append(b.ctx, []log.Record{b.record("small", "not written either"), big})
	var tooLarge *log.TooLargeError
	require.ErrorAs(t, err, &tooLarge)
	require.Equal(t, log.TooLargeError{Index: 1, Size: log.MaxRecordBytes + 1, Limit: log.MaxRecordBytes}, *tooLarge)
	require.Len(t, b.all(t), 3)
}

func keysStayInOrder(t *testing.T, b *bench) {
	t.Helper()
	const each = 500
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := 0; i < each; i += 10 {
				var recs []log.Record
				for j := range 10 {
					recs = append(recs, b.record(fmt.Sprint("key", g), fmt.Sprint(i+j)))
				}
				_, err := b.Append(b.ctx, recs)
				require.NoError(t, err)
			}
		})
	}
	group.Wait()
	next := map[string]int{}
	for _, r := range b.all(t) {
		require.Equal(t, fmt.Sprint(next[string(r.Key)]), string(r.Value))
		next[string(r.Key)]++
	}
	require.Equal(t, map[string]int{"key0": each, "key1": each, "key2": each, "key3": each}, next)
}

func manyCallers(t *testing.T, b *bench) {
	t.Helper()
	const callers, each = 64, 20
	var group sync.WaitGroup
	var mu sync.Mutex
	given := map[log.Position]string{}
	for g := range callers {
		group.Go(func() {
			for i := range each {
				value := fmt.Sprint(g, "/", i)
				positions, err := b.Append(b.ctx, []log.Record{b.record(value, value)})
				require.NoError(t, err)
				mu.Lock()
				given[positions[0]] = value
				mu.Unlock()
			}
		})
	}
	group.Wait()
	found := map[log.Position]string{}
	for _, r := range b.all(t) {
		found[log.Position{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}] = string(r.Value)
	}
	require.Equal(t, given, found)
	require.Len(t, found, callers*each)
}

// producer is one that is not ours, with connections of its own.
func (b *bench) producer(t *testing.T, codec kafka.Compression) *kafka.Writer {
	t.Helper()
	transport := &kafka.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &kafka.Writer{Addr: kafka.TCP(b.addrs...), Transport: transport, Topic: b.topic, Compression: codec,
		RequiredAcks: kafka.RequireAll, Balancer: kafka.Murmur2Balancer{}, BatchTimeout: time.Millisecond}
}

func otherProducers(t *testing.T, b *bench) {
	t.Helper()
	for _, codec := range []kafka.Compression{0, kafka.Gzip, kafka.Snappy, kafka.Lz4, kafka.Zstd} {
		w := b.producer(t, codec)
		var messages []kafka.Message
		for i := range 50 {
			messages = append(messages, kafka.Message{Key: []byte(fmt.Sprint(i)), Value: bytes.Repeat([]byte(codec.String()), 20)})
		}
		require.NoError(t, w.WriteMessages(b.ctx, messages...))
		require.NoError(t, w.Close())
	}
	all := b.all(t)
	require.Len(t, all, 250)
	for _, r := range all {
		require.NoError(t, r.Fault)
		require.Equal(t, log.PartitionOf(r.Key, benchPartitions), r.Partition, "other clients choose the same partition")
	}
}

func brokerTime(t *testing.T, b *bench) {
	t.Helper()
	start := time.Now().Add(-time.Second)
	w := b.producer(t, 0)
	require.NoError(t, w.WriteMessages(b.ctx,
		kafka.Message{Key: []byte("a"), Value: []byte("old"), Time: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)},
		kafka.Message{Key: []byte("a"), Value: []byte("new"), Time: time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)}))
	require.NoError(t, w.Close())
	all := b.all(t)
	require.Len(t, all, 2)
	for _, r := range all {
		require.WithinRange(t, r.Time, start, time.Now().Add(time.Second))
		require.Equal(t, time.UTC, r.Time.Location())
	}
	ends, err := b.Ends(b.ctx, b.topic)
	require.NoError(t, err)
	at, err := b.OffsetsAt(b.ctx, b.topic, start)
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0, 0, 0}, at)

	// Milliseconds pass between what was there and what comes.
	middle := time.Now()
	for !time.Now().After(middle.Add(2 * time.Millisecond)) {
	}
	_, err = b.Append(b.ctx, []log.Record{b.record("a", "later")})
	require.NoError(t, err)
	at, err = b.OffsetsAt(b.ctx, b.topic, middle.Add(time.Millisecond))
	require.NoError(t, err)
	require.Equal(t, ends, at)
	at, err = b.OffsetsAt(b.ctx, b.topic, time.Now().Add(time.Hour))
	require.NoError(t, err)
	ends, err = b.Ends(b.ctx, b.topic)
	require.NoError(t, err)
	require.Equal(t, ends, at)
}

func boundedReads(t *testing.T, b *bench) {
	t.Helper()
	var recs []log.Record
	for i := range 100 {
		recs = append(recs, b.record("k", fmt.Sprint(i)))
	}
	_, err := b.Append(b.ctx, recs)
	require.NoError(t, err)
	p := log.PartitionOf([]byte("k"), benchPartitions)
	var got []string
	require.NoError(t, b.ReadUntil(b.ctx, b.topic, p, 17, 23, func(recs []log.Record) error {
		for _, r := range recs {
			got = append(got, string(r.Value))
		}
		return nil
	}))
	require.Equal(t, []string{"17", "18", "19", "20", "21", "22"}, got)
	require.NoError(t, b.ReadUntil(b.ctx, b.topic, p, 5, 5, func([]log.Record) error { return errors.New("not called") }))
	stop := errors.New("enough")
	require.ErrorIs(t, b.Read(b.ctx, b.topic, p, 0, func([]log.Record) error { return stop }), stop)
}

func outOfRange(t *testing.T, b *bench) {
	t.Helper()
	_, err := b.Append(b.ctx, []log.Record{b.record("k", "v")})
	require.NoError(t, err)
	p := log.PartitionOf([]byte("k"), benchPartitions)
	err = b.Read(b.ctx, b.topic, p, 100, func([]log.Record) error { return nil })
	var gone *log.OutOfRangeError
	require.ErrorAs(t, err, &gone)
	require.Equal(t, log.OutOfRangeError{Topic: b.topic, Partition: p, From: 100, Start: 0, End: 1}, *gone)
	for _, at := range []struct {
		partition int
		offset    int64
	}{{p, 1}, {p, -1}, {99, 0}, {-1, 0}} {
		_, err = b.RecordAt(b.ctx, b.topic, at.partition, at.offset)
		require.ErrorAs(t, err, &gone)
	}
}

func tailSees(t *testing.T, b *bench) {
	t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	p := log.PartitionOf([]byte("k"), benchPartitions)
	seen := make(chan string, 10)
	ended := make(chan error, 1)
	go func() {
		ended <- b.Read(ctx, b.topic, p, 0, func(recs []log.Record) error {
			for _, r := range recs {
				seen <- string(r.Value)
			}
			return nil
		})
	}()
	for i := range 3 {
		_, err := b.Append(b.ctx, []log.Record{b.record("k", fmt.Sprint(i))})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), <-seen)
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func readsShare(t *testing.T, b *bench) {
	t.Helper()
	follow, end := b.followers()
	write := func(value string) {
		_, err := b.Append(b.ctx, []log.Record{b.record("k", value)})
		require.NoError(t, err)
	}
	write("0")
	one, two := follow(), follow()
	require.Equal(t, (<-one).Value, (<-two).Value)
	for i := range 3 {
		write(fmt.Sprint(i + 1))
		first, second := <-one, <-two
		require.Equal(t, fmt.Sprint(i+1), string(first.Value))
		require.Same(t, &first.Value[0], &second.Value[0], "fetched once")
	}
	late := follow()
	for i := range 4 {
		require.Equal(t, fmt.Sprint(i), string((<-late).Value))
	}
	end()
}

// followers gives a function that begins to read the partition of the key k, and one
// that ends all such reads.
func (b *bench) followers() (follow func() <-chan log.Record, end func()) {
	ctx, cancel := context.WithCancel(b.ctx)
	p := log.PartitionOf([]byte("k"), benchPartitions)
	var reads sync.WaitGroup
	follow = func() <-chan log.Record {
		seen := make(chan log.Record, 100)
		reads.Go(func() {
			_ = b.Read(ctx, b.topic, p, 0, func(recs []log.Record) error { // ends with the context
				for _, r := range recs {
					seen <- r
				}
				return nil
			})
		})
		return seen
	}
	return follow, func() {
		cancel()
		reads.Wait()
	}
}

func encodedIsGiven(t *testing.T, b *bench) {
	t.Helper()
	data := &event.LineageExtracted{
		Task: event.Task{ID: "a"}, Result: event.ResultExtracted, Parser: 1, Part: 1, Parts: 1, Origin: event.OriginParsed,
		Edges: []event.LineageEdge{{From: "x", To: "y", Level: event.LevelTable, Direct: true}},
	}
	encoded, err := event.Encode(event.Event{ID: "1", Source: "test", Type: event.TypeLineageExtracted, Data: data})
	require.NoError(t, err)
	rec := log.Record{Topic: b.topic, Key: []byte("k"), Value: encoded.Value, Known: encoded.Event}
	for _, h := range encoded.Headers {
		rec.Headers = append(rec.Headers, log.Header(h))
	}
	follow, end := b.followers()
	defer end()
	write := func(c *log.Client) {
		_, err := c.Append(b.ctx, []log.Record{rec})
		require.NoError(t, err)
	}
	given := func(seen <-chan log.Record) *event.LineageExtracted {
		r := <-seen
		ev, err := r.Event()
		require.NoError(t, err)
		require.Equal(t, *encoded.Event, ev)
		out, _ := ev.Data.(*event.LineageExtracted)
		return out
	}
	write(b.Client)
	one := follow()
	require.NotSame(t, data, given(one), "nobody read it when it was appended")
	write(b.Client)
	require.NotSame(t, data, given(one), "one alone reads it")
	two := follow()
	given(two)
	given(two)
	write(b.Client)
	require.Same(t, data, given(one))
	require.Same(t, data, given(two))
	write(b.another(t))
	other := given(one)
	require.NotSame(t, data, other, "another process wrote it")
	require.Same(t, other, given(two))
}

func topicsAreChecked(t *testing.T, b *bench) {
	t.Helper()
	spec := log.TopicSpec{Name: b.topic, Partitions: benchPartitions + 3}
	require.NoError(t, b.EnsureTopics(b.ctx, []log.TopicSpec{spec}))
	n, err := b.Partitions(b.ctx, b.topic)
	require.NoError(t, err)
	require.Equal(t, benchPartitions, n, "a topic that is there keeps its partitions")

	require.Equal(t, "1", b.setting(t, "min.insync.replicas"), "one broker, one copy")
	require.Equal(t, "-1", b.setting(t, "retention.ms"))
	require.Equal(t, "LogAppendTime", b.setting(t, "message.timestamp.type"))
	require.Equal(t, "16777216", b.setting(t, "max.message.bytes"))

	forgetful := b.topic + "-forgetful"
	transport := &kafka.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &kafka.Client{Addr: kafka.TCP(b.addrs...), Transport: transport}
	res, err := client.CreateTopics(b.ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: forgetful, NumPartitions: 1, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "retention.ms", ConfigValue: "1000"}},
	}}})
	require.NoError(t, err)
	require.NoError(t, res.Errors[forgetful])
	err = b.EnsureTopics(b.ctx, []log.TopicSpec{{Name: forgetful, Partitions: 1}})
	require.ErrorContains(t, err, "retention.ms=1000")

	_, err = b.Partitions(b.ctx, b.topic+"-missing")
	require.ErrorIs(t, err, kafka.UnknownTopicOrPartition)
	_, err = b.Append(b.ctx, []log.Record{{Topic: b.topic + "-missing"}})
	require.ErrorIs(t, err, kafka.UnknownTopicOrPartition)
}

// setting asks the broker for a setting of the topic.
func (b *bench) setting(t *testing.T, name string) string {
	t.Helper()
	transport := &kafka.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &kafka.Client{Addr: kafka.TCP(b.addrs...), Transport: transport}
	res, err := client.DescribeConfigs(b.ctx, &kafka.DescribeConfigsRequest{Resources: []kafka.DescribeConfigRequestResource{{
		ResourceType: kafka.ResourceTypeTopic, ResourceName: b.topic, ConfigNames: []string{name},
	}}})
	require.NoError(t, err)
	require.Len(t, res.Resources, 1)
	for _, entry := range res.Resources[0].ConfigEntries {
		if entry.ConfigName == name {
			return entry.ConfigValue
		}
	}
	return ""
}

// owner keeps what a group's members do, as a store would: the greatest
// position saved for a partition is where the next owner goes on.
type owner struct {
	mu       sync.Mutex
	next     map[int]int64
	times    map[string]int // how often each value was worked on
	active   map[int]int    // how many work on a partition now
	revoked  int
	assigned int
	grew     chan struct{}
}

func newOwner() *owner {
	return &owner{next: map[int]int64{}, times: map[string]int{}, active: map[int]int{}, grew: make(chan struct{}, 1)}
}

// run works on one partition until it is taken away.
func (o *owner) run(c *log.Client) func(context.Context, log.Assignment) error {
	return func(ctx context.Context, a log.Assignment) error {
		o.mu.Lock()
		from := o.next[a.Partition]
		o.active[a.Partition]++
		o.assigned++
		o.mu.Unlock()
		err := c.Read(ctx, a.Topic, a.Partition, from, func(recs []log.Record) error {
			o.mu.Lock()
			defer o.mu.Unlock()
			for _, r := range recs {
				o.times[string(r.Value)]++
			}
			o.next[a.Partition] = max(o.next[a.Partition], recs[len(recs)-1].Offset+1)
			select {
			case o.grew <- struct{}{}:
			default:
			}
			return nil
		})
		o.mu.Lock()
		defer o.mu.Unlock()
		o.active[a.Partition]--
		o.revoked++
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
}

func (o *owner) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.times)
}

// await waits until n different values were worked on.
func (o *owner) await(t *testing.T, ctx context.Context, n int) {
	t.Helper()
	for o.count() < n {
		select {
		case <-ctx.Done():
			t.Fatalf("%d of %d records were worked on", o.count(), n)
		case <-o.grew:
		}
	}
}

// join starts a member and returns how to make it leave.
func (b *bench) join(t *testing.T, c *log.Client, group string, run func(context.Context, log.Assignment) error) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.Consume(ctx, group, []string{b.topic}, run) }()
	var once sync.Once
	leave = func() {
		once.Do(func() {
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
		})
	}
	t.Cleanup(leave)
	return leave
}

func groupShares(t *testing.T, b *bench) {
	t.Helper()
	one, two := newOwner(), newOwner()
	leaveOne := b.join(t, b.Client, b.topic, one.run(b.Client))
	require.Eventually(t, func() bool { return one.owns() == benchPartitions }, 30*time.Second, 10*time.Millisecond)
	other := b.another(t)
	b.join(t, other, b.topic, two.run(other))
	require.Eventually(t, func() bool { return one.owns() == benchPartitions/2 && two.owns() == benchPartitions/2 }, 60*time.Second, 10*time.Millisecond)
	leaveOne()
	require.Equal(t, 0, one.owns())
	require.Eventually(t, func() bool { return two.owns() == benchPartitions }, 60*time.Second, 10*time.Millisecond)
}

// owns counts the partitions that are worked on now.
func (o *owner) owns() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, active := range o.active {
		n += active
	}
	return n
}

func failingRun(t *testing.T, b *bench) {
	t.Helper()
	broken := errors.New("broken")
	err := b.Consume(b.ctx, b.topic, []string{b.topic}, func(ctx context.Context, a log.Assignment) error {
		if a.Partition == 2 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, b.topic+"/2")
}

func endedRun(t *testing.T, b *bench) {
	t.Helper()
	calls := make(chan log.Assignment, 100)
	leave := b.join(t, b.Client, b.topic, func(_ context.Context, a log.Assignment) error {
		calls <- a
		return nil
	})
	seen := map[int]int{}
	for len(seen) < benchPartitions {
		a := <-calls
		seen[a.Partition]++
		require.Equal(t, 1, seen[a.Partition], "a run that has ended is not called again in its generation")
		require.Equal(t, b.topic, a.Group)
	}
	leave()
}

// rebalances has members come and go while records are written, and checks
// that each is worked on; some are twice, which is what keyed rows are for.
func rebalances(t *testing.T, b *bench) {
	t.Helper()
	const records, churns = 4000, 6
	work := newOwner()
	b.join(t, b.Client, b.topic, work.run(b.Client))
	written := make(chan error, 1)
	go func() { written <- b.write(records) }()
	random := rand.New(rand.NewPCG(1, 2))
	for range churns {
		other := b.another(t)
		before := work.assignments()
		leave := b.join(t, other, b.topic, work.run(other))
		require.Eventually(t, func() bool { return work.assignments() > before }, 30*time.Second, time.Millisecond)
		if random.IntN(2) == 0 {
			require.Eventually(t, func() bool { return work.owns() >= benchPartitions }, 30*time.Second, time.Millisecond)
		}
		leave()
	}
	require.NoError(t, <-written)
	work.await(t, b.ctx, records)
	repeats := 0
	for _, n := range work.times {
		repeats += n - 1
	}
	t.Logf("%d records, %d worked on again after %d rebalances", records, repeats, churns)
}

// write appends numbered records, twenty at a time.
func (b *bench) write(records int) error {
	for i := 0; i < records; i += 20 {
		var recs []log.Record
		for j := range 20 {
			recs = append(recs, b.record(fmt.Sprint(i+j), fmt.Sprint(i+j)))
		}
		if _, err := b.Append(b.ctx, recs); err != nil {
			return err
		}
	}
	return nil
}

func (o *owner) assignments() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.assigned
}

// abortedTransactions writes a transaction with the plain protocol and aborts
// it; readers of committed records do not see it.
func abortedTransactions(t *testing.T, b *bench) {
	t.Helper()
	_, err := b.Append(b.ctx, []log.Record{b.record("k", "before")})
	require.NoError(t, err)
	p := log.PartitionOf([]byte("k"), benchPartitions)
	tx := newTransaction(t, b, b.topic+"-tx")
	tx.produce(p, "aborted")
	tx.end(false)
	tx.produce(p, "committed")
	tx.end(true)
	positions, err := b.Append(b.ctx, []log.Record{b.record("k", "after")})
	require.NoError(t, err)
	// The end of what is committed comes behind the transaction's marker a
	// little later.
	var got []string
	require.NoError(t, b.ReadUntil(b.ctx, b.topic, p, 0, positions[0].Offset+1, func(recs []log.Record) error {
		for _, r := range recs {
			got = append(got, string(r.Value))
		}
		return nil
	}))
	require.Equal(t, []string{"before", "committed", "after"}, got)
}
