package store

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tributary-data/tributary/internal/patience"
	"github.com/tributary-data/tributary/internal/store/chsql"
)

// The users of the HTTP interface. A request that names nobody, or "default"
// as ClickHouse's clients do, is a reader's.
const (
	UserReader = "reader"
	UserFull   = "tributary"
)

// ListenConfig says how the embedded engine answers ClickHouse's HTTP
// interface.
type ListenConfig struct {
	// Addr is host:port, such as 127.0.0.1:8123.
	Addr string
	// Token is the password of the user tributary, who may do everything and
	// is meant for the product's own roles; empty for no such user.
	Token string
	// ReaderToken is the password of the readers, who may run one checked
	// query at a time; empty lets anyone who reaches the address be a reader,
	// and then the address must be a loopback one.
	ReaderToken string
	// ReaderTime and ReaderMemory bound a reader's query: 30 s and 512 MiB
	// unless set.
	ReaderTime   time.Duration
	ReaderMemory int64
	// ReaderQueries is how many readers' queries run at once; 2 unless set.
	// Sixteen times as many may be under way; further ones are turned away.
	ReaderQueries int
	// ReaderPatience bounds how long a reader's request may take to arrive;
	// 30 s unless set.
	ReaderPatience time.Duration
	// Logger is told of failures; nil for none.
	Logger *slog.Logger
}

// Listener answers the HTTP interface until it is closed.
type Listener struct {
	cfg     ListenConfig
	guard   *chsql.Guard
	readers *sessions
	full    *sessions
	// underWay has a place for each request of a reader that is read, checked,
	// waiting or running.
	underWay chan struct{}
	server   *http.Server
	addr     net.Addr
	served   chan struct{}
	closing  sync.Once
}

const (
	fullQueries    = 8
	headerTimeout  = 10 * time.Second
	clientPatience = time.Minute // for a client that does not read its answer
	drainTime      = 10 * time.Second
	// waitingRoom is how many requests of readers may be under way for each
	// one that runs.
	waitingRoom = 16
	// readerStatement bounds a reader's statement in bytes; the engine's own
	// bound for them is the same.
	readerStatement = 1 << 20
)

// Listen starts answering and returns when it does. It needs the engine in the
// process: a server has an HTTP interface of its own.
func (s *Store) Listen(cfg ListenConfig) (*Listener, error) {
	if s.cfg.Engine == nil {
		return nil, errors.New("only the embedded store is listened for: a ClickHouse server has its own HTTP interface")
	}
	if cfg.ReaderToken == "" && !loopback(cfg.Addr) {
		return nil, fmt.Errorf("the store's address %s is open to other machines: set a token for its readers, or listen on 127.0.0.1", cfg.Addr)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.ReaderTime = time.Duration(orDefault(int64(cfg.ReaderTime), int64(30*time.Second)))
	cfg.ReaderMemory = orDefault(cfg.ReaderMemory, 512<<20)
	cfg.ReaderQueries = orDefault(cfg.ReaderQueries, 2)
	cfg.ReaderPatience = time.Duration(orDefault(int64(cfg.ReaderPatience), int64(30*time.Second)))
	socket, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listening for the store's clients: %w", err)
	}
	l := &Listener{
		cfg: cfg, guard: chsql.NewGuard(), addr: socket.Addr(), served: make(chan struct{}),
		readers:  newSessions(s.cfg.Engine, cfg.ReaderQueries, readerSettings(cfg)),
		full:     newSessions(s.cfg.Engine, fullQueries, s.settings()),
		underWay: make(chan struct{}, waitingRoom*cfg.ReaderQueries),
	}
	l.server = &http.Server{Handler: l, ReadHeaderTimeout: headerTimeout, ErrorLog: slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelInfo)}
	go func() {
		defer close(l.served)
		if err := l.server.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			cfg.Logger.Error("the store's HTTP interface stopped", "error", err)
		}
	}()
	return l, nil
}

// readerSettings bind a reader's connections. They are given at the start,
// since readonly refuses every later one.
func readerSettings(cfg ListenConfig) map[string]string {
	return map[string]string{
		"readonly":                  "1",
		"max_execution_time":        strconv.Itoa(max(1, int(cfg.ReaderTime.Seconds()))),
		"max_memory_usage":          strconv.FormatInt(cfg.ReaderMemory, 10),
		"max_threads":               "2",
		"max_result_bytes":          "1000000000",
		"max_query_size":            strconv.Itoa(readerStatement),
		"max_ast_depth":             "1000",
		"max_ast_elements":          "50000",
		"max_expanded_ast_elements": "500000",
		"timeout_overflow_mode":     "throw",
	}
}

// Addr is the address that is listened on.
func (l *Listener) Addr() net.Addr { return l.addr }

// Close stops answering, gives queries under way ten seconds, and waits. It may
// be called twice.
func (l *Listener) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	err := l.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = l.server.Close()
	}
	<-l.served
	l.closing.Do(func() { err = errors.Join(err, l.readers.close(), l.full.close()) })
	return err
}

// ServeHTTP answers one request.
func (l *Listener) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if why := l.strange(req); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	if req.URL.Path == "/ping" || req.Method == http.MethodGet && req.URL.RawQuery == "" {
		fmt.Fprintln(w, "Ok.")
		return
	}
	user, ok := l.authenticate(req)
	if !ok {
		w.Header().Set("WWW-Authenticate", `Basic realm="Tributary's store"`)
		writeFailure(w, http.StatusUnauthorized, 516, "Code: 516. DB::Exception: Authentication failed: the user or the password is wrong. (AUTHENTICATION_FAILED)")
		return
	}
	answer := l.answer
	if user == UserReader {
		answer = l.answerReader
	}
	if err := answer(w, req, user); err != nil {
		l.cfg.Logger.Info("a query of the store's HTTP interface failed", "user", user, "error", err)
	}
}

// strange says why a request is not one of a database client: it was sent by a
// page in a browser, or under a name that was made to point here.
func (l *Listener) strange(req *http.Request) string {
	if req.Header.Get("Origin") != "" {
		return "web pages are not served here"
	}
	if l.cfg.ReaderToken == "" && !loopback(req.Host) {
		return "this address answers to localhost only"
	}
	return ""
}

// loopback says whether host:port is of this machine alone.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// authenticate finds out who asks. Names and passwords may come in any of the
// three ways that ClickHouse knows.
func (l *Listener) authenticate(req *http.Request) (string, bool) {
	name, password, ok := req.BasicAuth()
	if !ok {
		name, password = req.Header.Get("X-Clickhouse-User"), req.Header.Get("X-Clickhouse-Key")
	}
	if name == "" {
		values := req.URL.Query()
		name, password = values.Get("user"), values.Get("password")
	}
	switch name {
	case "", "default", UserReader:
		return UserReader, l.cfg.ReaderToken == "" || same(password, l.cfg.ReaderToken)
	case UserFull:
		return UserFull, l.cfg.Token != "" && same(password, l.cfg.Token)
	}
	return "", false
}

// same compares secrets in a time that does not tell where they differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// answerReader answers a reader, who is not trusted to send little, soon, and
// one thing at a time.
func (l *Listener) answerReader(w http.ResponseWriter, req *http.Request, user string) error {
	select {
	case l.underWay <- struct{}{}:
		defer func() { <-l.underWay }()
	default:
		err := fmt.Errorf("%w: %d requests are under way", errBusy, cap(l.underWay))
		writeFailure(w, http.StatusServiceUnavailable, codeBusy, "Code: 202. DB::Exception: Too many simultaneous queries: come again later. (TOO_MANY_SIMULTANEOUS_QUERIES)")
		return err
	}
	if req.URL.Query().Get("decompress") == "1" {
		err := fmt.Errorf("%w: readers send no packed blocks, whose heads say how much memory to take", errRequest)
		writeFailure(w, http.StatusBadRequest, 0, err.Error())
		return err
	}
	if err := patience.Body(w, req, l.cfg.ReaderPatience); err != nil {
		return fmt.Errorf("bounding the time of a request: %w", err)
	}
	req.Body = http.MaxBytesReader(w, req.Body, readerStatement)
	return l.answer(w, req, user)
}

func (l *Listener) answer(w http.ResponseWriter, req *http.Request, user string) error {
	body, err := decodeBody(req)
	if err != nil {
		writeFailure(w, http.StatusBadRequest, 0, err.Error())
		return err
	}
	if user == UserReader { // once more: what is unpacked may be longer
		body = http.MaxBytesReader(w, io.NopCloser(body), readerStatement)
	}
	r, err := readRequest(req.URL.Query(), req.Header, body)
	if err == nil && user == UserReader {
		err = l.confine(&r)
	}
	if err != nil {
		writeFailure(w, http.StatusBadRequest, 0, err.Error())
		return err
	}
	out := newReply(w, req, r)
	return out.finish(l.run(req.Context(), r, user, out))
}

// confine makes a reader's request safe to run, or refuses it.
func (l *Listener) confine(r *request) error {
	if r.hello {
		return nil
	}
	if r.data != nil {
		return &chsql.Error{Reason: "readers insert nothing"}
	}
	switch strings.ToLower(r.database) {
	case "", Database, "system", "information_schema":
	default:
		return &chsql.Error{Reason: "the database " + r.database}
	}
	// A reader's connection takes no settings; clients send some of their own
	// accord, so they are left out and not refused.
	r.settings = nil
	if !chsql.KnownFormat(r.format) {
		return &chsql.Error{Reason: "the format " + r.format}
	}
	if r.database == "" {
		r.database = Database
	}
	return l.guard.Check(r.statement.SQL)
}

func (l *Listener) run(ctx context.Context, r request, user string, out *reply) error {
	if r.hello {
		block, err := helloBlock(r.revision)
		if err != nil {
			return err
		}
		_, err = out.Write(block)
		return err
	}
	pool := l.readers
	if user == UserFull {
		pool = l.full
	}
	one, err := pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer pool.release(one)
	out.result, err = one.run(ctx, r, out)
	return err
}

// writeFailure answers with an error before anything else was written.
func writeFailure(w http.ResponseWriter, status, code int, text string) {
	if code != 0 {
		w.Header().Set("X-Clickhouse-Exception-Code", strconv.Itoa(code))
	}
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text) //nolint:gosec // plain text, and nosniff is set
}
