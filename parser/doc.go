// Package parser turns SQL of any dialect into lineage: what a script reads and
// writes, which tables and columns flow into which, what only steers them, and what
// could not be understood. It is pure: text in, result out.
//
// Two front ends lower into one tree (package ir): TiDB's parser for MySQL and TiDB
// (package tidb), our own grammar for every other dialect and for what TiDB's
// parser refuses (package grammar). One resolver reads the tree (package resolve).
package parser
