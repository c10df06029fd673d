package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"reflect"
	"slices"
	"sort"

	"github.com/tributary-data/tributary/schemas/event"
)

// Spec is a job spec as it was published for a branch.
type Spec struct {
	event.JobSpec
	Branch string
	// Commit is the revision of the code that it came from.
	Commit string
	// Hash is that of its logic, by which a job is fresh or stale.
	Hash string
	// Published is the offset of the event that published it.
	Published int64
	// Gone is the offset of the event that removed or replaced it, -1 while it stands.
	Gone int64
}

// branchSpecs are the specs of one branch.
type branchSpecs struct {
	byID     map[string]*Spec
	byOutput map[event.CatalogDataset][]*Spec // each list in the order of the ids
}

// SpecsAt returns what the event at an offset published, and what it removed without putting another of the
// same id in its place.
func (s *Space) SpecsAt(offset int64) (published, removed []*Spec) {
	replaced := map[string]bool{}
	for _, spec := range s.published {
		if spec.Published == offset {
			published = append(published, spec)
			replaced[spec.Branch+"\x00"+spec.ID] = true
		}
	}
	for _, spec := range s.published {
		if spec.Gone == offset && !replaced[spec.Branch+"\x00"+spec.ID] {
			removed = append(removed, spec)
		}
	}
	return published, removed
}

// Specs returns the job specs of a branch by id.
func (s *Space) Specs(branch string) []*Spec {
	bs := s.specs[branch]
	if bs == nil {
		return nil
	}
	return bs.sorted()
}

func (bs *branchSpecs) sorted() []*Spec {
	list := make([]*Spec, 0, len(bs.byID))
	for _, spec := range bs.byID {
		list = append(list, spec)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// SpecBranches returns the branches that have job specs, by name.
func (s *Space) SpecBranches() []string {
	list := make([]string, 0, len(s.specs))
	for branch := range s.specs {
		list = append(list, branch)
	}
	sort.Strings(list)
	return list
}

// publishSpecs changes the job specs of a branch in one step.
func (f *fold) publishSpecs(d *event.JobSpecPublished) *Refusal {
	if r := checkBranchName(d.Branch); r != nil {
		return r
	}
	if p := f.protections[protectionKey{branch: d.Branch}]; p != nil && len(p.Publishers) > 0 && !slices.Contains(p.Publishers, d.Actor) {
		return refuse(CodeBranchProtected, "branch %s is protected, and %q is not one of its publishers", d.Branch, clip(d.Actor))
	}
	named := map[string]bool{}
	for i := range d.Specs {
		if r := checkSpec(&d.Specs[i]); r != nil {
			return r
		}
		if named[d.Specs[i].ID] {
			return refuse(CodeInvalidJobSpec, "job spec %s is given twice", d.Specs[i].ID)
		}
		named[d.Specs[i].ID] = true
	}
	bs := f.specs[d.Branch]
	for _, id := range d.Removed {
		if named[id] || bs == nil || bs.byID[id] == nil {
			return refuse(CodeJobSpecNotFound, "branch %s has no job spec %s to remove", d.Branch, clip(id))
		}
		named[id] = false // so that it cannot be removed twice
	}
	if bs == nil {
		bs = &branchSpecs{byID: map[string]*Spec{}, byOutput: map[event.CatalogDataset][]*Spec{}}
	}
	for _, id := range d.Removed {
		if old := bs.byID[id]; old != nil {
			f.dropSpec(bs, old)
		}
	}
	if d.Complete {
		for _, old := range bs.sorted() {
			if !named[old.ID] {
				f.dropSpec(bs, old)
			}
		}
	}
	for i := range d.Specs {
		f.putSpec(bs, d, &d.Specs[i])
	}
	if len(bs.byID) == 0 {
		delete(f.specs, d.Branch)
	} else {
		f.specs[d.Branch] = bs
	}
	return nil
}

func (f *fold) dropSpec(bs *branchSpecs, spec *Spec) {
	delete(bs.byID, spec.ID)
	for _, out := range spec.Outputs {
		var left []*Spec
		for _, other := range bs.byOutput[out.Dataset] {
			if other != spec {
				left = append(left, other)
			}
		}
		if left == nil {
			delete(bs.byOutput, out.Dataset)
		} else {
			bs.byOutput[out.Dataset] = left
		}
	}
	spec.Gone = f.offset()
	f.changes.SpecsGone = append(f.changes.SpecsGone, spec)
}

func (f *fold) putSpec(bs *branchSpecs, d *event.JobSpecPublished, given *event.JobSpec) {
	if old := bs.byID[given.ID]; old != nil {
		if reflect.DeepEqual(old.JobSpec, *given) {
			return
		}
		f.dropSpec(bs, old)
	}
	spec := &Spec{JobSpec: *given, Branch: d.Branch, Commit: d.Commit, Hash: logicHash(given), Published: f.offset(), Gone: -1}
	bs.byID[spec.ID] = spec
	f.published = append(f.published, spec)
	for _, out := range spec.Outputs {
		list := slices.Concat(bs.byOutput[out.Dataset], []*Spec{spec})
		sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
		bs.byOutput[out.Dataset] = list
		if !spec.Withdrawn && f.datasets[out.Dataset] == nil {
			f.newDataset(out.Dataset)
		}
	}
	f.changes.Specs = append(f.changes.Specs, spec)
}

// checkSpec refuses a job spec that no build could run.
func checkSpec(spec *event.JobSpec) *Refusal {
	if why := badName(spec.ID); why != "" {
		return refuse(CodeInvalidJobSpec, "%q is not the id of a job spec: %s", clip(spec.ID), why)
	}
	if len(spec.Outputs) == 0 {
		return refuse(CodeInvalidJobSpec, "job spec %s has no output", spec.ID)
	}
	outputs := map[event.CatalogDataset]bool{}
	for _, out := range spec.Outputs {
		if r := checkDatasetName(out.Dataset); r != nil {
			return refuse(CodeInvalidJobSpec, "output of job spec %s: %s", spec.ID, r.Message)
		}
		if typ, ok := parseType(out.Type); out.Type != "" && (!ok || typ == Delete) {
			return refuse(CodeInvalidJobSpec, "output %s of job spec %s is written as %q: use SNAPSHOT, APPEND or UPDATE", Name(out.Dataset), spec.ID, clip(out.Type))
		}
		if outputs[out.Dataset] {
			return refuse(CodeInvalidJobSpec, "job spec %s has the output %s twice", spec.ID, Name(out.Dataset))
		}
		outputs[out.Dataset] = true
	}
	inputs := map[event.SpecInput]bool{}
	for _, in := range spec.Inputs {
		if r := checkDatasetName(in.Dataset); r != nil {
			return refuse(CodeInvalidJobSpec, "input of job spec %s: %s", spec.ID, r.Message)
		}
		if inputs[in] {
			return refuse(CodeInvalidJobSpec, "job spec %s has the input %s twice", spec.ID, Name(in.Dataset))
		}
		inputs[in] = true
	}
	if !spec.Withdrawn && spec.Logic.Text == "" && spec.Logic.Ref == "" {
		return refuse(CodeInvalidJobSpec, "job spec %s has no logic: give a text or a reference", spec.ID)
	}
	return nil
}

// outputType is how a spec writes an output.
func outputType(out event.SpecOutput) TransactionType {
	typ, _ := parseType(out.Type)
	return typ
}

// logicHash covers what decides the rows that a job writes, but for its inputs: its logic, and how it
// writes each output.
func logicHash(spec *event.JobSpec) string {
	h := sha256.New()
	text := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	for _, s := range []string{spec.Logic.Language, spec.Logic.Dialect, spec.Logic.Text, spec.Logic.Ref} {
		text(s)
	}
	for _, out := range spec.Outputs {
		text(out.Dataset.Namespace)
		text(out.Dataset.Name)
		text(outputType(out).String())
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Producer returns the job spec that makes a dataset on a branch with fallbacks, or nil. It is what the
// icon of a dataset is coloured by.
func (s *Space) Producer(d event.CatalogDataset, branch string, fallbacks ...string) *Spec {
	p := newPlanner(s, append([]string{branch}, fallbacks...))
	spec, _ := p.producer(d)
	return spec
}
