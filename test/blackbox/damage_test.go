package blackbox_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
)

// filled runs everything on a new data folder until it has lineage, with two
// batches of records in one partition, and stops it.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	p := serve(t, dir)
	post(t, p.URL, task("twice", "INSERT INTO dw.a (x) SELECT x FROM a"))
	post(t, p.URL, task("twice", "INSERT INTO dw.a (x) SELECT x FROM a JOIN b USING (x)"))
	soon(t, p.Store, "SELECT from_name FROM tributary.lineage_edges ORDER BY 1", "db.a", "db.b")
	settle(t, connect(t, p.Brokers), p.Store)
	require.Zero(t, p.interrupt())
	return dir
}

// whatever gives the one file that a pattern finds first.
func whatever(t *testing.T, parts ...string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(parts...))
	require.NoError(t, err)
	require.NotEmpty(t, files, parts)
	return files[0]
}

// A data folder that lost something is refused before anything answers. What
// is said names the file or the folder and what to do, and changes nothing.
func TestDamagedDataIsRefused(t *testing.T) {
	whole := filled(t)
	segment := func(dir string) string { return whatever(t, dir, "log", "partitions", log.TopicTasks+"-*", "0.dat") }
	for what, c := range map[string]struct {
		damage func(dir string)
		says   func(dir string) []string
	}{
		"a byte in the middle of the log": {
			func(dir string) {
				raw, err := os.ReadFile(segment(dir))
				require.NoError(t, err)
				raw[len(raw)/4] ^= 1
				require.NoError(t, os.WriteFile(segment(dir), raw, 0o600))
			},
			func(dir string) []string { return []string{segment(dir), "damaged at byte 0", "from a copy"} },
		},
		"the end of the log": {
			func(dir string) { require.NoError(t, os.Truncate(segment(dir), 10)) },
			func(dir string) []string {
				return []string{log.TopicTasks, "the log ends at 0", filepath.Join(dir, "log"), filepath.Join(dir, "store"), segment(dir) + ".torn"}
			},
		},
		"the log": {
			func(dir string) { removeAll(t, dir, "log") },
			func(dir string) []string {
				return []string{"the log ends at 0", filepath.Join(dir, "log"), filepath.Join(dir, "store")}
			},
		},
		"what topics there are": {
			func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "log", "topics.json"))) },
			func(dir string) []string { return []string{filepath.Join(dir, "log", "topics.json"), "from a copy"} },
		},
		"rows of the store": {
			func(dir string) {
				require.NoError(t, os.WriteFile(whatever(t, dir, "store", "data", "store", "*", "*", "all_*", "checksums.txt"), nil, 0o600))
			},
			func(dir string) []string { return []string{filepath.Join(dir, "store"), "from a copy", "made again"} },
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			c.damage(dir)
			p, ready := launch(t, "serve", "--data", dir)
			require.Equal(t, 1, p.wait(startTime), p.out.String())
			require.NoFileExists(t, ready)
			for _, said := range c.says(dir) {
				require.Contains(t, p.out.String(), said)
			}
		})
	}

	// What the log brings back is not missed.
	removeAll(t, whole, "store")
	p := serve(t, whole)
	soon(t, p.Store, "SELECT from_name FROM tributary.lineage_edges ORDER BY 1", "db.a", "db.b")
	require.Zero(t, p.interrupt())
}

// Folders that cannot be written and a library that is none are told by name.
func TestWhatCannotBeUsedIsNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes.so")
	require.NoError(t, os.WriteFile(file, []byte("these are notes"), 0o600))
	for _, c := range []struct{ data, library, says string }{
		{filepath.Join(file, "data"), built.engineLib, file},
		{filepath.Join(dir, "a"), "notes.so", file},
		{filepath.Join(dir, "b"), dir, dir},
		{filepath.Join(dir, "c"), filepath.Join(dir, "none.so"), "none.so"},
		{filepath.Join(dir, "d"), "/dev/full", "/dev/full"},
	} {
		cmd := exec.Command(built.binary, "serve", "--listen", "127.0.0.1:0", "--data", c.data, "--engine-lib", c.library)
		cmd.Env, cmd.Dir = environment(), dir
		out, err := cmd.CombinedOutput()
		require.Error(t, err, c.says)
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%s", out)
		require.Equal(t, 1, bytes.Count(bytes.TrimSpace(out), []byte("\n"))+1, "one sentence: %s", out)
		require.Contains(t, string(out), c.says)
	}
	// No file may grow: what a full disk is to whoever writes.
	out, err := exec.Command("sh", "-c", `ulimit -f 0; exec "$0" serve --listen 127.0.0.1:0 --data "$1"`, built.binary, filepath.Join(dir, "e")).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), filepath.Join(dir, "e"))
}
