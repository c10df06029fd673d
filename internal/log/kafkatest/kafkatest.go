// Package kafkatest starts a real Apache Kafka for tests: one node in KRaft
// mode, on free ports of the loopback address, with its data in a temporary
// folder. It needs Java 17 and Maven. Where they are missing the test is
// skipped, and with CI=true it fails.
package kafkatest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/deploy/kafka"
)

const (
	fetchTime = 5 * time.Minute
	startTime = time.Minute
	stopTime  = 20 * time.Second
)

// Start runs a broker until the test ends and returns its address.
func Start(tb testing.TB) string {
	tb.Helper()
	java, maven := need(tb, "java"), need(tb, "mvn")
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	jars, err := fetch(ctx, maven)
	require.NoError(tb, err)

	dir := tb.TempDir()
	broker, controller := freePort(tb), freePort(tb)
	config := filepath.Join(dir, "server.properties")
	require.NoError(tb, os.WriteFile(config, properties(dir, broker, controller), 0o600))
	classes := []string{"-Xmx512m", "-Dlog4j2.level=error", "-cp", filepath.Join(jars, "*")}
	out, err := exec.CommandContext(ctx, java, append(classes, "kafka.tools.StorageTool", "format", "-t", clusterID(), "-c", config)...).CombinedOutput()
	require.NoError(tb, err, "formatting Kafka's folder: %s", out)

	run(tb, java, append(classes, "kafka.Kafka", config))
	addr := fmt.Sprintf("127.0.0.1:%d", broker)
	awaitPort(tb, addr)
	return addr
}

// need finds a program, or ends the test.
func need(tb testing.TB, program string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		tb.Fatalf("%s is not installed, and with CI=true the tests on a real Kafka must run", program)
	}
	tb.Skipf("the tests on a real Kafka need Java 17 and Maven: %s is not installed", program)
	return ""
}

// fetch has Maven bring the broker's jars into the user's cache, once for each
// version of the list.
func fetch(ctx context.Context, maven string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	sum := sha256.Sum256(kafka.POM)
	target := filepath.Join(cache, "tributary", "kafka", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
		return "", fmt.Errorf("making the cache folder: %w", err)
	}
	work, err := os.MkdirTemp(filepath.Dir(target), "fetch-*")
	if err != nil {
		return "", fmt.Errorf("making a folder to download to: %w", err)
	}
	defer os.RemoveAll(work)
	pom := filepath.Join(work, "pom.xml")
	if err := os.WriteFile(pom, kafka.POM, 0o600); err != nil {
		return "", fmt.Errorf("writing the list of jars: %w", err)
	}
	jars := filepath.Join(work, "jars")
	out, err := exec.CommandContext(ctx, maven, "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+jars).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("bringing Kafka with Maven: %w: %s", err, out)
	}
	if err := os.Rename(jars, target); err != nil && !errors.Is(err, os.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return "", fmt.Errorf("keeping Kafka's jars: %w", err)
	}
	return target, nil
}

// run starts the broker and stops it at the test's end, by force if it does
// not go. What it printed is shown when the test failed.
func run(tb testing.TB, java string, args []string) {
	tb.Helper()
	var output bytes.Buffer
	cmd := exec.CommandContext(context.Background(), java, args...) // ended below, gently at first
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Dir = tb.TempDir()
	require.NoError(tb, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was told to go, and says so with an error
	}()
	tb.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			tb.Logf("asking Kafka to stop: %v", err)
		}
		select {
		case <-ended:
		case <-time.After(stopTime):
			if err := cmd.Process.Kill(); err != nil {
				tb.Logf("killing Kafka: %v", err)
			}
			<-ended
		}
		if tb.Failed() {
			tb.Logf("Kafka said:\n%s", output.String())
		}
	})
}

func properties(dir string, broker, controller int) []byte {
	return fmt.Appendf(nil, `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:%[3]d
listeners=PLAINTEXT://127.0.0.1:%[2]d,CONTROLLER://127.0.0.1:%[3]d
advertised.listeners=PLAINTEXT://127.0.0.1:%[2]d
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=%[1]s/logs
num.partitions=1
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
auto.create.topics.enable=false
message.max.bytes=16777216
socket.request.max.bytes=104857600
`, dir, broker, controller)
}

// clusterID is 16 random bytes as Kafka writes them.
func clusterID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// freePort asks for a port that is free now.
func freePort(tb testing.TB) int {
	tb.Helper()
	socket, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	defer socket.Close()
	addr, ok := socket.Addr().(*net.TCPAddr)
	require.True(tb, ok)
	return addr.Port
}

func awaitPort(tb testing.TB, addr string) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", addr)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	}, startTime, 100*time.Millisecond, "Kafka does not listen on %s", addr)
}
