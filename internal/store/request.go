package store

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tributary-data/tributary/internal/store/chsql"
)

// request is one request of ClickHouse's HTTP interface, taken apart.
type request struct {
	statement chsql.Statement
	// hello is the client protocol's first question, asked with the client's
	// revision; see helloBlock.
	hello    bool
	revision string
	// data is an INSERT's rows; nil when the statement has none.
	data     io.Reader
	database string
	format   string
	settings map[string]string
	params   map[string]string
	queryID  string
}

// helloQuery is what clickhouse-go asks before anything else.
const helloQuery = "SELECT displayName(), version(), revision(), timezone()"

// controls are the interface's own parameters. Everything else in the URL is
// a setting of the query.
var controls = map[string]bool{
	"query": true, "database": true, "default_format": true, "client_protocol_version": true,
	"query_id": true, "quota_key": true, "compress": true, "decompress": true,
	"session_id": true, "session_timeout": true, "session_check": true, "buffer_size": true,
	"wait_end_of_query": true, "user": true, "password": true, "role": true,
	"stacktrace": true, "close_session": true, "network_compression_method": true,
	"network_zstd_compression_level": true, "enable_http_compression": true,
	"http_zlib_compression_level": true, "send_progress_in_http_headers": true,
	"http_headers_progress_interval_ms": true, "cancel_http_readonly_queries_on_client_close": true,
}

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// errBusy says that as many requests are under way as there is room for, which
// is codeBusy in ClickHouse's numbers.
var errBusy = errors.New("too many simultaneous queries")

const codeBusy = 202

// errRequest is a request that the interface cannot make sense of.
var errRequest = errors.New("the request makes no sense")

// statementLimit bounds a statement's text; an INSERT's data is not counted.
const statementLimit = 16 << 20

// readRequest takes a request apart. The body must be decompressed already.
func readRequest(values url.Values, header http.Header, body io.Reader) (request, error) {
	r := request{
		database: firstOf(values.Get("database"), header.Get("X-Clickhouse-Database")),
		format:   firstOf(values.Get("default_format"), header.Get("X-Clickhouse-Format"), "TabSeparated"),
		settings: map[string]string{},
		params:   map[string]string{},
		queryID:  values.Get("query_id"),
		revision: values.Get("client_protocol_version"),
	}
	for name, value := range values {
		switch {
		case strings.HasPrefix(name, "param_"):
			r.params[strings.TrimPrefix(name, "param_")] = value[0]
		case controls[name]:
		case settingName.MatchString(name):
			r.settings[name] = value[0]
		default:
			return r, fmt.Errorf("%w: %q is not the name of a setting", errRequest, name)
		}
	}
	if strings.HasPrefix(header.Get("Content-Type"), "multipart/") {
		return r, fmt.Errorf("%w: the embedded store takes no external tables", errRequest)
	}
	return r, r.readStatement(values.Get("query"), body)
}

// readStatement joins what stands in the URL with the body, which continues
// it, or is the data of an INSERT whose head is in the URL.
func (r *request) readStatement(head string, body io.Reader) error {
	r.statement = chsql.Split(head)
	if r.statement.DataFormat == "" {
		rest, err := io.ReadAll(io.LimitReader(body, statementLimit+1))
		if err != nil {
			return fmt.Errorf("reading the statement: %w", err)
		}
		if len(rest) > statementLimit {
			return r.readLongInsert(head, rest, body)
		}
		if len(rest) > 0 && head != "" {
			head += "\n"
		}
		r.statement = chsql.Split(head + string(rest))
		body = strings.NewReader("")
	}
	if r.statement.DataFormat != "" {
		r.data = io.MultiReader(strings.NewReader(r.statement.Data), body)
	}
	r.hello = strings.TrimSpace(r.statement.SQL) == helloQuery && r.format == "Native" && r.revision != ""
	return nil
}

// readLongInsert serves an INSERT that has its head in the body before more
// data than a statement may have.
func (r *request) readLongInsert(head string, start []byte, body io.Reader) error {
	r.statement = chsql.Split(head + string(start))
	if r.statement.DataFormat == "" {
		return fmt.Errorf("%w: the statement has more than %d bytes", errRequest, statementLimit)
	}
	r.data = io.MultiReader(strings.NewReader(r.statement.Data), body)
	return nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
