package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store/storetest"
)

func TestConnectionsCloseTwice(t *testing.T) {
	conn, err := storetest.Engine(t).Connect(nil)
	require.NoError(t, err)
	conn.Close()
	conn.Close()
}
