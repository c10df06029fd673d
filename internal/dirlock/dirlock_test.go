package dirlock

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAcquireRefusesSecondHolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := Acquire(dir)
	require.NoError(t, err)

	_, err = Acquire(dir)
	var held *HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, os.Getpid(), held.PID)
	require.Contains(t, held.Error(), dir)

	require.NoError(t, first.Release())
	require.NoError(t, first.Release())
	second, err := Acquire(dir)
	require.NoError(t, err)
	require.NoError(t, second.Release())
}

func TestForgottenLockHolds(t *testing.T) {
	dir := t.TempDir()
	_, err := Acquire(dir)
	require.NoError(t, err)
	for range 3 {
		runtime.GC()
	}
	_, err = Acquire(dir)
	var held *HeldError
	require.ErrorAs(t, err, &held)
}

func TestHeldErrorWithoutPID(t *testing.T) {
	require.Contains(t, (&HeldError{Dir: "d"}).Error(), "another process")
}
