// Package clickhouse holds the store's tables as migrations, one idempotent
// statement in each numbered file. Files 001xx are of lineage, 002xx of the
// catalog, the others of the store itself.
package clickhouse

import "embed"

// Migrations are the files, for store.Migrate.
//
//go:embed *.sql
var Migrations embed.FS
