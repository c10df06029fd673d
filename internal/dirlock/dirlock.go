// Package dirlock keeps a folder to one process at a time, so that two
// servers never write one log or one store. The kernel drops the lock when
// its process ends, however it ends.
package dirlock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// fileName is the lock's file inside the folder. It stays behind after the
// lock is released: removing it would let two processes lock two different
// files of the same name.
const fileName = "tributary.lock"

// Lock is a held folder. Release it when the folder's last file is closed.
type Lock struct{ file *os.File }

// HeldError says that another process holds the folder.
type HeldError struct {
	// Dir is the folder asked for.
	Dir string
	// PID is the holder's process id, 0 when the holder did not leave it.
	PID int
}

// Error says which folder is taken, by whom, and what to do about it.
func (e *HeldError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = "process " + strconv.Itoa(e.PID)
	}
	return fmt.Sprintf("the data folder %s is in use by %s: stop it, or choose another folder", e.Dir, holder)
}

// Acquire makes the folder if it is missing and locks it. The error is a
// *HeldError when another process, or another lock of this one, holds it.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, fmt.Errorf("opening the data folder's lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &HeldError{Dir: dir, PID: readPID(file)}
		}
		return nil, fmt.Errorf("locking the data folder %s: %w", dir, err)
	}
	if err := writePID(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("writing the data folder's lock: %w", err)
	}
	return &Lock{file: file}, nil
}

// Release gives the folder up. It may be called twice.
func (l *Lock) Release() error {
	if l == nil || l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func readPID(file *os.File) int {
	text, err := io.ReadAll(io.LimitReader(file, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
