package builder

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// The runner protocol; docs/runners.md describes it.

const maxClaimWait = 30 * time.Second

// fingerprint is what the log knows of a runner's secret.
func fingerprint(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func notOwner(space string) *problem {
	return &problem{status: http.StatusMisdirectedRequest, code: "NotOwner", message: "this process does not drive space " + space + " now: ask another one, or again in a moment"}
}

// Claim gives a job to a runner.
func (s *Service) Claim(w http.ResponseWriter, r *http.Request, space string) {
	var req catalogapi.ClaimRequest
	if p := body(w, r, &req); p != nil {
		refuse(w, p)
		return
	}
	if req.Runner == "" {
		refuse(w, &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: "the runner gives no name"})
		return
	}
	wait := min(time.Duration(max(req.WaitSeconds, 0))*time.Second, maxClaimWait)
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	d := &s.of(space).driver
	for {
		changed := d.partition.change()
		if !d.owns() {
			refuse(w, notOwner(space))
			return
		}
		job, key, due := d.choose(space, req.Engines)
		if job != nil {
			claim, p := s.claim(r.Context(), space, req.Runner, job)
			d.release(key)
			switch {
			case claim != nil:
				answer(w, http.StatusOK, claim)
				return
			case p.status != http.StatusConflict:
				refuse(w, p)
				return
			}
			continue // the job went another way meanwhile
		}
		if !pause(ctx, changed, due.Sub(s.cfg.Now()), due.IsZero()) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
}

// pause waits for a change or for a retry to be due; it returns false if the context ended first.
func pause(ctx context.Context, changed <-chan struct{}, wait time.Duration, forever bool) bool {
	if forever {
		wait = maxClaimWait
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-changed:
	case <-timer.C:
	}
	return true
}

// claim writes that an attempt has started and returns what the runner needs.
func (s *Service) claim(ctx context.Context, space, runner string, job *catalog.Job) (*catalogapi.Claim, *problem) {
	secret := rand.Text()
	p := s.of(space)
	var attempt int
	p.read(space, func(*catalog.Space) { attempt = len(job.Attempts) + 1 })
	h := event.AttemptHandle{Build: job.Build.ID, Job: job.Index, Token: fingerprint(secret)}
	wr := &write{space: space, source: "/builder", id: "started/" + h.Token, typ: event.TypeAttemptStarted, wait: true,
		data: &event.AttemptStarted{CatalogHead: event.CatalogHead{Space: space, Rules: catalog.RulesVersion, Actor: "builder"}, AttemptHandle: h, Attempt: attempt, Runner: runner}}
	if _, prob := s.append(ctx, wr); prob != nil {
		return nil, prob
	}
	p.driver.extend(h.Token)
	claim := &catalogapi.Claim{
		Build: h.Build, Job: h.Job, Attempt: attempt, Token: secret, LeaseSeconds: max(1, int(s.cfg.Lease/time.Second)),
	}
	// Inputs and outputs may be another attempt's by now; the runner learns that with its first word.
	p.read(space, func(*catalog.Space) { fillClaim(claim, job) })
	return claim, nil
}

func fillClaim(claim *catalogapi.Claim, job *catalog.Job) {
	claim.Branch, claim.Spec, claim.Incremental = job.Build.Request.Branch, job.Spec.JobSpec, job.Incremental
	claim.Inputs, claim.Outputs = []catalogapi.ClaimInput{}, []catalogapi.ClaimOutput{}
	for _, in := range job.Inputs {
		out := catalogapi.ClaimInput{Dataset: in.Dataset, Space: in.Space, Branch: nameOf(in.Branch), Transaction: idOf(in.Transaction), Since: idOf(in.Since)}
		out.Transactions = transactionsOf(in.Transaction, in.Since)
		view := catalog.ViewOf(in.Transaction)
		out.Schema = view.Schema
		out.Files, out.FilesLeftOut = filesOf(view, catalog.ViewOf(in.Since))
		claim.Inputs = append(claim.Inputs, out)
	}
	for _, o := range job.Outputs {
		claim.Outputs = append(claim.Outputs, catalogapi.ClaimOutput{Dataset: o.Dataset.Ref, Branch: nameOf(o.Branch), Transaction: idOf(o.Transaction), Type: o.Type.String()})
	}
}

// maxClaimFiles bounds the files of an input that a claim lists.
const maxClaimFiles = 100_000

// filesOf lists the files of a view that an earlier one does not have. The earlier one is empty for a full
// read; an incremental one is followed by nothing but APPENDs.
func filesOf(view, since *catalog.View) (list []event.File, leftOut int64) {
	view.Walk("", func(f *event.File) bool {
		switch {
		case since.File(f.Path) != nil:
		case len(list) == maxClaimFiles:
			leftOut++
		default:
			list = append(list, *f)
		}
		return true
	})
	return list, leftOut
}

// transactionsOf lists the transactions of a view, oldest first: back to the latest SNAPSHOT, or what came
// after since.
func transactionsOf(t, since *catalog.Transaction) []string {
	var list []string
	for ; t != nil && t != since; t = t.Previous {
		list = append(list, t.ID.String())
		if t.Type == catalog.Snapshot {
			break
		}
	}
	slices.Reverse(list)
	return list
}

// Heartbeat extends the lease of a live attempt.
func (s *Service) Heartbeat(w http.ResponseWriter, r *http.Request, space string) {
	var req catalogapi.AttemptReport
	if p := body(w, r, &req); p != nil {
		refuse(w, p)
		return
	}
	p := s.of(space)
	if !p.driver.owns() {
		refuse(w, notOwner(space))
		return
	}
	token := fingerprint(req.Token)
	live, goOn := false, false
	p.read(space, func(known *catalog.Space) {
		if known == nil {
			return
		}
		if b := known.Build(req.Build); b != nil && req.Job >= 0 && req.Job < len(b.Jobs) {
			j := b.Jobs[req.Job]
			if a := j.Live(); a != nil && a.Token == token {
				live, goOn = true, j.State == catalog.JobRunning
			}
		}
	})
	if !live {
		refuse(w, &problem{status: http.StatusConflict, code: string(catalog.CodeStaleAttempt), message: "the attempt is not the live one of its job"})
		return
	}
	if goOn { // in ABORT_PENDING a heartbeat does not extend the lease
		p.driver.extend(token)
	}
	answer(w, http.StatusOK, catalogapi.HeartbeatAnswer{GoOn: goOn})
}

// FinishAttempt commits the outputs of a job.
func (s *Service) FinishAttempt(w http.ResponseWriter, r *http.Request, space string) {
	s.report(w, r, space, event.TypeAttemptFinished, func(head event.CatalogHead, h event.AttemptHandle, req *catalogapi.AttemptReport) event.CatalogEvent {
		return &event.AttemptFinished{CatalogHead: head, AttemptHandle: h, Outputs: req.Outputs}
	})
}

// FailAttempt ends an attempt without success.
func (s *Service) FailAttempt(w http.ResponseWriter, r *http.Request, space string) {
	s.report(w, r, space, event.TypeAttemptFailed, func(head event.CatalogHead, h event.AttemptHandle, req *catalogapi.AttemptReport) event.CatalogEvent {
		return &event.AttemptFailed{CatalogHead: head, AttemptHandle: h, Message: req.Message, Permanent: req.Permanent}
	})
}

// StopAttempt confirms that an attempt was stopped.
func (s *Service) StopAttempt(w http.ResponseWriter, r *http.Request, space string) {
	s.report(w, r, space, event.TypeAttemptAborted, func(head event.CatalogHead, h event.AttemptHandle, _ *catalogapi.AttemptReport) event.CatalogEvent {
		return &event.AttemptAborted{CatalogHead: head, AttemptHandle: h}
	})
}

// report writes a runner's word about its attempt. Its event is named by what it says, so that the same
// word sent again has the first one's outcome, and a corrected one is judged afresh.
func (s *Service) report(w http.ResponseWriter, r *http.Request, space, typ string, word func(event.CatalogHead, event.AttemptHandle, *catalogapi.AttemptReport) event.CatalogEvent) {
	var req catalogapi.AttemptReport
	if p := body(w, r, &req); p != nil {
		refuse(w, p)
		return
	}
	h := event.AttemptHandle{Build: req.Build, Job: req.Job, Token: fingerprint(req.Token)}
	data := word(event.CatalogHead{Space: space, Rules: catalog.RulesVersion, Actor: "runner"}, h, &req)
	text, err := json.Marshal(data)
	if err != nil {
		refuse(w, &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: err.Error()})
		return
	}
	wr := &write{space: space, source: "/runner", id: typ + "/" + fingerprint(string(text)), typ: typ, data: data, wait: true}
	wr.told = func(a *catalogapi.Written, known *catalog.Space) {
		if b := known.Build(h.Build); b != nil && h.Job >= 0 && h.Job < len(b.Jobs) {
			a.JobState = b.Jobs[h.Job].State.String()
		}
	}
	written, p := s.append(r.Context(), wr)
	if p != nil {
		refuse(w, p)
		return
	}
	answer(w, http.StatusOK, written)
}
