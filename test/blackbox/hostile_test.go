package blackbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// peakMemory gives the most memory that a process ever had, in bytes; 0 where
// the machine does not tell.
func (p *process) peakMemory() int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			require.NoError(p.t, err)
			return kilobytes << 10
		}
	}
	return 0
}

// requireAlive asks what a machine that watches the process would ask, and a
// person.
func (p *process) requireAlive() {
	p.t.Helper()
	status, body, err := call(http.MethodGet, p.URL+"/healthz", "", nil)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, status, "%s", body)
}

// hub makes a table that fan others are made from, and waits until it is seen.
func hub(t *testing.T, p *process, fan int) string {
	t.Helper()
	d := &event.TaskDefined{Task: event.Task{ID: "fan"}, Inputs: []event.Input{{Ref: event.Ref{Namespace: shop, Name: "db.hub"}}}}
	for i := range fan {
		d.Outputs = append(d.Outputs, event.Output{Ref: event.Ref{Namespace: shop, Name: fmt.Sprintf("db.a_table_made_from_the_hub_number_%d", i)}})
	}
	post(t, p.URL, eventOf("fan", event.TypeTaskDefined, d))
	node := "dataset|" + shop + "|db.hub"
	poll(t, settleTime, func() error {
		var c lineageapi.Closure
		if err := tryGet(p.URL, "/api/v1/closure", url.Values{"node": {node}, "direction": {"down"}, "limit": {"0"}}, &c); err != nil {
			return err
		}
		if c.Total != fan {
			return fmt.Errorf("%d of %d tables are seen", c.Total, fan)
		}
		return nil
	})
	return node
}

// memoryLimit is what a process may have at its worst: with five times as many
// clients that do not read, one without bounds had 5 GB.
const memoryLimit = 1500 << 20

// Clients that ask for much and do not read it cost a bounded amount of memory,
// whatever their number; once they are gone all is as before.
func TestClientsThatDoNotReadCostLittle(t *testing.T) {
	p := serve(t, t.TempDir())
	node := hub(t, p, 5000)
	address := strings.TrimPrefix(p.URL, "http://")
	const clients = 1000
	conns := make([]net.Conn, clients)
	for i := range conns {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
		_, err = fmt.Fprintf(conn, "GET /api/v1/graph?tasks=all&node=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", url.QueryEscape(node))
		require.NoError(t, err)
		conns[i] = conn
	}
	p.requireAlive()
	for _, conn := range conns {
		begin, err := bufio.NewReaderSize(conn, 16).ReadString(' ')
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 ", begin, "everyone is answered, if only by a refusal")
	}
	p.requireAlive()
	t.Logf("%d MB at the most", p.peakMemory()>>20)
	require.Less(t, p.peakMemory(), int64(memoryLimit))
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
	poll(t, settleTime, func() error {
		var g lineageapi.Graph
		if err := tryGet(p.URL, "/api/v1/graph", url.Values{"node": {node}}, &g); err != nil {
			return err
		}
		require.Equal(t, lineageapi.TruncatedReasonNodes, g.Truncated.Reason)
		require.Equal(t, 5001, len(g.Nodes)+g.Truncated.NodesLeft)
		return nil
	})
	require.Zero(t, p.interrupt())
}

// Clients with SQL that takes long, some of which go away in the middle, get an
// answer that says what became of it, and the process lives on.
func TestHostileSQLAtOnce(t *testing.T) {
	p := serve(t, t.TempDir())
	deep := "SELECT " + strings.Repeat("(SELECT ", 900) + "1" + strings.Repeat(")", 900)
	scripts := []string{
		"INSERT INTO t (x) SELECT x FROM a WHERE " + strings.Repeat("a.x = 1 OR ", 250_000) + "a.y = 2",
		strings.Repeat("INSERT INTO t SELECT * FROM a JOIN b USING (x);\n", 40_000),
		"SELECT " + strings.Repeat("a + ", 400_000) + "b FROM t",
		"WITH " + strings.Repeat("c AS (SELECT * FROM c), ", 60_000) + "d AS (SELECT 1) SELECT * FROM d",
		deep + strings.Repeat(" UNION ALL "+deep, 100),
		strings.Repeat("(", 1_000_000),
	}
	const clients = 50
	var wait sync.WaitGroup
	faults := make([]error, clients)
	for i := range clients {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			body := fmt.Sprintf(`{"sql":%q}`, scripts[i%len(scripts)])
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/api/v1/sql", &leaving{strings.NewReader(body), cancel, i%5 == 0})
			if err != nil {
				faults[i] = err
				return
			}
			req.Header.Set("Content-Type", "application/json")
			faults[i] = answeredInWords(ctx, req)
		})
	}
	p.requireAlive()
	wait.Wait()
	require.NoError(t, errors.Join(faults...))
	p.requireAlive()
	t.Logf("%d MB at the most", p.peakMemory()>>20)
	require.Less(t, p.peakMemory(), int64(memoryLimit))
	status, body, err := call(http.MethodPost, p.URL+"/api/v1/sql", "application/json", strings.NewReader(`{"sql":"INSERT INTO t (x) SELECT y FROM a"}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, "%s", body)
	require.Contains(t, string(body), `"a.y"`)
	require.Zero(t, p.interrupt())
}

// leaving is a body whose sender goes away, if it is one that leaves, when all
// of it is sent.
type leaving struct {
	io.Reader

	cancel context.CancelFunc
	leaves bool
}

func (l *leaving) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if errors.Is(err, io.EOF) && l.leaves {
		l.cancel()
	}
	return n, err
}

// answeredInWords sends a request whose answer must be a result or a refusal
// with a code; one that was cancelled has none.
func answeredInWords(ctx context.Context, req *http.Request) error {
	res, err := http.DefaultClient.Do(req)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case ctx.Err() != nil, err == nil && res.StatusCode == http.StatusOK:
		return nil
	case err != nil:
		return err
	case res.StatusCode == http.StatusInternalServerError, !strings.Contains(string(body), `"code"`):
		return fmt.Errorf("answered %d: %s", res.StatusCode, tail(string(body), 300))
	}
	return nil
}

// Told to stop, a process cuts off clients that send for ever, and ends well;
// told so again, it ends at once.
func TestStoppedWithAClientThatDoesNotEnd(t *testing.T) {
	for _, again := range []bool{false, true} {
		p := serve(t, t.TempDir())
		address := strings.TrimPrefix(p.URL, "http://")
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprint(conn, "POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n")
		require.NoError(t, err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "100", "the server reads the body")
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		if !again {
			require.Zero(t, p.wait(stopTime), p.out.String())
			continue
		}
		poll(t, stopTime, func() error {
			other, err := net.Dial("tcp", address)
			if err == nil {
				other.Close()
				return errors.New("the process takes requests still")
			}
			return nil
		})
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		p.wait(stopTime)
		status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, ok)
		require.True(t, status.Signaled(), "%v", status)
	}
}

// Names in any script, and such as are made to confuse, are kept, found and
// shown as they are.
func TestNamesOfAnyKind(t *testing.T) {
	p := serve(t, t.TempDir())
	for i, name := range []string{
		"caf\u00e9", "cafe\u0301", "\u05e9\u05dc\u05d5\u05dd", "a\u202eb", "😀👩‍👩‍👧", "a/b/c", "a%2Fb%00", `it's "q" and` + " `b`", `a\b`, "a b", "a|b|c", "a..b", "a#b?c&d=e+f",
		"<img src=x onerror=alert(1)>", "{a:String}", "$1 ${x}", "'; DROP TABLE t; --", strings.Repeat("漢", 2000),
	} {
		d := &event.TaskDefined{
			Task: event.Task{ID: name}, Inputs: []event.Input{{Ref: event.Ref{Namespace: shop, Name: name}}},
			Outputs: []event.Output{{Ref: event.Ref{Namespace: shop, Name: name + "_out"}}},
		}
		a := post(t, p.URL, eventOf(fmt.Sprint("name", i), event.TypeTaskDefined, d))
		position := fmt.Sprintf("%s/%d/%d", a.Results[0].Topic, *a.Results[0].Partition, *a.Results[0].Offset)
		from, to := "dataset|"+shop+"|"+name, "dataset|"+shop+"|"+name+"_out"
		var c lineageapi.Closure
		get(t, p.URL, "/api/v1/closure", url.Values{"node": {from}, "direction": {"down"}, "min_position": {position}}, &c)
		require.Len(t, c.Nodes, 1, name)
		require.Equal(t, to, c.Nodes[0].Key)
		var n lineageapi.NodeDetails
		get(t, p.URL, "/api/v1/node", url.Values{"node": {"task|default|" + name}}, &n)
		require.Equal(t, "task|default|"+name, n.Node.Key)
		var e lineageapi.EdgeDetails
		get(t, p.URL, "/api/v1/edge", url.Values{"from": {from}, "to": {to}}, &e)
		require.Len(t, e.Contributors, 1, name)
		var s lineageapi.SearchResult
		get(t, p.URL, "/api/v1/search", url.Values{"q": {name}}, &s)
		found := false
		for _, hit := range s.Hits {
			found = found || hit.Key == from
		}
		require.True(t, found, "%q among %+v", name, s.Hits)
		for _, args := range [][]string{{"lineage", "node", from}, {"lineage", "edge", from, to}, {"lineage", "down", from}} {
			said := command(t, p.URL, "", args...)
			require.Zero(t, said.code, said.errors)
			require.Contains(t, said.out, name, args)
		}
	}
	require.Zero(t, p.interrupt())
}
