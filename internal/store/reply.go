package store

import (
	"compress/gzip"
	"compress/zlib"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/tributary-data/tributary/internal/engine"
)

// maxWindow bounds what unpacking zstd may remember, as RFC 8878 advises for
// the web.
const maxWindow = 8 << 20

// decodeBody undoes the compressions that ClickHouse's clients use for what
// they send: HTTP's own, and the protocol's blocks with decompress=1.
func decodeBody(req *http.Request) (io.Reader, error) {
	var body io.Reader = req.Body
	switch encoding := req.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpacking the request: %w", err)
		}
		body = unzipped
	case "deflate":
		inflated, err := zlib.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpacking the request: %w", err)
		}
		body = inflated
	case "br":
		body = brotli.NewReader(body)
	case "lz4":
		body = lz4.NewReader(body)
	case "zstd":
		decoder, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("unpacking the request: %w", err)
		}
		body = decoder.IOReadCloser()
	default:
		return nil, fmt.Errorf("%w: the content encoding %q is unknown", errRequest, encoding)
	}
	if req.URL.Query().Get("decompress") == "1" {
		blocks := chproto.NewReader(body)
		blocks.EnableCompression()
		body = blocks
	}
	return body, nil
}

// reply writes one answer. Its head is written with the first byte of the
// body, or at the end when there is none.
type reply struct {
	w       http.ResponseWriter
	control *http.ResponseController
	request request
	blocks  *compress.Writer // nil when the client asked for plain data
	tag     string
	wrote   bool
	result  engine.Result
}

func newReply(w http.ResponseWriter, req *http.Request, r request) *reply {
	out := &reply{w: w, control: http.NewResponseController(w), request: r, tag: exceptionTag()}
	values := req.URL.Query()
	if values.Get("compress") == "1" {
		method := compress.LZ4
		if strings.EqualFold(values.Get("network_compression_method"), "ZSTD") {
			method = compress.ZSTD
		}
		out.blocks = compress.NewWriter(compress.LevelZero, method)
	}
	if out.request.queryID == "" {
		out.request.queryID = rand.Text()
	}
	return out
}

// Write passes on a piece of the output.
func (o *reply) Write(p []byte) (int, error) {
	if !o.wrote {
		o.wrote = true
		o.head()
	}
	// A client that does not read must not keep the engine's connection.
	if err := o.control.SetWriteDeadline(time.Now().Add(clientPatience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	if o.blocks == nil {
		return o.w.Write(p)
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), 1<<20)
		if err := o.blocks.Compress(rest[:n]); err != nil {
			return 0, fmt.Errorf("packing the answer: %w", err)
		}
		if _, err := o.w.Write(o.blocks.Data); err != nil { //nolint:gosec // a database's answer, and nosniff is set
			return 0, err
		}
		rest = rest[n:]
	}
	return len(p), nil
}

// head writes the headers that ClickHouse's clients look at.
func (o *reply) head() {
	h := o.w.Header()
	h.Set("X-Clickhouse-Query-Id", o.request.queryID)
	h.Set("X-Clickhouse-Format", o.request.format)
	h.Set("X-Clickhouse-Timezone", "UTC")
	h.Set("X-Clickhouse-Exception-Tag", o.tag)
	h.Set("X-Clickhouse-Summary", o.summary())
	h.Set("Content-Type", contentType(o.request.format))
}

// summary counts what the statement did. Numbers are strings, as servers send
// them.
func (o *reply) summary() string {
	text, err := json.Marshal(map[string]string{
		"read_rows":    strconv.FormatUint(o.result.RowsRead, 10),
		"written_rows": strconv.FormatUint(o.result.RowsWritten, 10),
		"result_rows":  strconv.FormatUint(o.result.RowsRead, 10),
	})
	if err != nil {
		return "{}"
	}
	return string(text)
}

// finish ends the answer with what became of the statement, and returns it.
func (o *reply) finish(err error) error {
	switch {
	case err == nil && !o.wrote:
		o.head()
		o.w.WriteHeader(http.StatusOK)
	case err == nil:
	case o.wrote:
		// The client may have gone, and then nobody needs to be told.
		_, _ = o.Write(exceptionFrame(err, o.tag))
	default:
		code := exceptionCode(err)
		writeFailure(o.w, statusOf(err, code), code, err.Error())
	}
	return err
}

// statusOf gives the HTTP status that servers answer an exception with.
func statusOf(err error, code int) int {
	switch code {
	case 0:
		if errors.Is(err, errRequest) {
			return http.StatusBadRequest
		}
		return http.StatusServiceUnavailable
	case 62, 36, 6, 27, 53: // syntax, arguments, input
		return http.StatusBadRequest
	case 60, 81, 46, 47, 16: // unknown table, database, function, column
		return http.StatusNotFound
	case 164, 497: // readonly, access denied
		return http.StatusForbidden
	case 159: // timeout
		return http.StatusRequestTimeout
	}
	return http.StatusInternalServerError
}

func contentType(format string) string {
	switch {
	case strings.HasPrefix(format, "JSONEachRow"), strings.HasPrefix(format, "JSONCompactEachRow"), format == "NDJSON":
		return "application/x-ndjson; charset=UTF-8"
	case strings.HasPrefix(format, "JSON"):
		return "application/json; charset=UTF-8"
	case strings.HasPrefix(format, "CSV"):
		return "text/csv; charset=UTF-8"
	case strings.HasPrefix(format, "TabSeparated"), strings.HasPrefix(format, "TSV"):
		return "text/tab-separated-values; charset=UTF-8"
	case format == "Native", strings.HasPrefix(format, "RowBinary"), strings.HasPrefix(format, "Arrow"), format == "Parquet", format == "ORC":
		return "application/octet-stream"
	}
	return "text/plain; charset=UTF-8"
}
