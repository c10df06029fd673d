package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAppendTextWritesTheWholeOfItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-z .]*`), rapid.String()), 0, 4).Draw(t, "parts")
		want, err := json.Marshal(strings.Join(parts, ""))
		require.NoError(t, err)
		require.Equal(t, string(want), string(AppendText(nil, parts...)))
	})
}
