// Package dirlock keeps a folder to one process at a time, so that two
// servers never write one log or one store. The kernel drops the lock when
// its process ends, however it ends.
package dirlock

import (
	"errors"
	"fmt"
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
//
// It keeps a bare descriptor: an os.File that nobody refers to any more is
// closed by the garbage collector, and the folder would be free while its
// owner still works in it.
type Lock struct{ descriptor int }

// released stands for no descriptor.
const released = -1

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
	descriptor, err := syscall.Open(filepath.Join(dir, fileName), syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o640)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the data folder %s: %w", dir, err)
	}
	if err := syscall.Flock(descriptor, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer syscall.Close(descriptor)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &HeldError{Dir: dir, PID: readPID(descriptor)}
		}
		return nil, fmt.Errorf("locking the data folder %s: %w", dir, err)
	}
	if err := writePID(descriptor); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the lock of the data folder %s: %w", dir, err), syscall.Close(descriptor))
	}
	return &Lock{descriptor: descriptor}, nil
}

// Release gives the folder up. It may be called twice.
func (l *Lock) Release() error {
	if l == nil || l.descriptor == released {
		return nil
	}
	err := syscall.Close(l.descriptor)
	l.descriptor = released
	return err
}

func writePID(descriptor int) error {
	if err := syscall.Ftruncate(descriptor, 0); err != nil {
		return err
	}
	_, err := syscall.Pwrite(descriptor, []byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func readPID(descriptor int) int {
	text := make([]byte, 32)
	n, err := syscall.Pread(descriptor, text, 0)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return 0
	}
	return pid
}
