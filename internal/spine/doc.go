// Package spine holds the tests and benchmarks of what several rooms do
// together: from an event in the log, through the parser and the projector, to
// rows in the store. It has no code of its own.
package spine
