package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/cli"
)

func TestTerminalsAreNotGivenOrders(t *testing.T) {
	var out bytes.Buffer
	w := cli.Harmless(&out)
	// A title set, a screen cleared, a line overwritten, C1 controls, and text
	// turned around; in two writes that cut a character in two.
	fmt.Fprint(w, "a\x1b]0;title\x07\x1b[2J\rb\x00\x7f\xc2")
	fmt.Fprint(w, "\x9b31m\u202ec\u2066\tä 表\n")
	require.Equal(t, "a␛]0;title␇␛[2J␍b␀␡\ufffd31m\ufffdc\ufffd\tä 表\n", out.String())
}

func TestFilesGetEveryByte(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	fmt.Fprint(cli.ForPeople(f), "\x1b[2J\xff")
	have, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	require.Equal(t, "\x1b[2J\xff", string(have))
}
