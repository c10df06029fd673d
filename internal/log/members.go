package log

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// members lets go of group members that the broker in the process would keep
// for ever. The broker begins a member's session with its first answer to it.
// One that is killed while it waits for that answer has no session that could
// end: it is given partitions that nobody works on, and every later rebalance
// waits for it. Whoever lives and is given partitions says something within its
// session, so one that says nothing is made to leave.
type members struct {
	client    *kafka.Client
	transport *kafka.Transport
	logger    *slog.Logger

	mu sync.Mutex
	// sessions are the longest sessions that members of a group have asked for.
	sessions map[string]time.Duration
	// mute are the members that were given partitions, and when, and have said
	// nothing since then.
	mute map[groupMember]time.Time
}

type groupMember struct{ group, member string }

// watchMembers looks after the members of all groups until the function
// returned is called, which waits for it to end.
func watchMembers(cluster *kfake.Cluster, logger *slog.Logger) (unwatch func()) {
	transport := &kafka.Transport{}
	m := &members{
		client:    &kafka.Client{Addr: kafka.TCP(cluster.ListenAddrs()...), Timeout: sessionTimeout, Transport: transport},
		transport: transport, logger: logger, sessions: map[string]time.Duration{}, mute: map[groupMember]time.Time{},
	}
	for _, key := range []kmsg.Key{kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup} {
		cluster.ControlKey(int16(key), func(req kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			m.note(req, time.Now())
			return nil, nil, false //nolint:nilnil // not answered here: the broker goes on with it
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { m.watch(ctx) })
	return func() {
		cancel()
		watching.Wait()
	}
}

// note takes a request of a member into account. The leader's request to sync
// names all members that are given partitions.
func (m *members) note(req kmsg.Request, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch r := req.(type) {
	case *kmsg.JoinGroupRequest:
		m.sessions[r.Group] = max(m.sessions[r.Group], time.Duration(r.SessionTimeoutMillis)*time.Millisecond)
		delete(m.mute, groupMember{r.Group, r.MemberID})
	case *kmsg.SyncGroupRequest:
		for _, a := range r.GroupAssignment {
			key := groupMember{r.Group, a.MemberID}
			if _, known := m.mute[key]; !known {
				m.mute[key] = now
			}
		}
		delete(m.mute, groupMember{r.Group, r.MemberID})
	case *kmsg.HeartbeatRequest:
		delete(m.mute, groupMember{r.Group, r.MemberID})
	case *kmsg.LeaveGroupRequest:
		delete(m.mute, groupMember{r.Group, r.MemberID})
		for _, member := range r.Members {
			delete(m.mute, groupMember{r.Group, member.MemberID})
		}
	}
}

// watch has members leave until ctx ends.
func (m *members) watch(ctx context.Context) {
	defer m.transport.CloseIdleConnections()
	ticker := time.NewTicker(heartbeatInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, gone := range m.overdue(time.Now()) {
			m.logger.Info("a group member has said nothing since it was given partitions, and leaves the group", "group", gone.group, "member", gone.member)
			leave := &kafka.LeaveGroupRequest{GroupID: gone.group, Members: []kafka.LeaveGroupRequestMember{{ID: gone.member}}}
			if _, err := m.client.LeaveGroup(ctx, leave); err != nil && ctx.Err() == nil {
				m.logger.Warn("having a group member leave fails, trying again", "group", gone.group, "member", gone.member, "error", err)
			}
		}
	}
}

// overdue gives the members that were mute for longer than a session.
func (m *members) overdue(now time.Time) (out []groupMember) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, since := range m.mute {
		if now.Sub(since) > m.sessions[key.group]+heartbeatInterval {
			out = append(out, key)
		}
	}
	return out
}
