// Package grammar reads SQL of every dialect with one lexer and one
// hand-written recursive descent parser. What differs between dialects is data
// (see Dialect and the feature tables), not code. The result is the statements
// of package ir, with byte offsets on every node.
//
// The parser never backtracks over more than a fixed number of tokens, keeps
// long chains flat, and counts nesting, tokens and bytes against Limits, so
// that its time and memory grow linearly with the input and no text can exhaust
// the stack. A statement that cannot be read is reported and skipped up to its
// border; the statements around it are kept.
package grammar
