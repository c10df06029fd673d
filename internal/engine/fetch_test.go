package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// registry stands in for npm and what is behind it.
type registry struct {
	mu        sync.Mutex
	archive   []byte
	integrity string
	packs     int
	err       error
}

func (r *registry) run(_ context.Context, dir string, args ...string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return nil, r.err
	case args[0] == "view":
		return []byte(r.integrity + "\n"), nil
	}
	r.packs++
	return nil, os.WriteFile(filepath.Join(dir, "chdb-lib.tgz"), r.archive, 0o600)
}

func newRegistry(t *testing.T, files map[string]string) *registry {
	t.Helper()
	var buf bytes.Buffer
	zipped := gzip.NewWriter(&buf)
	entries := tar.NewWriter(zipped)
	for name, content := range files {
		require.NoError(t, entries.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := entries.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, entries.Close())
	require.NoError(t, zipped.Close())
	sum := sha512.Sum512(buf.Bytes())
	return &registry{archive: buf.Bytes(), integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
}

func (r *registry) fetcher(dir, integrity string, progress *bytes.Buffer) *fetcher {
	return &fetcher{pkg: npmPackage{name: "@x/lib", version: "1.2.3", integrity: integrity}, dir: dir, progress: progress, run: r.run}
}

func TestFetchBringsTheLibraryOnce(t *testing.T) {
	r := newRegistry(t, map[string]string{"package/index.js": "no", "package/libchdb.so": "the library"})
	dir := filepath.Join(t.TempDir(), "cache")
	var progress bytes.Buffer
	for range 2 {
		path, err := r.fetcher(dir, r.integrity, &progress).fetch(t.Context())
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "the library", string(content))
		require.Contains(t, path, "x-lib-1.2.3")
	}
	require.Equal(t, 1, r.packs)
	require.Contains(t, progress.String(), "once for this user")
	left, err := filepath.Glob(filepath.Join(dir, "fetch-*"))
	require.NoError(t, err)
	require.Empty(t, left, "nothing is left of the download")
}

func TestFetchesAtOnceBringOne(t *testing.T) {
	r := newRegistry(t, map[string]string{"package/libchdb.so": "the library"})
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var progress bytes.Buffer
			_, err := r.fetcher(dir, r.integrity, &progress).fetch(t.Context())
			require.NoError(t, err)
		})
	}
	group.Wait()
	require.Equal(t, 1, r.packs)
}

func TestFetchRefusesAnotherFile(t *testing.T) {
	r := newRegistry(t, map[string]string{"package/libchdb.so": "the library"})
	var progress bytes.Buffer
	_, err := r.fetcher(t.TempDir(), "sha512-other", &progress).fetch(t.Context())
	require.ErrorContains(t, err, "damaged or replaced")

	// Without a pinned checksum the registry's counts, and that is said.
	_, err = r.fetcher(t.TempDir(), "", &progress).fetch(t.Context())
	require.NoError(t, err)
	require.Contains(t, progress.String(), "no checksum is pinned")
	r.archive = append(r.archive, 0)
	_, err = r.fetcher(t.TempDir(), "", &progress).fetch(t.Context())
	require.ErrorContains(t, err, "damaged or replaced")
}

func TestFetchTellsWhatIsWrong(t *testing.T) {
	var progress bytes.Buffer
	r := newRegistry(t, map[string]string{"package/other": "x"})
	_, err := r.fetcher(t.TempDir(), r.integrity, &progress).fetch(t.Context())
	require.ErrorContains(t, err, "has no libchdb.so")
	r.err = errors.New("npm is not there")
	dir := t.TempDir()
	_, err = r.fetcher(dir, r.integrity, &progress).fetch(t.Context())
	require.ErrorIs(t, err, r.err)
	left, err := filepath.Glob(filepath.Join(dir, "fetch-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestEveryPlatformHasAPackage(t *testing.T) {
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		p, err := packageFor(goos, goarch)
		require.NoError(t, err)
		require.Equal(t, engineVersion, p.version)
	}
	_, err := packageFor("plan9", "386")
	require.ErrorContains(t, err, "--engine-lib")
}

func TestOpenTellsOfAWrongLibrary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "not-a-library.so")
	require.NoError(t, os.WriteFile(file, []byte("no"), 0o600))
	for _, path := range []string{file, filepath.Join(t.TempDir(), "missing.so")} {
		_, err := Open(Config{Library: path, Dir: t.TempDir()})
		require.ErrorContains(t, err, path)
	}
}
