package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

// The invariants of branches and transactions. The model is compared as a whole in TestModel; here each
// rule is checked by itself.

func TestModel(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		require.Equal(w.t, w.model.String(), picture(w.space()))
		if !out.Accepted() {
			require.Equal(w.t, w.before.picture, picture(w.space()), "a refusal changes nothing")
		}
	})
}

// 1. A branch's history holds at most one OPEN transaction, and it is the newest.
func TestInvariant01(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, b := range w.living() {
			at := 0
			b.History(func(x *Transaction) bool {
				require.True(w.t, x.State == Committed || x.State == Open && at == 0)
				at++
				return true
			})
		}
	})
}

// 2. Starting on an OPEN head is refused and changes nothing.
func TestInvariant02(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		d, ok := e.Data.(*event.TransactionOpened)
		if !ok || out.Repeat {
			return
		}
		for b, x := range w.before.heads {
			if b.Dataset.Ref == d.Dataset && b.Name == d.Branch && x != nil && x.Opened < e.Offset && w.before.closed[x] == "" {
				require.False(w.t, out.Accepted())
				require.Equal(w.t, w.before.picture, picture(w.space()))
			}
		}
	})
}

// 3. A closed transaction never changes state, files or schema.
func TestInvariant03(t *testing.T) {
	checkChange(t, func(w *walk, _ *Event, _ Outcome) {
		for x, was := range w.before.closed {
			require.Equal(w.t, was, closedText(x))
		}
	})
}

// 4. Along a branch: start₁ < close₁ < start₂ < … in log order.
func TestInvariant04(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, b := range w.living() {
			b.History(func(x *Transaction) bool {
				require.True(w.t, x.Closed < 0 || x.Opened < x.Closed)
				// One event may close a transaction and open the next: the queue goes on in it.
				require.True(w.t, x.Previous == nil || x.Previous.Closed <= x.Opened && x.Previous.Opened < x.Opened)
				return true
			})
		}
	})
}

// 5. A head is never ABORTED.
func TestInvariant05(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, b := range w.living() {
			require.True(w.t, b.Head == nil || b.Head.State != Aborted)
		}
	})
}

// 6. Abort leaves every view exactly as it was before the start.
func TestInvariant06(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		for _, x := range w.state.Changes().Transactions {
			if x.State != Aborted || x.Closed != e.Offset {
				continue
			}
			for _, c := range w.state.Changes().History {
				if c.Cause == BranchAborted && c.Branch.Living() && c.Branch.Dataset == x.Dataset {
					require.Equal(w.t, w.before.views[c.Branch], paths(ViewFromScratch(c.Branch.Committed())))
				}
			}
		}
	})
}

// 7. Committing t changes the views of exactly those branches whose history contains t.
func TestInvariant07(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, _ Outcome) {
		var committed []*Transaction
		for _, x := range w.state.Changes().Transactions {
			if x.State == Committed && x.Closed == e.Offset {
				committed = append(committed, x)
			}
		}
		for b, was := range w.before.views {
			if !b.Living() {
				continue
			}
			contains := false
			for _, x := range committed {
				contains = contains || slices.Contains(historyOf(b), x)
			}
			if !contains {
				require.Equal(w.t, was, paths(ViewOf(b.Committed())))
			} else {
				require.True(w.t, slices.Contains(committed, b.Committed()))
			}
		}
	})
}

func historyOf(b *Branch) []*Transaction {
	var list []*Transaction
	b.History(func(x *Transaction) bool { list = append(list, x); return true })
	return list
}

// 8. The incremental view equals the view folded from scratch, for every branch and position.
func TestInvariant08(t *testing.T) {
	check(t, func(w *walk, e *Event, _ Outcome) {
		for _, b := range w.living() {
			view, scratch := ViewOf(b.Committed()), ViewFromScratch(b.Committed())
			require.Equal(w.t, paths(scratch), paths(view))
			require.Equal(w.t, [3]int64{scratch.Files, scratch.Rows, scratch.Bytes}, [3]int64{view.Files, view.Rows, view.Bytes})
			require.Equal(w.t, scratch.Base, view.Base)
			at := int64(w.dice.roll(int(e.Offset) + 1))
			var want *Transaction
			for _, x := range historyOf(b) {
				if want == nil && x.State == Committed && x.Closed <= at {
					want = x
				}
			}
			require.Equal(w.t, want, b.CommittedAt(at))
			require.Equal(w.t, paths(ViewFromScratch(want)), paths(ViewOf(want)))
		}
	})
}

// 9. APPEND over an existing path never commits.
func TestInvariant09(t *testing.T) {
	check(t, func(w *walk, e *Event, _ Outcome) {
		for _, x := range w.state.Changes().Transactions {
			if x.State == Committed && x.Closed == e.Offset && x.Type == Append {
				below := strings.Fields(paths(ViewFromScratch(x.Previous)))
				for _, f := range x.Put {
					require.NotContains(w.t, below, f.Path)
				}
			}
		}
	})
}

// 10. A child's head at creation equals what it was created from; moving either afterwards leaves the
// other, but for the end of an OPEN transaction that they share.
func TestInvariant10(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		for _, c := range w.state.Changes().History {
			if c.Cause != BranchMade {
				continue
			}
			d, byPerson := e.Data.(*event.BranchCreated)
			switch {
			case c.Build != nil && c.Parent != nil:
				require.True(w.t, c.Branch.Start == nil || c.Branch.Start.State == Committed)
				require.True(w.t, slices.Contains(append(historyOf(c.Parent), nil), c.Branch.Start))
			case byPerson && d.FromTransaction != "":
				require.Equal(w.t, d.FromTransaction, c.Branch.Head.ID.String())
			case byPerson && c.Parent != nil:
				require.Equal(w.t, c.Parent.Head, c.Branch.Head)
			}
		}
		moved := 0
		for b, was := range w.before.heads {
			if b.Living() && b.Head != was && (was == nil || w.before.closed[was] != "") {
				moved++ // a branch that moved without the end of an OPEN transaction
				require.NotNil(w.t, b.Head)
				require.True(w.t, startedOn(w, b), "only its own start moves a branch")
			}
		}
	})
}

func startedOn(w *walk, b *Branch) bool {
	for _, c := range w.state.Changes().History {
		if c.Branch == b && c.Cause == BranchStarted {
			return true
		}
	}
	return false
}

// 11. Branches that share an OPEN head cannot start until it closes.
func TestInvariant11(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, _ Outcome) {
		for _, c := range w.state.Changes().History {
			if c.Cause != BranchStarted {
				continue
			}
			if was := w.before.heads[c.Branch]; was != nil && w.before.closed[was] == "" {
				require.NotEqual(w.t, Open, was.State)
				require.Equal(w.t, e.Offset, was.Closed)
			}
		}
	})
}

// 12. The parent record is a forest; a non-root branch has exactly one living parent.
func TestInvariant12(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, b := range w.living() {
			steps := 0
			for p := b.Parent; p != nil; p = p.Parent {
				require.True(w.t, p.Living())
				require.Equal(w.t, b.Dataset, p.Dataset)
				require.Equal(w.t, p, b.Dataset.Branches[p.Name])
				steps++
				require.Less(w.t, steps, 10)
			}
			if b.Parent != nil {
				require.True(w.t, slices.Contains(b.Parent.Children(), b))
			}
			for _, c := range b.Children() {
				require.Equal(w.t, b, c.Parent)
			}
		}
	})
}

// 13. Delete re-parents children to the parent or makes them roots; no head, transaction or view
// changes, but for an OPEN transaction that lost its last pointer.
func TestInvariant13(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		if _, ok := e.Data.(*event.BranchDeleted); !ok || !out.Accepted() || out.Repeat {
			return
		}
		var gone *Branch
		for _, c := range w.state.Changes().History {
			if c.Cause == BranchRemoved && c.Build == nil {
				gone = c.Branch
			}
		}
		for _, c := range w.state.Changes().History {
			if c.Cause == BranchReparented && c.Build == nil {
				require.Same(w.t, gone.Parent, c.Branch.Parent)
			}
		}
		for b, view := range w.before.views {
			if b.Living() {
				require.Equal(w.t, view, paths(ViewOf(b.Committed())))
				require.True(w.t, b.Head == w.before.heads[b] || startedOn(w, b))
			}
		}
		for x, was := range w.before.closed {
			require.Equal(w.t, was, closedText(x))
		}
	})
}

// 14. Deleting every branch deletes no transaction.
func TestInvariant14(t *testing.T) {
	checkWalk(t, nil, nil, func(w *walk) {
		count := len(w.space().Transactions())
		closed := w.look().closed
		for _, b := range w.living() {
			for _, d := range []*event.CatalogDataset{nil, &b.Dataset.Ref} {
				w.do(event.TypeBranchUnprotected, &event.BranchUnprotected{CatalogHead: head(), Dataset: d, Branch: b.Name})
			}
			if b.Living() && b.Dataset.Branches[b.Name] == b {
				w.do(event.TypeBranchDeleted, &event.BranchDeleted{CatalogHead: head(), Dataset: b.Dataset.Ref, BranchHandle: event.BranchHandle{Branch: b.Name}})
			}
		}
		require.GreaterOrEqual(w.t, len(w.space().Transactions()), count)
		for x, was := range closed {
			require.Equal(w.t, was, closedText(x))
			require.Equal(w.t, x, w.space().Transaction(x.ID.String()))
		}
	})
}

// 15. An old incarnation's handle never resolves.
func TestInvariant15(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, d := range w.space().Datasets {
			for _, b := range d.All {
				found, r := d.Branch(event.BranchHandle{Branch: b.Name, Incarnation: b.Incarnation})
				if b.Living() {
					require.Equal(w.t, b, found)
				} else {
					require.Equal(w.t, CodeStaleBranch, r.Code)
				}
			}
		}
	})
}

// 16. Names are unique in a dataset; an invalid one is refused.
func TestInvariant16(t *testing.T) {
	check(t, func(w *walk, e *Event, out Outcome) {
		for _, d := range w.space().Datasets {
			names := map[string]bool{}
			for _, b := range d.All {
				if b.Living() {
					require.False(w.t, names[b.Name])
					names[b.Name] = true
					require.Equal(w.t, b, d.Branches[b.Name])
				}
			}
			require.Len(w.t, d.Branches, len(names))
		}
		if d, ok := e.Data.(*event.BranchCreated); ok && !slices.Contains(walkBranches, d.Branch) {
			require.False(w.t, out.Accepted())
		}
	})
}
