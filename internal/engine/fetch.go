package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tributary-data/tributary/internal/dirlock"
)

// libraryFile is the library's name inside the packages of all platforms.
const libraryFile = "libchdb.so"

// FetchConfig says where the library is kept and who is told.
type FetchConfig struct {
	// CacheDir is the folder to keep the library in; the user's cache folder
	// unless set.
	CacheDir string
	// Progress is told how far the download is, a line at a time; nil for
	// nobody.
	Progress io.Writer
}

// fetcher brings one package. run starts npm; tests put another in its place.
type fetcher struct {
	pkg      npmPackage
	dir      string
	progress io.Writer
	run      func(ctx context.Context, dir string, args ...string) ([]byte, error)
}

// Fetch returns the path of this platform's library. The first call brings it
// with npm, checks it and keeps it; later calls find it there.
func Fetch(ctx context.Context, cfg FetchConfig) (string, error) {
	pkg, err := packageFor(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return "", err
	}
	dir := cfg.CacheDir
	if dir == "" {
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("finding the cache folder: %w", err)
		}
		dir = filepath.Join(dir, "tributary", "engine")
	}
	progress := cfg.Progress
	if progress == nil {
		progress = io.Discard
	}
	f := fetcher{pkg: pkg, dir: dir, progress: progress, run: runNPM}
	return f.fetch(ctx)
}

func (f *fetcher) fetch(ctx context.Context) (path string, err error) {
	target := filepath.Join(f.dir, strings.ReplaceAll(strings.TrimPrefix(f.pkg.name, "@"), "/", "-")+"-"+f.pkg.version, libraryFile)
	if there, err := exists(target); there || err != nil {
		return target, err
	}
	lock, err := f.turn(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if there, err := exists(target); there || err != nil {
		return target, err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
		return "", fmt.Errorf("making the cache folder: %w", err)
	}
	work, err := os.MkdirTemp(f.dir, "fetch-*")
	if err != nil {
		return "", fmt.Errorf("making a folder to download to: %w", err)
	}
	defer os.RemoveAll(work)
	archive, err := f.download(ctx, work)
	if err != nil {
		return "", err
	}
	fmt.Fprintln(f.progress, "comparing its checksum")
	if err := f.verify(ctx, work, archive); err != nil {
		return "", err
	}
	fmt.Fprintln(f.progress, "unpacking the ClickHouse engine")
	unpacked := filepath.Join(work, libraryFile)
	if err := unpack(archive, unpacked); err != nil {
		return "", err
	}
	// A rename is all or nothing: another process never sees half a library.
	if err := os.Rename(unpacked, target); err != nil {
		return "", fmt.Errorf("keeping the ClickHouse engine: %w", err)
	}
	fmt.Fprintln(f.progress, "the ClickHouse engine is ready:", target)
	return target, nil
}

// exists says whether the library is there.
func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if err == nil {
		return true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return false, fmt.Errorf("looking for the ClickHouse engine: %w", err)
}

// turn waits while another process brings the library.
func (f *fetcher) turn(ctx context.Context) (*dirlock.Lock, error) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for told := false; ; told = true {
		lock, err := dirlock.Acquire(f.dir)
		var held *dirlock.HeldError
		if !errors.As(err, &held) {
			return lock, err
		}
		if !told {
			fmt.Fprintf(f.progress, "process %d is bringing the ClickHouse engine: waiting for it\n", held.PID)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for process %d to bring the ClickHouse engine: %w", held.PID, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// download has npm bring the package file into the folder.
func (f *fetcher) download(ctx context.Context, work string) (string, error) {
	fmt.Fprintf(f.progress, "bringing the ClickHouse engine (%s %s), once for this user\n", f.pkg.name, f.pkg.version)
	cache := filepath.Join(work, "cache")
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		f.watch(watching, cache)
	}()
	_, err := f.run(ctx, work, "pack", f.pkg.name+"@"+f.pkg.version, "--cache", cache, "--silent", "--ignore-scripts")
	stop()
	<-watched
	if err != nil {
		return "", fmt.Errorf("bringing the ClickHouse engine: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(work, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("npm left %d package files instead of one", len(found))
	}
	return found[0], nil
}

// watch says how much has arrived in npm's cache, looking every second and
// speaking when there is more.
func (f *fetcher) watch(ctx context.Context, cache string) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for told := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		have := folderSize(cache) / 1e6
		if f.pkg.size > 0 {
			have = min(have, f.pkg.size/1e6)
		}
		if have == told {
			continue
		}
		told = have
		if f.pkg.size > 0 {
			fmt.Fprintf(f.progress, "  %d of %d MB\n", have, f.pkg.size/1e6)
		} else {
			fmt.Fprintf(f.progress, "  %d MB\n", have)
		}
	}
}

// folderSize sums the files below a folder. Files come and go meanwhile, so
// what cannot be read counts as nothing.
func folderSize(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // see above
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// verify compares the package file's SHA-512 with the pinned one, or with the
// one that the registry announces where none is pinned.
func (f *fetcher) verify(ctx context.Context, work, archive string) error {
	want := f.pkg.integrity
	if want == "" {
		out, err := f.run(ctx, work, "view", f.pkg.name+"@"+f.pkg.version, "dist.integrity")
		if err != nil {
			return fmt.Errorf("asking for the engine's checksum: %w", err)
		}
		want = strings.TrimSpace(string(out))
		fmt.Fprintln(f.progress, "no checksum is pinned for this platform: going by the registry's", want)
	}
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("reading the package file: %w", err)
	}
	defer file.Close()
	sum := sha512.New()
	if _, err := io.Copy(sum, file); err != nil {
		return fmt.Errorf("reading the package file: %w", err)
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != want {
		return fmt.Errorf("the ClickHouse engine's package has checksum %s, not %s: it was damaged or replaced, and is not used", got, want)
	}
	return nil
}

// unpack writes the library out of the package file.
func unpack(archive, target string) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("reading the package file: %w", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("unpacking the package file: %w", err)
	}
	entries := tar.NewReader(unzipped)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the package file has no %s", libraryFile)
		}
		if err != nil {
			return fmt.Errorf("unpacking the package file: %w", err)
		}
		if entry.Typeflag == tar.TypeReg && filepath.Base(entry.Name) == libraryFile {
			return writeSynced(target, entries)
		}
	}
}

func writeSynced(target string, from io.Reader) error {
	out, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o750) //nolint:gosec // a library is executed
	if err != nil {
		return fmt.Errorf("writing the library: %w", err)
	}
	_, err = io.Copy(out, from)
	if err == nil {
		err = out.Sync()
	}
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("writing the library: %w", err)
	}
	return nil
}

// runNPM runs npm in a folder and returns what it prints. Its complaint is
// the error.
func runNPM(ctx context.Context, dir string, args ...string) ([]byte, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, errors.New("npm is not installed: install Node.js 20 or newer, or name a library with --engine-lib")
	}
	cmd := exec.CommandContext(ctx, npm, args...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("npm %s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return out.Bytes(), nil
}
