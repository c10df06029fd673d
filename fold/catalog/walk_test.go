package catalog

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/schemas/event"
)

// TestMain runs thousands of sequences for each property, unless told otherwise.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
	debug.SetGCPercent(400) // a walk makes little that lasts
	flag.Parse()
	if testing.Short() {
		if err := flag.Set("rapid.checks", "100"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

var (
	walkDatasets = []string{"A", "B", "C", "D"}
	walkBranches = []string{"m", "f", "g"}
)

// walk is a world that is taken through random operations, with the model beside it.
type walk struct {
	*world
	model  *model
	before *before
	dice   dice
	txs    int
	builds int
	start  int64 // the offset behind what setUp made
}

// before is what a step is compared with.
type before struct {
	offset   int64
	picture  string
	views    map[*Branch]string
	heads    map[*Branch]*Transaction
	branches map[*Branch]bool
	closed   map[*Transaction]string
	jobs     map[*Job]JobState
	tokens   map[*Job]string
	queue    []*Build
}

// dice turns one random number into as many small ones as a step needs.
type dice uint64

func (d *dice) roll(n int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

func pick[T any](d *dice, list []T) T { return list[d.roll(len(list))] }

// check runs a property: each is called after each random step.
func check(t *testing.T, each func(w *walk, e *Event, out Outcome)) {
	t.Helper()
	checkWalk(t, nil, each, nil)
}

// checkChange is check with w.before set to what was before the step.
func checkChange(t *testing.T, each func(w *walk, e *Event, out Outcome)) {
	t.Helper()
	checkWalk(t, func(w *walk) { w.before = w.look() }, each, nil)
}

// checkWalk calls begin before and each after each step, and end after the last. Any may be nil.
func checkWalk(t *testing.T, begin func(*walk), each func(w *walk, e *Event, out Outcome), end func(*walk)) {
	t.Helper()
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &walk{world: newWorld(rt), model: newModel()}
		w.setUp()
		for i, seed := range rapid.SliceOfN(rapid.Uint64(), 40, 70).Draw(rt, "steps") {
			w.dice = dice(seed + uint64(i)<<32) // rapid prefers small numbers; no two steps are to be the same
			if begin != nil {
				begin(w)
			}
			e := w.next()
			out := w.apply(e)
			w.follow(e, out)
			if each != nil {
				each(w, e, out)
			}
		}
		if end != nil {
			end(w)
		}
	})
}

// setUp makes a small warehouse: datasets, a chain of job specs, data on m, and a build of all of it.
func (w *walk) setUp() {
	for _, name := range walkDatasets {
		w.both(event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head(), Dataset: dataset(name)})
	}
	w.both(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head(), Dataset: dataset("A"), Branch: "m"})
	w.both(event.TypeTransactionOpened, &event.TransactionOpened{CatalogHead: head(), Dataset: dataset("A"), BranchHandle: event.BranchHandle{Branch: "m"}, Transaction: w.txID("s1"), Type: "SNAPSHOT"})
	w.both(event.TypeTransactionCommitted, &event.TransactionCommitted{CatalogHead: head(), Transaction: w.txID("s1"), Manifest: event.Manifest{Put: files("a")}})
	d := &event.JobSpecPublished{CatalogHead: head(), Branch: "m"}
	for i, name := range walkDatasets[1:] {
		spec := event.JobSpec{ID: "j" + name, Logic: event.Logic{Text: "v0"}, Outputs: []event.SpecOutput{{Dataset: dataset(name), Type: "APPEND"}}}
		spec.Inputs = []event.SpecInput{{Dataset: dataset(walkDatasets[i])}}
		d.Specs = append(d.Specs, spec)
	}
	w.both(event.TypeJobSpecPublished, d)
	w.both(event.TypeBuildRequested, &event.BuildRequested{CatalogHead: head(), Build: "b0", Branch: "m", Targets: []event.CatalogDataset{dataset("D")}, Mode: event.TargetUpstream})
	for i, name := range walkDatasets[1:] {
		h := event.AttemptHandle{Build: "b0", Job: i, Token: token("b0", i, 1)}
		w.both(event.TypeAttemptStarted, &event.AttemptStarted{CatalogHead: head(), AttemptHandle: h, Attempt: 1})
		w.both(event.TypeAttemptFinished, &event.AttemptFinished{CatalogHead: head(), AttemptHandle: h, Outputs: []event.AttemptOutput{{Dataset: dataset(name), Manifest: event.Manifest{Put: files("built")}}}})
	}
	w.start = w.offset
}

func (w *walk) both(typ string, d event.CatalogEvent) {
	out := w.do(typ, d)
	require.Nil(w.t, out.Refused)
	w.follow(w.log[len(w.log)-1], out)
}

// follow takes the model along.
func (w *walk) follow(e *Event, out Outcome) {
	if out.Repeat {
		return
	}
	switch e.Data.(type) {
	case *event.JobSpecPublished, *event.BuildRequested, *event.BuildAborted, *event.AttemptStarted,
		*event.AttemptFinished, *event.AttemptFailed, *event.AttemptExpired, *event.AttemptAborted:
	default:
		code := ""
		if out.Refused != nil {
			code = string(out.Refused.Code)
		}
		require.Equal(w.t, w.model.apply(e), code, "%T %+v", e.Data, e.Data)
		w.followBuilds()
		return
	}
	for _, c := range w.state.Changes().History {
		require.NoError(w.t, w.model.step(c, e.Offset))
	}
}

// followBuilds takes the model along with the builds that a person's step let go on.
func (w *walk) followBuilds() {
	for _, c := range w.state.Changes().History {
		if c.Build != nil {
			require.NoError(w.t, w.model.step(c, w.offset-1))
		}
	}
}

func (w *walk) look() *before {
	b := &before{
		offset: w.offset, views: map[*Branch]string{}, heads: map[*Branch]*Transaction{}, branches: map[*Branch]bool{},
		closed: map[*Transaction]string{}, jobs: map[*Job]JobState{}, tokens: map[*Job]string{},
		picture: picture(w.space()), queue: append([]*Build(nil), w.space().Queue...),
	}
	for _, d := range w.space().Datasets {
		for _, br := range d.Branches {
			b.branches[br] = true
			b.heads[br] = br.Head
			b.views[br] = paths(ViewOf(br.Committed()))
		}
	}
	for _, t := range w.space().Transactions() {
		if t.State != Open {
			b.closed[t] = closedText(t)
		}
	}
	for _, build := range w.space().Builds {
		for _, j := range build.Jobs {
			b.jobs[j] = j.State
			if a := j.Live(); a != nil {
				b.tokens[j] = a.Token
			}
		}
	}
	return b
}

func closedText(t *Transaction) string {
	return fmt.Sprintf("%s %v %v %v %d", t.State, t.Put, t.Deleted, t.Schema, t.Closed)
}

// next makes a random event.
func (w *walk) next() *Event {
	d := &w.dice
	if d.roll(25) == 0 {
		old := *pick(d, w.log)
		old.Offset = w.offset
		return &old
	}
	typ, data := w.operation(d.roll(100))
	return w.newEvent(typ, data)
}

func (w *world) newEvent(typ string, data event.CatalogEvent) *Event {
	e := &Event{Offset: w.offset, Source: "test", ID: fmt.Sprintf("e%d", w.offset), Type: typ, Data: data}
	return e
}

func (w *walk) operation(roll int) (string, event.CatalogEvent) {
	d := &w.dice
	ds := dataset(pick(d, walkDatasets))
	branch := event.BranchHandle{Branch: pick(d, walkBranches)}
	if d.roll(8) == 0 {
		branch.Incarnation = 1 + d.roll(3)
	}
	switch {
	case roll < 14:
		return event.TypeBranchCreated, w.createBranch(ds)
	case roll < 18:
		return event.TypeBranchDeleted, &event.BranchDeleted{CatalogHead: head(), Dataset: ds, BranchHandle: branch}
	case roll < 21:
		return event.TypeBranchRestored, &event.BranchRestored{CatalogHead: head(), Dataset: ds, BranchHandle: branch}
	case roll < 22:
		return event.TypeRetentionSwept, &event.RetentionSwept{CatalogHead: head()}
	case roll < 23:
		return event.TypeBranchProtected, &event.BranchProtected{CatalogHead: head(), Dataset: pick(d, []*event.CatalogDataset{&ds, nil}), Branch: branch.Branch}
	case roll < 24:
		return event.TypeBranchUnprotected, &event.BranchUnprotected{CatalogHead: head(), Dataset: &ds, Branch: branch.Branch}
	case roll < 34:
		w.txs++
		typ := pick(d, []string{"SNAPSHOT", "APPEND", "APPEND", "UPDATE", "DELETE"})
		return event.TypeTransactionOpened, &event.TransactionOpened{CatalogHead: head(), Dataset: ds, BranchHandle: branch, Transaction: w.txID(fmt.Sprintf("t%d", w.txs)), Type: typ}
	case roll < 50:
		return w.closeTransaction(roll)
	case roll < 56:
		return event.TypeJobSpecPublished, w.publish()
	case roll < 68:
		return event.TypeBuildRequested, w.requestBuild()
	case roll < 70:
		return event.TypeBuildAborted, &event.BuildAborted{CatalogHead: head(), Build: fmt.Sprintf("b%d", 1+d.roll(w.builds+1))}
	}
	return w.attempt()
}

func (w *walk) createBranch(ds event.CatalogDataset) *event.BranchCreated {
	d := &w.dice
	c := &event.BranchCreated{CatalogHead: head(), Dataset: ds, Branch: pick(d, walkBranches)}
	switch d.roll(24) {
	case 0:
		c.Branch = pick(d, []string{"", " f", "a\tb", w.txID("s1")})
	case 1:
		c.Dataset.Name = "nowhere"
	}
	if d.roll(4) > 0 {
		c.Parent = &event.BranchHandle{Branch: pick(d, walkBranches)}
		if d.roll(10) == 0 {
			c.Parent.Incarnation = 1 + d.roll(2)
		}
	}
	if d.roll(4) == 0 {
		c.FromTransaction = w.anyTransaction(ds)
	}
	return c
}

// anyTransaction names a transaction, mostly of the dataset.
func (w *walk) anyTransaction(ds event.CatalogDataset) string {
	all := w.space().Transactions()
	t := pick(&w.dice, all)
	for range 4 {
		if t.Dataset.Ref == ds {
			break
		}
		t = pick(&w.dice, all)
	}
	return t.ID.String()
}

// openTransaction names a transaction, mostly one that a person holds open.
func (w *walk) openTransaction() *Transaction {
	var open []*Transaction
	for _, t := range w.space().Transactions() {
		if t.State == Open && (t.Job == nil || w.dice.roll(10) == 0) {
			open = append(open, t)
		}
	}
	if len(open) == 0 || w.dice.roll(12) == 0 {
		open = w.space().Transactions()
	}
	return pick(&w.dice, open)
}

func (w *walk) closeTransaction(roll int) (string, event.CatalogEvent) {
	t := w.openTransaction()
	id := t.ID.String()
	switch {
	case roll < 37:
		return event.TypeTransactionAborted, &event.TransactionAborted{CatalogHead: head(), Transaction: id}
	case roll < 40:
		return event.TypeTransactionFilesAdded, &event.TransactionFilesAdded{CatalogHead: head(), Transaction: id, Manifest: w.manifest(t.Type == Delete)}
	}
	return event.TypeTransactionCommitted, &event.TransactionCommitted{CatalogHead: head(), Transaction: id, Manifest: w.manifest(t.Type == Delete)}
}

func (w *walk) manifest(removes bool) event.Manifest {
	var list []string
	for range 1 + w.dice.roll(2) {
		list = append(list, pick(&w.dice, []string{"a", "b", "c", "d/e", "f", "g", "h", "i"}))
	}
	if w.dice.roll(20) == 0 {
		list = append(list, pick(&w.dice, []string{"/a", "../a", "a/../../b", ""}))
	}
	if removes != (w.dice.roll(20) == 0) {
		return event.Manifest{Delete: list}
	}
	return event.Manifest{Put: files(list...)}
}

func (w *walk) publish() *event.JobSpecPublished {
	d := &w.dice
	p := &event.JobSpecPublished{CatalogHead: head(), Branch: pick(d, walkBranches)}
	at := 1 + d.roll(3)
	name := walkDatasets[at]
	spec := event.JobSpec{ID: "j" + name, Logic: event.Logic{Text: fmt.Sprintf("v%d", d.roll(3))}, Withdrawn: d.roll(10) == 0}
	spec.Outputs = []event.SpecOutput{{Dataset: dataset(name), Type: pick(d, []string{"", "APPEND", "UPDATE"})}}
	if d.roll(5) == 0 {
		spec.Outputs = append(spec.Outputs, event.SpecOutput{Dataset: dataset(walkDatasets[1+at%3])})
	}
	if d.roll(12) == 0 {
		spec.ID = "other"
	}
	for i, in := range walkDatasets {
		if i < at && d.roll(2) == 0 || d.roll(30) == 0 {
			spec.Inputs = append(spec.Inputs, event.SpecInput{Dataset: dataset(in)})
		}
	}
	p.Specs = []event.JobSpec{spec}
	if d.roll(6) == 0 {
		p.Specs, p.Removed = nil, []string{spec.ID}
	}
	return p
}

func (w *walk) requestBuild() *event.BuildRequested {
	d := &w.dice
	w.builds++
	req := &event.BuildRequested{
		CatalogHead: head(), Build: fmt.Sprintf("b%d", w.builds), Force: d.roll(5) == 0,
		Retries: d.roll(3), AbortOnFailure: d.roll(3) == 0, MaxParallel: d.roll(3),
	}
	chain := append([]string(nil), walkBranches...)
	for i := range chain {
		j := i + d.roll(len(chain)-i)
		if d.roll(3) == 0 {
			chain[i], chain[j] = chain[j], chain[i]
		}
	}
	switch d.roll(4) {
	case 0:
		chain = []string{"m"}
	case 1:
		chain = []string{"f", "m"}
	default:
		chain = chain[:1+d.roll(3)]
	}
	req.Branch, req.Fallbacks = chain[0], chain[1:]
	for range 1 + d.roll(2) {
		req.Targets = append(req.Targets, dataset(pick(d, walkDatasets[1:])))
	}
	req.Mode = pick(d, []string{"", "upstream", "upstream", "between"})
	if req.Mode == "between" {
		req.From = []event.CatalogDataset{dataset("A")}
	}
	if d.roll(12) == 0 {
		req.PlanDigest = w.space().Plan(req).Digest
	}
	return req
}

// attempt makes an event about a job, mostly one that fits its state.
func (w *walk) attempt() (string, event.CatalogEvent) {
	d := &w.dice
	var jobs []*Job
	for _, b := range w.space().Builds {
		for _, j := range b.Jobs {
			if !j.State.Finished() {
				jobs = append(jobs, j)
			}
		}
	}
	if len(jobs) == 0 {
		return event.TypeBuildRequested, w.requestBuild()
	}
	j := pick(d, jobs)
	h := event.AttemptHandle{Build: j.Build.ID, Job: j.Index, Token: token(j.Build.ID, j.Index, len(j.Attempts))}
	if d.roll(12) == 0 {
		h.Token = token(j.Build.ID, j.Index, len(j.Attempts)-1)
	}
	if j.State == JobRunPending || j.State == JobWaiting && d.roll(4) == 0 {
		h.Token = token(j.Build.ID, j.Index, len(j.Attempts)+1)
		return event.TypeAttemptStarted, &event.AttemptStarted{CatalogHead: head(), AttemptHandle: h, Attempt: len(j.Attempts) + 1}
	}
	switch roll := d.roll(12); {
	case roll < 2:
		return event.TypeAttemptFailed, &event.AttemptFailed{CatalogHead: head(), AttemptHandle: h, Message: "broken", Permanent: d.roll(3) == 0}
	case roll < 3:
		return event.TypeAttemptExpired, &event.AttemptExpired{CatalogHead: head(), AttemptHandle: h}
	case roll < 5:
		return event.TypeAttemptAborted, &event.AttemptAborted{CatalogHead: head(), AttemptHandle: h}
	}
	fin := &event.AttemptFinished{CatalogHead: head(), AttemptHandle: h}
	for i := range j.Outputs {
		if d.roll(5) > 0 {
			fin.Outputs = append(fin.Outputs, event.AttemptOutput{Dataset: j.Outputs[i].Dataset.Ref, Manifest: w.outputManifest(j, i)})
		}
	}
	if d.roll(25) == 0 {
		fin.Outputs = append(fin.Outputs, event.AttemptOutput{Dataset: dataset("A")})
	}
	return event.TypeAttemptFinished, fin
}

// outputManifest makes the manifest of an output. A job that appends often puts a file that is there.
func (w *walk) outputManifest(j *Job, i int) event.Manifest {
	before := j.Outputs[i].Transaction.Previous
	if j.Incremental && w.dice.roll(2) == 0 && ViewOf(before).Files > 0 {
		return event.Manifest{Put: files(strings.Fields(paths(ViewOf(before)))[0])}
	}
	return w.manifest(false)
}

// living returns the living branches in a fixed order.
func (w *walk) living() []*Branch {
	var list []*Branch
	for _, d := range w.space().Datasets {
		for _, b := range d.Branches {
			list = append(list, b)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Dataset != list[j].Dataset {
			return list[i].Dataset.number < list[j].Dataset.number
		}
		return list[i].number < list[j].number
	})
	return list
}

// jobs returns all jobs of all builds.
func (w *walk) jobs() []*Job {
	var list []*Job
	for _, b := range w.space().Builds {
		list = append(list, b.Jobs...)
	}
	return list
}
