package auth_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/tributary-data/tributary/internal/auth"
)

func TestTokenFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	write := func(text []byte) {
		require.NoError(t, os.WriteFile(path+".new", text, 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}
	put := func(names ...string) {
		tokens := []auth.Token{}
		for _, name := range names {
			_, entry, err := auth.NewToken(name, "read", noon.Add(time.Hour))
			require.NoError(t, err)
			tokens = append(tokens, entry)
		}
		text, err := yaml.Marshal(tokens)
		require.NoError(t, err)
		write(text)
	}
	put("ann")
	file, err := auth.OpenTokens(path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Len(t, file.Tokens(), 1)
	put("ann", "bob")
	require.Len(t, file.Tokens(), 2)
	write([]byte("- what is this"))
	require.Len(t, file.Tokens(), 2, "those that there were")
	require.NoError(t, os.Remove(path))
	require.Len(t, file.Tokens(), 2)
	put()
	require.Empty(t, file.Tokens(), "all were taken away")

	write([]byte("- what is this"))
	_, err = auth.OpenTokens(path, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, path)
}
