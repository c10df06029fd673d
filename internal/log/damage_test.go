package log_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
)

// written makes a log with batches of one record each and gives its folder,
// the file that holds them and where in it each batch ends.
func written(t *testing.T) (dir, file string, ends []int64) {
	t.Helper()
	dir = t.TempDir()
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	require.NoError(t, err)
	c, err := log.Open(t.Context(), log.Config{Brokers: broker.Addrs()})
	require.NoError(t, err)
	require.NoError(t, c.EnsureTopics(t.Context(), log.Topics(log.EmbeddedPartitions)))
	for i := range 4 {
		p, err := c.Append(t.Context(), []log.Record{{Topic: log.TopicTasks, Key: []byte("k"), Value: fmt.Appendf(nil, "value %d", i)}})
		require.NoError(t, err)
		file = filepath.Join(dir, "partitions", fmt.Sprintf("%s-%d", log.TopicTasks, p[0].Partition), "0.dat")
		info, err := os.Stat(file)
		require.NoError(t, err)
		ends = append(ends, info.Size())
	}
	require.NoError(t, c.Close())
	require.NoError(t, broker.Close())
	return dir, file, ends
}

// values opens a log and reads its tasks.
func values(t *testing.T, dir string) []string {
	t.Helper()
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	require.NoError(t, err)
	defer broker.Close()
	c, err := log.Open(t.Context(), log.Config{Brokers: broker.Addrs()})
	require.NoError(t, err)
	defer c.Close()
	counts, err := c.Ends(t.Context(), log.TopicTasks)
	require.NoError(t, err)
	var out []string
	for p, end := range counts {
		require.NoError(t, c.ReadUntil(t.Context(), log.TopicTasks, p, 0, end, func(recs []log.Record) error {
			for _, r := range recs {
				out = append(out, string(r.Value))
			}
			return nil
		}))
	}
	return out
}

func TestDamagedLogIsLeftAsItIs(t *testing.T) {
	for what, damage := range map[string]func(raw []byte, ends []int64) []byte{
		"a byte of a record":         func(raw []byte, ends []int64) []byte { raw[ends[1]-1] ^= 1; return raw },
		"the first byte of a length": func(raw []byte, ends []int64) []byte { raw[ends[0]+8] = 0x7f; return raw },
		"the last byte of a length":  func(raw []byte, ends []int64) []byte { raw[ends[0]+11]++; return raw },
		"a length of nothing":        func(raw []byte, ends []int64) []byte { copy(raw[ends[0]+8:], []byte{0, 0, 0, 0}); return raw },
		"the file's beginning":       func(raw []byte, _ []int64) []byte { copy(raw, "rubbish"); raw[16] = 0; return raw },
		"a batch that is missing":    func(raw []byte, ends []int64) []byte { return append(raw[:ends[0]:ends[0]], raw[ends[1]:]...) },
	} {
		dir, file, ends := written(t)
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		raw = damage(raw, ends)
		require.NoError(t, os.WriteFile(file, raw, 0o600))
		_, err = log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
		var damaged *log.DamagedError
		require.ErrorAs(t, err, &damaged, what)
		require.Equal(t, file, damaged.File, what)
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, raw, after, what)
	}

	dir, _, _ := written(t)
	topics := filepath.Join(dir, "topics.json")
	require.NoError(t, os.Remove(topics))
	_, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	require.ErrorContains(t, err, topics)
}

func TestTornEndIsCutOffAndKept(t *testing.T) {
	for _, torn := range []int64{1, 11, 12, 60, 61} {
		dir, file, ends := written(t)
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		rest := raw[ends[2] : ends[2]+torn]
		require.NoError(t, os.WriteFile(file, raw[:ends[2]+torn], 0o600))
		require.Equal(t, []string{"value 0", "value 1", "value 2"}, values(t, dir))
		kept, err := os.ReadFile(file + ".torn")
		require.NoError(t, err)
		require.Equal(t, rest, kept)
		require.Len(t, values(t, dir), 3, "it is opened again without a word")
	}
}
