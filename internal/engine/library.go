package engine

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is libchdb's C interface, as far as it is used here.
//
// Pointers to results and streams are the library's own and are freed by the
// matching destroy call. Byte arguments must stay where they are during the
// call; the callers pin them.
type library struct {
	setSignalHandlers func(enabled int32)
	version           func() string

	connect func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	close   func(conn unsafe.Pointer)

	query       func(conn uintptr, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	streamQuery func(conn uintptr, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	streamFetch func(conn, stream uintptr) uintptr
	streamStop  func(conn, stream uintptr)

	resultBuffer   func(result uintptr) unsafe.Pointer
	resultLength   func(result uintptr) uintptr
	resultError    func(result uintptr) string
	resultRowsRead func(result uintptr) uint64
	resultWritten  func(result uintptr) uint64
	resultFree     func(result uintptr)

	insertOpen   func(conn uintptr, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr) uintptr
	insertAppend func(stream uintptr, data unsafe.Pointer, n uintptr) int32
	insertDone   func(stream uintptr) uintptr
	insertCancel func(stream uintptr)
	insertError  func(stream uintptr) string
	insertFree   func(stream uintptr)
}

// loaded is the process's one copy of the library. A second dlopen of another
// file would bring a second engine with it, which cannot work in one process.
var loaded struct {
	sync.Mutex
	path string
	lib  *library
}

// load opens the shared library once for the process.
func load(path string) (*library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.lib != nil {
		if loaded.path != path {
			return nil, fmt.Errorf("the engine is loaded from %s already and cannot be loaded from %s too", loaded.path, path)
		}
		return loaded.lib, nil
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("loading the ClickHouse engine %s: %w", path, err)
	}
	lib := &library{}
	if err := lib.bind(handle); err != nil {
		return nil, fmt.Errorf("loading the ClickHouse engine %s: %w", path, err)
	}
	// The engine's own handlers turn a nil dereference, which Go recovers
	// from, into a process that hangs. Its reset function would set fatal
	// signals to their defaults, so it is not called.
	lib.setSignalHandlers(0)
	loaded.path, loaded.lib = path, lib
	return lib, nil
}

func (l *library) bind(handle uintptr) error {
	for name, fn := range map[string]any{
		"chdb_set_signal_handlers_enabled": &l.setSignalHandlers,
		"chdb_version":                     &l.version,
		"chdb_connect":                     &l.connect,
		"chdb_close_conn":                  &l.close,
		"chdb_query_with_params_n":         &l.query,
		"chdb_stream_query_with_params_n":  &l.streamQuery,
		"chdb_stream_fetch_result":         &l.streamFetch,
		"chdb_stream_cancel_query":         &l.streamStop,
		"chdb_result_buffer":               &l.resultBuffer,
		"chdb_result_length":               &l.resultLength,
		"chdb_result_error":                &l.resultError,
		"chdb_result_rows_read":            &l.resultRowsRead,
		"chdb_result_rows_written":         &l.resultWritten,
		"chdb_destroy_query_result":        &l.resultFree,
		"chdb_stream_insert_n":             &l.insertOpen,
		"chdb_stream_append":               &l.insertAppend,
		"chdb_stream_done":                 &l.insertDone,
		"chdb_stream_cancel_insert":        &l.insertCancel,
		"chdb_stream_insert_error":         &l.insertError,
		"chdb_destroy_insert_stream":       &l.insertFree,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return fmt.Errorf("it has no %s, so its version is not one that works here: %w", name, err)
		}
		purego.RegisterFunc(fn, symbol)
	}
	return nil
}

// pinned hands Go memory to the library for the length of one call.
type pinned struct{ runtime.Pinner }

// bytes pins b and returns its address and length.
func (p *pinned) bytes(b []byte) (unsafe.Pointer, uintptr) {
	if len(b) == 0 {
		b = []byte{0}
		p.Pin(&b[0])
		return unsafe.Pointer(&b[0]), 0
	}
	p.Pin(&b[0])
	return unsafe.Pointer(&b[0]), uintptr(len(b))
}

// strings pins an array of C strings' addresses and one of their lengths.
func (p *pinned) strings(texts []string) (addresses, lengths unsafe.Pointer) {
	if len(texts) == 0 {
		return nil, nil
	}
	at := make([]unsafe.Pointer, len(texts))
	n := make([]uintptr, len(texts))
	for i, text := range texts {
		b := append([]byte(text), 0)
		at[i], _ = p.bytes(b)
		n[i] = uintptr(len(text))
	}
	p.Pin(&at[0])
	p.Pin(&n[0])
	return unsafe.Pointer(&at[0]), unsafe.Pointer(&n[0])
}
