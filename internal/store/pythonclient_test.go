package store_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
)

// pythonEnv names a Python that has the package clickhouse-connect.
const pythonEnv = "TRIBUTARY_TEST_PYTHON"

// script uses the interface as clickhouse-connect does: Native format, LZ4 in
// both directions, settings and a session of its own accord.
const script = `
import sys, datetime, clickhouse_connect
port = int(sys.argv[1])
full = clickhouse_connect.get_client(host='127.0.0.1', port=port, username='tributary', password=sys.argv[2], database='tributary')
full.insert('positions', [['python\nreader', 't', 1, 0, 42], ['python', 't', 2, 0, 7]],
            column_names=['reader', 'topic', 'partition', 'generation', 'next_offset'])
reader = clickhouse_connect.get_client(host='127.0.0.1', port=port, database='tributary')
rows = reader.query('SELECT reader, partition, next_offset, saved_at FROM positions ORDER BY next_offset DESC').result_rows
assert [r[:3] for r in rows] == [('python\nreader', 1, 42), ('python', 2, 7)], rows
assert isinstance(rows[0][3], datetime.datetime), rows
assert reader.command('SELECT 1 + {x:Int32}', parameters={'x': 41}) == 42
assert reader.query('SELECT number FROM numbers(200000)').row_count == 200000
for bad in ["SELECT file('/etc/hostname')", "TRUNCATE TABLE positions"]:
    try:
        reader.query(bad)
    except clickhouse_connect.driver.exceptions.DatabaseError as e:
        print('refused:', e)
    else:
        raise AssertionError(bad)
try:
    clickhouse_connect.get_client(host='127.0.0.1', port=port, username='tributary', password='wrong')
except clickhouse_connect.driver.exceptions.DatabaseError:
    print('done')
`

func TestPythonClient(t *testing.T) {
	python := os.Getenv(pythonEnv)
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import clickhouse_connect").CombinedOutput(); err != nil {
		const need = "the test with a Python client needs Python with clickhouse-connect"
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s, and with CI=true it must run: %s", need, out)
		}
		t.Skipf("%s (%s names the Python)", need, pythonEnv)
	}
	base := listen(t, store.ListenConfig{Token: fullToken})
	port := base[strings.LastIndex(base, ":")+1:]
	cmd := exec.Command(python, "-c", script, port, fullToken)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Run(), "%s", &out)
	require.Contains(t, out.String(), "done")
	require.Equal(t, 2, strings.Count(out.String(), "refused: HTTP"), out.String())
}
