package log

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/tributary-data/tributary/internal/dirlock"
)

// EmbeddedConfig says where the broker in the process keeps its log.
type EmbeddedConfig struct {
	// Dir is the log's folder, for one process at a time.
	Dir string
	// Port is the port on the loopback address; 0 for any free one.
	Port int
	// Logger is told of failed writes; nil for none.
	Logger *slog.Logger
}

// Embedded is a Kafka broker inside the process. It keeps everything that it
// is sent, syncs each batch to disk before it answers, stamps batches with
// its own time, and listens on the loopback address only.
type Embedded struct {
	cluster *kfake.Cluster
	lock    *dirlock.Lock
	// unwatch ends the look-out for silent group members, and waits for it.
	unwatch func()
}

// StartEmbedded opens the log in the folder and serves it when it returns.
// The error is a *dirlock.HeldError when another process has the folder, and a
// *DamagedError when records are lost.
func StartEmbedded(cfg EmbeddedConfig) (*Embedded, error) {
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	lock, err := dirlock.Acquire(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if err := checkFiles(cfg.Dir, logger); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	cluster, err := kfake.NewCluster(
		kfake.Ports(cfg.Port),
		kfake.ListenFn(listenLoopback),
		kfake.ClusterID("tributary"),
		kfake.DataDir(cfg.Dir),
		kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(heartbeatInterval),
		kfake.WithLogger(brokerLogger{logger}),
		kfake.BrokerConfigs(map[string]string{
			"log.retention.ms":           "-1",
			"log.retention.bytes":        "-1",
			"message.max.bytes":          strconv.Itoa(maxMessageBytes),
			"log.message.timestamp.type": "LogAppendTime",
		}),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the embedded log in %s (if a file of it is damaged, bring the folder back from a copy): %w", cfg.Dir, err), lock.Release())
	}
	cluster.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if produce, ok := req.(*kmsg.ProduceRequest); ok {
			stampAppendTime(produce, time.Now())
		}
		return nil, nil, false //nolint:nilnil // not answered here: the broker goes on with it
	})
	return &Embedded{cluster: cluster, lock: lock, unwatch: watchMembers(cluster, logger)}, nil
}

// Addrs returns the host:port addresses to hand to clients.
func (e *Embedded) Addrs() []string { return e.cluster.ListenAddrs() }

// Close stops serving and closes the log's files. It may be called twice.
func (e *Embedded) Close() error {
	e.unwatch()
	e.cluster.Close()
	return e.lock.Release()
}

// listenLoopback refuses any other address, whatever the broker asks for.
func listenLoopback(network, address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return (&net.ListenConfig{}).Listen(context.Background(), network, net.JoinHostPort("127.0.0.1", port))
}

// stampAppendTime puts the broker's time on the batches. The broker itself
// goes by a mark in the batch and not by the topic's setting, and would leave
// the batch's checksum wrong. The checksum covers the times and is looked at
// first: a batch that was damaged on its way must stay so.
func stampAppendTime(req *kmsg.ProduceRequest, now time.Time) {
	for i := range req.Topics {
		for j := range req.Topics[i].Partitions {
			raw := req.Topics[i].Partitions[j].Records
			if len(raw) < batchHead || raw[atMagic] != batchFormat {
				continue
			}
			if crc32.Checksum(raw[atAttributes:], castagnoli) != binary.BigEndian.Uint32(raw[atCRC:]) {
				continue
			}
			raw[atAttributes+1] &^= attrAppendTime
			binary.BigEndian.PutUint64(raw[atFirstTime:], uint64(now.UnixMilli()))
			binary.BigEndian.PutUint64(raw[atMaxTime:], uint64(now.UnixMilli()))
			binary.BigEndian.PutUint32(raw[atCRC:], crc32.Checksum(raw[atAttributes:], castagnoli))
		}
	}
}

// brokerLogger passes on what the broker has to say from warnings upwards.
type brokerLogger struct{ logger *slog.Logger }

// Logf writes one line of the broker.
func (l brokerLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	text := func() string { return strings.TrimSpace(fmt.Sprintf(format, args...)) }
	switch level {
	case kfake.LogLevelError:
		l.logger.Error("embedded log", "detail", text())
	case kfake.LogLevelWarn:
		l.logger.Warn("embedded log", "detail", text())
	}
}
