package telemetry_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/config"
	"github.com/tributary-data/tributary/internal/telemetry"
)

func TestMetricsAreServed(t *testing.T) {
	tel, err := telemetry.Start(t.Context(), "serve", config.TelemetryConfig{})
	require.NoError(t, err)
	counter, err := tel.Metrics.Meter("t").Int64Counter("tributary_test_event")
	require.NoError(t, err)
	counter.Add(t.Context(), 3)

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", tel.Handler())
	mux.HandleFunc("GET /thing/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	srv := httptest.NewServer(tel.Wrap(mux))
	defer srv.Close()
	for _, path := range []string{"/thing/1", "/thing/2", "/metrics"} {
		resp, err := http.Get(srv.URL + path)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		if path == "/metrics" {
			require.Contains(t, string(body), "tributary_test_event_total")
			require.Contains(t, string(body), "http_server_request_duration")
			require.NotContains(t, string(body), "/thing/1")
		}
	}
	require.NoError(t, tel.Stop(t.Context()))
	require.NoError(t, tel.Stop(t.Context()))
}

func TestLoggerForms(t *testing.T) {
	var b bytes.Buffer
	log, err := telemetry.NewLogger(&b, config.TelemetryConfig{Level: "warn", Format: "json"})
	require.NoError(t, err)
	log.Info("not shown")
	log.Warn("shown", "k", 1)
	require.Contains(t, b.String(), `"msg":"shown","k":1`)
	require.NotContains(t, b.String(), "not shown")
	_, err = telemetry.NewLogger(&b, config.TelemetryConfig{Level: "loud"})
	require.Error(t, err)
}
