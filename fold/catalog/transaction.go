package catalog

import (
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// openTransaction starts a transaction on a branch, for a person or a service.
func (f *fold) openTransaction(d *event.TransactionOpened) *Refusal {
	b, r := f.Branch(d.Dataset, d.BranchHandle)
	if r != nil {
		return r
	}
	typ, ok := parseType(d.Type)
	if !ok {
		return refuse(CodeInvalidTransaction, "%q is not a type of transaction: use SNAPSHOT, APPEND, UPDATE or DELETE", clip(d.Type))
	}
	id, ok := ParseID(d.Transaction)
	if !ok {
		return refuse(CodeInvalidTransaction, "%q is not a transaction id: it must be a UUID", clip(d.Transaction))
	}
	if f.transactions[id] != nil {
		return refuse(CodeTransactionExists, "there is a transaction %s already", id)
	}
	if t := b.Open(); t != nil {
		return refuse(CodeOpenTransaction, "branch %s of %s points to transaction %s, which is open", b.Name, Name(b.Dataset.Ref), t.ID)
	}
	f.start(b, id, typ, nil)
	return nil
}

// start opens a transaction on a branch whose head is not OPEN.
func (f *fold) start(b *Branch, id ID, typ TransactionType, job *Job) *Transaction {
	t := &Transaction{
		ID: id, Dataset: b.Dataset, Branch: b, Type: typ, Opened: f.offset(), OpenedAt: f.millis(),
		Closed: -1, Actor: f.actor, Job: job, number: len(f.order), mark: -1,
	}
	t.link(b.Head)
	if b.Head != nil {
		b.Head.openNext++
	}
	f.transactions[id] = t
	f.order = append(f.order, t)
	b.point(t)
	f.changes.transaction(t)
	f.changes.branch(b, BranchStarted, buildOf(job))
	return t
}

func buildOf(job *Job) *Build {
	if job == nil {
		return nil
	}
	return job.Build
}

// openOf finds an OPEN transaction that people and services may change.
func (f *fold) openOf(id string) (*Transaction, *Refusal) {
	t := f.Transaction(id)
	switch {
	case t == nil:
		return nil, refuse(CodeTransactionNotFound, "there is no transaction %s", clip(id))
	case t.State != Open:
		return nil, refuse(CodeTransactionNotOpen, "transaction %s of %s is %s", t.ID, Name(t.Dataset.Ref), t.State)
	}
	return t, nil
}

// addFiles adds a part of a long manifest.
func (f *fold) addFiles(d *event.TransactionFilesAdded) *Refusal {
	t, r := f.openOf(d.Transaction)
	if r != nil {
		return r
	}
	if r := t.mayWrite(d.Token); r != nil {
		return r
	}
	if r := t.checkManifest(&d.Manifest); r != nil {
		return r
	}
	if t.paths == nil {
		t.paths = make(map[string]struct{}, len(d.Put)+len(d.Delete))
	}
	for i := range d.Put {
		t.paths[d.Put[i].Path] = struct{}{}
	}
	for _, path := range d.Delete {
		t.paths[path] = struct{}{}
	}
	t.take(&d.Manifest)
	f.changes.transaction(t)
	return nil
}

// mayWrite refuses to add to a job's transaction for anyone but its live attempt.
func (t *Transaction) mayWrite(token string) *Refusal {
	switch {
	case t.Job == nil && token == "":
		return nil
	case t.Job == nil:
		return refuse(CodeStaleAttempt, "transaction %s belongs to no attempt", t.ID)
	case token == "":
		return t.heldByBuild()
	case t.Job.State == JobAbortPending:
		return refuse(CodeBuildAborted, "build %s was aborted", t.Job.Build.ID)
	case !t.Job.live(token):
		return refuse(CodeStaleAttempt, "the attempt is not the live one of job %s of build %s", t.Job.Spec.ID, t.Job.Build.ID)
	}
	return nil
}

func (t *Transaction) heldByBuild() *Refusal {
	return refuse(CodeTransactionOfBuild, "transaction %s is held by job %s of build %s", t.ID, t.Job.Spec.ID, t.Job.Build.ID)
}

func (t *Transaction) take(m *event.Manifest) {
	if t.Put == nil {
		t.Put = slices.Clip(m.Put) // clipped, so that no other state appends into it
	} else {
		t.Put = append(t.Put, m.Put...)
	}
	if t.Deleted == nil {
		t.Deleted = slices.Clip(m.Delete)
	} else {
		t.Deleted = append(t.Deleted, m.Delete...)
	}
}

// commitTransaction closes a person's or a service's transaction so that it counts.
func (f *fold) commitTransaction(d *event.TransactionCommitted) *Refusal {
	t, r := f.openOf(d.Transaction)
	if r != nil {
		return r
	}
	if t.Job != nil {
		return t.heldByBuild()
	}
	if r := t.checkCommit(&d.Manifest, d.Schema); r != nil {
		return r
	}
	inputs := make([]Input, 0, len(d.Inputs))
	for _, in := range d.Inputs {
		read := f.Transaction(in.Transaction)
		if read == nil || read.Dataset.Ref != in.Dataset {
			return refuse(CodeTransactionNotFound, "the input %s has no transaction %s", clip(Name(in.Dataset)), clip(in.Transaction))
		}
		inputs = append(inputs, Input{Dataset: read.Dataset.Ref, Transaction: read})
	}
	if len(inputs) > 0 {
		t.Inputs = inputs
	}
	f.commit(t, &d.Manifest, d.Schema)
	f.release()
	return nil
}

// checkCommit refuses a commit that the manifest or the view forbids.
func (t *Transaction) checkCommit(m *event.Manifest, schema []event.Field) *Refusal {
	if r := t.checkManifest(m); r != nil {
		return r
	}
	if r := checkSchema(schema); r != nil {
		return r
	}
	return t.checkView(m)
}

// checkView refuses what the view forbids.
func (t *Transaction) checkView(m *event.Manifest) *Refusal {
	switch t.Type {
	case Append:
		view := t.Previous.keepView()
		for _, files := range [2][]event.File{t.Put, m.Put} {
			for i := range files {
				if view.File(files[i].Path) != nil {
					return refuse(CodeFileAlreadyInView, "%s is in the view of %s already, and transaction %s appends", clip(files[i].Path), Name(t.Dataset.Ref), t.ID)
				}
			}
		}
	case Delete:
		view := t.Previous.keepView()
		for _, paths := range [2][]string{t.Deleted, m.Delete} {
			for _, path := range paths {
				if view.File(path) == nil {
					return refuse(CodeFileNotInView, "%s is not in the view of %s, so transaction %s cannot delete it", clip(path), Name(t.Dataset.Ref), t.ID)
				}
			}
		}
	}
	return nil
}

// commit closes a transaction that was checked.
func (f *fold) commit(t *Transaction, m *event.Manifest, schema []event.Field) {
	t.take(m)
	if len(schema) > 0 {
		t.Schema = schema
	}
	f.close(t, Committed)
}

// abortTransaction closes a person's or a service's transaction so that it never counts.
func (f *fold) abortTransaction(d *event.TransactionAborted) *Refusal {
	t, r := f.openOf(d.Transaction)
	if r != nil {
		return r
	}
	if t.Job != nil {
		return t.heldByBuild()
	}
	t.Reason = d.Reason
	f.close(t, Aborted)
	f.release()
	return nil
}

// close ends an OPEN transaction. Every branch that points to it shows it if it is COMMITTED, and moves
// back to the transaction before it if it is ABORTED.
func (f *fold) close(t *Transaction, state TransactionState) {
	t.State = state
	t.Closed, t.ClosedAt = f.offset(), f.millis()
	t.paths = nil
	f.changes.transaction(t)
	if state == Committed {
		t.settle()
		for b := t.first; b != nil; b = b.nextPointer {
			f.changes.branch(b, BranchCommitted, buildOf(t.Job))
		}
		return
	}
	for b := t.first; b != nil; b = t.first {
		b.point(t.Previous)
		f.changes.branch(b, BranchAborted, buildOf(t.Job))
	}
	t.openNextDone()
}
