// Package blackbox tests the built binary from outside, as people and services
// use it: over HTTP, over Kafka, by the command line, and with clients that
// other people wrote. It kills processes, feeds them rubbish, and compares
// what is left with a plain fold of the log.
package blackbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tributary-data/tributary/internal/store/storetest"
)

// What the machine allows, as test/run finds out and says. With CI=true
// nothing is left out.
const (
	pythonEnv = "TRIBUTARY_TEST_PYTHON"
	kafkaEnv  = "TRIBUTARY_TEST_KAFKA"
	// roundsEnv sets how often processes are killed, seedEnv repeats one run.
	roundsEnv = "TRIBUTARY_TEST_ROUNDS"
	seedEnv   = "TRIBUTARY_TEST_SEED"
)

// built is what TestMain has made for every test.
var built struct{ binary, engineLib string }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tributary-blackbox-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.binary = filepath.Join(dir, "tributary")
	build := exec.Command("go", "build", "-o", built.binary, "github.com/tributary-data/tributary/cmd/tributary")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if built.engineLib, err = storetest.Library(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fetching the engine:", err)
		return 1
	}
	return m.Run()
}

func ci() bool { return os.Getenv("CI") == "true" }

// needPython gives the Python that has the packages of test/requirements.txt.
func needPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" {
		leaveOut(t, "it needs "+pythonEnv+", a Python with the packages of test/requirements.txt")
	}
	return python
}

// needKafka leaves a test out where test/run found no Java.
func needKafka(t *testing.T) {
	t.Helper()
	if os.Getenv(kafkaEnv) == "0" {
		leaveOut(t, "it needs a real Kafka, which needs Java 17 and Maven")
	}
}

// leaveOut skips a test, or fails it where nothing may be left out.
func leaveOut(t *testing.T, why string) {
	t.Helper()
	if ci() {
		t.Fatalf("with CI=true this test must run: %s", why)
	}
	t.Skip(why)
}

// rounds is how often a test kills a process: few here, all of them in CI.
func rounds(t *testing.T, few, all int) int {
	t.Helper()
	if text := os.Getenv(roundsEnv); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", roundsEnv, err)
		}
		return n
	}
	if ci() {
		return all
	}
	return few
}

// seed is that of a random test, printed so that a run can be repeated.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := uint64(time.Now().UnixNano())
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if s, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedEnv, err)
		}
	}
	t.Logf("repeat with %s=%d", seedEnv, s)
	return s
}
