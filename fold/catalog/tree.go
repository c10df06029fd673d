package catalog

import (
	"hash/maphash"

	"github.com/tributary-data/tributary/schemas/event"
)

// node is a node of a persistent treap of files, ordered by path. A change copies the nodes on its way
// and shares the rest, so the view of every branch costs only what it differs in.
type node struct {
	file        *event.File
	left, right *node
	priority    uint64
}

// prioritySeed differs from process to process, so that no choice of paths makes a tree deep. The shape
// of a tree is not visible in anything that the fold answers.
var prioritySeed = maphash.MakeSeed()

// treeFind returns the file at a path, or nil.
func treeFind(n *node, path string) *event.File {
	for n != nil {
		switch {
		case path < n.file.Path:
			n = n.left
		case path > n.file.Path:
			n = n.right
		default:
			return n.file
		}
	}
	return nil
}

// treePut returns the tree with f in it, in the place of a file of the same path.
func treePut(n *node, f *event.File) *node {
	return treeInsert(n, f, maphash.String(prioritySeed, f.Path))
}

func treeInsert(n *node, f *event.File, priority uint64) *node {
	if n == nil {
		return &node{file: f, priority: priority}
	}
	if priority > n.priority {
		left, right := treeSplit(n, f.Path)
		return &node{file: f, left: left, right: right, priority: priority}
	}
	c := *n
	switch {
	case f.Path < n.file.Path:
		c.left = treeInsert(n.left, f, priority)
	case f.Path > n.file.Path:
		c.right = treeInsert(n.right, f, priority)
	default:
		c.file = f
	}
	return &c
}

// treeSplit returns the files below and above a path that is not in the tree.
func treeSplit(n *node, path string) (below, above *node) {
	if n == nil {
		return nil, nil
	}
	c := *n
	if n.file.Path < path {
		c.right, above = treeSplit(n.right, path)
		return &c, above
	}
	below, c.left = treeSplit(n.left, path)
	return below, &c
}

// treeDelete returns the tree without a path that is in it.
func treeDelete(n *node, path string) *node {
	if n == nil {
		return nil
	}
	if path == n.file.Path {
		return treeMerge(n.left, n.right)
	}
	c := *n
	if path < n.file.Path {
		c.left = treeDelete(n.left, path)
	} else {
		c.right = treeDelete(n.right, path)
	}
	return &c
}

func treeMerge(below, above *node) *node {
	switch {
	case below == nil:
		return above
	case above == nil:
		return below
	case below.priority > above.priority:
		c := *below
		c.right = treeMerge(below.right, above)
		return &c
	}
	c := *above
	c.left = treeMerge(below, above.left)
	return &c
}

// treeWalk calls fn with the files whose path is greater than after, in order, until it returns false.
func treeWalk(n *node, after string, fn func(*event.File) bool) bool {
	if n == nil {
		return true
	}
	if n.file.Path > after {
		if !treeWalk(n.left, after, fn) || !fn(n.file) {
			return false
		}
	}
	return treeWalk(n.right, after, fn)
}
