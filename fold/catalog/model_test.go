package catalog

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
)

// model is the reference: the rules of branches and transactions written once more, with nothing but
// lists that are searched from end to end. What builds do comes to it as single steps, each of which it
// checks by its own rules.
type model struct {
	datasets []*modelDataset
	txs      []*modelTx
	guarded  map[string]bool // dataset name (or nothing) + "/" + branch
	swept    int64
}

type modelDataset struct {
	name     string
	branches []*modelBranch // all incarnations
}

type modelBranch struct {
	name    string
	number  int
	parent  *modelBranch
	head    *modelTx
	deleted int64 // -1 while it lives
}

type modelTx struct {
	id, dataset string
	branch      *modelBranch
	before      *modelTx
	typ, state  string
	job         bool
	put         []string
	del         []string
}

func newModel() *model { return &model{guarded: map[string]bool{}, swept: -1} }

func (m *model) dataset(name string) *modelDataset {
	for _, d := range m.datasets {
		if d.name == name {
			return d
		}
	}
	return nil
}

func (d *modelDataset) living(name string) *modelBranch {
	for _, b := range d.branches {
		if b.name == name && b.deleted < 0 {
			return b
		}
	}
	return nil
}

func (m *model) tx(id string) *modelTx {
	for _, t := range m.txs {
		if t.id == id {
			return t
		}
	}
	return nil
}

// find looks a branch up by name and incarnation, and gives the code if there is none.
func (m *model) find(dataset, name string, number int) (*modelBranch, string) {
	d := m.dataset(dataset)
	if d == nil {
		return nil, "DatasetNotFound"
	}
	b := d.living(name)
	if number == 0 {
		if b == nil {
			return nil, "BranchNotFound"
		}
		return b, ""
	}
	if b != nil && b.number == number {
		return b, ""
	}
	for _, old := range d.branches {
		if old.name == name && old.number == number {
			return nil, "StaleBranch"
		}
	}
	return nil, "BranchNotFound"
}

func (t *modelTx) history() []*modelTx {
	var list []*modelTx
	for ; t != nil; t = t.before {
		list = append(list, t)
	}
	return list
}

// view folds a history from scratch: the committed transactions from the latest SNAPSHOT on.
func (b *modelBranch) view() string {
	content := map[string]bool{}
	for _, t := range slices.Backward(b.head.history()) {
		if t.state != "COMMITTED" {
			continue
		}
		if t.typ == "SNAPSHOT" {
			content = map[string]bool{}
		}
		for _, p := range t.put {
			content[p] = true
		}
		for _, p := range t.del {
			delete(content, p)
		}
	}
	var list []string
	for p := range content {
		list = append(list, p)
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}

func (m *model) pointing(t *modelTx) []*modelBranch {
	var list []*modelBranch
	for _, d := range m.datasets {
		for _, b := range d.branches {
			if b.deleted < 0 && b.head == t {
				list = append(list, b)
			}
		}
	}
	return list
}

// apply judges an event that is not about builds, and gives the code of its refusal.
func (m *model) apply(e *Event) string {
	switch d := e.Data.(type) {
	case *event.DatasetCreated:
		if m.dataset(d.Dataset.Name) != nil {
			return "DatasetExists"
		}
		m.datasets = append(m.datasets, &modelDataset{name: d.Dataset.Name})
	case *event.BranchCreated:
		return m.create(d)
	case *event.BranchDeleted:
		return m.delete(d, e.Offset)
	case *event.BranchRestored:
		return m.restore(d)
	case *event.BranchProtected:
		m.guarded[guardKey(d.Dataset, d.Branch)] = true
	case *event.BranchUnprotected:
		if !m.guarded[guardKey(d.Dataset, d.Branch)] {
			return "BranchNotFound"
		}
		delete(m.guarded, guardKey(d.Dataset, d.Branch))
	case *event.RetentionSwept:
		m.swept = e.Offset
	case *event.TransactionOpened:
		return m.open(d)
	case *event.TransactionFilesAdded:
		return m.addFiles(d)
	case *event.TransactionCommitted:
		return m.commit(d)
	case *event.TransactionAborted:
		t, code := m.openTx(d.Transaction)
		if code != "" {
			return code
		}
		m.abort(t)
	}
	return ""
}

func guardKey(d *event.CatalogDataset, branch string) string {
	if d == nil {
		return "/" + branch
	}
	return d.Name + "/" + branch
}

func (m *model) create(d *event.BranchCreated) string {
	ds := m.dataset(d.Dataset.Name)
	if ds == nil {
		return "DatasetNotFound"
	}
	if d.Branch == "" || strings.TrimSpace(d.Branch) != d.Branch || strings.ContainsAny(d.Branch, "\n\t\x00") || len(d.Branch) == 36 {
		return "InvalidBranchName"
	}
	if ds.living(d.Branch) != nil {
		return "BranchExists"
	}
	var parent *modelBranch
	if d.Parent != nil {
		var code string
		if parent, code = m.find(ds.name, d.Parent.Branch, d.Parent.Incarnation); code == "BranchNotFound" {
			return "ParentNotFound"
		} else if code != "" {
			return code
		}
	}
	var at *modelTx
	switch {
	case d.FromTransaction != "":
		at = m.tx(d.FromTransaction)
		if at == nil || at.dataset != ds.name || at.state == "ABORTED" {
			return "TransactionNotFound"
		}
		if parent != nil && !slices.Contains(parent.head.history(), at) {
			return "NotInHistory"
		}
		if parent == nil && at.branch.deleted < 0 {
			parent = at.branch
		}
	case parent != nil:
		at = parent.head
	}
	ds.add(d.Branch, parent, at)
	return ""
}

func (d *modelDataset) add(name string, parent *modelBranch, at *modelTx) *modelBranch {
	number := 1
	for _, b := range d.branches {
		if b.name == name {
			number++
		}
	}
	b := &modelBranch{name: name, number: number, parent: parent, head: at, deleted: -1}
	d.branches = append(d.branches, b)
	return b
}

func (m *model) delete(d *event.BranchDeleted, offset int64) string {
	b, code := m.find(d.Dataset.Name, d.Branch, d.Incarnation)
	switch {
	case code != "":
		return code
	case m.guarded["/"+b.name] || m.guarded[d.Dataset.Name+"/"+b.name]:
		return "BranchProtected"
	case b.head != nil && b.head.state == "OPEN" && b.head.job && b.head.branch == b:
		return "BranchInUse"
	}
	m.remove(b, offset)
	return ""
}

func (m *model) remove(b *modelBranch, offset int64) {
	b.deleted = offset
	for _, d := range m.datasets {
		for _, c := range d.branches {
			if c.deleted < 0 && c.parent == b {
				c.parent = b.parent
			}
		}
	}
	if t := b.head; t != nil && t.state == "OPEN" && len(m.pointing(t)) == 0 {
		t.state = "ABORTED"
	}
}

func (m *model) restore(d *event.BranchRestored) string {
	ds := m.dataset(d.Dataset.Name)
	if ds == nil {
		return "DatasetNotFound"
	}
	var b *modelBranch
	for _, old := range ds.branches {
		if old.name == d.Branch && old.deleted >= 0 && (d.Incarnation == 0 || d.Incarnation == old.number) && (b == nil || old.deleted > b.deleted) {
			b = old
		}
	}
	if b == nil || b.deleted < m.swept || ds.living(d.Branch) != nil {
		return "NotRestorable"
	}
	for b.parent != nil && b.parent.deleted >= 0 {
		b.parent = b.parent.parent
	}
	if b.head != nil && b.head.state != "COMMITTED" {
		b.head = b.head.before
	}
	b.deleted = -1
	return ""
}

func (m *model) open(d *event.TransactionOpened) string {
	b, code := m.find(d.Dataset.Name, d.Branch, d.Incarnation)
	switch {
	case code != "":
		return code
	case m.tx(d.Transaction) != nil:
		return "TransactionExists"
	case b.head != nil && b.head.state == "OPEN":
		return "OpenTransactionAlreadyExists"
	}
	m.start(b, d.Dataset.Name, d.Transaction, d.Type, false)
	return ""
}

func (m *model) start(b *modelBranch, dataset, id, typ string, job bool) *modelTx {
	t := &modelTx{id: id, dataset: dataset, branch: b, before: b.head, typ: typ, state: "OPEN", job: job}
	m.txs = append(m.txs, t)
	b.head = t
	return t
}

func (m *model) openTx(id string) (*modelTx, string) {
	t := m.tx(id)
	switch {
	case t == nil:
		return nil, "TransactionNotFound"
	case t.state != "OPEN":
		return nil, "TransactionNotOpen"
	case t.job:
		return nil, "TransactionHeldByBuild"
	}
	return t, ""
}

func (t *modelTx) badManifest(man *event.Manifest) bool {
	seen := slices.Concat(t.put, t.del)
	if t.typ == "DELETE" && len(man.Put) > 0 || t.typ != "DELETE" && len(man.Delete) > 0 {
		return true
	}
	for _, p := range manifestPaths(man) {
		if slices.Contains(seen, p) || strings.HasPrefix(p, "/") || strings.Contains(p, "..") || p == "" {
			return true
		}
		seen = append(seen, p)
	}
	return false
}

func manifestPaths(man *event.Manifest) []string {
	var list []string
	for _, f := range man.Put {
		list = append(list, f.Path)
	}
	return append(list, man.Delete...)
}

func (t *modelTx) take(man *event.Manifest) {
	for _, f := range man.Put {
		t.put = append(t.put, f.Path)
	}
	t.del = append(t.del, man.Delete...)
}

func (m *model) addFiles(d *event.TransactionFilesAdded) string {
	t, code := m.openTx(d.Transaction)
	if code != "" {
		return code
	}
	if d.Token != "" {
		return "StaleAttempt"
	}
	if t.badManifest(&d.Manifest) {
		return "InvalidManifest"
	}
	t.take(&d.Manifest)
	return ""
}

func (m *model) commit(d *event.TransactionCommitted) string {
	t, code := m.openTx(d.Transaction)
	if code != "" {
		return code
	}
	if t.badManifest(&d.Manifest) {
		return "InvalidManifest"
	}
	before := strings.Fields((&modelBranch{head: t.before}).view())
	after := *t
	after.take(&d.Manifest)
	for _, p := range after.put {
		if t.typ == "APPEND" && slices.Contains(before, p) {
			return "FileAlreadyInView"
		}
	}
	for _, p := range after.del {
		if !slices.Contains(before, p) {
			return "FileNotInView"
		}
	}
	t.put, t.del, t.state = after.put, after.del, "COMMITTED"
	return ""
}

func (m *model) abort(t *modelTx) {
	t.state = "ABORTED"
	for _, b := range m.pointing(t) {
		b.head = t.before
	}
}

// step takes one step of a build from the history that the fold tells, and says what is wrong with it.
func (m *model) step(c BranchChange, offset int64) error {
	ds := m.dataset(c.Branch.Dataset.Ref.Name)
	b := ds.living(c.Branch.Name)
	switch c.Cause {
	case BranchMade:
		if b != nil {
			return fmt.Errorf("branch %s exists", b.name)
		}
		var parent *modelBranch
		if c.Parent != nil {
			parent = ds.living(c.Parent.Name)
		}
		var at *modelTx
		if c.Head != nil {
			at = m.tx(c.Head.ID.String())
		}
		ds.add(c.Branch.Name, parent, at)
		return nil
	case BranchReparented:
		return nil // follows from the removal of the parent
	case BranchRemoved:
		m.remove(b, offset)
		return nil
	case BranchStarted:
		if b.head != nil && b.head.state == "OPEN" {
			return fmt.Errorf("branch %s is open", b.name)
		}
		m.start(b, ds.name, c.Head.ID.String(), c.Head.Type.String(), true)
		return nil
	}
	return m.stepClose(c, b)
}

func (m *model) stepClose(c BranchChange, b *modelBranch) error {
	if c.Cause == BranchCommitted {
		t := m.tx(c.Head.ID.String())
		if t.state == "OPEN" {
			t.take(&event.Manifest{Put: c.Head.Put, Delete: c.Head.Deleted})
			t.state = "COMMITTED"
		}
		return nil
	}
	if b.head != nil && b.head.state == "OPEN" {
		m.abort(b.head)
	}
	return nil
}

// String writes the model's state in the form of picture.
func (m *model) String() string {
	var lines []string
	for _, d := range m.datasets {
		for _, b := range d.branches {
			if b.deleted >= 0 {
				continue
			}
			parent, at := "", ""
			if b.parent != nil {
				parent = fmt.Sprintf("%s#%d", b.parent.name, b.parent.number)
			}
			if b.head != nil {
				at = b.head.id
			}
			lines = append(lines, fmt.Sprintf("%s@%s#%d⟵%s→%s [%s]", d.name, b.name, b.number, parent, at, b.view()))
		}
	}
	for _, t := range m.txs {
		lines = append(lines, t.id+" "+t.state)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// picture writes a space's branches, views and transactions as text.
func picture(s *Space) string {
	var lines []string
	for _, d := range s.Datasets {
		for _, b := range d.Branches {
			lines = append(lines, branchLine(b))
		}
	}
	for _, t := range s.Transactions() {
		lines = append(lines, t.ID.String()+" "+t.State.String())
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func branchLine(b *Branch) string {
	parent, at := "", ""
	if b.Parent != nil {
		parent = fmt.Sprintf("%s#%d", b.Parent.Name, b.Parent.Incarnation)
	}
	if b.Head != nil {
		at = b.Head.ID.String()
	}
	return fmt.Sprintf("%s@%s#%d⟵%s→%s [%s]", b.Dataset.Ref.Name, b.Name, b.Incarnation, parent, at, paths(ViewOf(b.Committed())))
}
