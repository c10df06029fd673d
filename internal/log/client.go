package log

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
)

// Config says how to reach the log.
type Config struct {
	// Brokers are host:port addresses to begin with; the others are learned.
	Brokers []string
	// ClientID names this process in the broker's logs and metrics.
	ClientID string
	// Replication is the number of copies of topics that EnsureTopics
	// creates: unless set 3, or as many as there are brokers.
	Replication int
	// TLS and SASL are nil for a broker that asks for neither.
	TLS  *tls.Config
	SASL sasl.Mechanism
	// Logger is told of retries and restarts; nil for none.
	Logger *slog.Logger
}

// Client writes and reads the log. It is safe for concurrent use.
type Client struct {
	brokers     []string
	clientID    string
	replication int
	transport   *kafka.Transport
	dialer      *kafka.Dialer
	admin       *kafka.Client
	appender    *appender
	windows     *windows
	logger      *slog.Logger
}

const (
	requestTimeout = 30 * time.Second
	dialTimeout    = 5 * time.Second
	// metadataTTL bounds how long a topic made by another process, or a
	// leader that moved, stays unseen.
	metadataTTL = time.Second
	// leaderPatience is how long a partition may be without a leader before a
	// caller hears of it.
	leaderPatience = 10 * time.Second
)

// Open makes a client and asks the broker for its metadata, so that a wrong
// address or refused credentials are found here.
func Open(ctx context.Context, cfg Config) (*Client, error) {
	if len(cfg.Brokers) == 0 {
		return nil, errors.New("no address of a Kafka broker is set")
	}
	c := newClient(cfg)
	if _, err := c.admin.Metadata(ctx, &kafka.MetadataRequest{}); err != nil {
		c.Close()
		return nil, fmt.Errorf("reaching Kafka at %v: %w", cfg.Brokers, err)
	}
	return c, nil
}

func newClient(cfg Config) *Client {
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	transport := &kafka.Transport{
		ClientID:    cfg.ClientID,
		DialTimeout: dialTimeout,
		MetadataTTL: metadataTTL,
		TLS:         cfg.TLS,
		SASL:        cfg.SASL,
		Dial:        (&net.Dialer{Timeout: dialTimeout}).DialContext,
	}
	c := &Client{
		brokers:     cfg.Brokers,
		clientID:    cfg.ClientID,
		replication: cfg.Replication,
		transport:   transport,
		dialer: &kafka.Dialer{
			ClientID:      cfg.ClientID,
			Timeout:       dialTimeout,
			TLS:           cfg.TLS,
			SASLMechanism: cfg.SASL,
		},
		admin: &kafka.Client{
			Addr:      kafka.TCP(cfg.Brokers...),
			Timeout:   requestTimeout,
			Transport: transport,
		},
		windows: &windows{limit: windowBytes, handed: handed{limit: handedBytes}, of: make(map[part]*window)},
		logger:  logger,
	}
	c.appender = &appender{client: c, lanes: make(map[string][]*lane)}
	return c
}

// Close sends what waits, then drops the connections. Reads and Consume calls
// must have ended.
func (c *Client) Close() error {
	c.appender.close()
	c.transport.CloseIdleConnections()
	return nil
}

// Partitions returns the number of partitions of the topic.
func (c *Client) Partitions(ctx context.Context, topic string) (int, error) {
	meta, err := c.admin.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return 0, fmt.Errorf("asking for the partitions of %s: %w", topic, err)
	}
	for _, t := range meta.Topics {
		if t.Name != topic {
			continue
		}
		if t.Error != nil {
			return 0, fmt.Errorf("asking for the partitions of %s: %w", topic, t.Error)
		}
		return len(t.Partitions), nil
	}
	return 0, fmt.Errorf("asking for the partitions of %s: %w", topic, kafka.UnknownTopicOrPartition)
}

// Ends returns for each partition the offset behind the last record that may
// be read. A producer that has a transaction open holds it back.
func (c *Client) Ends(ctx context.Context, topic string) ([]int64, error) {
	return c.offsets(ctx, topic, kafka.LastOffset)
}

// Starts returns for each partition the offset of its first record.
func (c *Client) Starts(ctx context.Context, topic string) ([]int64, error) {
	return c.offsets(ctx, topic, kafka.FirstOffset)
}

// OffsetsAt returns for each partition the offset of the first record that
// was appended at t or later, or the partition's end when there is none.
func (c *Client) OffsetsAt(ctx context.Context, topic string, t time.Time) ([]int64, error) {
	ends, err := c.Ends(ctx, topic)
	if err != nil {
		return nil, err
	}
	at, err := c.offsets(ctx, topic, t.UnixMilli())
	if err != nil {
		return nil, err
	}
	for p := range at {
		if at[p] < 0 {
			at[p] = ends[p]
		}
	}
	return at, nil
}

// offsets asks for each partition's offset at a timestamp in milliseconds or
// at one of kafka-go's two marks. -1 means that no record is that young. A
// partition whose leader is moving is asked again, leaderPatience long.
func (c *Client) offsets(ctx context.Context, topic string, at int64) ([]int64, error) {
	n, err := c.Partitions(ctx, topic)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, leaderPatience)
	defer cancel()
	for try := 0; ; try++ {
		offsets, err := c.offsetsOnce(limited, topic, n, at)
		if err == nil || permanent(err) {
			return offsets, err
		}
		if pause(limited, backoff(try)) != nil {
			return nil, err
		}
	}
}

func (c *Client) offsetsOnce(ctx context.Context, topic string, partitions int, at int64) ([]int64, error) {
	requests := make([]kafka.OffsetRequest, partitions)
	for p := range requests {
		requests[p] = kafka.OffsetRequest{Partition: p, Timestamp: at}
	}
	res, err := c.admin.ListOffsets(ctx, &kafka.ListOffsetsRequest{
		Topics:         map[string][]kafka.OffsetRequest{topic: requests},
		IsolationLevel: kafka.ReadCommitted,
	})
	if err != nil {
		return nil, fmt.Errorf("asking for offsets of %s: %w", topic, err)
	}
	offsets := make([]int64, partitions)
	for _, p := range res.Topics[topic] {
		if p.Error != nil {
			return nil, fmt.Errorf("asking for the offset of %s/%d: %w", topic, p.Partition, p.Error)
		}
		offsets[p.Partition] = listed(p)
	}
	return offsets, nil
}

// listed takes the one offset out of an answer to one question: the client
// files it in one of three places.
func listed(p kafka.PartitionOffsets) int64 {
	found := int64(-1)
	for offset := range p.Offsets {
		found = max(found, offset)
	}
	return max(found, p.FirstOffset, p.LastOffset)
}

// pause waits for d or for the context's end, which is its error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// backoff is the wait before try n, counted from 0: 50 ms, doubling to 2 s.
func backoff(n int) time.Duration {
	const first, most = 50 * time.Millisecond, 2 * time.Second
	return min(first<<min(n, 6), most)
}
