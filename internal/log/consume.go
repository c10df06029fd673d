package log

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// Timing of group membership. A member that is gone is noticed after
// sessionTimeout; a rebalance waits rebalanceTimeout for members that still
// work on what they had.
const (
	heartbeatInterval = time.Second
	sessionTimeout    = 10 * time.Second
	rebalanceTimeout  = 30 * time.Second
	joinBackoff       = 500 * time.Millisecond
)

// Assignment is one partition that this process owns for one generation of
// its group.
type Assignment struct {
	Group      string
	Topic      string
	Partition  int
	Generation int
}

// Consume joins the group and calls run, each call in a goroutine of its own,
// for every partition that the process owns. The context that run gets ends
// when the partition is taken away, and run must return soon then: the group
// waits for it. Until another member knows of the change both may work on one
// partition for a moment, so what run does must bear being done twice.
//
// A run that returns nil early has its partition back at the next generation.
// A run that fails while it still owns its partition ends Consume, which
// returns its error once the other runs have ended. Otherwise Consume goes on
// through all rebalances and broker failures until ctx ends, and then leaves
// the group and returns the context's error.
func (c *Client) Consume(ctx context.Context, group string, topics []string, run func(context.Context, Assignment) error) error {
	member, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID:                group,
		Brokers:           c.brokers,
		Dialer:            c.dialer,
		Topics:            topics,
		GroupBalancers:    []kafka.GroupBalancer{kafka.RoundRobinGroupBalancer{}},
		HeartbeatInterval: heartbeatInterval,
		SessionTimeout:    sessionTimeout,
		RebalanceTimeout:  rebalanceTimeout,
		JoinGroupBackoff:  joinBackoff,
		ErrorLogger: kafka.LoggerFunc(func(format string, args ...any) {
			c.logger.Info("group membership", "group", group, "detail", fmt.Sprintf(format, args...))
		}),
	})
	if err != nil {
		return fmt.Errorf("joining group %s: %w", group, err)
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	work := &membership{client: c, group: group, run: run, fail: fail}
	err = work.follow(ctx, member)
	closing := member.Close()
	work.runs.Wait()
	if err == nil {
		err = closing
	}
	return err
}

// membership runs what a group member owns.
type membership struct {
	client *Client
	group  string
	run    func(context.Context, Assignment) error
	fail   context.CancelCauseFunc
	runs   sync.WaitGroup
}

// follow takes generation after generation until the context ends.
func (m *membership) follow(ctx context.Context, member *kafka.ConsumerGroup) error {
	for {
		generation, err := member.Next(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, kafka.ErrGroupClosed) {
			return fmt.Errorf("group %s: %w", m.group, err)
		}
		if err != nil {
			// The client has already backed off and joins again by itself.
			m.client.logger.Warn("joining a group fails, trying again", "group", m.group, "error", err)
			continue
		}
		m.start(ctx, generation)
	}
}

// start begins the runs of one generation. The generation counts them and
// does not make room for the next one before they have returned.
func (m *membership) start(ctx context.Context, generation *kafka.Generation) {
	for topic, partitions := range generation.Assignments {
		for _, p := range partitions {
			a := Assignment{Group: m.group, Topic: topic, Partition: p.ID, Generation: int(generation.ID)}
			m.runs.Add(1)
			generation.Start(func(owned context.Context) {
				defer m.runs.Done()
				m.work(ctx, owned, a)
			})
		}
	}
}

// work runs one partition, and stays until the generation ends: a function of
// the generation that returns ends it for all partitions.
func (m *membership) work(ctx, owned context.Context, a Assignment) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(owned, func() { cancel(owned.Err()) })
	defer stop()
	if err := m.run(ctx, a); err != nil && ctx.Err() == nil {
		m.fail(fmt.Errorf("working on %s/%d: %w", a.Topic, a.Partition, err))
	}
	<-ctx.Done()
}
