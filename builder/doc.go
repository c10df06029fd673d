// Package builder answers for the catalog over HTTP and drives its builds.
//
// A Service folds every partition of tributary.catalog. What it writes are events; it answers
// wait=applied from its own fold when that has passed the offset that the write got. One of the services
// that share a log drives a partition: it hands jobs to runners and times their leases. Two that for a
// moment both believe to drive one do no harm, since whatever they do is an event that the fold judges.
package builder
