package blackbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// startTime bounds how long a process takes to answer, stopTime how long
	// it drains.
	startTime = time.Minute
	stopTime  = 40 * time.Second
	// storeToken is the password of the full user of every store here.
	storeToken = "a-token-for-roles"
)

// process is a running tributary.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  output
	done chan struct{}
	err  error

	// URL answers HTTP, Store ClickHouse's HTTP interface (if it listens).
	URL     string   `json:"url"`
	Store   string   `json:"store"`
	Brokers []string `json:"brokers"`
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// environment is that of the tests, without what would be settings.
func environment(extra ...string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "TRIBUTARY_") {
			env = append(env, e)
		}
	}
	return append(append(env, "TRIBUTARY_STORE_ENGINE_LIB="+built.engineLib, "TRIBUTARY_STORE_TOKEN="+storeToken), extra...)
}

// launch runs a role and returns at once. The process ends with the test.
func launch(t *testing.T, role string, args ...string) (p *process, ready string) {
	t.Helper()
	ready = filepath.Join(t.TempDir(), "ready")
	return spawn(t, append([]string{role, "--listen", "127.0.0.1:0", "--ready-file", ready}, args...)...), ready
}

// spawn runs the binary and returns at once. The process ends with the test.
func spawn(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(built.binary, args...), done: make(chan struct{})}
	p.cmd.Env = environment()
	p.cmd.Dir = t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", strings.Join(args, " "), tail(p.out.String(), 6000))
		}
	})
	return p
}

// start runs a role and returns when it answers.
func start(t *testing.T, role string, args ...string) *process {
	t.Helper()
	p, ready := launch(t, role, args...)
	p.awaitReady(ready)
	return p
}

func (p *process) awaitReady(ready string) {
	p.t.Helper()
	poll(p.t, startTime, func() error {
		raw, err := os.ReadFile(ready)
		if err != nil {
			select {
			case <-p.done:
				p.t.Fatalf("the process ended before it answered: %v\n%s", p.err, p.out.String())
			default:
			}
			return err
		}
		return json.Unmarshal(raw, p)
	})
}

// kill ends the process as a power cut would, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.done
}

// interrupt asks the process to stop, as Ctrl+C does, and gives its exit code.
func (p *process) interrupt() int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGINT))
	return p.wait(stopTime)
}

// wait gives the exit code of a process that ends by itself.
func (p *process) wait(patience time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it prints where it hangs
		<-p.done
		p.t.Fatalf("the process did not end within %s", patience)
	}
	return p.cmd.ProcessState.ExitCode()
}

// serve runs everything in one process on a data folder, with its store open.
func serve(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return start(t, "serve", append([]string{"--data", dir, "--store-listen", "127.0.0.1:0"}, args...)...)
}

// answer is what a command left behind.
type answer struct {
	code        int
	out, errors string
}

// command runs a command for people against a server.
func command(t *testing.T, server string, stdin string, args ...string) answer {
	t.Helper()
	cmd := exec.Command(built.binary, args...)
	cmd.Env = environment()
	if server != "" {
		cmd.Env = append(cmd.Env, "TRIBUTARY_SERVER="+server)
	}
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(stdin)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("running %v: %v", args, err)
	}
	return answer{cmd.ProcessState.ExitCode(), out.String(), errors.String()}
}

// poll waits until a condition gives no error, and fails with the last one.
func poll(t *testing.T, patience time.Duration, condition func() error) {
	t.Helper()
	const interval = 20 * time.Millisecond
	for deadline := time.Now().Add(patience); ; {
		err := condition()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
		<-time.After(interval)
	}
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return fmt.Sprintf("(%d bytes more)\n%s", len(s)-n, s[len(s)-n:])
}

// removeAll removes a part of a data folder.
func removeAll(t *testing.T, dir, part string) {
	t.Helper()
	path := filepath.Join(dir, part)
	require.DirExists(t, path)
	require.NoError(t, os.RemoveAll(path))
}
