// Package runner claims jobs of builds over HTTP and runs them with executors: SQL on datasets that are
// versioned tables in ClickHouse, or a registered program. docs/runners.md describes the protocol, so that
// a runner can be written in any language.
package runner
