package log_test

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
)

// TestMembersKilledWhileTheyJoinAreLetGo has members die between their request
// to join and the broker's answer. Who is left must come to work on everything.
// There are several because the broker notices of some that they are gone.
func TestMembersKilledWhileTheyJoinAreLetGo(t *testing.T) {
	client, addrs := logtest.StartWithAddrs(t)
	const group = "watched"
	var mu sync.Mutex
	owned := map[int]bool{}
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() {
		_ = client.Consume(ctx, group, []string{log.TopicTasks}, func(ctx context.Context, a log.Assignment) error {
			mu.Lock()
			owned[a.Partition] = true
			mu.Unlock()
			<-ctx.Done()
			mu.Lock()
			delete(owned, a.Partition)
			mu.Unlock()
			return nil
		})
	})
	defer working.Wait()
	defer stop()
	works := func(n int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(owned) == n
		}
	}
	const patience, often = time.Minute, 10 * time.Millisecond
	require.Eventually(t, works(log.EmbeddedPartitions), patience, often, "alone it has all partitions")

	const dying = 12
	conns := make([]net.Conn, dying)
	for i := range conns {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addrs[0])
		require.NoError(t, err)
		_, err = conn.Write(joinRequest(group, log.TopicTasks))
		require.NoError(t, err)
		conns[i] = conn
	}
	admin := &kafka.Client{Addr: kafka.TCP(addrs...), Transport: &kafka.Transport{}}
	require.Eventually(t, func() bool {
		res, err := admin.DescribeGroups(t.Context(), &kafka.DescribeGroupsRequest{GroupIDs: []string{group}})
		return err == nil && len(res.Groups) == 1 && len(res.Groups[0].Members) == 1+dying
	}, patience, often, "the broker knows of the others")
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
	admin.Transport.(*kafka.Transport).CloseIdleConnections()

	require.Eventually(t, func() bool { return !works(log.EmbeddedPartitions)() }, patience, often, "the dead members have been given partitions")
	require.Eventually(t, works(log.EmbeddedPartitions), patience, often, "and are let go")
}

// joinRequest is a request to join a group as it goes over the wire, with the
// shortest session that there may be.
func joinRequest(group, topic string) []byte {
	subscription := kmsg.NewConsumerMemberMetadata()
	subscription.Topics = []string{topic}
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = kafka.RoundRobinGroupBalancer{}.ProtocolName(), subscription.AppendTo(nil)
	req := kmsg.NewPtrJoinGroupRequest()
	req.Version, req.Group, req.ProtocolType = 1, group, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 1000, 30_000
	req.Protocols = append(req.Protocols, protocol)
	body := kmsg.NewRequestFormatter(kmsg.FormatterClientID("dying")).AppendRequest(nil, req, 1)
	if int(binary.BigEndian.Uint32(body)) != len(body)-4 {
		body = append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	return body
}
