// Package telemetry sets up what a process tells of itself: log lines, metrics
// in Prometheus' form, and traces over OTLP where an endpoint is named.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/tributary-data/tributary/internal/config"
)

// Telemetry is handed to whatever counts, times or traces.
type Telemetry struct {
	Metrics metric.MeterProvider
	Traces  trace.TracerProvider

	registry *prometheus.Registry
	stop     []func(context.Context) error
}

// NewLogger returns the process's logger, writing lines to w.
func NewLogger(w io.Writer, c config.TelemetryConfig) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return nil, fmt.Errorf("reading log level: %w", err)
	}
	opts := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}

// Start sets up metrics, and traces if an endpoint is named. role is the name
// of the process's role in both.
func Start(ctx context.Context, role string, c config.TelemetryConfig) (*Telemetry, error) {
	res := resource.NewSchemaless(attribute.String("service.name", "tributary"), attribute.String("tributary.role", role))
	t := &Telemetry{registry: prometheus.NewRegistry()}
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := otelprometheus.New(otelprometheus.WithRegisterer(t.registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		return nil, fmt.Errorf("setting up metrics: %w", err)
	}
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(res))
	t.Metrics, t.stop = metrics, append(t.stop, metrics.Shutdown)

	opts := []sdktrace.TracerProviderOption{sdktrace.WithResource(res)}
	if c.Traces != "" {
		exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.Traces))
		if err != nil {
			return nil, fmt.Errorf("setting up traces to %s: %w", c.Traces, err)
		}
		opts = append(opts, sdktrace.WithBatcher(exporter))
	} else {
		opts = append(opts, sdktrace.WithSampler(sdktrace.NeverSample()))
	}
	traces := sdktrace.NewTracerProvider(opts...)
	t.Traces, t.stop = traces, append(t.stop, traces.Shutdown)
	return t, nil
}

// Handler answers GET /metrics.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// Wrap counts, times and traces the requests to next, under the route's
// pattern rather than its path, so that names in paths make no new series.
func (t *Telemetry) Wrap(next http.Handler) http.Handler {
	return otelhttp.NewHandler(next, "http",
		otelhttp.WithMeterProvider(t.Metrics), otelhttp.WithTracerProvider(t.Traces),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.Pattern }))
}

// Stop sends what is left and ends. It may be called twice.
func (t *Telemetry) Stop(ctx context.Context) error {
	var faults []error
	for _, stop := range t.stop {
		faults = append(faults, stop(ctx))
	}
	t.stop = nil
	return errors.Join(faults...)
}
