package catalog

import (
	"slices"
	"sort"

	"github.com/tributary-data/tributary/schemas/event"
)

// createBranch makes a root branch, or a child of a branch or of a transaction.
func (f *fold) createBranch(d *event.BranchCreated) *Refusal {
	ds := f.datasets[d.Dataset]
	if ds == nil {
		return refuse(CodeDatasetNotFound, "there is no dataset %s", clip(Name(d.Dataset)))
	}
	if r := checkBranchName(d.Branch); r != nil {
		return r
	}
	if ds.Branches[d.Branch] != nil {
		return refuse(CodeBranchExists, "dataset %s has a branch %s", Name(ds.Ref), d.Branch)
	}
	parent, head, r := f.origin(ds, d)
	if r != nil {
		return r
	}
	b := f.newBranch(ds, d.Branch, parent, head, nil)
	f.out.Incarnation = b.Incarnation
	return nil
}

// origin finds the parent and the first transaction of a branch that is to be made.
func (f *fold) origin(ds *Dataset, d *event.BranchCreated) (*Branch, *Transaction, *Refusal) {
	var parent *Branch
	if d.Parent != nil {
		var r *Refusal
		if parent, r = ds.Branch(*d.Parent); r != nil {
			if r.Code == CodeBranchNotFound {
				r.Code = CodeParentNotFound
			}
			return nil, nil, r
		}
	}
	if d.FromTransaction == "" {
		if parent == nil {
			return nil, nil, nil
		}
		return parent, parent.Head, nil
	}
	t := f.Transaction(d.FromTransaction)
	switch {
	case t == nil || t.Dataset != ds:
		return nil, nil, refuse(CodeTransactionNotFound, "dataset %s has no transaction %s", Name(ds.Ref), clip(d.FromTransaction))
	case t.State == Aborted:
		return nil, nil, refuse(CodeTransactionNotFound, "transaction %s of %s was aborted", t.ID, Name(ds.Ref))
	case parent != nil && !parent.Head.contains(t):
		return nil, nil, refuse(CodeNotInHistory, "transaction %s is not in the history of branch %s of %s", t.ID, parent.Name, Name(ds.Ref))
	case parent == nil && t.Branch.Living():
		parent = t.Branch
	}
	return parent, t, nil
}

func (f *fold) newBranch(ds *Dataset, name string, parent *Branch, head *Transaction, build *Build) *Branch {
	ds.incarnation[name]++
	b := &Branch{
		Dataset: ds, Name: name, Incarnation: ds.incarnation[name], Start: head,
		Created: f.offset(), CreatedAt: f.millis(), Deleted: -1, Build: build, number: len(ds.All), mark: -1,
	}
	b.adopt(parent)
	b.point(head)
	ds.Branches[name] = b
	ds.All = append(ds.All, b)
	f.changes.branch(b, BranchMade, build)
	return b
}

// deleteBranch removes a branch's pointer.
func (f *fold) deleteBranch(d *event.BranchDeleted) *Refusal {
	b, r := f.Branch(d.Dataset, d.BranchHandle)
	if r != nil {
		return r
	}
	if p := f.protection(b.Dataset, b.Name); p != nil {
		return refuse(CodeBranchProtected, "branch %s of %s is protected", b.Name, Name(b.Dataset.Ref))
	}
	if t := b.Open(); t != nil && t.Job != nil && t.Branch == b {
		return refuse(CodeBranchInUse, "branch %s of %s is held by job %s of build %s", b.Name, Name(b.Dataset.Ref), t.Job.Spec.ID, t.Job.Build.ID)
	}
	f.removeBranch(b, nil)
	f.release()
	return nil
}

// removeBranch takes a branch away. Its children go to its parent; an OPEN transaction that no branch
// points to any more is aborted.
func (f *fold) removeBranch(b *Branch, build *Build) {
	b.Deleted = f.offset()
	delete(b.Dataset.Branches, b.Name)
	b.leave()
	for _, c := range b.Children() {
		c.leave()
		c.adopt(b.Parent)
		f.changes.branch(c, BranchReparented, build)
	}
	b.unpoint()
	if t := b.Open(); t != nil && t.first == nil {
		f.close(t, Aborted)
		t.Reason = "the last branch that pointed to it was deleted"
	}
	f.changes.branch(b, BranchRemoved, build)
}

// restoreBranch brings back an incarnation that was deleted since the last sweep.
func (f *fold) restoreBranch(d *event.BranchRestored) *Refusal {
	ds := f.datasets[d.Dataset]
	if ds == nil {
		return refuse(CodeDatasetNotFound, "there is no dataset %s", clip(Name(d.Dataset)))
	}
	var b *Branch
	for _, old := range slices.Backward(ds.All) {
		if old.Name == d.Branch && !old.Living() && (d.Incarnation == 0 || old.Incarnation == d.Incarnation) &&
			(b == nil || old.Deleted > b.Deleted) {
			b = old
		}
	}
	switch {
	case b == nil:
		return refuse(CodeNotRestorable, "dataset %s has no deleted branch %s", Name(ds.Ref), clip(d.Branch))
	case b.Deleted < f.Swept:
		return refuse(CodeNotRestorable, "branch %s of %s was deleted before the last retention sweep", b.Name, Name(ds.Ref))
	case ds.Branches[b.Name] != nil:
		return refuse(CodeNotRestorable, "dataset %s has another branch %s now", Name(ds.Ref), b.Name)
	}
	parent := b.Parent
	for parent != nil && !parent.Living() {
		parent = parent.Parent
	}
	head := b.Head
	if head != nil && head.State != Committed {
		head = head.Previous
	}
	b.Deleted = -1
	b.adopt(parent)
	b.point(head)
	ds.Branches[b.Name] = b
	f.changes.branch(b, BranchBack, nil)
	f.out.Incarnation = b.Incarnation
	return nil
}

// Protection guards a branch against deletion and, in a whole space, against publishers.
type Protection struct {
	// Dataset is nil if the branch is protected in every dataset of the space.
	Dataset    *event.CatalogDataset
	Branch     string
	Publishers []string
	// Lifted says that the protection was taken away by the event at hand.
	Lifted bool
}

type protectionKey struct {
	dataset event.CatalogDataset // empty for the whole space
	branch  string
}

func keyOfProtection(d *event.CatalogDataset, branch string) protectionKey {
	if d == nil {
		return protectionKey{branch: branch}
	}
	return protectionKey{dataset: *d, branch: branch}
}

func (s *Space) protection(ds *Dataset, branch string) *Protection {
	if p := s.protections[protectionKey{dataset: ds.Ref, branch: branch}]; p != nil {
		return p
	}
	return s.protections[protectionKey{branch: branch}]
}

// Protected says whether the branch is protected.
func (s *Space) Protected(b *Branch) bool { return s.protection(b.Dataset, b.Name) != nil }

// Protections returns what is protected, those of the whole space first.
func (s *Space) Protections() []*Protection {
	keys := make([]protectionKey, 0, len(s.protections))
	for k := range s.protections {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		switch {
		case a.dataset.Namespace != b.dataset.Namespace:
			return a.dataset.Namespace < b.dataset.Namespace
		case a.dataset.Name != b.dataset.Name:
			return a.dataset.Name < b.dataset.Name
		}
		return a.branch < b.branch
	})
	list := make([]*Protection, len(keys))
	for i, k := range keys {
		list[i] = s.protections[k]
	}
	return list
}

func (f *fold) protect(d *event.BranchProtected) *Refusal {
	if r := checkBranchName(d.Branch); r != nil {
		return r
	}
	if d.Dataset != nil && f.datasets[*d.Dataset] == nil {
		return refuse(CodeDatasetNotFound, "there is no dataset %s", clip(Name(*d.Dataset)))
	}
	p := &Protection{Dataset: d.Dataset, Branch: d.Branch, Publishers: d.Publishers}
	f.protections[keyOfProtection(d.Dataset, d.Branch)] = p
	f.changes.Protections = append(f.changes.Protections, p)
	return nil
}

func (f *fold) unprotect(d *event.BranchUnprotected) *Refusal {
	key := keyOfProtection(d.Dataset, d.Branch)
	p := f.protections[key]
	if p == nil {
		return refuse(CodeBranchNotFound, "branch %s is not protected in that way", clip(d.Branch))
	}
	delete(f.protections, key)
	p.Lifted = true
	f.changes.Protections = append(f.changes.Protections, p)
	return nil
}
