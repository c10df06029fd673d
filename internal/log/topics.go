package log

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/tributary-data/tributary/schemas/event"
)

// Names of the topics, as the events' own package has them. What each holds,
// and by which key, is in docs/adr/0001-log.md.
const (
	TopicCatalog     = event.TopicCatalog
	TopicDefinitions = event.TopicDefinitions
	TopicTasks       = event.TopicTasks
	TopicLineage     = event.TopicLineage
	TopicDeadletter  = event.TopicDeadLetter
)

const (
	// EmbeddedPartitions is how many partitions a topic gets on the embedded
	// broker unless told otherwise.
	EmbeddedPartitions = 4
	// ClusterPartitions is how many it gets on a Kafka cluster.
	ClusterPartitions = 24

	// defaultCopies is how many copies a topic gets where there are as many
	// brokers.
	defaultCopies = 3

	// maxMessageBytes is the size of a batch that topics take.
	maxMessageBytes = 16 << 20
	// MaxRecordBytes is the most that a record's key, value and headers may
	// have together. It leaves room for the batch's own bytes.
	MaxRecordBytes = maxMessageBytes - 64<<10
)

// TopicSpec is a topic as it should be.
type TopicSpec struct {
	Name       string
	Partitions int
}

// Topics lists the topics of the product. The definitions topic has one
// partition, since its readers need one order; the others have as many as
// asked for.
func Topics(partitions int) []TopicSpec {
	return []TopicSpec{
		{Name: TopicCatalog, Partitions: partitions},
		{Name: TopicDefinitions, Partitions: 1},
		{Name: TopicTasks, Partitions: partitions},
		{Name: TopicLineage, Partitions: partitions},
		{Name: TopicDeadletter, Partitions: partitions},
	}
}

// topicSettings are what makes a topic fit to be the truth: nothing is ever
// dropped, the broker's clock stamps records, large events fit.
var topicSettings = []kafka.ConfigEntry{
	{ConfigName: "retention.ms", ConfigValue: "-1"},
	{ConfigName: "retention.bytes", ConfigValue: "-1"},
	{ConfigName: "cleanup.policy", ConfigValue: "delete"},
	{ConfigName: "message.timestamp.type", ConfigValue: "LogAppendTime"},
	{ConfigName: "max.message.bytes", ConfigValue: strconv.Itoa(maxMessageBytes)},
}

// EnsureTopics creates the topics that are missing and returns when every
// partition of all of them has a leader, so that the first Append does not
// fail. A topic that is there keeps its partitions: their number is chosen
// once. A topic whose settings would lose records or their time is an error.
func (c *Client) EnsureTopics(ctx context.Context, topics []TopicSpec) error {
	copies, err := c.copies(ctx)
	if err != nil {
		return fmt.Errorf("creating topics: %w", err)
	}
	// One copy may be missing when a write is acknowledged, if there are three.
	settings := append([]kafka.ConfigEntry{{ConfigName: "min.insync.replicas", ConfigValue: strconv.Itoa(max(1, copies-1))}}, topicSettings...)
	req := kafka.CreateTopicsRequest{}
	for _, t := range topics {
		req.Topics = append(req.Topics, kafka.TopicConfig{
			Topic:             t.Name,
			NumPartitions:     t.Partitions,
			ReplicationFactor: copies,
			ConfigEntries:     settings,
		})
	}
	res, err := c.admin.CreateTopics(ctx, &req)
	if err != nil {
		return fmt.Errorf("creating topics: %w", err)
	}
	for name, err := range res.Errors {
		if err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
			return fmt.Errorf("creating topic %s: %w", name, err)
		}
	}
	if err := c.awaitLeaders(ctx, topics); err != nil {
		return err
	}
	return c.checkSettings(ctx, topics)
}

// copies is how many copies new topics get.
func (c *Client) copies(ctx context.Context) (int, error) {
	if c.replication > 0 {
		return c.replication, nil
	}
	meta, err := c.admin.Metadata(ctx, &kafka.MetadataRequest{})
	if err != nil {
		return 0, err
	}
	return min(defaultCopies, max(1, len(meta.Brokers))), nil
}

// awaitLeaders waits until the client's own picture of the cluster shows a
// leader for each partition: that picture is what Append goes by.
func (c *Client) awaitLeaders(ctx context.Context, topics []TopicSpec) error {
	for {
		missing, err := c.leaderless(ctx, topics)
		if err != nil {
			return fmt.Errorf("waiting for partition leaders: %w", err)
		}
		if missing == "" {
			return c.awaitAnswers(ctx, topics)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("waiting for a leader of %s: %w", missing, err)
		}
	}
}

// awaitAnswers asks every leader something that only a leader answers: a
// broker hears that it leads a little later than its clients do.
func (c *Client) awaitAnswers(ctx context.Context, topics []TopicSpec) error {
	for _, t := range topics {
		if _, err := c.Ends(ctx, t.Name); err != nil {
			return fmt.Errorf("waiting for the leaders of %s: %w", t.Name, err)
		}
	}
	return nil
}

// leaderless names a topic of which a partition has no leader yet, or "".
func (c *Client) leaderless(ctx context.Context, topics []TopicSpec) (string, error) {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	meta, err := c.admin.Metadata(ctx, &kafka.MetadataRequest{Topics: names})
	if err != nil {
		return "", err
	}
	for _, t := range meta.Topics {
		if !led(t) {
			return t.Name, nil
		}
	}
	return "", nil
}

// led says whether every partition of the topic has a leader.
func led(t kafka.Topic) bool {
	leaderless := func(p kafka.Partition) bool { return p.Error != nil || p.Leader.Host == "" }
	return t.Error == nil && len(t.Partitions) > 0 && !slices.ContainsFunc(t.Partitions, leaderless)
}

// checkSettings compares the topics' settings with what the log needs.
func (c *Client) checkSettings(ctx context.Context, topics []TopicSpec) error {
	req := kafka.DescribeConfigsRequest{}
	for _, t := range topics {
		req.Resources = append(req.Resources, kafka.DescribeConfigRequestResource{
			ResourceType: kafka.ResourceTypeTopic,
			ResourceName: t.Name,
		})
	}
	res, err := c.admin.DescribeConfigs(ctx, &req)
	if err != nil {
		return fmt.Errorf("reading the topics' settings: %w", err)
	}
	var faults []error
	for _, r := range res.Resources {
		if r.Error != nil {
			return fmt.Errorf("reading the settings of %s: %w", r.ResourceName, r.Error)
		}
		faults = append(faults, settingFaults(r)...)
	}
	return errors.Join(faults...)
}

func settingFaults(r kafka.DescribeConfigResponseResource) []error {
	have := make(map[string]string, len(r.ConfigEntries))
	for _, e := range r.ConfigEntries {
		have[e.ConfigName] = e.ConfigValue
	}
	var faults []error
	for _, want := range topicSettings {
		got, ok := have[want.ConfigName]
		if ok && got != want.ConfigValue {
			faults = append(faults, fmt.Errorf("topic %s has %s=%s, the log needs %s",
				r.ResourceName, want.ConfigName, got, want.ConfigValue))
		}
	}
	return faults
}
