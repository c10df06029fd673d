package catalog

import (
	"encoding/json"
	"slices"
	"time"

	fold "github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/schemas/event"
)

// table is a table that the projector writes.
type table struct {
	name    string
	columns []string
}

// The tables, in the order in which they are written.
var tables = []table{
	{"catalog_datasets", []string{"space", "namespace", "name", "created_at", "version"}},
	{"catalog_branches", []string{"space", "namespace", "name", "branch", "incarnation", "deleted", "parent", "parent_incarnation", "head", "head_state", "committed", "build", "created_at", "version"}},
	{"catalog_branch_history", []string{"space", "namespace", "name", "branch", "incarnation", "position", "step", "cause", "parent", "parent_incarnation", "head", "build", "actor", "happened_at", "version"}},
	{"catalog_transactions", []string{"space", "transaction", "namespace", "name", "branch", "incarnation", "type", "state", "previous", "opened", "closed", "opened_at", "closed_at", "actor", "build", "job", "job_spec", "logic_hash", "files_put", "files_deleted", "rows", "bytes", "schema", "reason", "version"}},
	{"catalog_transaction_files", []string{"space", "transaction", "path", "operation", "location", "rows", "bytes", "checksum", "version"}},
	{"catalog_transaction_inputs", []string{"space", "transaction", "number", "namespace", "name", "input", "since", "version"}},
	{"catalog_views", []string{"space", "namespace", "name", "branch", "incarnation", "deleted", "transaction", "base", "files", "rows", "bytes", "schema", "version"}},
	{"catalog_job_specs", []string{"space", "branch", "spec", "gone", "withdrawn", "inputs", "outputs", "output_types", "language", "dialect", "text", "ref", "hash", "engine", "properties", "commit", "published", "version"}},
	{"catalog_builds", []string{"space", "build", "state", "branch", "fallbacks", "targets", "mode", "force", "retries", "digest", "code", "message", "waits_for", "jobs", "actor", "requested", "requested_at", "admitted_at", "finished_at", "version"}},
	{"catalog_jobs", []string{"space", "build", "job", "spec", "spec_branch", "state", "reason", "code", "message", "incremental", "upstream", "inputs", "input_branches", "input_transactions", "outputs", "output_transactions", "attempts", "version"}},
	{"catalog_attempts", []string{"space", "build", "job", "attempt", "runner", "state", "message", "started_at", "ended_at", "version"}},
	{"catalog_outcomes", []string{"space", "position", "partition", "event_source", "event_id", "event_type", "accepted", "repeat_of", "code", "message", "actor", "happened_at", "version"}},
}

// rows collects the rows of some events, by table, and the records that are no events.
type rows struct {
	partition  int
	generation int
	byTable    map[string][]row
	// builds says where the row of a build is: each event that closes something may change a whole queue, and
	// only the last row of a build counts.
	builds  map[string]int
	bytes   int
	letters []deadletter.Letter
}

func newRows(partition, generation int) *rows {
	return &rows{partition: partition, generation: generation, byTable: map[string][]row{}, builds: map[string]int{}}
}

// row is the values of a row and about how many bytes they take.
type row struct {
	values []any
	bytes  int
}

func newRow(values []any) row { return row{values: values, bytes: sizeOf(values)} }

func (r *rows) add(table string, values ...any) {
	added := newRow(values)
	r.byTable[table] = append(r.byTable[table], added)
	r.bytes += added.bytes
}

func (r *rows) addBuild(space, build string, values ...any) {
	const table = "catalog_builds"
	key := space + "\x00" + build
	values = append([]any{space, build}, values...)
	at, again := r.builds[key]
	if !again {
		r.builds[key] = len(r.byTable[table])
		r.add(table, values...)
		return
	}
	old, last := &r.byTable[table][at], newRow(values)
	r.bytes += last.bytes - old.bytes
	*old = last
}

// fixed is about what a value without text takes.
const fixed = 16

func sizeOf(values []any) int {
	size := fixed * len(values)
	for _, v := range values {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []string:
			for _, text := range v {
				size += fixed + len(text)
			}
		case []uint32:
			size += 4 * len(v)
		case map[string]string:
			for key, text := range v {
				size += 2*fixed + len(key) + len(text)
			}
		}
	}
	return size
}

func millis(n int64) time.Time { return time.UnixMilli(n).UTC() }

func idOf(t *fold.Transaction) string {
	if t == nil {
		return ""
	}
	return t.ID.String()
}

func nameOf(b *fold.Branch) (string, uint32) {
	if b == nil {
		return "", 0
	}
	return b.Name, uint32(b.Incarnation)
}

func buildOf(b *fold.Build) string {
	if b == nil {
		return ""
	}
	return b.ID
}

func names(list []event.CatalogDataset) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = fold.Name(d)
	}
	return out
}

// schemaOf writes a schema as JSON; nothing if there is none.
func schemaOf(fields []event.Field) string {
	if len(fields) == 0 {
		return ""
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return "" // strings always marshal
	}
	return string(text)
}

// take adds the rows of everything that an event changed.
func (r *rows) take(c *fold.Changes) {
	e := c.Event
	space := e.Data.Catalog().Space
	version := event.Version(r.generation, e.Offset)
	for _, d := range c.Datasets {
		r.add("catalog_datasets", space, d.Ref.Namespace, d.Ref.Name, millis(d.CreatedAt), version)
	}
	for _, b := range c.Branches {
		r.branch(space, version, b)
	}
	for i, h := range c.History {
		parent, incarnation := nameOf(h.Parent)
		d := h.Branch.Dataset.Ref
		r.add("catalog_branch_history", space, d.Namespace, d.Name, h.Branch.Name, uint32(h.Branch.Incarnation), e.Offset, uint32(i), string(h.Cause),
			parent, incarnation, idOf(h.Head), buildOf(h.Build), e.Data.Catalog().Actor, e.Time.UTC(), version)
	}
	for _, t := range c.Transactions {
		r.transaction(space, version, t, e)
	}
	for _, spec := range c.SpecsGone {
		r.spec(space, version, spec)
	}
	for _, spec := range c.Specs {
		r.spec(space, version, spec)
	}
	for _, b := range c.Builds {
		r.build(space, version, b)
	}
	for _, j := range c.Jobs {
		r.job(space, version, j)
	}
	for _, a := range c.Attempts {
		r.add("catalog_attempts", space, a.Job.Build.ID, uint32(a.Job.Index), uint32(a.Number), a.Runner, a.State.String(), a.Message, millis(a.StartedAt), millis(a.EndedAt), version)
	}
	r.outcome(space, version, c)
}

func (r *rows) branch(space string, version uint64, b *fold.Branch) {
	d := b.Dataset.Ref
	parent, incarnation := nameOf(b.Parent)
	state := ""
	if b.Head != nil {
		state = b.Head.State.String()
	}
	committed := committedOf(b)
	r.add("catalog_branches", space, d.Namespace, d.Name, b.Name, uint32(b.Incarnation), !b.Living(), parent, incarnation, idOf(b.Head), state,
		idOf(committed), buildOf(b.Build), millis(b.CreatedAt), version)
	view := fold.ViewOf(committed)
	r.add("catalog_views", space, d.Namespace, d.Name, b.Name, uint32(b.Incarnation), !b.Living(), idOf(committed), idOf(view.Base),
		view.Files, view.Rows, view.Bytes, schemaOf(view.Schema), version)
}

// committedOf is the latest COMMITTED transaction of a branch that may be deleted: the head that it had may
// have been aborted since.
func committedOf(b *fold.Branch) *fold.Transaction {
	if b.Head != nil && b.Head.State != fold.Committed {
		return b.Head.Previous
	}
	return b.Head
}

func (r *rows) transaction(space string, version uint64, t *fold.Transaction, e *fold.Event) {
	id, d := t.ID.String(), t.Dataset.Ref
	build, job, spec, hash := "", int32(-1), "", ""
	if t.Job != nil {
		build, job, spec, hash = t.Job.Build.ID, int32(t.Job.Index), t.Job.Spec.ID, t.Job.Hash
	}
	var count, bytes int64
	for i := range t.Put {
		count += t.Put[i].Rows
		bytes += t.Put[i].Bytes
	}
	r.add("catalog_transactions", space, id, d.Namespace, d.Name, t.Branch.Name, uint32(t.Branch.Incarnation), t.Type.String(), t.State.String(), idOf(t.Previous),
		t.Opened, t.Closed, millis(t.OpenedAt), millis(t.ClosedAt), t.Actor, build, job, spec, hash,
		uint32(len(t.Put)), uint32(len(t.Deleted)), count, bytes, schemaOf(t.Schema), t.Reason, version)
	put, deleted := newFiles(t, e)
	for _, f := range put {
		r.add("catalog_transaction_files", space, id, f.Path, "put", f.Location, f.Rows, f.Bytes, f.Checksum, version)
	}
	for _, path := range deleted {
		r.add("catalog_transaction_files", space, id, path, "delete", "", int64(0), int64(0), "", version)
	}
	if t.State != fold.Committed {
		return
	}
	for i, in := range t.Inputs {
		r.add("catalog_transaction_inputs", space, id, uint32(i), in.Dataset.Namespace, in.Dataset.Name, idOf(in.Transaction), idOf(in.Since), version)
	}
}

// newFiles is the part of a transaction's manifest that the event brought.
func newFiles(t *fold.Transaction, e *fold.Event) ([]event.File, []string) {
	switch d := e.Data.(type) {
	case *event.TransactionFilesAdded:
		return d.Put, d.Delete
	case *event.TransactionCommitted:
		if d.Transaction == t.ID.String() {
			return d.Put, d.Delete
		}
	case *event.AttemptFinished:
		for _, out := range d.Outputs {
			if t.State == fold.Committed && out.Dataset == t.Dataset.Ref {
				return out.Put, out.Delete
			}
		}
	}
	return nil, nil
}

func (r *rows) spec(space string, version uint64, s *fold.Spec) {
	var inputs, outputs, types []string
	for _, in := range s.Inputs {
		inputs = append(inputs, fold.Name(in.Dataset))
	}
	for _, out := range s.Outputs {
		typ := out.Type
		if typ == "" {
			typ = event.TransactionSnapshot
		}
		outputs, types = append(outputs, fold.Name(out.Dataset)), append(types, typ)
	}
	properties := s.Properties
	if properties == nil {
		properties = map[string]string{}
	}
	r.add("catalog_job_specs", space, s.Branch, s.ID, s.Gone >= 0, s.Withdrawn, inputs, outputs, types, s.Logic.Language, s.Logic.Dialect, s.Logic.Text, s.Logic.Ref,
		s.Hash, s.Engine, properties, s.Commit, s.Published, version)
}

func (r *rows) build(space string, version uint64, b *fold.Build) {
	req := b.Request
	code, message := "", b.AbortReason
	if len(b.Refusals) > 0 {
		code, message = string(b.Refusals[0].Code), b.Refusals[0].Message
	}
	var waits []string
	for _, k := range b.Blockers {
		waits = append(waits, fold.Name(k.Dataset))
	}
	slices.Sort(waits)
	waits = slices.Compact(waits)
	mode := req.Mode
	if mode == "" {
		mode = event.TargetOnly
	}
	r.addBuild(space, b.ID, b.State.String(), req.Branch, req.Fallbacks, names(req.Targets), mode, req.Force, uint32(req.Retries), b.Digest, code, message,
		waits, uint32(len(b.Jobs)), req.Actor, b.Requested, millis(b.RequestedAt), millis(b.AdmittedAt), millis(b.FinishedAt), version)
}

func (r *rows) job(space string, version uint64, j *fold.Job) {
	code, message := "", ""
	if j.Failure != nil {
		code, message = string(j.Failure.Code), j.Failure.Message
	}
	upstream := make([]uint32, len(j.Upstream))
	for i, up := range j.Upstream {
		upstream[i] = uint32(up)
	}
	var inputs, branches, read, outputs, written []string
	for _, in := range j.Inputs {
		branch, _ := nameOf(in.Branch)
		inputs, branches, read = append(inputs, fold.Name(in.Dataset)), append(branches, branch), append(read, idOf(in.Transaction))
	}
	for _, out := range j.Outputs {
		outputs, written = append(outputs, fold.Name(out.Dataset.Ref)), append(written, idOf(out.Transaction))
	}
	r.add("catalog_jobs", space, j.Build.ID, uint32(j.Index), j.Spec.ID, j.Spec.Branch, j.State.String(), j.Reason, code, message, j.Incremental,
		upstream, inputs, branches, read, outputs, written, uint32(len(j.Attempts)), version)
}

func (r *rows) outcome(space string, version uint64, c *fold.Changes) {
	e, out := c.Event, c.Outcome
	repeat := int64(-1)
	if out.Repeat {
		repeat = out.Offset
	}
	code, message := "", ""
	switch {
	case out.Refused != nil:
		code, message = string(out.Refused.Code), out.Refused.Message
	case out.Failure != nil:
		code, message = string(out.Failure.Code), out.Failure.Message
	}
	r.add("catalog_outcomes", space, e.Offset, uint16(r.partition), e.Source, e.ID, e.Type, out.Accepted(), repeat, code, message, e.Data.Catalog().Actor, e.Time.UTC(), version)
}
