package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func built() *Page {
	return newPage(fstest.MapFS{
		"index.html":              {Data: []byte("<!doctype html>page")},
		"assets/app-1234.js":      {Data: []byte("plain")},
		"assets/app-1234.js.gz":   {Data: []byte("packed")},
		"assets/app-1234.css":     {Data: []byte("css")},
		"assets/secret.unmatched": {Data: []byte("no")},
	})
}

func get(t *testing.T, p *Page, path string, headers map[string]string) *http.Response {
	t.Helper()
	mux := http.NewServeMux()
	p.Register(mux)
	request := httptest.NewRequest(http.MethodGet, path, nil)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, request)
	return recorder.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	buffer := make([]byte, 4096)
	n, _ := r.Body.Read(buffer)
	return string(buffer[:n])
}

func TestEveryPageIsTheIndexWithAStrictPolicy(t *testing.T) {
	for _, path := range []string{"/", "/lineage", "/build/b1", "/node"} {
		answer := get(t, built(), path, nil)
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		require.Equal(t, "<!doctype html>page", body(t, answer))
		require.Contains(t, answer.Header.Get("Content-Security-Policy"), "default-src 'self'")
		require.NotContains(t, answer.Header.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-cache", answer.Header.Get("Cache-Control"))
	}
}

func TestAssetsAreCachedForEverAndCompressedWhenAsked(t *testing.T) {
	plain := get(t, built(), "/assets/app-1234.js", nil)
	require.Equal(t, "plain", body(t, plain))
	require.Contains(t, plain.Header.Get("Cache-Control"), "immutable")
	packed := get(t, built(), "/assets/app-1234.js", map[string]string{"Accept-Encoding": "br, gzip"})
	require.Equal(t, "packed", body(t, packed))
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	require.Equal(t, "text/javascript; charset=utf-8", packed.Header.Get("Content-Type"))
	css := get(t, built(), "/assets/app-1234.css", map[string]string{"Accept-Encoding": "gzip"})
	require.Equal(t, "css", body(t, css))
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	for _, path := range []string{"/api/v1/nothing", "/assets/none.js", "/assets/secret.unmatched"} {
		require.Equal(t, http.StatusNotFound, get(t, built(), path, nil).StatusCode, path)
	}
}

func TestAnUnknownPathOfTheAPIIsRefusedAsTheAPIRefuses(t *testing.T) {
	var refusal struct{ Code, Message string }
	require.NoError(t, json.Unmarshal([]byte(body(t, get(t, built(), "/api/v1/nothing", nil))), &refusal))
	require.Equal(t, "NotFound", refusal.Code)
	require.NotEmpty(t, refusal.Message)
}

func TestABinaryWithoutThePageSaysWhatToRun(t *testing.T) {
	page := newPage(fstest.MapFS{".keep": {}})
	require.False(t, page.Built())
	answer := get(t, page, "/", nil)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Contains(t, body(t, answer), "npm run build")
}
