package spine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/clickhouse"
	"github.com/tributary-data/tributary/schemas/event"
)

// Environment of the child process that is killed.
const (
	childMode    = "SPINE_CHILD"
	childBrokers = "SPINE_BROKERS"
	childDir     = "SPINE_DIR"
	childLibrary = "SPINE_LIBRARY"
	// childStep ends the process by SIGKILL right before that insert.
	childStep = "SPINE_STEP"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childMode) {
	case "":
		storetest.Main(m)
	case "run":
		exit(runChild(false))
	case "audit":
		exit(runChild(true))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		engine.Exit(1)
	}
	engine.Exit(0)
}

// runChild is a process with the store and both roles. It runs until it is
// killed, or, for an audit, until all is folded and compared.
func runChild(auditing bool) error {
	ctx := context.Background()
	client, err := log.Open(ctx, log.Config{Brokers: strings.Split(os.Getenv(childBrokers), ",")})
	if err != nil {
		return err
	}
	e, err := engine.Open(engine.Config{Library: os.Getenv(childLibrary), Dir: os.Getenv(childDir)})
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Config{Engine: e})
	if err != nil {
		return err
	}
	if err := s.Migrate(ctx, clickhouse.Migrations); err != nil {
		return err
	}
	board := progress.NewBoard()
	// A group of its own for each process: a killed member keeps its partitions
	// until its session has ended, and what is tested here is not the group.
	group := fmt.Sprint("spine-", os.Getpid())
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	roles := []interface{ Start(context.Context) error }{
		consumer.New(consumer.Config{Log: client, Store: s, Board: board, Logger: logger, Group: group + "-parser"}),
		projector.New(projector.Config{Log: client, Store: s, Board: board, Step: killer(), Logger: logger, Group: group + "-projector"}),
	}
	for _, r := range roles {
		if err := r.Start(ctx); err != nil {
			return err
		}
	}
	if !auditing {
		fmt.Println("ready")
		select {}
	}
	return compare(ctx, client, s, board)
}

// killer ends the process right before the insert that it was told to.
func killer() func(string) {
	at, err := strconv.ParseInt(os.Getenv(childStep), 10, 64)
	if err != nil || at == 0 {
		return nil
	}
	var steps atomic.Int64
	return func(string) {
		if steps.Add(1) == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal has come
		}
	}
}

// compare waits until everything is folded and compares.
func compare(ctx context.Context, client *log.Client, s *store.Store, board *progress.Board) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var all []log.Position
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions} {
		ends, err := client.Ends(ctx, topic)
		if err != nil {
			return err
		}
		for p, end := range ends {
			if end > 0 {
				all = append(all, log.Position{Topic: topic, Partition: p, Offset: end - 1})
			}
		}
	}
	waiter := progress.Waiter{Board: board, Log: client}
	if err := waiter.WaitFolded(ctx, all); err != nil {
		return err
	}
	// Definitions that changed have tasks extracted again, behind live ones:
	// wait until the log has been still for a while.
	if err := still(ctx, client, &waiter); err != nil {
		return err
	}
	missing, err := audit.Unextracted(ctx, client)
	if err != nil {
		return err
	}
	diff, err := audit.Compare(ctx, client, s)
	if err != nil {
		return err
	}
	if diff = append(diff, missing...); len(diff) > 0 {
		return fmt.Errorf("%d differences:\n%s", len(diff), strings.Join(diff[:min(len(diff), 20)], "\n"))
	}
	return nil
}

// still waits until no lineage and no definition has been appended for a
// second, and all of it is folded.
func still(ctx context.Context, client *log.Client, w *progress.Waiter) error {
	last := ""
	for {
		var at []log.Position
		for _, topic := range []string{log.TopicLineage, log.TopicDefinitions} {
			ends, err := client.Ends(ctx, topic)
			if err != nil {
				return err
			}
			for p, end := range ends {
				at = append(at, log.Position{Topic: topic, Partition: p, Offset: end - 1})
			}
		}
		if err := w.WaitFolded(ctx, at); err != nil {
			return err
		}
		if now := fmt.Sprint(at); now == last {
			return nil
		} else {
			last = now
		}
		timer := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// child starts a process of this test binary.
func child(t *testing.T, mode, brokers, dir, library string, step int) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode, childBrokers+"="+brokers, childDir+"="+dir, childLibrary+"="+library, childStep+"="+strconv.Itoa(step))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewReader(out)
}

// seeds is how often a process is killed: a few times, and 50 in CI.
func seeds() int {
	if os.Getenv("CI") == "true" {
		return 50
	}
	return 6
}

// TestKilledAnywhere kills the process that parses and projects, at a random
// moment or right before a random insert of a batch, again and again over one
// log and one store. In the end every event has its lineage, and the tables are
// those of a fold of the log.
func TestKilledAnywhere(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SPINE_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("seed %d; set SPINE_SEED to run it again", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	client, addrs := logtest.StartWithAddrs(t)
	brokers, dir := strings.Join(addrs, ","), t.TempDir()
	library, err := storetest.Library(t.Context())
	require.NoError(t, err)
	killed := 0
	for n := range seeds() {
		step := 0
		if random.IntN(2) == 0 {
			step = 1 + random.IntN(25)
		}
		events := storyRecords(t, random, n*1000, 20+random.IntN(60))
		_, err := client.Append(t.Context(), events[:len(events)/2])
		require.NoError(t, err)
		cmd, out := child(t, "run", brokers, dir, library, step)
		ended := make(chan error, 1)
		after := time.Duration(random.IntN(1500)) * time.Millisecond
		go func() {
			_, _ = out.ReadString('\n')
			moment := time.NewTimer(after)
			defer moment.Stop()
			if step == 0 {
				<-moment.C
				_ = cmd.Process.Kill()
			}
			_, _ = io.Copy(io.Discard, out)
			ended <- cmd.Wait()
		}()
		_, err = client.Append(t.Context(), events[len(events)/2:])
		require.NoError(t, err)
		select {
		case err := <-ended:
			require.ErrorContains(t, err, "signal: killed")
			killed++
		case <-time.After(20 * time.Second):
			require.NoError(t, cmd.Process.Kill(), "fewer inserts than the step at which it was to end")
			<-ended
		}
		if n%10 == 9 || n == seeds()-1 {
			cmd, out := child(t, "audit", brokers, dir, library, 0)
			_, _ = io.Copy(io.Discard, out)
			require.NoError(t, cmd.Wait(), "seed %d, after %d kills", seed, n+1)
		}
	}
	require.Positive(t, killed)
}

// storyRecords draws events as the platform sends them: SQL that reads and
// writes a few tables, definitions of them, removals, manual edges, runs.
func storyRecords(t *testing.T, random *rand.Rand, first, n int) []log.Record {
	t.Helper()
	recs := make([]log.Record, n)
	for i := range recs {
		recs[i] = record(t, fmt.Sprint(first+i), storyEvent(random))
	}
	return recs
}

func storyEvent(random *rand.Rand) any {
	id := event.Task{ID: fmt.Sprintf("t%d", random.IntN(15))}
	from, to := fmt.Sprintf("s%d", random.IntN(6)), fmt.Sprintf("s%d", random.IntN(6))
	ref := func(n string) event.Ref { return event.Ref{Namespace: shop, Name: "db." + n} }
	switch random.IntN(10) {
	case 0:
		return &event.TaskRemoved{Task: id}
	case 1:
		return table("db."+from, "id", fmt.Sprintf("c%d", random.IntN(3)))
	case 2:
		e := event.Edge{From: ref(from), To: ref(to), Who: "ann"}
		if random.IntN(3) == 0 {
			return &event.EdgeRemoved{Edge: e}
		}
		return &event.EdgeAdded{Edge: e}
	case 3:
		return &event.RunCompleted{Run: event.Run{RunID: fmt.Sprint("r", random.IntN(5)), Task: id, Inputs: []event.Input{{Ref: ref(from)}}, Outputs: []event.Output{{Ref: ref(to)}}}}
	case 4:
		d := task(id.ID, fmt.Sprintf("CREATE TABLE db.%s AS SELECT * FROM db.%s", to, from))
		d.Branch = "dev"
		return d
	}
	return task(id.ID, fmt.Sprintf("INSERT INTO db.%s SELECT * FROM db.%s;\nINSERT INTO dw.%s (id) SELECT a.id FROM db.%s a", to, from, from, to))
}
