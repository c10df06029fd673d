package graph

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tributary-data/tributary/schemas/name"
)

// searchChunk is a run of node names in lower case, each followed by a line
// break, with where each begins. Chunks are appended to by the writer; what a
// reader was given does not change.
type searchChunk struct {
	first NodeID
	text  []byte
	start []uint32
}

// searchChunkBytes is the size at which a new chunk is begun. It is what one
// goroutine takes at a time.
const searchChunkBytes = 1 << 20

// searchable gives the part of a key that people search, in lower case.
func searchable(key string) string {
	rest := key[strings.IndexByte(key, '|')+1:]
	rest = rest[strings.IndexByte(rest, '|')+1:]
	return strings.ReplaceAll(strings.ToLower(rest), "\n", " ")
}

// indexNames adds the names of nodes interned since the last batch.
func (b *Batch) indexNames() {
	from := NodeID(b.next.indexed)
	n := b.g.names.keys.len()
	if uint32(from) == n {
		return
	}
	chunks := slices.Clone(b.next.search)
	for id := from; uint32(id) < n; id++ {
		if last := len(chunks) - 1; last < 0 || len(chunks[last].text) >= searchChunkBytes {
			chunks = append(chunks, searchChunk{first: id})
		}
		c := &chunks[len(chunks)-1]
		c.start = append(c.start, uint32(len(c.text)))
		c.text = append(append(c.text, searchable(b.g.names.key(id))...), '\n')
	}
	b.next.search, b.next.indexed = chunks, n
}

// Hit is a node that was found.
type Hit struct {
	ID    NodeID
	Score int
	name  string
}

// Scores of hits, best first: the whole name, its last part, the beginning of
// the last part, of any part, of any word, anywhere.
const (
	scoreWhole  = 100
	scoreLast   = 90
	scorePrefix = 70
	scorePart   = 50
	scoreWord   = 30
	scoreInside = 10
)

// Search finds nodes whose name has the text in it, whatever its case, best
// first: by score, then the shorter name, then by the name. keep says which
// are wanted; nil all. more says that there are further hits.
func (v *View) Search(text string, limit int, keep func(NodeID) bool) (hits []Hit, more bool) {
	needle := []byte(strings.ToLower(strings.TrimSpace(text)))
	if len(needle) == 0 {
		return nil, false
	}
	const workers = 2
	found := make([]hitHeap, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			found[w].limit = limit + 1
			for i := w; i < len(v.search); i += workers {
				v.searchChunk(&v.search[i], needle, &found[w], keep)
			}
		})
	}
	wg.Wait()
	seen := map[NodeID]bool{}
	all := slices.Concat(found[0].hits, found[1].hits)
	slices.SortFunc(all, func(a, b Hit) int { return b.better(a) })
	for _, h := range all {
		if seen[h.ID] {
			continue
		}
		if len(hits) == limit {
			return hits, true
		}
		seen[h.ID] = true
		hits = append(hits, h)
	}
	return hits, false
}

func (v *View) searchChunk(c *searchChunk, needle []byte, found *hitHeap, keep func(NodeID) bool) {
	at := 0 // index of a name at or before the last hit that was kept
	for pos := 0; ; {
		i := bytes.Index(c.text[pos:], needle)
		if i < 0 {
			return
		}
		pos += i
		begin := bytes.LastIndexByte(c.text[:pos], '\n') + 1
		end := pos + bytes.IndexByte(c.text[pos:], '\n')
		h := Hit{Score: score(c.text[begin:end], needle)}
		pos = end + 1
		if found.beneath(h.Score, end-begin) {
			continue
		}
		at += indexOf(c.start[at:], uint32(begin))
		if h.ID = c.first + NodeID(at); uint32(h.ID) >= v.nodes {
			continue
		}
		h.name = string(c.text[begin:end])
		h.ID = v.Canonical(h.ID)
		if v.Sees(h.ID) && (keep == nil || keep(h.ID)) {
			found.offer(h)
		}
	}
}

// indexOf gives the index of the last start that is not after pos. It steps
// before it halves, since the next hit is often near.
func indexOf(start []uint32, pos uint32) int {
	step := 1
	for step < len(start) && start[step] <= pos {
		step *= 2
	}
	low := step / 2
	i, found := slices.BinarySearch(start[low:min(step, len(start))], pos)
	if !found {
		i--
	}
	return low + i
}

// score says how well a name fits a text that is in it.
func score(n, needle []byte) int {
	if len(n) == len(needle) {
		return scoreWhole
	}
	last := bytes.LastIndexByte(n, '.') + 1
	if bytes.HasPrefix(n[last:], needle) {
		if len(n)-last == len(needle) {
			return scoreLast
		}
		return scorePrefix
	}
	best := scoreInside
	for pos := 0; ; {
		i := bytes.Index(n[pos:], needle)
		if i < 0 {
			return best
		}
		i += pos
		switch {
		case i == 0 || n[i-1] == '.' || n[i-1] == '/':
			return scorePart
		case n[i-1] == '_' || n[i-1] == '-' || n[i-1] == ' ':
			best = scoreWord
		}
		pos = i + 1
	}
}

// better is positive if h is a better hit than o.
func (h Hit) better(o Hit) int {
	return cmp.Or(cmp.Compare(h.Score, o.Score), cmp.Compare(len(o.name), len(h.name)), cmp.Compare(o.name, h.name), cmp.Compare(o.ID, h.ID))
}

// hitHeap keeps the best hits, the worst of them on top.
type hitHeap struct {
	hits  []Hit
	limit int
}

func (h *hitHeap) Len() int           { return len(h.hits) }
func (h *hitHeap) Less(i, j int) bool { return h.hits[i].better(h.hits[j]) < 0 }
func (h *hitHeap) Swap(i, j int)      { h.hits[i], h.hits[j] = h.hits[j], h.hits[i] }

// Push and Pop are for container/heap, which is only used to keep order: hits
// are added and the top is replaced by offer.
func (h *hitHeap) Push(any) {}

// Pop takes nothing away.
func (h *hitHeap) Pop() any { return nil }

// beneath reports whether a hit of a score and length is no better than all
// that are kept, and need not be made.
func (h *hitHeap) beneath(score, length int) bool {
	if len(h.hits) < h.limit {
		return false
	}
	top := &h.hits[0]
	return score < top.Score || score == top.Score && length > len(top.name)
}

func (h *hitHeap) offer(hit Hit) {
	if slices.ContainsFunc(h.hits, func(o Hit) bool { return o.ID == hit.ID }) {
		return // another name of the same node
	}
	if len(h.hits) < h.limit {
		h.hits = append(h.hits, hit)
		heap.Fix(h, len(h.hits)-1)
		return
	}
	if hit.better(h.hits[0]) > 0 {
		h.hits[0] = hit
		heap.Fix(h, 0)
	}
}

// Near gives keys like one that was not found, for people who mistyped: names
// that have its last part in them, else those within a few edits of it.
func (v *View) Near(text string, limit int) []string {
	if k, err := name.ParseKey(text); err == nil {
		text = k.Name
	}
	last := text[strings.LastIndexByte(text, '.')+1:]
	hits, _ := v.Search(last, limit, nil)
	if len(hits) == 0 {
		hits = v.nearByEdits(strings.ToLower(last), limit)
	}
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = v.g.names.key(h.ID)
	}
	return out
}

// maxNearScan bounds the names that are compared one by one.
const maxNearScan = 200_000

func (v *View) nearByEdits(word string, limit int) []Hit {
	best := hitHeap{limit: limit}
	scanned := 0
	for i := range v.search {
		c := &v.search[i]
		for at := range c.start {
			if scanned++; scanned > maxNearScan {
				break
			}
			end := len(c.text)
			if at+1 < len(c.start) {
				end = int(c.start[at+1])
			}
			n := string(c.text[c.start[at] : end-1])
			id := v.Canonical(c.first + NodeID(at))
			last := n[strings.LastIndexByte(n, '.')+1:]
			if d := edits(word, last, 3); d <= 3 && d < len(word) && uint32(id) < v.nodes && v.Sees(id) {
				best.offer(Hit{ID: id, Score: -d, name: n})
			}
		}
	}
	slices.SortFunc(best.hits, func(a, b Hit) int { return b.better(a) })
	return best.hits
}

// edits gives the least number of insertions, deletions and replacements that
// make a of b; any number above most if it is more.
func edits(a, b string, most int) int {
	if abs(len(a)-len(b)) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
			least = min(least, cost)
		}
		if least > most {
			return most + 1
		}
	}
	return row[len(b)]
}

func abs(n int) int { return max(n, -n) }

// SearchColumns finds columns whose name has the text in it, whatever its
// case: whole names first, then shorter ones. It looks at names until the
// context ends. more says that there may be further hits.
func (v *View) SearchColumns(ctx context.Context, text string, limit int, keep func(NodeID) bool) (hits []ColumnID, more bool) {
	needle := strings.ToLower(strings.TrimSpace(text))
	best := hitHeap{limit: limit + 1}
	for id := range v.columns {
		if id%checkEvery == 0 && ctx.Err() != nil {
			more = true
			break
		}
		_, text := v.g.names.column(ColumnID(id))
		if len(text) < len(needle) || best.beneath(len(needle)-len(text), len(text)) || !containsFold(text, needle) {
			continue
		}
		canonical := v.canonicalColumn(ColumnID(id))
		node, col := v.ColumnName(canonical)
		if uint32(canonical) == id && v.Sees(node) && (keep == nil || keep(node)) {
			best.offer(Hit{ID: NodeID(id), Score: len(needle) - len(col), name: col})
		}
	}
	slices.SortFunc(best.hits, func(a, b Hit) int { return b.better(a) })
	for _, h := range best.hits {
		if len(hits) == limit {
			return hits, true
		}
		if v.isLive(ColumnID(h.ID)) {
			hits = append(hits, ColumnID(h.ID))
		}
	}
	return hits, more
}

// containsFold reports whether s has a text in lower case in it, whatever the
// case of s.
func containsFold(s, needle string) bool {
	return strings.Contains(s, needle) || strings.Contains(strings.ToLower(s), needle)
}
