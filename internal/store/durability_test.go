package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/dirlock"
	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/schemas/clickhouse"
)

// The engine takes one folder in a process, so what is about other folders
// happens in children. A child prints what it finds, then saves positions and
// prints each when it is acknowledged.
func writeUntilKilled(dir string) {
	must := func(err error) {
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	library, err := storetest.Library(ctx)
	must(err)
	e, err := engine.Open(engine.Config{Library: library, Dir: dir})
	must(err)
	s, err := store.Open(ctx, store.Config{Engine: e})
	must(err)
	must(s.Migrate(ctx, clickhouse.Migrations))
	at, err := s.LoadPosition(ctx, "child", "t", 0)
	must(err)
	fmt.Println("found", at.Next)
	for next := at.Next + 1; ; next++ {
		must(s.SavePosition(ctx, store.Position{Reader: "child", Topic: "t", Next: next}))
		fmt.Println("saved", next)
	}
}

// child is a running writer.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &child{cmd: cmd, lines: bufio.NewScanner(out)}
}

// next reads a line of the form "word number".
func (c *child) next(t *testing.T, word string) int64 {
	t.Helper()
	require.True(t, c.lines.Scan(), "the child ended")
	var n int64
	_, err := fmt.Sscanf(c.lines.Text(), word+" %d", &n)
	require.NoError(t, err, c.lines.Text())
	return n
}

// kill ends the child and returns the last number that it still acknowledged.
func (c *child) kill(t *testing.T, last int64) int64 {
	t.Helper()
	require.NoError(t, c.cmd.Process.Kill())
	for c.lines.Scan() {
		if n := int64(0); scans(c.lines.Text(), &n) {
			last = n
		}
	}
	require.Error(t, c.cmd.Wait())
	return last
}

func scans(line string, n *int64) bool {
	found, err := fmt.Sscanf(line, "saved %d", n)
	return err == nil && found == 1
}

func TestAcknowledgedRowsSurviveKill(t *testing.T) {
	const rounds = 4
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	acknowledged := int64(0)
	for range rounds {
		c := startChild(t, dir)
		found := c.next(t, "found")
		require.GreaterOrEqual(t, found, acknowledged, "what was acknowledged is there")
		require.LessOrEqual(t, found, acknowledged+1, "and at most what was under way")
		acknowledged = found
		for range random.IntN(20) {
			acknowledged = c.next(t, "saved")
		}
		acknowledged = c.kill(t, acknowledged)
	}
	t.Logf("%d positions saved", acknowledged)
}

func TestOneProcessHasTheStore(t *testing.T) {
	dir := t.TempDir()
	first := startChild(t, dir)
	first.next(t, "found")

	second := startChild(t, dir)
	require.True(t, second.lines.Scan())
	require.Equal(t, "failed: "+(&dirlock.HeldError{Dir: dir, PID: first.cmd.Process.Pid}).Error(), second.lines.Text())
	require.Error(t, second.cmd.Wait())
	first.kill(t, 0)

	third := startChild(t, dir)
	third.next(t, "found")
	third.kill(t, 0)
}
