// Package engine runs the ClickHouse engine inside the process: libchdb,
// called without cgo. It knows statements and formats; the clients' protocol
// on top of it is the store's business.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/tributary-data/tributary/internal/dirlock"
)

// Config says which library to run and where its data is.
type Config struct {
	// Library is the path of libchdb; Fetch finds or brings it.
	Library string
	// Dir is the data folder, for one process at a time.
	Dir string
	// Memory bounds what all statements together may use, in bytes; 1 GiB
	// unless set.
	Memory int64
}

// Engine is the engine of this process. There is one at a time, since the
// library has one data folder for each process.
type Engine struct {
	lib    *library
	dir    string
	memory int64
	config string
	lock   *dirlock.Lock

	// root keeps the engine up: it shuts down with its last connection, and
	// starting it often in one process is known to corrupt memory.
	root *Conn

	mu     sync.Mutex
	closed bool
	open   int // connections besides the root
}

// Error is the engine's answer to a statement that it refused.
type Error struct{ Message string }

// Error is the engine's own text, which begins with "Code: " and a number.
func (e *Error) Error() string { return e.Message }

// Open starts the engine on the folder. The error is a *dirlock.HeldError when
// another process has it.
func Open(cfg Config) (*Engine, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the store's folder: %w", err)
	}
	// A name without a slash would be looked for among the system's libraries.
	library, err := filepath.Abs(cfg.Library)
	if err != nil {
		return nil, fmt.Errorf("finding the engine's library: %w", err)
	}
	lib, err := load(library)
	if err != nil {
		return nil, err
	}
	lock, err := dirlock.Acquire(dir)
	if err != nil {
		return nil, err
	}
	e := &Engine{lib: lib, dir: dir, lock: lock, memory: cfg.Memory}
	if e.memory <= 0 {
		e.memory = defaultMemory
	}
	if e.config, err = writeConfig(dir, e.memory); err == nil {
		e.root, err = e.connect(nil)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return e, nil
}

// Memory is what all statements together may use, in bytes.
func (e *Engine) Memory() int64 { return e.memory }

// Version is the library's version.
func (e *Engine) Version() string { return e.lib.version() }

// Close shuts the engine down. With connections open it does not, and says so:
// a statement cannot be interrupted, and what was acknowledged is on disk in
// any case. It may be called twice.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if e.open > 0 {
		return fmt.Errorf("the ClickHouse engine is left running: %d connections are open", e.open)
	}
	e.root.release()
	return e.lock.Release()
}

// Connect opens a connection with settings of its own, such as
// {"max_memory_usage": "1000000000"}. A connection runs one statement at a
// time and is not safe for concurrent use.
func (e *Engine) Connect(settings map[string]string) (*Conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.New("the store is closed")
	}
	conn, err := e.connect(settings)
	if err != nil {
		return nil, err
	}
	e.open++
	conn.done = func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.open--
	}
	return conn, nil
}

func (e *Engine) connect(settings map[string]string) (*Conn, error) {
	args := []string{"clickhouse", "--path=" + filepath.Join(e.dir, "data"), "--config-file=" + e.config}
	for name, value := range settings {
		args = append(args, "--"+name+"="+value)
	}
	slices.Sort(args[3:])
	var pins pinned
	defer pins.Unpin()
	argv, _ := pins.strings(args)
	handle := e.lib.connect(int32(len(args)), argv)
	if handle == nil {
		return nil, fmt.Errorf("the ClickHouse engine does not start on %[1]s; it says above why. If its files are damaged, bring %[1]s back from a copy, or move it away: the tables are made again from the log, but not what jobs wrote into it", e.dir)
	}
	return &Conn{lib: e.lib, handle: handle}, nil
}

// Conn is one connection.
type Conn struct {
	lib    *library
	handle unsafe.Pointer // a pointer to the connection
	done   func()
	chunk  []byte // what feed reads into
}

// Close ends the connection. It may be called twice.
func (c *Conn) Close() {
	if c.handle == nil {
		return
	}
	c.release()
	c.done()
}

func (c *Conn) release() {
	c.lib.close(c.handle)
	c.handle = nil
}

func (c *Conn) conn() uintptr { return *(*uintptr)(c.handle) }

// Statement is what a connection runs.
type Statement struct {
	SQL string
	// Format is the output format unless the statement names one.
	Format string
	// Params are the values of {name:Type} in the text.
	Params map[string]string
}

// Result is what became of a statement.
type Result struct {
	RowsRead, RowsWritten uint64
}

// Query runs a statement and writes its whole output to out. The error is an
// *Error when the engine refused it.
func (c *Conn) Query(s Statement, out io.Writer) (Result, error) {
	var pins pinned
	defer pins.Unpin()
	result := c.lib.query(s.arguments(&pins, c.conn()))
	defer c.lib.resultFree(result)
	return c.deliver(result, out)
}

// Stream runs a query and writes its output to out as the engine makes it, so
// that a large result is never in memory as a whole. It stops when the context
// ends or out fails.
func (c *Conn) Stream(ctx context.Context, s Statement, out io.Writer) (Result, error) {
	var pins pinned
	stream := c.lib.streamQuery(s.arguments(&pins, c.conn()))
	pins.Unpin()
	defer c.lib.resultFree(stream)
	if message := c.lib.resultError(stream); message != "" {
		return Result{}, &Error{Message: message}
	}
	var total Result
	for {
		n, part, err := c.fetch(stream, out)
		total.RowsRead += part.RowsRead
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			c.lib.streamStop(c.conn(), stream)
			return total, err
		}
		if n == 0 {
			return total, nil
		}
	}
}

// fetch takes one piece of a stream; its length is 0 at the end.
func (c *Conn) fetch(stream uintptr, out io.Writer) (int, Result, error) {
	piece := c.lib.streamFetch(c.conn(), stream)
	defer c.lib.resultFree(piece)
	part, err := c.deliver(piece, out)
	return int(c.lib.resultLength(piece)), part, err
}

// deliver writes a result's bytes to out.
func (c *Conn) deliver(result uintptr, out io.Writer) (Result, error) {
	if message := c.lib.resultError(result); message != "" {
		return Result{}, &Error{Message: message}
	}
	r := Result{RowsRead: c.lib.resultRowsRead(result), RowsWritten: c.lib.resultWritten(result)}
	if n := c.lib.resultLength(result); n > 0 {
		if _, err := out.Write(unsafe.Slice((*byte)(c.lib.resultBuffer(result)), n)); err != nil {
			return r, fmt.Errorf("passing the result on: %w", err)
		}
	}
	return r, nil
}

// insertChunk is how much of an insert's data goes to the engine at a time.
const insertChunk = 1 << 20

// Insert runs an INSERT without its FORMAT clause and feeds it data in that
// format. Nothing is inserted when the data ends with an error. The error is
// an *Error when the engine refused the statement or the data.
func (c *Conn) Insert(insert, format string, data io.Reader) (Result, error) {
	var pins pinned
	sql, sqlLen := pins.bytes([]byte(insert))
	name, nameLen := pins.bytes([]byte(format))
	stream := c.lib.insertOpen(c.conn(), sql, sqlLen, name, nameLen)
	pins.Unpin()
	defer c.lib.insertFree(stream)
	if message := c.lib.insertError(stream); message != "" {
		return Result{}, &Error{Message: message}
	}
	if err := c.feed(stream, data); err != nil {
		c.lib.insertCancel(stream)
		return Result{}, err
	}
	result := c.lib.insertDone(stream)
	defer c.lib.resultFree(result)
	return c.deliver(result, io.Discard)
}

func (c *Conn) feed(stream uintptr, data io.Reader) error {
	if c.chunk == nil {
		c.chunk = make([]byte, insertChunk)
	}
	for {
		n, err := io.ReadFull(data, c.chunk)
		if n > 0 {
			if state := c.append(stream, c.chunk[:n]); state != 0 {
				return &Error{Message: c.lib.insertError(stream)}
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the rows to insert: %w", err)
		}
	}
}

func (c *Conn) append(stream uintptr, chunk []byte) int32 {
	var pins pinned
	defer pins.Unpin()
	data, n := pins.bytes(chunk)
	return c.lib.insertAppend(stream, data, n)
}

// arguments lays the statement out for the library.
func (s Statement) arguments(pins *pinned, conn uintptr) (uintptr, unsafe.Pointer, uintptr, unsafe.Pointer, uintptr, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, uintptr) {
	sql, sqlLen := pins.bytes([]byte(s.SQL))
	format, formatLen := pins.bytes([]byte(s.Format))
	names := make([]string, 0, len(s.Params))
	for name := range s.Params {
		names = append(names, name)
	}
	slices.Sort(names)
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = s.Params[name]
	}
	namesAt, nameLens := pins.strings(names)
	valuesAt, valueLens := pins.strings(values)
	return conn, sql, sqlLen, format, formatLen, namesAt, nameLens, valuesAt, valueLens, uintptr(len(names))
}

// Exit ends the process at once, without C's exit handlers. A process that has
// loaded the library must end so where os.Exit would run them, which it does
// under the race detector: the library takes its globals down while its threads
// still use them, and the process dies of it.
func Exit(code int) { syscall.Exit(code) }
