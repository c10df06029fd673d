package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/tributary-data/tributary/internal/engine"
)

// transport answers clickhouse-go's HTTP requests from the engine in the
// process: no port is open and nothing is encoded as HTTP.
type transport struct{ sessions *sessions }

// RoundTrip runs the request's statement. The response is returned as soon as
// it has a first byte or the statement has ended, so that a failure before the
// first row is an HTTP error and later ones are framed in the body.
//
// The engine cannot be interrupted while it prepares an answer. When the
// context ends then, RoundTrip returns and the statement goes on by itself
// until its max_execution_time.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body := req.Body
	if body == nil {
		body = http.NoBody
	}
	r, err := readRequest(req.URL.Query(), req.Header, body)
	if err != nil {
		body.Close()
		return nil, err
	}
	out := newAnswer()
	go func() { //nolint:contextcheck // the request has it
		defer body.Close()
		out.finish(t.serve(req.Context(), r, out))
	}()
	select {
	case <-req.Context().Done():
		out.reader.CloseWithError(context.Cause(req.Context()))
		return nil, context.Cause(req.Context())
	case <-out.ready:
		return out.response(req), nil
	}
}

func (t *transport) serve(ctx context.Context, r request, out io.Writer) error {
	if r.hello {
		block, err := helloBlock(r.revision)
		if err != nil {
			return err
		}
		_, err = out.Write(block)
		return err
	}
	one, err := t.sessions.acquire(ctx)
	if err != nil {
		return err
	}
	defer t.sessions.release(one)
	_, err = one.run(ctx, r, out)
	return err
}

// answer is a response in the making. Its body blocks the engine until the
// client has read what there is, so a slow client costs no memory.
type answer struct {
	reader *io.PipeReader
	writer *io.PipeWriter
	once   sync.Once
	ready  chan struct{}
	wrote  bool
	tag    string
	failed error
}

func newAnswer() *answer {
	a := &answer{ready: make(chan struct{}), tag: exceptionTag()}
	a.reader, a.writer = io.Pipe()
	return a
}

// Write passes on a piece of the output.
func (a *answer) Write(p []byte) (int, error) {
	a.wrote = true
	a.once.Do(func() { close(a.ready) })
	return a.writer.Write(p)
}

// finish ends the body. What failed after the first byte is told in the body,
// as a ClickHouse server does.
func (a *answer) finish(err error) {
	switch {
	case err == nil:
	case a.wrote:
		// The client may have gone, and then nobody needs to be told.
		_, _ = a.writer.Write(exceptionFrame(err, a.tag))
	default:
		a.failed = err
	}
	a.once.Do(func() { close(a.ready) })
	a.writer.Close()
}

// response is called when ready is closed: before that finish has set failed,
// or Write has been called and it stays nil.
func (a *answer) response(req *http.Request) *http.Response {
	res := &http.Response{
		Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		StatusCode: http.StatusOK, Header: http.Header{}, Body: a.reader, ContentLength: -1,
	}
	switch {
	case a.failed != nil:
		res.StatusCode = http.StatusInternalServerError
		if code := exceptionCode(a.failed); code != 0 {
			res.Header.Set("X-Clickhouse-Exception-Code", strconv.Itoa(code))
		}
		res.Body = io.NopCloser(strings.NewReader(a.failed.Error()))
	case !a.wrote:
		res.ContentLength = 0
	default:
		res.Header.Set("X-Clickhouse-Exception-Tag", a.tag)
	}
	return res
}

// exceptionTag is 16 letters that the result's data will not contain.
func exceptionTag() string { return rand.Text()[:16] }

// exceptionFrame is how a server tells of a failure in the middle of a body.
func exceptionFrame(err error, tag string) []byte {
	text := err.Error()
	return fmt.Appendf(nil, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", tag, text, len(text)+1, tag)
}

var exceptionCodePattern = regexp.MustCompile(`^Code: (\d+)\.`)

// exceptionCode takes ClickHouse's error number out of the engine's text; 0
// when there is none.
func exceptionCode(err error) int {
	var refused *engine.Error
	if !errors.As(err, &refused) {
		return 0
	}
	found := exceptionCodePattern.FindStringSubmatch(refused.Message)
	if found == nil {
		return 0
	}
	code, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return code
}

// helloRow is what the client protocol's first question is answered with: the
// name, the version whose features the client may use, the revision, and the
// time zone of times without one.
var helloRow = []any{"tributary", "26.7.3", uint32(0), "UTC"}

// helloBlock encodes helloRow at the client's own revision, at which it reads
// this first block. The revision inside is 0, and so the client reads every
// later block as the engine writes its Native format, which has no revision.
func helloBlock(revision string) ([]byte, error) {
	rev, err := strconv.ParseUint(revision, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: client_protocol_version %q is not a number", errRequest, revision)
	}
	block := proto.NewBlock()
	for _, c := range []struct {
		name string
		kind column.Type
	}{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
		if err := block.AddColumn(c.name, c.kind); err != nil {
			return nil, fmt.Errorf("answering the client's hello: %w", err)
		}
	}
	if err := block.Append(helloRow...); err != nil {
		return nil, fmt.Errorf("answering the client's hello: %w", err)
	}
	var buf chproto.Buffer
	if err := block.Encode(&buf, rev); err != nil {
		return nil, fmt.Errorf("answering the client's hello: %w", err)
	}
	return buf.Buf, nil
}
