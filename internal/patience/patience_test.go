package patience_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/patience"
)

const (
	short = 50 * time.Millisecond
	long  = time.Minute
)

// serve tells what became of each request.
func serve(t *testing.T, send, take time.Duration, next func(w http.ResponseWriter, r *http.Request) error) (addr string, ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	s := httptest.NewServer(patience.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ended <- next(w, r) }), send, take))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), ended
}

func dial(t *testing.T, addr, request string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	return conn
}

func read(_ http.ResponseWriter, r *http.Request) error {
	_, err := io.ReadAll(r.Body)
	return err
}

func TestASilentSenderIsGivenUp(t *testing.T) {
	for _, head := range []string{"Content-Length: 10", "Transfer-Encoding: chunked"} {
		addr, ended := serve(t, short, long, read)
		dial(t, addr, "POST / HTTP/1.1\r\nHost: x\r\n"+head+"\r\n\r\n")
		var timeout net.Error
		require.ErrorAs(t, <-ended, &timeout)
		require.True(t, timeout.Timeout())
	}
}

func TestASilentTakerIsGivenUp(t *testing.T) {
	addr, ended := serve(t, long, short, func(w http.ResponseWriter, _ *http.Request) error {
		_, err := w.Write(make([]byte, 64<<20))
		return err
	})
	dial(t, addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	var timeout net.Error
	require.ErrorAs(t, <-ended, &timeout)
	require.True(t, timeout.Timeout())
}

// TestTheAnswerMayTakeLonger sends in time, and is answered behind the time
// for sending.
func TestTheAnswerMayTakeLonger(t *testing.T) {
	addr, ended := serve(t, short, long, func(w http.ResponseWriter, r *http.Request) error {
		if err := read(w, r); err != nil {
			return err
		}
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-time.After(4 * short):
		}
		_, err := fmt.Fprint(w, "done")
		return err
	})
	resp, err := http.Post("http://"+addr, "text/plain", strings.NewReader("all of it"))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.NoError(t, <-ended)
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "done", string(got))
	http.DefaultClient.CloseIdleConnections()
}
