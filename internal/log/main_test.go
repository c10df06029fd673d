package log_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childEnv names the folder that this binary, started anew by a test, writes a
// log in until it is killed.
const childEnv = "TRIBUTARY_LOG_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		writeUntilKilled(dir)
		return
	}
	goleak.VerifyTestMain(m)
}
