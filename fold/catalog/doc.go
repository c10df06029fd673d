// Package catalog is the pure fold of tributary.catalog: datasets, branches, transactions, job specs,
// builds, jobs and attempts, and the planner that decides what a build does.
//
// A State is the fold of one partition of the topic. Apply judges one event and changes the state, or
// refuses the event and leaves the state as it was. There is no clock, no random number and no input or
// output in it: times and ids come from the events, and every fold of the same log is in the same state.
// The rules are those of docs/branches.md; each refusal has a Code.
//
// The exported structs are for reading. Only Apply and Restore change them, and a reader that shares a
// State with a goroutine that applies must lock it out.
package catalog
