package catalog

import (
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// viewEvery is how many transactions of a history lie between two views that are kept although no
// branch points to them, so that no view is far from one that it can be computed from.
const viewEvery = 256

// View is the content of a dataset at a COMMITTED transaction.
type View struct {
	// Files, Rows and Bytes are sums over the files.
	Files, Rows, Bytes int64
	// Schema is the latest schema given since the view's first transaction.
	Schema []event.Field
	// Base is the transaction that the view begins with: the latest SNAPSHOT, else the history's first.
	Base *Transaction

	root *node
}

var emptyView = &View{}

// File returns the file at a path, or nil.
func (v *View) File(path string) *event.File { return treeFind(v.root, path) }

// Walk calls fn with the files whose path is greater than after, in order of path, until fn returns
// false.
func (v *View) Walk(after string, fn func(*event.File) bool) { treeWalk(v.root, after, fn) }

// with returns the view after t, which must have been checked.
func (v *View) with(t *Transaction) *View {
	next := *v
	if t.Type == Snapshot {
		next = View{}
	}
	if next.Base == nil {
		next.Base = t
	}
	if t.Schema != nil {
		next.Schema = t.Schema
	}
	for i := range t.Put {
		f := &t.Put[i]
		if t.Type == Update {
			next.subtract(treeFind(next.root, f.Path))
		}
		next.root = treePut(next.root, f)
		next.Files++
		next.Rows += f.Rows
		next.Bytes += f.Bytes
	}
	for _, path := range t.Deleted {
		next.subtract(treeFind(next.root, path))
		next.root = treeDelete(next.root, path)
	}
	return &next
}

func (v *View) subtract(f *event.File) {
	if f != nil {
		v.Files--
		v.Rows -= f.Rows
		v.Bytes -= f.Bytes
	}
}

// ViewOf returns the view at a COMMITTED transaction; that of nil is empty. It changes nothing, so
// several readers may call it at a time.
func ViewOf(t *Transaction) *View {
	var chain []*Transaction
	view := emptyView
	for ; t != nil; t = t.Previous {
		if t.view != nil {
			view = t.view
			break
		}
		chain = append(chain, t)
		if t.Type == Snapshot {
			break
		}
	}
	for _, t := range slices.Backward(chain) {
		view = view.with(t)
	}
	return view
}

// ViewFromScratch returns the view at a COMMITTED transaction, from nothing but the manifests.
func ViewFromScratch(t *Transaction) *View {
	var chain []*Transaction
	for ; t != nil; t = t.Previous {
		chain = append(chain, t)
		if t.Type == Snapshot {
			break
		}
	}
	view := emptyView
	for _, t := range slices.Backward(chain) {
		view = view.with(t)
	}
	return view
}

// CommittedAt returns the latest COMMITTED transaction of the branch's history that was closed at or
// before the offset, or nil.
func (b *Branch) CommittedAt(offset int64) *Transaction {
	t := b.Committed()
	if t == nil || t.Closed <= offset {
		return t
	}
	return t.earliest(func(x *Transaction) bool { return x.Closed > offset }).Previous
}

// History calls fn with the transactions of the branch's history, newest first, until fn returns false.
func (b *Branch) History(fn func(*Transaction) bool) {
	for t := b.Head; t != nil && fn(t); t = t.Previous {
	}
}

// settle computes and keeps the view of a transaction that was just committed.
func (t *Transaction) settle() {
	t.view = t.Previous.keepView().with(t)
	t.openNextDone()
}

// keepView returns the view at t, and keeps it if it had to be computed.
func (t *Transaction) keepView() *View {
	if t == nil {
		return emptyView
	}
	if t.view == nil {
		t.view = ViewOf(t)
	}
	return t.view
}

// openNextDone says that a transaction that was started on t's predecessor is open no more.
func (t *Transaction) openNextDone() {
	if p := t.Previous; p != nil {
		p.openNext--
		p.forget()
	}
}

// forget drops a view that can be computed again and that nothing is likely to ask for.
func (t *Transaction) forget() {
	if t.first == nil && t.openNext == 0 && t.Depth%viewEvery != 0 {
		t.view = nil
	}
}
