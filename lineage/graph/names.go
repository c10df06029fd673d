package graph

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/name"
)

// ErrCollision says that two names have the same 64-bit id. The second one is
// refused, so that the two are never taken for one node.
var ErrCollision = errors.New("two names share an id")

// Star is the name of the column that stands for columns that are not known.
const Star = "*"

// names interns node keys and columns. It only grows. One goroutine adds,
// any number may read.
type names struct {
	keys    list[string]
	hashes  list[uint64]
	byHash  hashIndex
	columns list[column]
	colByID hashIndex
	// texts are the names of columns.
	texts   list[string]
	textIDs hashIndex
	// last holds, for each node, the column of it that was interned last, star
	// its column `*`, which stands for columns that are not known.
	last list[atomic.Uint32]
	star list[atomic.Uint32]
	// stars says that any node has a star.
	stars atomic.Bool
}

func (n *names) nodeHash(i uint32) uint64   { return *n.hashes.at(i) }
func (n *names) columnHash(i uint32) uint64 { return n.columns.at(i).hash }
func (n *names) textHash(i uint32) uint64   { return xxhash.Sum64String(*n.texts.at(i)) }

// byID gives the node of an id, and columnByID the column; NoID if there is
// none.
func (n *names) byID(id uint64) uint32 {
	return n.byHash.get(id, func(i uint32) bool { return *n.hashes.at(i) == id })
}

func (n *names) columnByID(id uint64) uint32 {
	return n.colByID.get(id, func(i uint32) bool { return n.columns.at(i).hash == id })
}

// find gives the node with a key, NoID if there is none.
func (n *names) find(key string) NodeID {
	i := n.byID(name.ID(key))
	if i == NoID || *n.keys.at(i) != key {
		return NodeID(NoID)
	}
	return NodeID(i)
}

// intern gives the node with a key, adding it if it is new. Errors wrap
// ErrCollision.
func (n *names) intern(key string) (NodeID, error) {
	return n.internHashed(name.ID(key), key)
}

func (n *names) internHashed(hash uint64, key string) (NodeID, error) {
	if i := n.byID(hash); i != NoID {
		if known := *n.keys.at(i); known != key {
			return NodeID(NoID), fmt.Errorf("%w: %q and %q", ErrCollision, known, key)
		}
		return NodeID(i), nil
	}
	n.hashes.add(hash)
	n.last.addZero().Store(NoID)
	n.star.addZero().Store(NoID)
	i := n.keys.add(key)
	n.byHash.put(hash, i, n.nodeHash)
	return NodeID(i), nil
}

// addZero appends a zero element and gives it for the writer to fill in
// before it is read.
func (l *list[T]) addZero() *T {
	var zero T
	return l.at(l.add(zero))
}

// key gives a node's key.
func (n *names) key(id NodeID) string { return *n.keys.at(uint32(id)) }

// column gives a column's node and name.
func (n *names) column(id ColumnID) (NodeID, string) {
	c := n.columns.at(uint32(id))
	return c.node, *n.texts.at(c.name)
}

// nodeOf gives a column's node.
func (n *names) nodeOf(id ColumnID) NodeID { return n.columns.at(uint32(id)).node }

// is reports whether a column is the one of a node with a name.
func (n *names) is(c *column, node NodeID, col string) bool {
	return c.node == node && *n.texts.at(c.name) == col
}

// text gives the number of a column's name, adding it if it is new.
func (n *names) text(col string) uint32 {
	hash := xxhash.Sum64String(col)
	if i := n.textIDs.get(hash, func(i uint32) bool { return *n.texts.at(i) == col }); i != NoID {
		return i
	}
	i := n.texts.add(strings.Clone(col)) // which may be part of a longer text
	n.textIDs.put(hash, i, n.textHash)
	return i
}

// sameColumn gives a column's name in the form that all its spellings share on
// the node's platform, which is the form of the names in here.
func sameColumn(key, col string) string { return platformOf(key).SameColumn(col) }

// platformOf gives the platform that says which names of a node's columns are
// one; of what is no dataset one on which none are.
func platformOf(key string) name.Platform {
	k, err := name.ParseKey(key)
	if err != nil || k.Family != name.FamilyDataset {
		return name.Platform{}
	}
	return name.PlatformOf(k.Namespace)
}

// findColumn gives a node's column by name, as its platform compares names;
// NoID if there is none.
func (n *names) findColumn(node NodeID, col string) ColumnID {
	key := n.key(node)
	col = sameColumn(key, col)
	i := n.columnByID(lineage.ID(key, col))
	if i == NoID {
		return ColumnID(NoID)
	}
	if !n.is(n.columns.at(i), node, col) {
		return ColumnID(NoID)
	}
	return ColumnID(i)
}

// internColumn gives a node's column, adding it if it is new. Errors wrap
// ErrCollision.
func (n *names) internColumn(node NodeID, col string) (ColumnID, error) {
	key := n.key(node)
	return n.internSame(key, node, sameColumn(key, col))
}

// internSame is internColumn for a name in the shared form, of a node whose key
// is at hand.
func (n *names) internSame(key string, node NodeID, col string) (ColumnID, error) {
	return n.internColumnHashed(lineage.ID(key, col), node, col)
}

// internColumnHashed is internColumn for a name in the shared form whose id is
// known.
func (n *names) internColumnHashed(hash uint64, node NodeID, col string) (ColumnID, error) {
	if i := n.columnByID(hash); i != NoID {
		if c := n.columns.at(i); !n.is(c, node, col) {
			return ColumnID(NoID), fmt.Errorf("%w: %s and %s", ErrCollision, name.ColumnKey(n.key(c.node), *n.texts.at(c.name)), name.ColumnKey(n.key(node), col))
		}
		return ColumnID(i), nil
	}
	last := n.last.at(uint32(node))
	i := n.columns.add(column{hash: hash, name: n.text(col), node: node, prev: last.Load()})
	n.colByID.put(hash, i, n.columnHash)
	last.Store(i)
	if col == Star {
		n.star.at(uint32(node)).Store(i)
		n.stars.Store(true)
	}
	return ColumnID(i), nil
}

// eachColumn calls f for each column that was ever named of a node, the
// latest first.
func (n *names) eachColumn(node NodeID, f func(ColumnID)) {
	for i := n.last.at(uint32(node)).Load(); i != NoID; i = n.columns.at(i).prev {
		f(ColumnID(i))
	}
}
