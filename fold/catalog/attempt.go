package catalog

import (
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
)

// jobOf finds the job that an attempt is for.
func (f *fold) jobOf(build string, index int) (*Job, *Refusal) {
	b := f.builds[build]
	if b == nil {
		return nil, refuse(CodeBuildNotFound, "there is no build %s", clip(build))
	}
	if index < 0 || index >= len(b.Jobs) {
		return nil, refuse(CodeJobNotFound, "build %s has no job %d", b.ID, index)
	}
	return b.Jobs[index], nil
}

// attemptOf finds the live attempt that a runner speaks of.
func (f *fold) attemptOf(h *event.AttemptHandle) (*Job, *Refusal) {
	job, r := f.jobOf(h.Build, h.Job)
	if r != nil {
		return nil, r
	}
	if !job.live(h.Token) {
		return nil, refuse(CodeStaleAttempt, "the attempt is not the live one of job %s of build %s, which is %s", job.Spec.ID, job.Build.ID, job.State)
	}
	return job, nil
}

// startAttempt gives a pending job to a runner.
func (f *fold) startAttempt(d *event.AttemptStarted) *Refusal {
	job, r := f.jobOf(d.Build, d.Job)
	if r != nil {
		return r
	}
	b := job.Build
	switch {
	case job.State != JobRunPending:
		return refuse(CodeJobNotReady, "job %s of build %s is %s", job.Spec.ID, b.ID, job.State)
	case d.Attempt != len(job.Attempts)+1:
		return refuse(CodeJobNotReady, "the next attempt at job %s of build %s has the number %d", job.Spec.ID, b.ID, len(job.Attempts)+1)
	case b.Request.MaxParallel > 0 && b.running >= b.Request.MaxParallel:
		return refuse(CodeJobNotReady, "build %s runs %d jobs at a time at most", b.ID, b.Request.MaxParallel)
	case len(d.Token) < 32 || len(d.Token) > 128:
		return refuse(CodeInvalidEvent, "the token of an attempt must have 32 to 128 characters")
	}
	a := &Attempt{
		Job: job, Number: d.Attempt, Token: d.Token, Runner: d.Runner,
		Started: f.offset(), StartedAt: f.millis(), Ended: -1, mark: -1,
	}
	job.Attempts = append(job.Attempts, a)
	job.State = JobRunning
	b.running++
	f.changes.attempt(a)
	f.changes.job(job)
	return nil
}

// finishAttempt commits all outputs of a job, or none.
func (f *fold) finishAttempt(d *event.AttemptFinished) *Refusal {
	job, r := f.attemptOf(&d.AttemptHandle)
	if r != nil {
		return r
	}
	if job.State == JobAbortPending {
		return refuse(CodeBuildAborted, "build %s was aborted, so job %s cannot commit", job.Build.ID, job.Spec.ID)
	}
	written := make([]*event.AttemptOutput, len(job.Outputs))
	for i := range d.Outputs {
		at := job.outputAt(d.Outputs[i].Dataset)
		if at < 0 || written[at] != nil {
			return refuse(CodeUnknownOutput, "%s is not an output of job %s, or is given twice", clip(Name(d.Outputs[i].Dataset)), job.Spec.ID)
		}
		written[at] = &d.Outputs[i]
	}
	for at := range written {
		if written[at] == nil {
			written[at] = &event.AttemptOutput{}
		}
		t := job.Outputs[at].Transaction
		if r := t.checkManifest(&written[at].Manifest); r != nil {
			return r
		}
		if r := checkSchema(written[at].Schema); r != nil {
			return r
		}
	}
	for at := range written {
		if r := job.Outputs[at].Transaction.checkView(&written[at].Manifest); r != nil {
			f.out.Failure = r
			f.endAttempt(job, AttemptFailed, r.Message)
			f.fail(job, r)
			f.afterJob(job)
			return nil
		}
	}
	f.endAttempt(job, AttemptSucceeded, "")
	f.complete(job, written)
	f.afterJob(job)
	return nil
}

func (j *Job) outputAt(d event.CatalogDataset) int {
	for i := range j.Outputs {
		if j.Outputs[i].Dataset.Ref == d {
			return i
		}
	}
	return -1
}

// complete commits the outputs of a job and makes ready what waited for it alone.
func (f *fold) complete(job *Job, written []*event.AttemptOutput) {
	b := job.Build
	inputs := make([]Input, len(job.Inputs))
	for i, in := range job.Inputs {
		inputs[i] = Input{Dataset: in.Dataset, Transaction: in.Transaction, Since: in.Since}
	}
	for i := range job.Outputs {
		t := job.Outputs[i].Transaction
		t.Inputs = inputs
		f.commit(t, &written[i].Manifest, written[i].Schema)
	}
	job.State = JobCompleted
	b.live--
	f.changes.job(job)
	for _, i := range job.Downstream {
		down := b.Jobs[i]
		if down.State != JobWaiting {
			continue
		}
		if down.waits--; down.waits == 0 {
			f.ready(down)
		}
	}
}

// endAttempt ends the live attempt of a job.
func (f *fold) endAttempt(job *Job, state AttemptState, message string) {
	a := job.Live()
	a.State, a.Message = state, message
	a.Ended, a.EndedAt = f.offset(), f.millis()
	job.Build.running--
	f.changes.attempt(a)
}

// afterJob ends the build if it is done, and looks at the queue.
func (f *fold) afterJob(job *Job) {
	f.changes.build(job.Build)
	f.finishIfDone(job.Build)
	f.release()
}

// failAttempt ends an attempt without success: its transactions are aborted and, if a retry is left, the
// next attempt's are opened in the same step, so that the lock is never lost.
func (f *fold) failAttempt(h *event.AttemptHandle, state AttemptState, message string, permanent bool) *Refusal {
	job, r := f.attemptOf(h)
	if r != nil {
		return r
	}
	if len(message) > maxTextBytes {
		message = strings.ToValidUTF8(message[:maxTextBytes], "")
	}
	aborting := job.State == JobAbortPending
	f.endAttempt(job, state, message)
	switch {
	case aborting:
		f.settleJob(job, JobAborted, job.Failure)
	case !permanent && len(job.Attempts) <= job.Build.Request.Retries:
		f.abortOutputs(job, message)
		f.openOutputs(job)
		job.State = JobRunPending
		f.changes.job(job)
	default:
		f.fail(job, &Refusal{Code: CodeJobFailed, Message: message})
	}
	f.afterJob(job)
	return nil
}

// confirmAbort ends an attempt whose runner stopped it because the build was aborted.
func (f *fold) confirmAbort(d *event.AttemptAborted) *Refusal {
	job, r := f.attemptOf(&d.AttemptHandle)
	if r != nil {
		return r
	}
	if job.State != JobAbortPending {
		return refuse(CodeJobNotReady, "job %s of build %s was not asked to stop", job.Spec.ID, job.Build.ID)
	}
	f.endAttempt(job, AttemptAborted, "")
	f.settleJob(job, JobAborted, job.Failure)
	f.afterJob(job)
	return nil
}
