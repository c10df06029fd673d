package store_test

import (
	"os"
	"testing"

	"github.com/tributary-data/tributary/internal/store/storetest"
)

// childEnv names the folder that this binary, started anew by a test, has a
// store in until it is killed.
const childEnv = "TRIBUTARY_STORE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		writeUntilKilled(dir)
		return
	}
	storetest.Main(m)
}
