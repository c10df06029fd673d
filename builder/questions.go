package builder

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// The operations that read.

const (
	defaultLimit = 100
	maxLimit     = 1000
	watchTime    = 20 * time.Second
)

// reading answers from a space's state, in which the event at the offset newest has been folded.
func (s *Service) reading(w http.ResponseWriter, r *http.Request, space string, newest int64, fn func(p *partition, space *catalog.Space) (any, *problem)) {
	p := s.of(space)
	if newest > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), waitApplied)
		defer cancel()
		if p.waitFor(ctx, newest) != nil {
			refuse(w, &problem{status: http.StatusGatewayTimeout, code: "NotAppliedInTime", message: "the event at min_position has not been folded in time"})
			return
		}
	}
	var v any
	prob := &problem{status: http.StatusNotFound, code: "SpaceNotFound", message: "there is nothing in space " + space}
	p.read(space, func(known *catalog.Space) {
		if known != nil {
			v, prob = fn(p, known)
		}
	})
	if prob != nil {
		refuse(w, prob)
		return
	}
	answer(w, http.StatusOK, v)
}

func notFound(r *catalog.Refusal) *problem {
	return &problem{status: http.StatusNotFound, code: string(r.Code), message: r.Message}
}

func limitOf(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return min(n, maxLimit)
}

// ListSpaces answers with the spaces that hold something. One whose events were all refused is none.
func (s *Service) ListSpaces(w http.ResponseWriter, _ *http.Request) {
	list := catalogapi.SpaceList{Spaces: []catalogapi.SpaceSummary{}}
	for _, p := range s.partitions {
		p.readAll(func(space *catalog.Space) {
			branches := space.SpecBranches()
			if len(space.Datasets) == 0 && len(branches) == 0 {
				return
			}
			list.Spaces = append(list.Spaces, catalogapi.SpaceSummary{
				Name: space.Name, Datasets: len(space.Datasets), SpecBranches: branches,
				Running: len(space.Running), Queued: len(space.Queue),
			})
		})
	}
	slices.SortFunc(list.Spaces, func(a, b catalogapi.SpaceSummary) int { return strings.Compare(a.Name, b.Name) })
	answer(w, http.StatusOK, list)
}

// ListDatasets answers with the datasets of a space.
func (s *Service) ListDatasets(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ListDatasetsParams) {
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		list := catalogapi.DatasetList{Position: p.position(), Datasets: []catalogapi.Dataset{}}
		branch := params.Branch
		if branch == "" {
			branch = event.MasterBranch
		}
		for _, d := range space.Datasets {
			if !strings.Contains(catalog.Name(d.Ref), params.Contains) {
				continue
			}
			out := catalogapi.Dataset{Namespace: d.Ref.Namespace, Name: d.Ref.Name, Branches: len(d.Branches)}
			if spec := space.Producer(d.Ref, branch, params.Fallbacks...); spec != nil {
				out.HasJobSpec, out.JobSpec, out.JobSpecBranch = true, spec.ID, spec.Branch
			}
			list.Datasets = append(list.Datasets, out)
		}
		slices.SortFunc(list.Datasets, func(a, b catalogapi.Dataset) int {
			return strings.Compare(a.Namespace+"|"+a.Name, b.Namespace+"|"+b.Name)
		})
		return list, nil
	})
}

// ListBranches answers with the branches of a dataset.
func (s *Service) ListBranches(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ListBranchesParams) {
	ref := event.CatalogDataset{Namespace: params.Namespace, Name: params.Name}
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		d := space.Dataset(ref)
		if d == nil {
			return nil, &problem{status: http.StatusNotFound, code: string(catalog.CodeDatasetNotFound), message: "there is no dataset " + catalog.Name(ref)}
		}
		list := catalogapi.BranchList{Position: p.position(), Branches: []catalogapi.Branch{}}
		for _, b := range d.All {
			if b.Living() || params.Deleted {
				list.Branches = append(list.Branches, branchOf(space, b))
			}
		}
		slices.SortStableFunc(list.Branches, func(a, b catalogapi.Branch) int { return strings.Compare(a.Name, b.Name) })
		return list, nil
	})
}

// ListProtections answers with what is protected.
func (s *Service) ListProtections(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ListProtectionsParams) {
	s.reading(w, r, space, params.MinPosition, func(_ *partition, space *catalog.Space) (any, *problem) {
		list := []catalogapi.BranchProtected{}
		for _, g := range space.Protections() {
			list = append(list, catalogapi.BranchProtected{Dataset: g.Dataset, Branch: g.Branch, Publishers: g.Publishers})
		}
		return list, nil
	})
}

// ListTransactions answers with a branch's history.
func (s *Service) ListTransactions(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ListTransactionsParams) {
	ref := event.CatalogDataset{Namespace: params.Namespace, Name: params.Name}
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		b, refused := space.Branch(ref, event.BranchHandle{Branch: params.Branch, Incarnation: params.Incarnation})
		if refused != nil {
			return nil, notFound(refused)
		}
		list := catalogapi.TransactionList{Position: p.position(), Transactions: []catalogapi.Transaction{}}
		behind := params.Before == ""
		b.History(func(t *catalog.Transaction) bool {
			if behind {
				list.Transactions = append(list.Transactions, transactionOf(t))
			}
			behind = behind || t.ID.String() == params.Before
			return len(list.Transactions) < limitOf(params.Limit)
		})
		return list, nil
	})
}

// GetTransaction answers with a transaction.
func (s *Service) GetTransaction(w http.ResponseWriter, r *http.Request, space, transaction string, params catalogapi.GetTransactionParams) {
	s.reading(w, r, space, params.MinPosition, func(_ *partition, space *catalog.Space) (any, *problem) {
		t := space.Transaction(transaction)
		if t == nil {
			return nil, &problem{status: http.StatusNotFound, code: string(catalog.CodeTransactionNotFound), message: "there is no transaction " + transaction}
		}
		return transactionOf(t), nil
	})
}

// GetView answers with the content of a dataset on a branch.
func (s *Service) GetView(w http.ResponseWriter, r *http.Request, space string, params catalogapi.GetViewParams) {
	ref := event.CatalogDataset{Namespace: params.Namespace, Name: params.Name}
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		b, refused := space.Branch(ref, event.BranchHandle{Branch: params.Branch, Incarnation: params.Incarnation})
		if refused != nil {
			return nil, notFound(refused)
		}
		t := b.Committed()
		if params.At != nil {
			t = b.CommittedAt(*params.At)
		}
		return viewOf(p, b, t, params.After, limitOf(params.Limit)), nil
	})
}

// ListJobSpecs answers with the job specs of a branch.
func (s *Service) ListJobSpecs(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ListJobSpecsParams) {
	s.reading(w, r, space, params.MinPosition, func(_ *partition, space *catalog.Space) (any, *problem) {
		list := []catalogapi.PublishedSpec{}
		for _, spec := range space.Specs(params.Branch) {
			list = append(list, catalogapi.PublishedSpec{Spec: spec.JobSpec, Branch: spec.Branch, Commit: spec.Commit, Hash: spec.Hash, Published: spec.Published})
		}
		return list, nil
	})
}

// PlanBuild answers with what a build would do.
func (s *Service) PlanBuild(w http.ResponseWriter, r *http.Request, space string, params catalogapi.PlanBuildParams) {
	var req event.BuildRequested
	if p := body(w, r, &req); p != nil {
		refuse(w, p)
		return
	}
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		began := time.Now()
		plan := planOf(space.Plan(&req))
		s.metrics.planned(r.Context(), began)
		plan.Position = p.position()
		return plan, nil
	})
}

// ListBuilds answers with builds, newest first.
func (s *Service) ListBuilds(w http.ResponseWriter, r *http.Request, space string, params catalogapi.ListBuildsParams) {
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		list := []catalogapi.Build{}
		for _, b := range slices.Backward(space.Builds) {
			if len(list) == limitOf(params.Limit) {
				break
			}
			if params.State == "" || strings.EqualFold(params.State, b.State.String()) {
				list = append(list, p.buildOf(b, false))
			}
		}
		return list, nil
	})
}

// GetBuild answers with a build, at once or when it has changed.
func (s *Service) GetBuild(w http.ResponseWriter, r *http.Request, space, build string, params catalogapi.GetBuildParams) {
	if params.ChangedSince != nil {
		s.of(space).watch(r.Context(), space, build, *params.ChangedSince)
	}
	s.reading(w, r, space, params.MinPosition, func(p *partition, space *catalog.Space) (any, *problem) {
		b := space.Build(build)
		if b == nil {
			return nil, &problem{status: http.StatusNotFound, code: string(catalog.CodeBuildNotFound), message: "there is no build " + build}
		}
		return p.buildOf(b, true), nil
	})
}

// watch returns when a build has changed at or behind an offset, has finished, or after a while.
func (p *partition) watch(ctx context.Context, space, build string, since int64) {
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	for {
		changed := p.change()
		done := false
		p.read(space, func(known *catalog.Space) {
			if known != nil {
				b := known.Build(build)
				done = b != nil && (b.State.Finished() || p.changedAt(b) >= since)
			}
		})
		if done {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// changedAt is the offset of the last change of a build that is known.
func (p *partition) changedAt(b *catalog.Build) int64 {
	return max(p.lastBuild[b], b.Requested, b.Admitted, b.Finished)
}
