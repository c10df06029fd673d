package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// mergeBranch adds one more branch of a set operation to the columns so far.
func (r *resolver) mergeBranch(rel, branch *relation, b ir.SetBranch) {
	if b.Op == ir.SetExcept {
		for _, v := range branch.cols {
			if v.star != nil {
				v = r.wholeOf(v.star)
			}
			addCondition(&rel.conds, v, steerFilter)
		}
		return
	}
	for i, v := range branch.cols {
		if i >= len(rel.cols) {
			break
		}
		if v.star != nil {
			v = r.wholeOf(v.star)
		}
		if rel.cols[i].star != nil {
			r.wholeOf(rel.cols[i].star).direct(v, passIdentity)
			continue
		}
		rel.cols[i].direct(v, passIdentity)
	}
}

// setOp evaluates a flat chain of set operations.
func (r *resolver) setOp(op *ir.SetOp, outer *scope) *relation {
	rels := r.mem.relationList.Room(len(op.Branches))
	for _, b := range op.Branches {
		if r.stop() {
			return &relation{}
		}
		rels = append(rels, r.query(b.Query, outer))
	}
	return r.combined(rels, op)
}

// combined are the rows of a set operation over relations, of its branches.
func (r *resolver) combined(rels []*relation, op *ir.SetOp) *relation {
	byName, open := false, false
	for i, branch := range rels {
		byName = byName || op.Branches[i].ByName
		open = open || firstStar(branch) < len(branch.cols) || branch.make != nil
	}
	rel := r.newRelation(len(rels[0].cols), len(rels))
	rel.deps = append(rel.deps, rels...)
	rel.deps = slices.Compact(rel.deps)
	if byName {
		r.unionByName(rel, rels, op)
		return rel
	}
	if open {
		r.openUnion(rel, rels, op)
		return rel
	}
	r.closedUnion(rel, rels, op)
	return rel
}

// closedUnion matches columns by position where all are known. Branches with the
// very same columns count once.
func (r *resolver) closedUnion(rel *relation, rels []*relation, op *ir.SetOp) {
	first := rels[0]
	for _, c := range first.cols {
		v := r.newValueOf(c.name, c.key, c.at, min(len(rels), fewNames))
		v.direct(c, passIdentity)
		v.parts = c.parts
		rel.cols = append(rel.cols, v)
	}
	var seen map[*value]bool
	if len(rels) > fewNames && len(first.cols) > 0 {
		seen = map[*value]bool{first.cols[0]: true}
	}
	for i, b := range rels[1:] {
		if r.stop() {
			return
		}
		if op.Branches[i+1].Op != ir.SetExcept && len(b.cols) == len(first.cols) && sameColumns(b, rels[:i+1], seen) {
			continue
		}
		r.steps += len(b.cols) / 8
		r.mergeBranch(rel, b, op.Branches[i+1])
	}
}

// sameColumns reports whether a branch has exactly the columns of an earlier one. seen,
// if there are many, are the first columns of those.
func sameColumns(b *relation, before []*relation, seen map[*value]bool) bool {
	if len(b.cols) == 0 {
		return false
	}
	if seen != nil && !seen[b.cols[0]] {
		seen[b.cols[0]] = true
		return false
	}
	for _, o := range before {
		if len(o.cols) == len(b.cols) && &o.cols[0] == &b.cols[0] {
			return true
		}
	}
	return false
}

// openUnion is a union where some branch has a symbolic star: names pass through
// it, to each branch by name.
func (r *resolver) openUnion(rel *relation, rels []*relation, op *ir.SetOp) {
	if rels[0].make == nil && firstStar(rels[0]) == len(rels[0].cols) {
		// The first branch names all columns; what stars hold reaches any of them.
		for _, c := range rels[0].cols {
			v := r.newValue(c.name, c.key, c.at)
			v.direct(c, passIdentity)
			rel.cols = append(rel.cols, v)
		}
		for i, b := range rels[1:] {
			r.mergeNamed(rel, b, op.Branches[i+1])
		}
		return
	}
	whole := r.newValue("*", "*", 0)
	union := &relation{}
	union.make = func(id ir.Ident, key string) *value {
		shown := r.shown(id)
		v := r.newValue(shown, key, id.Start)
		for i, b := range rels {
			if i > 0 && op.Branches[i].Op == ir.SetExcept {
				continue
			}
			v.direct(r.columnOf(b, id, key), passIdentity)
		}
		return v
	}
	for i, b := range rels {
		except := i > 0 && op.Branches[i].Op == ir.SetExcept
		for _, c := range b.cols {
			if c.star != nil {
				c = r.wholeOf(c.star)
			}
			if except {
				addCondition(&rel.conds, c, steerFilter)
			} else {
				whole.direct(c, passIdentity)
			}
		}
	}
	rel.cols = []*value{r.newStar(&star{of: union, whole: whole})}
}

// mergeNamed adds a branch with a star to columns that are named.
func (r *resolver) mergeNamed(rel, b *relation, branch ir.SetBranch) {
	at := firstStar(b)
	if at == len(b.cols) && b.make == nil {
		r.mergeBranch(rel, b, branch)
		return
	}
	for i, v := range rel.cols {
		if i < at {
			v.direct(b.cols[i], passIdentity)
			continue
		}
		if c := r.columnOf(b, ir.Ident{Name: v.name, Quote: '"'}, v.key); c != nil {
			v.direct(c, passIdentity)
		}
	}
}

// keptByName lists the columns that stay when columns are matched by name: all, those
// that are listed, or those that no branch is known to lack.
func (r *resolver) keptByName(cols []*value, rels []*relation, op *ir.SetOp) []*value {
	for i := range op.Branches {
		b := &op.Branches[i]
		if len(b.By) == 0 && !b.Common && !b.Left {
			continue
		}
		listed := make(map[string]bool, len(b.By))
		for _, id := range b.By {
			listed[r.identKey(id)] = true
		}
		kept := cols[:0:0]
		for _, c := range cols {
			switch {
			case c.star != nil, listed[c.key]:
				kept = append(kept, c)
			case b.Left && len(b.By) == 0 && rels[0].holds(c.key) != holdsNo:
				kept = append(kept, c)
			case b.Common && len(b.By) == 0 && rels[0].holds(c.key) != holdsNo && rels[i].holds(c.key) != holdsNo:
				kept = append(kept, c)
			}
		}
		cols = kept
	}
	return cols
}

// unionByName matches columns by name.
func (r *resolver) unionByName(rel *relation, rels []*relation, op *ir.SetOp) {
	defer func() { rel.cols, rel.index = r.keptByName(rel.cols, rels, op), nil }()
	for i, b := range rels {
		except := i > 0 && op.Branches[i].Op == ir.SetExcept
		for _, c := range b.cols {
			if c.star != nil {
				if at := firstStar(rel); at < len(rel.cols) {
					r.wholeOf(rel.cols[at].star).direct(r.wholeOf(c.star), passIdentity)
				} else {
					rel.cols = append(rel.cols, r.newStar(&star{of: b, whole: r.wholeOf(c.star)}))
				}
				continue
			}
			if except {
				addCondition(&rel.conds, c, steerFilter)
				continue
			}
			at := rel.find(c.key)
			if at < 0 {
				at = len(rel.cols)
				rel.add(r.newValue(c.name, c.key, c.at))
			}
			rel.cols[at].direct(c, passIdentity)
		}
	}
}
