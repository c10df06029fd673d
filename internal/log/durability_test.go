package log_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/dirlock"
	"github.com/tributary-data/tributary/internal/log"
)

// writeUntilKilled serves a log and appends to it from several callers. Each
// acknowledged record is printed with its place.
func writeUntilKilled(dir string) {
	must := func(err error) {
		if err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
	}
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	must(err)
	ctx := context.Background()
	c, err := log.Open(ctx, log.Config{Brokers: broker.Addrs()})
	must(err)
	must(c.EnsureTopics(ctx, log.Topics(log.EmbeddedPartitions)))
	fmt.Println("ready")
	var mu sync.Mutex
	for g := range 8 {
		go func() {
			for i := 0; ; i++ {
				value := fmt.Sprint(os.Getpid(), ".", g, ".", i)
				p, err := c.Append(ctx, []log.Record{{Topic: log.TopicTasks, Key: []byte(value), Value: []byte(value)}})
				must(err)
				mu.Lock()
				fmt.Println("acked", p[0].Partition, p[0].Offset, value)
				mu.Unlock()
			}
		}()
	}
	select {}
}

func TestAcknowledgedRecordsSurviveKill(t *testing.T) {
	const rounds = 8
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	acked := map[log.Position]string{}
	for range rounds {
		killWhileWriting(t, dir, 1+random.IntN(400), acked)
	}
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	require.NoError(t, err)
	defer func() { require.NoError(t, broker.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := log.Open(ctx, log.Config{Brokers: broker.Addrs()})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	ends, err := c.Ends(ctx, log.TopicTasks)
	require.NoError(t, err)
	there := map[log.Position]string{}
	for p, end := range ends {
		require.NoError(t, c.ReadUntil(ctx, log.TopicTasks, p, 0, end, func(recs []log.Record) error {
			for _, r := range recs {
				require.NoError(t, r.Fault)
				there[log.Position{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}] = string(r.Value)
			}
			return nil
		}))
	}
	require.NotEmpty(t, acked)
	for p, value := range acked {
		require.Equal(t, value, there[p], "%s was acknowledged", p)
	}
	t.Logf("%d acknowledged, %d there", len(acked), len(there))
}

// killWhileWriting starts a writer on the folder and kills it when it has been
// acknowledged so many records.
func killWhileWriting(t *testing.T, dir string, records int, acked map[log.Position]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		require.NotContains(t, lines.Text(), "failed")
		p := log.Position{Topic: log.TopicTasks}
		var value string
		if n, _ := fmt.Sscanf(lines.Text(), "acked %d %d %s", &p.Partition, &p.Offset, &value); n != 3 {
			continue
		}
		acked[p] = value
		if records--; records <= 0 && !killed {
			killed = true
			require.NoError(t, cmd.Process.Kill())
		}
	}
	require.Error(t, cmd.Wait(), "the writer was killed")
	require.True(t, killed)
}

func TestOneProcessHasTheLog(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "ready", lines.Text())

	_, err = log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	var held *dirlock.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, cmd.Process.Pid, held.PID)

	require.NoError(t, cmd.Process.Kill())
	for lines.Scan() {
	}
	require.Error(t, cmd.Wait())
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, broker.Close())
	require.NoError(t, broker.Close())
}

// BenchmarkAppend measures 64 callers that each wait for one record of 1 KB.
func BenchmarkAppend(b *testing.B) {
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: b.TempDir()})
	require.NoError(b, err)
	defer broker.Close()
	ctx := context.Background()
	c, err := log.Open(ctx, log.Config{Brokers: broker.Addrs()})
	require.NoError(b, err)
	defer c.Close()
	require.NoError(b, c.EnsureTopics(ctx, log.Topics(log.EmbeddedPartitions)))
	for _, size := range []int{1, 20} {
		b.Run(fmt.Sprintf("callers=64/records=%d", size), func(b *testing.B) {
			var next sync.Mutex
			left := b.N
			value := make([]byte, 1000)
			var group sync.WaitGroup
			for range 64 {
				group.Go(func() {
					random := rand.New(rand.NewPCG(rand.Uint64(), 1))
					for {
						next.Lock()
						mine := min(size, left)
						left -= mine
						next.Unlock()
						if mine == 0 {
							return
						}
						recs := make([]log.Record, mine)
						for i := range recs {
							recs[i] = log.Record{Topic: log.TopicTasks, Key: fmt.Appendf(nil, "%x", random.Uint64()), Value: value}
						}
						if _, err := c.Append(ctx, recs); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
