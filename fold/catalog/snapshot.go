package catalog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
)

// snapshotForm names the form of a snapshot. One of another form is not read, and the log is folded
// from its first event instead.
const snapshotForm = "tributary catalog 1"

// ErrSnapshot says that bytes are not a snapshot that this version can read.
var ErrSnapshot = errors.New("not a snapshot of the catalog that this version can read")

// Snapshot returns the state as bytes. Equal states give equal bytes.
func (s *State) Snapshot() []byte {
	c := &coder{}
	form := snapshotForm
	c.text(&form)
	c.int64(&s.next)
	spaces := s.Spaces()
	n := len(spaces)
	c.int(&n)
	for _, space := range spaces {
		(&spaceCoder{coder: c, space: space}).run()
	}
	return c.out
}

// Restore returns the state that a snapshot was taken of.
func Restore(snapshot []byte) (s *State, err error) {
	defer func() {
		// Reading past the end and references to nothing are found by the run time; which of them it
		// was helps no one.
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("%w: %v", ErrSnapshot, r)
		}
	}()
	c := &coder{reading: true, in: string(snapshot)}
	var form string
	c.text(&form)
	if form != snapshotForm {
		return nil, ErrSnapshot
	}
	s = New()
	c.int64(&s.next)
	var n int
	c.int(&n)
	for range n {
		space := newSpace("")
		(&spaceCoder{coder: c, space: space}).run()
		s.spaces[space.Name] = space
	}
	if len(c.in) > 0 {
		return nil, fmt.Errorf("%w: %d bytes are left over", ErrSnapshot, len(c.in))
	}
	return s, nil
}

// coder writes values to bytes or reads them back, so that one function describes both directions.
type coder struct {
	reading bool
	out     []byte
	in      string
}

func (c *coder) int64(v *int64) {
	if !c.reading {
		c.out = binary.AppendVarint(c.out, *v)
		return
	}
	var u uint64
	for i, shift := 0, uint(0); ; i, shift = i+1, shift+7 {
		b := c.in[i]
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			c.in = c.in[i+1:]
			break
		}
	}
	*v = int64(u>>1) ^ -int64(u&1)
}

func (c *coder) int(v *int) {
	n := int64(*v)
	c.int64(&n)
	*v = int(n)
}

func (c *coder) text(v *string) {
	n := len(*v)
	c.int(&n)
	if !c.reading {
		c.out = append(c.out, *v...)
		return
	}
	*v, c.in = c.in[:n], c.in[n:]
}

func (c *coder) id(v *[16]byte) {
	if !c.reading {
		c.out = append(c.out, v[:]...)
		return
	}
	copy(v[:], c.in[:16])
	c.in = c.in[16:]
}

func (c *coder) bool(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	c.int(&n)
	*v = n == 1
}

func (c *coder) dataset(v *event.CatalogDataset) {
	c.text(&v.Namespace)
	c.text(&v.Name)
}

// json carries what is rare and has many fields.
func (c *coder) json(v any) {
	var text string
	if !c.reading {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // the value came from JSON
		}
		text = string(b)
	}
	c.text(&text)
	if c.reading {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			panic(err)
		}
	}
}

// small carries a state or a type.
func small[T ~uint8](c *coder, v *T) {
	n := int(*v)
	c.int(&n)
	*v = T(n)
}

// list carries a slice; an empty one comes back as nil.
func list[T any](c *coder, v *[]T, each func(*T)) {
	n := len(*v)
	c.int(&n)
	if c.reading && n > 0 {
		if n > len(c.in) {
			panic("a list is longer than the snapshot")
		}
		*v = make([]T, n)
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

// spaceCoder carries one space. Entities refer to each other by their numbers.
type spaceCoder struct {
	*coder
	space    *Space
	branches []*Branch
	first    []int // the number of the first branch of each dataset
	specs    []*Spec
	specNo   map[*Spec]int
}

func (c *spaceCoder) run() {
	s := c.space
	c.text(&s.Name)
	c.int64(&s.Swept)
	c.allocate()
	for _, d := range s.Datasets {
		c.dataset(&d.Ref)
		c.int64(&d.Created)
		c.int64(&d.CreatedAt)
	}
	for _, b := range c.branches {
		c.branch(b)
	}
	for _, t := range s.order {
		c.transaction(t)
	}
	c.allSpecs()
	for _, b := range s.Builds {
		c.build(b)
	}
	list(c.coder, &s.Queue, c.buildRef)
	c.protections()
	c.judgements()
	if c.reading {
		c.index()
	}
}

// allocate carries how many there are of each entity and, when reading, makes them.
func (c *spaceCoder) allocate() {
	s := c.space
	list(c.coder, &s.Datasets, func(d **Dataset) {
		if c.reading {
			*d = &Dataset{Branches: map[string]*Branch{}, incarnation: map[string]int{}, mark: -1}
		}
		n := len((*d).All)
		c.int(&n)
		c.first = append(c.first, len(c.branches))
		if c.reading {
			block := make([]Branch, n)
			for i := range block {
				block[i] = Branch{Dataset: *d, number: i, mark: -1}
				(*d).All = append((*d).All, &block[i])
			}
		}
		c.branches = append(c.branches, (*d).All...)
	})
	for i, d := range s.Datasets {
		d.number = i
	}
	n := len(s.order)
	c.int(&n)
	if c.reading {
		block := make([]Transaction, n)
		s.order = make([]*Transaction, n)
		for i := range block {
			block[i] = Transaction{number: i, mark: -1}
			s.order[i] = &block[i]
		}
	}
	list(c.coder, &s.Builds, func(b **Build) {
		if c.reading {
			*b = &Build{mark: -1}
		}
		list(c.coder, &(*b).Jobs, func(j **Job) {
			if c.reading {
				*j = &Job{Build: *b, mark: -1}
			}
		})
	})
	for i, b := range s.Builds {
		b.number = i
		for k, j := range b.Jobs {
			j.Index = k
		}
	}
}

func (c *spaceCoder) datasetRef(v **Dataset) {
	n := 0
	if *v != nil {
		n = (*v).number + 1
	}
	c.int(&n)
	if c.reading && n > 0 {
		*v = c.space.Datasets[n-1]
	}
}

func (c *spaceCoder) branchRef(v **Branch) {
	n := 0
	if *v != nil {
		n = c.first[(*v).Dataset.number] + (*v).number + 1
	}
	c.int(&n)
	if c.reading && n > 0 {
		*v = c.branches[n-1]
	}
}

func (c *spaceCoder) transactionRef(v **Transaction) {
	n := 0
	if *v != nil {
		n = (*v).number + 1
	}
	c.int(&n)
	if c.reading && n > 0 {
		*v = c.space.order[n-1]
	}
}

func (c *spaceCoder) buildRef(v **Build) {
	n := 0
	if *v != nil {
		n = (*v).number + 1
	}
	c.int(&n)
	if c.reading && n > 0 {
		*v = c.space.Builds[n-1]
	}
}

func (c *spaceCoder) jobRef(v **Job) {
	var b *Build
	at := 0
	if *v != nil {
		b, at = (*v).Build, (*v).Index
	}
	c.buildRef(&b)
	if b == nil {
		return
	}
	c.int(&at)
	*v = b.Jobs[at]
}

func (c *spaceCoder) specRef(v **Spec) {
	n := 0
	if *v != nil {
		n = c.specNo[*v] + 1
	}
	c.int(&n)
	if c.reading && n > 0 {
		*v = c.specs[n-1]
	}
}

func (c *spaceCoder) branch(b *Branch) {
	c.text(&b.Name)
	c.int(&b.Incarnation)
	c.branchRef(&b.Parent)
	c.transactionRef(&b.Head)
	c.transactionRef(&b.Start)
	c.int64(&b.Created)
	c.int64(&b.Deleted)
	c.int64(&b.CreatedAt)
	c.buildRef(&b.Build)
	children := b.Children()
	list(c.coder, &children, c.branchRef)
	if c.reading {
		for _, child := range children {
			child.adopt(b)
		}
	}
}

func (c *spaceCoder) transaction(t *Transaction) {
	c.id((*[16]byte)(&t.ID))
	c.datasetRef(&t.Dataset)
	c.branchRef(&t.Branch)
	previous := t.Previous
	c.transactionRef(&previous)
	small(c.coder, &t.Type)
	small(c.coder, &t.State)
	for _, v := range [4]*int64{&t.Opened, &t.Closed, &t.OpenedAt, &t.ClosedAt} {
		c.int64(v)
	}
	list(c.coder, &t.Put, c.file)
	list(c.coder, &t.Deleted, c.text)
	list(c.coder, &t.Schema, func(f *event.Field) { c.text(&f.Name); c.text(&f.Type) })
	list(c.coder, &t.Inputs, func(in *Input) {
		c.dataset(&in.Dataset)
		c.transactionRef(&in.Transaction)
		c.transactionRef(&in.Since)
	})
	c.text(&t.Actor)
	c.jobRef(&t.Job)
	c.text(&t.Reason)
	if c.reading {
		t.link(previous)
		if t.State == Open && previous != nil {
			previous.openNext++
		}
	}
	pointers := t.Pointers()
	list(c.coder, &pointers, c.branchRef)
	if c.reading {
		c.repoint(t, pointers)
	}
	partial := t.paths != nil
	c.bool(&partial)
	if c.reading && partial {
		t.paths = map[string]struct{}{}
		for i := range t.Put {
			t.paths[t.Put[i].Path] = struct{}{}
		}
		for _, path := range t.Deleted {
			t.paths[path] = struct{}{}
		}
	}
}

// repoint makes the pointers of a transaction anew, in their order.
func (c *spaceCoder) repoint(t *Transaction, pointers []*Branch) {
	for _, b := range pointers {
		b.Head = nil
		b.point(t)
	}
}

func (c *spaceCoder) file(f *event.File) {
	c.text(&f.Path)
	c.text(&f.Location)
	c.int64(&f.Rows)
	c.int64(&f.Bytes)
	c.text(&f.Checksum)
}

// allSpecs carries every version of every spec; jobs refer to them by number.
func (c *spaceCoder) allSpecs() {
	c.specs = c.space.published
	c.specNo = make(map[*Spec]int, len(c.specs))
	for i, spec := range c.specs {
		c.specNo[spec] = i
	}
	list(c.coder, &c.specs, func(v **Spec) {
		if c.reading {
			*v = &Spec{}
		}
		spec := *v
		c.json(&spec.JobSpec)
		c.text(&spec.Branch)
		c.text(&spec.Commit)
		c.text(&spec.Hash)
		c.int64(&spec.Published)
		c.int64(&spec.Gone)
	})
}

func (c *spaceCoder) build(b *Build) {
	c.text(&b.ID)
	if c.reading {
		b.Request = &event.BuildRequested{}
	}
	c.json(b.Request)
	small(c.coder, &b.State)
	list(c.coder, &b.Refusals, func(r *PlanRefusal) { c.refusal(&r.Refusal); c.dataset(&r.Dataset) })
	c.text(&b.Digest)
	list(c.coder, &b.Created, c.branchRef)
	list(c.coder, &b.Blockers, func(k *Blocker) {
		c.dataset(&k.Dataset)
		c.text(&k.Branch)
		c.transactionRef(&k.Transaction)
		c.buildRef(&k.Build)
		c.bool(&k.Input)
	})
	c.bool(&b.AbortRequested)
	c.text(&b.AbortReason)
	for _, v := range [6]*int64{&b.Requested, &b.Admitted, &b.Finished, &b.RequestedAt, &b.AdmittedAt, &b.FinishedAt} {
		c.int64(v)
	}
	c.int(&b.live)
	c.int(&b.running)
	list(c.coder, &b.writes, c.datasetRef)
	list(c.coder, &b.reads, c.datasetRef)
	for _, j := range b.Jobs {
		c.job(j)
	}
}

func (c *spaceCoder) refusal(r *Refusal) {
	c.text((*string)(&r.Code))
	c.text(&r.Message)
}

func (c *spaceCoder) job(j *Job) {
	c.specRef(&j.Spec)
	c.text(&j.Hash)
	small(c.coder, &j.State)
	c.text(&j.Reason)
	failed := j.Failure != nil
	c.bool(&failed)
	if failed {
		if c.reading {
			j.Failure = &Refusal{}
		}
		c.refusal(j.Failure)
	}
	c.bool(&j.Incremental)
	list(c.coder, &j.Inputs, func(in *JobInput) {
		c.dataset(&in.Dataset)
		c.text(&in.Space)
		c.int(&in.Job)
		c.branchRef(&in.Branch)
		c.transactionRef(&in.Transaction)
		c.transactionRef(&in.Since)
		c.text(&in.Reason)
	})
	list(c.coder, &j.Outputs, func(out *JobOutput) {
		c.datasetRef(&out.Dataset)
		c.branchRef(&out.Branch)
		c.transactionRef(&out.Transaction)
		small(c.coder, &out.Type)
	})
	list(c.coder, &j.Upstream, c.int)
	list(c.coder, &j.Downstream, c.int)
	list(c.coder, &j.Attempts, func(a **Attempt) {
		if c.reading {
			*a = &Attempt{Job: j, mark: -1}
		}
		c.attempt(*a)
	})
	c.int(&j.waits)
	c.int(&j.opens)
}

func (c *spaceCoder) attempt(a *Attempt) {
	c.int(&a.Number)
	c.text(&a.Token)
	c.text(&a.Runner)
	small(c.coder, &a.State)
	c.text(&a.Message)
	for _, v := range [4]*int64{&a.Started, &a.Ended, &a.StartedAt, &a.EndedAt} {
		c.int64(v)
	}
}

func (c *spaceCoder) protections() {
	all := c.space.Protections()
	list(c.coder, &all, func(v **Protection) {
		if c.reading {
			*v = &Protection{}
		}
		p := *v
		one := p.Dataset != nil
		c.bool(&one)
		if one {
			if c.reading {
				p.Dataset = &event.CatalogDataset{}
			}
			c.dataset(p.Dataset)
		}
		c.text(&p.Branch)
		list(c.coder, &p.Publishers, c.text)
		if c.reading {
			c.space.protections[keyOfProtection(p.Dataset, p.Branch)] = p
		}
	})
}

func (c *spaceCoder) judgements() {
	s := c.space
	list(c.coder, &s.refusals, c.refusal)
	list(c.coder, &s.judged, func(j *judgement) {
		c.id(&j.key)
		c.int64(&j.offset)
		incarnation, refused := int(j.incarnation), int(j.refused)
		c.int(&incarnation)
		c.int(&refused)
		j.incarnation, j.refused = int32(incarnation), int32(refused)
	})
}

// index makes the maps that follow from the lists.
func (c *spaceCoder) index() {
	s := c.space
	for _, d := range s.Datasets {
		s.datasets[d.Ref] = d
		for _, b := range d.All {
			d.incarnation[b.Name] = max(d.incarnation[b.Name], b.Incarnation)
			if b.Living() {
				d.Branches[b.Name] = b
			}
		}
	}
	s.transactions = make(map[ID]*Transaction, len(s.order))
	for _, t := range s.order {
		s.transactions[t.ID] = t
	}
	for _, b := range s.Builds {
		s.builds[b.ID] = b
		if b.State == BuildRunning {
			s.Running = append(s.Running, b)
		}
	}
	s.published = c.specs
	for _, spec := range c.specs {
		if spec.Gone < 0 {
			c.standing(spec)
		}
	}
	s.seen = make(map[[16]byte]int32, len(s.judged))
	for i := range s.judged {
		s.seen[s.judged[i].key] = int32(i)
	}
}

func (c *spaceCoder) standing(spec *Spec) {
	bs := c.space.specs[spec.Branch]
	if bs == nil {
		bs = &branchSpecs{byID: map[string]*Spec{}, byOutput: map[event.CatalogDataset][]*Spec{}}
		c.space.specs[spec.Branch] = bs
	}
	bs.byID[spec.ID] = spec
	for _, out := range spec.Outputs {
		list := slices.Concat(bs.byOutput[out.Dataset], []*Spec{spec})
		slices.SortFunc(list, func(a, b *Spec) int { return strings.Compare(a.ID, b.ID) })
		bs.byOutput[out.Dataset] = list
	}
}
