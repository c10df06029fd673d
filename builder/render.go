package builder

import (
	"time"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// What the fold holds, in the form of the API. The caller holds the partition's lock.

func (p *partition) position() catalogapi.Position {
	return catalogapi.Position{Partition: p.number, Offset: p.state.Next() - 1}
}

func timeOf(millis int64) time.Time { return time.UnixMilli(millis).UTC() }

func idOf(t *catalog.Transaction) string {
	if t == nil {
		return ""
	}
	return t.ID.String()
}

func nameOf(b *catalog.Branch) string {
	if b == nil {
		return ""
	}
	return b.Name
}

func branchOf(space *catalog.Space, b *catalog.Branch) catalogapi.Branch {
	out := catalogapi.Branch{Name: b.Name, Incarnation: b.Incarnation, Head: idOf(b.Head), Deleted: !b.Living()}
	if b.Parent != nil {
		out.Parent, out.ParentIncarnation = b.Parent.Name, b.Parent.Incarnation
	}
	if b.Head != nil {
		out.HeadState = b.Head.State.String()
	}
	if b.Living() {
		out.Committed, out.Protected = idOf(b.Committed()), space.Protected(b)
	}
	if b.Build != nil {
		out.CreatedByBuild = b.Build.ID
	}
	return out
}

func transactionOf(t *catalog.Transaction) catalogapi.Transaction {
	out := catalogapi.Transaction{
		Id: t.ID.String(), Dataset: t.Dataset.Ref, Branch: t.Branch.Name, Type: t.Type.String(), State: t.State.String(),
		Previous: idOf(t.Previous), Opened: t.Opened, OpenedAt: timeOf(t.OpenedAt), Actor: t.Actor, Reason: t.Reason,
		Files: len(t.Put) + len(t.Deleted),
	}
	if t.State != catalog.Open {
		out.Closed, out.ClosedAt = t.Closed, timeOf(t.ClosedAt)
	}
	if t.Job != nil {
		out.Build, out.Job, out.JobSpec = t.Job.Build.ID, t.Job.Index, t.Job.Spec.ID
	}
	for _, b := range t.Pointers() {
		out.ShownBy = append(out.ShownBy, b.Name)
	}
	for _, in := range t.Inputs {
		out.Inputs = append(out.Inputs, catalogapi.ReadTransaction{Dataset: in.Dataset, Transaction: idOf(in.Transaction), Since: idOf(in.Since)})
	}
	return out
}

func viewOf(p *partition, b *catalog.Branch, t *catalog.Transaction, after string, limit int) catalogapi.View {
	view := catalog.ViewOf(t)
	out := catalogapi.View{
		Position: p.position(), Branch: b.Name, Incarnation: b.Incarnation, Transaction: idOf(t), Base: idOf(view.Base),
		Files: view.Files, Rows: view.Rows, Bytes: view.Bytes, Schema: view.Schema, List: []event.File{},
	}
	view.Walk(after, func(f *event.File) bool {
		if len(out.List) == limit {
			out.Next = out.List[limit-1].Path
			return false
		}
		out.List = append(out.List, *f)
		return true
	})
	return out
}

func refusalsOf(list []catalog.PlanRefusal) []catalogapi.PlanRefusal {
	out := make([]catalogapi.PlanRefusal, len(list))
	for i, r := range list {
		out[i] = catalogapi.PlanRefusal{Code: string(r.Code), Message: r.Message, Dataset: r.Dataset}
	}
	return out
}

func blockersOf(list []catalog.Blocker) []catalogapi.Blocker {
	out := make([]catalogapi.Blocker, len(list))
	for i, k := range list {
		out[i] = catalogapi.Blocker{Dataset: k.Dataset, Branch: k.Branch, Transaction: idOf(k.Transaction), Reason: blockReason(k)}
		if k.Build != nil {
			out[i].Build = k.Build.ID
		}
	}
	return out
}

func blockReason(k catalog.Blocker) string {
	what := "the output " + catalog.Name(k.Dataset) + " on " + k.Branch
	if k.Input {
		what = "the input " + catalog.Name(k.Dataset) + " on " + k.Branch
	}
	switch {
	case k.Transaction == nil:
		return what + " is also wanted by build " + k.Build.ID + ", which is earlier in the queue"
	case k.Build != nil:
		return what + " is held by build " + k.Build.ID
	}
	return what + " is held by " + k.Transaction.Actor + " with transaction " + k.Transaction.ID.String()
}

func planOf(plan *catalog.Plan) catalogapi.Plan {
	out := catalogapi.Plan{
		Digest: plan.Digest, Branch: plan.Branch, Fallbacks: plan.Fallbacks, Jobs: []catalogapi.Job{},
		Refusals: refusalsOf(plan.Refusals), Blockers: blockersOf(plan.Blockers),
	}
	for _, planned := range plan.Jobs {
		job := catalogapi.Job{
			Index: planned.Index, Spec: planned.Spec.ID, SpecBranch: planned.Spec.Branch, State: "SKIP",
			Reason: planned.Reason, Incremental: planned.Incremental, Upstream: planned.Upstream,
		}
		if planned.Run {
			job.State = "RUN"
		}
		for _, in := range planned.Inputs {
			job.Inputs = append(job.Inputs, inputOf(in.Dataset, in.Space, in.Job, in.Branch, in.Transaction, in.Since, in.Reason))
		}
		for _, o := range planned.Outputs {
			if o.Dataset == nil {
				continue
			}
			job.Outputs = append(job.Outputs, catalogapi.JobOutput{Dataset: o.Dataset.Ref, Branch: plan.Branch, Transaction: idOf(o.Base), Type: o.Type.String()})
			if planned.Run && o.Branch == nil {
				out.Creates = append(out.Creates, catalogapi.NewBranch{Dataset: o.Dataset.Ref, Branch: plan.Branch, From: nameOf(o.From), Transaction: idOf(o.Base)})
			}
		}
		out.Jobs = append(out.Jobs, job)
	}
	return out
}

func inputOf(d event.CatalogDataset, space string, job int, b *catalog.Branch, t, since *catalog.Transaction, reason string) catalogapi.JobInput {
	in := catalogapi.JobInput{Dataset: d, Space: space, Branch: nameOf(b), Transaction: idOf(t), Since: idOf(since), Reason: reason}
	if job >= 0 {
		in.FromJob = &job
	}
	return in
}

func (p *partition) buildOf(b *catalog.Build, jobs bool) catalogapi.Build {
	out := catalogapi.Build{
		Position: p.position(), Id: b.ID, State: b.State.String(), Branch: b.Request.Branch, Fallbacks: b.Request.Fallbacks,
		Targets: b.Request.Targets, RequestedBy: b.Request.Actor, Requested: b.Requested, RequestedAt: timeOf(b.RequestedAt),
		Changed: p.changedAt(b), Digest: b.Digest, AbortReason: b.AbortReason, Refusals: refusalsOf(b.Refusals), Blockers: blockersOf(b.Blockers),
	}
	if b.State.Finished() {
		out.FinishedAt = timeOf(b.FinishedAt)
	}
	for _, j := range b.Jobs {
		if jobs {
			out.Jobs = append(out.Jobs, jobOf(j))
		}
	}
	return out
}

func jobOf(j *catalog.Job) catalogapi.Job {
	out := catalogapi.Job{
		Index: j.Index, Spec: j.Spec.ID, SpecBranch: j.Spec.Branch, State: j.State.String(), Reason: j.Reason,
		Incremental: j.Incremental, Upstream: j.Upstream,
	}
	if j.Failure != nil {
		out.Code, out.Message = string(j.Failure.Code), j.Failure.Message
	}
	for _, in := range j.Inputs {
		out.Inputs = append(out.Inputs, inputOf(in.Dataset, in.Space, in.Job, in.Branch, in.Transaction, in.Since, in.Reason))
	}
	for _, o := range j.Outputs {
		out.Outputs = append(out.Outputs, catalogapi.JobOutput{Dataset: o.Dataset.Ref, Branch: nameOf(o.Branch), Transaction: idOf(o.Transaction), Type: o.Type.String()})
	}
	for _, a := range j.Attempts {
		attempt := catalogapi.Attempt{Number: a.Number, Runner: a.Runner, State: a.State.String(), Message: a.Message, StartedAt: timeOf(a.StartedAt)}
		if a.Ended >= 0 {
			attempt.EndedAt = timeOf(a.EndedAt)
		}
		out.Attempts = append(out.Attempts, attempt)
	}
	return out
}
