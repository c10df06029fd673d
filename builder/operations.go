package builder

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// The operations that write. Each makes one event; the fold judges it.

var _ catalogapi.ServerInterface = (*Service)(nil)

// keySpace makes UUIDs from Idempotency-Keys.
var keySpace = uuid.MustParse("0b5f5b0e-6a2a-4d0e-9a53-7a7c6cf1d1c5")

// idFor returns an id for what a request makes: the same each time the request is sent under one key.
func idFor(wr *write, key string) string {
	if key == "" {
		return uuid.Must(uuid.NewV7()).String()
	}
	return uuid.NewSHA1(keySpace, []byte(wr.space+"\x00"+wr.source+"\x00"+key)).String()
}

// CreateDataset makes a dataset.
func (s *Service) CreateDataset(w http.ResponseWriter, r *http.Request, space string, params catalogapi.CreateDatasetParams) {
	writing[catalogapi.CreateDatasetParamsWait, event.DatasetCreated](s, w, r, space, event.TypeDatasetCreated, params.Wait, params.IdempotencyKey, nil)
}

// CreateBranch makes a branch.
func (s *Service) CreateBranch(w http.ResponseWriter, r *http.Request, space string, params catalogapi.CreateBranchParams) {
	writing[catalogapi.CreateBranchParamsWait, event.BranchCreated](s, w, r, space, event.TypeBranchCreated, params.Wait, params.IdempotencyKey, nil)
}

// DeleteBranch removes a branch's pointer.
func (s *Service) DeleteBranch(w http.ResponseWriter, r *http.Request, space string, params catalogapi.DeleteBranchParams) {
	writing[catalogapi.DeleteBranchParamsWait, event.BranchDeleted](s, w, r, space, event.TypeBranchDeleted, params.Wait, params.IdempotencyKey, nil)
}

// RestoreBranch brings back a deleted branch.
func (s *Service) RestoreBranch(w http.ResponseWriter, r *http.Request, space string, params catalogapi.RestoreBranchParams) {
	writing[catalogapi.RestoreBranchParamsWait, event.BranchRestored](s, w, r, space, event.TypeBranchRestored, params.Wait, params.IdempotencyKey, nil)
}

// ProtectBranch guards a branch.
func (s *Service) ProtectBranch(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ProtectBranchParams) {
	writing[catalogapi.ProtectBranchParamsWait, event.BranchProtected](s, w, r, space, event.TypeBranchProtected, params.Wait, params.IdempotencyKey, nil)
}

// UnprotectBranch takes a protection away.
func (s *Service) UnprotectBranch(w http.ResponseWriter, r *http.Request, space string, params catalogapi.UnprotectBranchParams) {
	writing[catalogapi.UnprotectBranchParamsWait, event.BranchUnprotected](s, w, r, space, event.TypeBranchUnprotected, params.Wait, params.IdempotencyKey, nil)
}

// Sweep ends the time in which deleted branches can be restored.
func (s *Service) Sweep(w http.ResponseWriter, r *http.Request, space string, params catalogapi.SweepParams) {
	writing[catalogapi.SweepParamsWait, event.RetentionSwept](s, w, r, space, event.TypeRetentionSwept, params.Wait, params.IdempotencyKey, nil)
}

// OpenTransaction starts a transaction.
func (s *Service) OpenTransaction(w http.ResponseWriter, r *http.Request, space string, params catalogapi.OpenTransactionParams) {
	writing(s, w, r, space, event.TypeTransactionOpened, params.Wait, params.IdempotencyKey, func(d *event.TransactionOpened, wr *write) *problem {
		if d.Transaction == "" {
			d.Transaction = idFor(wr, params.IdempotencyKey)
		}
		wr.told = func(a *catalogapi.Written, _ *catalog.Space) { a.Transaction = d.Transaction }
		return nil
	})
}

// AddFiles adds a part of a long manifest.
func (s *Service) AddFiles(w http.ResponseWriter, r *http.Request, space, transaction string, params catalogapi.AddFilesParams) {
	writing(s, w, r, space, event.TypeTransactionFilesAdded, params.Wait, params.IdempotencyKey, func(d *event.TransactionFilesAdded, _ *write) *problem {
		d.Transaction = transaction
		if d.Token != "" {
			d.Token = fingerprint(d.Token)
		}
		return nil
	})
}

// CommitTransaction closes a transaction so that it counts.
func (s *Service) CommitTransaction(w http.ResponseWriter, r *http.Request, space, transaction string, params catalogapi.CommitTransactionParams) {
	writing(s, w, r, space, event.TypeTransactionCommitted, params.Wait, params.IdempotencyKey, func(d *event.TransactionCommitted, _ *write) *problem {
		d.Transaction = transaction
		return nil
	})
}

// AbortTransaction closes a transaction so that it never counts.
func (s *Service) AbortTransaction(w http.ResponseWriter, r *http.Request, space, transaction string, params catalogapi.AbortTransactionParams) {
	writing(s, w, r, space, event.TypeTransactionAborted, params.Wait, params.IdempotencyKey, func(d *event.TransactionAborted, _ *write) *problem {
		d.Transaction = transaction
		return nil
	})
}

// PublishJobSpecs changes the job specs of a branch.
func (s *Service) PublishJobSpecs(w http.ResponseWriter, r *http.Request, space string, params catalogapi.PublishJobSpecsParams) {
	writing[catalogapi.PublishJobSpecsParamsWait, event.JobSpecPublished](s, w, r, space, event.TypeJobSpecPublished, params.Wait, params.IdempotencyKey, nil)
}

// RequestBuild asks for a build.
func (s *Service) RequestBuild(w http.ResponseWriter, r *http.Request, space string, params catalogapi.RequestBuildParams) {
	writing(s, w, r, space, event.TypeBuildRequested, params.Wait, params.IdempotencyKey, func(d *event.BuildRequested, wr *write) *problem {
		if d.Build == "" {
			d.Build = idFor(wr, params.IdempotencyKey)
		}
		wr.told = func(a *catalogapi.Written, space *catalog.Space) {
			if space == nil {
				a.Build = catalogapi.Build{Id: d.Build}
			} else {
				a.Build = s.of(wr.space).buildOf(space.Build(d.Build), true)
			}
		}
		return nil
	})
}

// AbortBuild ends a build.
func (s *Service) AbortBuild(w http.ResponseWriter, r *http.Request, space, build string, params catalogapi.AbortBuildParams) {
	writing(s, w, r, space, event.TypeBuildAborted, params.Wait, params.IdempotencyKey, func(d *event.BuildAborted, _ *write) *problem {
		d.Build = build
		return nil
	})
}
