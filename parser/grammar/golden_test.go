package grammar

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden trees anew")

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), "_")
		d, ok := DialectByName(name)
		require.True(t, ok, file)
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		stmts, errs := Parse(src, d, Limits{})
		require.Empty(t, errs, file)
		var b strings.Builder
		for _, st := range stmts {
			b.WriteString(dump(st.Node) + "\n\n")
		}
		tree := strings.TrimSuffix(file, ".sql") + ".tree"
		if *update {
			require.NoError(t, os.WriteFile(tree, []byte(b.String()), 0o600))
		}
		want, err := os.ReadFile(tree)
		require.NoError(t, err)
		require.Equal(t, string(want), b.String(), file)
	}
}
