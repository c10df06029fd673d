package catalog

import "github.com/tributary-data/tributary/schemas/event"

// Dataset is a series of transactions with branches that point into it.
type Dataset struct {
	Ref event.CatalogDataset
	// Branches are the living branches by name.
	Branches map[string]*Branch
	// All holds every branch that there ever was, in the order in which they were made.
	All []*Branch
	// Created is the offset of the event that made the dataset, CreatedAt that event's time in
	// milliseconds since 1970.
	Created, CreatedAt int64

	number      int
	incarnation map[string]int // the last incarnation given out for each name
	mark        int64
}

// Branch is one incarnation of a branch: a pointer to a transaction, with at most one parent.
type Branch struct {
	Dataset     *Dataset
	Name        string
	Incarnation int
	// Parent is the branch that it descends from; that of a living branch is living.
	Parent *Branch
	// Head is the transaction that it points to, nil for none. It is never ABORTED.
	Head *Transaction
	// Start is what Head was when the branch was made.
	Start *Transaction
	// Created and Deleted are offsets of events; Deleted is -1 while the branch lives.
	Created, Deleted int64
	CreatedAt        int64
	// Build is the build that made the branch for an output, or nil.
	Build *Build

	number                       int
	firstChild, lastChild        *Branch
	previousSibling, nextSibling *Branch
	previousPointer, nextPointer *Branch
	mark                         int64
}

// Living says whether the branch has not been deleted.
func (b *Branch) Living() bool { return b.Deleted < 0 }

// Committed returns the latest COMMITTED transaction of the branch's history, or nil.
func (b *Branch) Committed() *Transaction {
	if b.Head != nil && b.Head.State == Open {
		return b.Head.Previous
	}
	return b.Head
}

// Open returns the branch's OPEN transaction, or nil.
func (b *Branch) Open() *Transaction {
	if b.Head != nil && b.Head.State == Open {
		return b.Head
	}
	return nil
}

// Children returns the living branches whose parent it is.
func (b *Branch) Children() []*Branch {
	var list []*Branch
	for c := b.firstChild; c != nil; c = c.nextSibling {
		list = append(list, c)
	}
	return list
}

// descends says whether ancestor is a parent, or a parent's parent and so on, of b.
func (b *Branch) descends(ancestor *Branch) bool {
	for p := b.Parent; p != nil; p = p.Parent {
		if p == ancestor {
			return true
		}
	}
	return false
}

func (b *Branch) adopt(parent *Branch) {
	b.Parent = parent
	if parent == nil {
		return
	}
	b.previousSibling = parent.lastChild
	if parent.lastChild != nil {
		parent.lastChild.nextSibling = b
	} else {
		parent.firstChild = b
	}
	parent.lastChild = b
}

// leave takes the branch from its parent's children. It still remembers its parent.
func (b *Branch) leave() {
	if p := b.Parent; p != nil {
		if b.previousSibling != nil {
			b.previousSibling.nextSibling = b.nextSibling
		} else {
			p.firstChild = b.nextSibling
		}
		if b.nextSibling != nil {
			b.nextSibling.previousSibling = b.previousSibling
		} else {
			p.lastChild = b.previousSibling
		}
	}
	b.previousSibling, b.nextSibling = nil, nil
}

// TransactionState is the state of a transaction.
type TransactionState uint8

// The states of a transaction.
const (
	Open TransactionState = iota
	Committed
	Aborted
)

// String returns the state as it is written.
func (s TransactionState) String() string {
	return [...]string{"OPEN", "COMMITTED", "ABORTED"}[s]
}

// TransactionType is the type of a transaction.
type TransactionType uint8

// The types of a transaction.
const (
	Snapshot TransactionType = iota
	Append
	Update
	Delete
)

var typeNames = [...]string{event.TransactionSnapshot, event.TransactionAppend, event.TransactionUpdate, event.TransactionDelete}

// String returns the type as it is written.
func (t TransactionType) String() string { return typeNames[t] }

// parseType reads a transaction's type.
func parseType(s string) (TransactionType, bool) {
	for i, name := range typeNames {
		if name == s {
			return TransactionType(i), true
		}
	}
	return 0, false
}

// Transaction is one change of a dataset.
type Transaction struct {
	ID      ID
	Dataset *Dataset
	// Branch is the branch that it was started on.
	Branch *Branch
	// Previous is the COMMITTED transaction before it in its history, or nil.
	Previous *Transaction
	Type     TransactionType
	State    TransactionState
	// Depth is the number of transactions before it in its history.
	Depth int
	// Opened and Closed are offsets of events; Closed is -1 while it is OPEN. The times are those of
	// the events, in milliseconds since 1970.
	Opened, Closed     int64
	OpenedAt, ClosedAt int64
	// Put and Deleted are its manifest.
	Put     []event.File
	Deleted []string
	// Schema is the schema that it gives the view, nil if it leaves it.
	Schema []event.Field
	// Inputs are the transactions that it was made from.
	Inputs []Input
	// Actor opened it. Job is the job that it is an output of, nil for people and services.
	Actor string
	Job   *Job
	// Reason says why it was aborted.
	Reason string

	number      int
	jump        *Transaction // an earlier one of the history, so that any is found in few steps
	view        *View        // kept for what is pointed to, computed when it is missing
	openNext    int          // OPEN transactions that were started on it
	first, last *Branch      // the living branches that point to it
	paths       map[string]struct{}
	mark        int64
}

// Input is a transaction that was read.
type Input struct {
	Dataset event.CatalogDataset
	// Transaction is the one that was read, nil for a dataset of another space.
	Transaction *Transaction
	// Since is set for an incremental read: only what came after it was read.
	Since *Transaction
}

// Pointers returns the living branches that point to the transaction.
func (t *Transaction) Pointers() []*Branch {
	var list []*Branch
	for b := t.first; b != nil; b = b.nextPointer {
		list = append(list, b)
	}
	return list
}

// link places t on top of previous.
func (t *Transaction) link(previous *Transaction) {
	t.Previous = previous
	if previous == nil {
		t.jump = nil
		t.Depth = 0
		return
	}
	t.Depth = previous.Depth + 1
	t.jump = previous
	if j := previous.jump; j != nil && j.jump != nil && previous.Depth-j.Depth == j.Depth-j.jump.Depth {
		t.jump = j.jump
	}
}

// earliest returns the transaction nearest to the start of t's history for which keep holds, where keep
// must hold for t and, once it does not hold for one, for none before it.
func (t *Transaction) earliest(keep func(*Transaction) bool) *Transaction {
	for {
		switch {
		case t.jump != nil && keep(t.jump):
			t = t.jump
		case t.Previous != nil && keep(t.Previous):
			t = t.Previous
		default:
			return t
		}
	}
}

// contains says whether the history that ends with t holds other.
func (t *Transaction) contains(other *Transaction) bool {
	if t == nil || t.Depth < other.Depth {
		return false
	}
	return t.earliest(func(x *Transaction) bool { return x.Depth >= other.Depth }) == other
}

// point moves a branch's pointer.
func (b *Branch) point(t *Transaction) {
	b.unpoint()
	b.Head = t
	if t == nil {
		return
	}
	b.previousPointer = t.last
	if t.last != nil {
		t.last.nextPointer = b
	} else {
		t.first = b
	}
	t.last = b
}

// unpoint takes the branch from the pointers of its head. It still remembers its head.
func (b *Branch) unpoint() {
	t := b.Head
	if t == nil || (b.previousPointer == nil && t.first != b) {
		return
	}
	if b.previousPointer != nil {
		b.previousPointer.nextPointer = b.nextPointer
	} else {
		t.first = b.nextPointer
	}
	if b.nextPointer != nil {
		b.nextPointer.previousPointer = b.previousPointer
	} else {
		t.last = b.previousPointer
	}
	b.previousPointer, b.nextPointer = nil, nil
	t.forget()
}
