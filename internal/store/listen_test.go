package store_test

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

const fullToken = "a-token-for-roles"

// listen starts the HTTP interface on a free port and returns its URL.
func listen(t *testing.T, cfg store.ListenConfig) string {
	t.Helper()
	cfg.Addr = "127.0.0.1:0"
	l, err := storetest.Open(t).Listen(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return "http://" + l.Addr().String()
}

// ask sends a request as curl would.
func ask(t *testing.T, base, user, password, sql, query string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, base+"/?"+query, strings.NewReader(sql))
	require.NoError(t, err)
	if user != "" {
		req.SetBasicAuth(user, password)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(body)
}

func TestReaderAsksWithCurl(t *testing.T) {
	base := listen(t, store.ListenConfig{Token: fullToken})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)

	res, err := http.Get(base + "/ping")
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)

	status, body := ask(t, base, "", "", "SELECT 1 AS a, 'x\ny' AS b FORMAT JSONEachRow", "")
	require.Equal(t, http.StatusOK, status, body)
	require.JSONEq(t, `{"a":1,"b":"x\ny"}`, body)

	status, body = ask(t, base, "default", "", "SELECT {n:UInt8} + 1", "param_n=41&default_format=CSV&max_execution_time=9")
	require.Equal(t, http.StatusOK, status, body)
	require.Equal(t, "42\n", body)

	status, body = ask(t, base, "", "", "SELECT count() FROM positions", "database=tributary")
	require.Equal(t, http.StatusOK, status, body)
	require.Equal(t, "0\n", body)
}

func TestReaderIsConfined(t *testing.T) {
	base := listen(t, store.ListenConfig{Token: fullToken, ReaderTime: time.Second})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for _, c := range []struct{ sql, query string }{
		{"INSERT INTO tributary.positions (reader) VALUES ('x')", ""},
		{"TRUNCATE TABLE tributary.positions", ""},
		{"SELECT file('/etc/hostname')", ""},
		{"SELECT 1; SELECT 2", ""},
		{"SELECT 1 SETTINGS readonly = 0", ""},
		{"SELECT * FROM `/etc/hostname`", "database=default"},
		{"", "query=" + url.QueryEscape("DROP TABLE tributary.positions")},
		{" TABLE tributary.positions", "query=DROP"},
		{"x", "query=" + url.QueryEscape("INSERT INTO tributary.positions FORMAT TSV")},
		{"SELECT 1", "default_format=PostgreSQLWire"},
		{"SELECT 1", url.QueryEscape("bad name") + "=1"},
		{"SELECT * FROM {t:Identifier}", "param_t=" + url.QueryEscape("default.`/etc/hostname`")},
	} {
		status, body := ask(t, base, "", "", c.sql, c.query)
		require.GreaterOrEqual(t, status, 400, "%s %s: %s", c.sql, c.query, body)
	}
	status, body := ask(t, base, "", "", "SELECT 1", "", "Content-Type", "multipart/form-data; boundary=x")
	require.Equal(t, http.StatusBadRequest, status, body)
	// Settings of a reader are left out, so that readonly stays.
	status, body = ask(t, base, "", "", "SELECT getSetting('readonly')", "readonly=0&max_memory_usage=0")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "1\n", body)
	status, body = ask(t, base, "", "", "SELECT * APPLY file FROM (SELECT '/etc/hostname' AS x)", "")
	require.Equal(t, http.StatusBadRequest, status, body)
	status, body = ask(t, base, "", "", "SELECT 1", "decompress=1")
	require.Equal(t, http.StatusBadRequest, status, body)
	status, body = ask(t, base, "", "", "SELECT '"+strings.Repeat("x", 1<<20)+"'", "")
	require.Equal(t, http.StatusBadRequest, status, body)
	status, body = ask(t, base, "", "", packed(t, "SELECT 1 --"+strings.Repeat(" ", 64<<20)), "", "Content-Encoding", "gzip")
	require.Equal(t, http.StatusBadRequest, status, body)
	status, _ = ask(t, base, "", "", "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) % 2 = 0", "")
	require.Equal(t, http.StatusRequestTimeout, status)
}

// packed compresses a text.
func packed(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

// TestSilentReadersMakeRoom fills the waiting room with requests that never
// arrive, and sees others served again when their time is up.
func TestSilentReadersMakeRoom(t *testing.T) {
	base := listen(t, store.ListenConfig{ReaderQueries: 1, ReaderPatience: 5 * time.Second})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for range 32 { // some may find a question of ours in their place
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(base, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nS")
		require.NoError(t, err)
	}
	turned := func(want int) func() bool {
		return func() bool {
			status, _ := ask(t, base, "", "", "SELECT 1", "")
			return status == want
		}
	}
	require.Eventually(t, turned(http.StatusServiceUnavailable), 30*time.Second, time.Millisecond)
	require.Eventually(t, turned(http.StatusOK), 30*time.Second, 10*time.Millisecond)
}

func TestOnlyDatabaseClientsAreServed(t *testing.T) {
	base := listen(t, store.ListenConfig{Token: fullToken})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	status, _ := ask(t, base, "", "", "SELECT 1", "", "Origin", "http://evil.example")
	require.Equal(t, http.StatusForbidden, status)

	req, err := http.NewRequest(http.MethodPost, base, strings.NewReader("SELECT 1"))
	require.NoError(t, err)
	req.Host = "rebound.example:8123"
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusForbidden, res.StatusCode)

	for _, who := range [][2]string{{store.UserFull, "wrong"}, {store.UserFull, ""}, {"nobody", ""}} {
		status, _ := ask(t, base, who[0], who[1], "SELECT 1", "")
		require.Equal(t, http.StatusUnauthorized, status)
	}
}

func TestListeningBeyondLoopbackNeedsAToken(t *testing.T) {
	s := storetest.Open(t)
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:8123"} {
		_, err := s.Listen(store.ListenConfig{Addr: addr, Token: fullToken})
		require.ErrorContains(t, err, "token", addr)
	}
	base := listen(t, store.ListenConfig{ReaderToken: "r"})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	status, _ := ask(t, base, store.UserReader, "wrong", "SELECT 1", "")
	require.Equal(t, http.StatusUnauthorized, status)
	status, _ = ask(t, base, store.UserReader, "r", "SELECT 1", "")
	require.Equal(t, http.StatusOK, status)
	status, _ = ask(t, base, store.UserFull, "", "SELECT 1", "")
	require.Equal(t, http.StatusUnauthorized, status, "no full user without a token")
}

// TestStoreThroughTheInterface opens the store of one process from another, as
// roles do.
func TestStoreThroughTheInterface(t *testing.T) {
	for name, compression := range map[string]string{"plain": "", "lz4": "&compress=lz4", "zstd": "&compress=zstd", "gzip": "&compress=gzip"} {
		t.Run(name, func(t *testing.T) {
			base := listen(t, store.ListenConfig{Token: fullToken})
			dsn := strings.Replace(base, "http://", "http://"+store.UserFull+":"+fullToken+"@", 1) + "/tributary?dial_timeout=10s" + compression
			ctx := context.Background()
			s, err := store.Open(ctx, store.Config{DSN: dsn})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			want := store.Position{Reader: "a\nb", Topic: "t", Partition: 1, Next: 7}
			require.NoError(t, s.SavePosition(ctx, want))
			got, err := s.LoadPosition(ctx, want.Reader, "t", 1)
			require.NoError(t, err)
			require.Equal(t, want, got)

			var refused *clickhouse.Exception
			require.ErrorAs(t, s.Write().Exec(ctx, "SELECT nosuch FROM tributary.positions"), &refused)
			require.EqualValues(t, 47, refused.Code)
		})
	}
}
