package log

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// DamagedError says that the embedded log has lost records that it had
// acknowledged. Nothing was changed.
type DamagedError struct {
	// File is what is damaged or missing.
	File string
	// What is wrong with it.
	What string
}

// Error names the file and says what to do.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s %s; nothing was changed: bring the log's folder back from a copy", e.File, e.What)
}

const (
	segmentEnd = ".dat"
	// tornEnd ends the name of the file that keeps what was cut off a segment.
	tornEnd = ".torn"
)

// checkFiles reads the embedded log's files before the broker does, which cuts
// a segment off at the first byte that is wrong. That is right for what was
// being written when the power went, which is at a partition's end and was never
// acknowledged; it is kept beside the segment all the same. Whatever else is
// wrong is a *DamagedError.
func checkFiles(dir string, logger *slog.Logger) error {
	files, err := filepath.Glob(filepath.Join(dir, "partitions", "*", "*"+segmentEnd))
	if err != nil || len(files) == 0 {
		return err
	}
	topics := filepath.Join(dir, "topics.json")
	if _, err := os.Stat(topics); errors.Is(err, fs.ErrNotExist) {
		return &DamagedError{topics, "is missing, and there are records"}
	}
	partitions := map[string][]int64{}
	for _, file := range files {
		base, err := strconv.ParseInt(strings.TrimSuffix(filepath.Base(file), segmentEnd), 10, 64)
		if err == nil {
			partitions[filepath.Dir(file)] = append(partitions[filepath.Dir(file)], base)
		}
	}
	for folder, bases := range partitions {
		slices.Sort(bases)
		next := bases[0]
		for i, base := range bases {
			s := segment{path: filepath.Join(folder, strconv.FormatInt(base, 10)+segmentEnd), last: i == len(bases)-1, logger: logger}
			if next, err = s.check(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// segment is one file of a partition.
type segment struct {
	path string
	// last says that it is what records are appended to.
	last   bool
	logger *slog.Logger
}

// check reads the batches of a segment, of which the first is at the offset
// next, and gives the offset behind the last.
func (s segment) check(next int64) (int64, error) {
	file, err := os.Open(s.path)
	if err != nil {
		return 0, fmt.Errorf("reading the embedded log: %w", err)
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	var buf []byte
	for at := int64(0); ; at += int64(len(buf)) {
		if buf, err = readBatch(in, buf[:0]); err != nil {
			return 0, fmt.Errorf("reading %s: %w", s.path, err)
		}
		if len(buf) == 0 {
			return next, nil
		}
		b, ok := wholeBatch(buf)
		switch {
		case !ok:
			return next, s.cut(at)
		case b.base != next:
			return 0, &DamagedError{s.path, fmt.Sprintf("goes on at offset %d where offset %d should be", b.base, next)}
		}
		next = b.last + 1
	}
}

// readBatch reads as many bytes as the next batch says it has, or what is left
// of the file.
func readBatch(in *bufio.Reader, buf []byte) ([]byte, error) {
	head, err := in.Peek(batchLengthTail)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	size := len(head)
	if size == batchLengthTail {
		size += int(min(binary.BigEndian.Uint32(head[8:]), maxMessageBytes+batchHead))
	}
	buf = slices.Grow(buf, size)[:size]
	n, err := io.ReadFull(in, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return buf[:n], err
}

// wholeBatch gives the batch at the beginning of a buffer, if it is whole and
// its checksum is right.
func wholeBatch(buf []byte) (batch, bool) {
	b, _, ok := nextBatch(buf)
	return b, ok && b.magic == batchFormat && crc32.Checksum(b.raw, castagnoli) == b.crc
}

// cut keeps the end of the segment, from a byte on that is no batch, unless
// records stand behind it.
func (s segment) cut(at int64) error {
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("reading the embedded log: %w", err)
	}
	rest := raw[at:]
	if !s.last {
		return &DamagedError{s.path, fmt.Sprintf("is damaged at byte %d, and the partition goes on in another file", at)}
	}
	for i := 1; i+batchHead <= len(rest); i++ {
		if rest[i+atMagic] != batchFormat {
			continue
		}
		if b, ok := wholeBatch(rest[i:]); ok {
			return &DamagedError{s.path, fmt.Sprintf("is damaged at byte %d, and goes on with offset %d at byte %d", at, b.base, at+int64(i))}
		}
	}
	if err := os.WriteFile(s.path+tornEnd, rest, 0o600); err != nil { //nolint:gosec // it stands beside one of the log's own files
		return fmt.Errorf("keeping what is cut off the embedded log: %w", err)
	}
	s.logger.Warn("a batch that was not written to its end is cut off the log", "file", s.path, "byte", at, "kept", s.path+tornEnd)
	return nil
}
