// Package resolve finds the lineage of SQL that a front end has lowered into package
// ir: which names mean which tables and columns, and which values flow where. There
// is one resolver for all dialects; what they do differently is in rules (dialect.go)
// and in package name.
//
// Lineage is a graph of values (value.go) below relations; edges are found by walking
// it down from what a statement writes (emission.go). It is pure and never fails: what
// cannot be resolved is an error in the Result.
package resolve
