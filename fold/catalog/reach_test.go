package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWalkReaches makes sure that the random walks come to everything that the properties speak of.
func TestWalkReaches(t *testing.T) {
	seen := map[string]int{}
	t.Run("walks", func(t *testing.T) {
		check(t, func(w *walk, e *Event, out Outcome) {
			if out.Refused != nil {
				seen[string(out.Refused.Code)]++
			}
			if out.Failure != nil {
				seen["failure "+string(out.Failure.Code)]++
			}
			for _, c := range w.state.Changes().History {
				if c.Build != nil {
					seen["build branch "+string(c.Cause)]++
				}
			}
			for _, j := range w.state.Changes().Jobs {
				seen["job "+j.State.String()]++
				if j.Incremental {
					seen["incremental"]++
				}
			}
			for _, b := range w.state.Changes().Builds {
				seen["build "+b.State.String()]++
				if b.Admitted == e.Offset && b.Requested < e.Offset {
					seen["admitted from the queue"]++
				}
				for _, r := range b.Refusals {
					seen["plan "+string(r.Code)]++
				}
			}
		})
	})
	t.Cleanup(func() {
		for _, what := range []string{
			"BranchExists", "BranchNotFound", "StaleBranch", "BranchInUse", "BranchProtected", "NotRestorable", "ParentNotFound",
			"InvalidBranchName", "TransactionNotFound", "NotInHistory", "OpenTransactionAlreadyExists", "TransactionNotOpen",
			"TransactionHeldByBuild", "FileAlreadyInView", "FileNotInView", "InvalidManifest", "StaleAttempt", "BuildAborted",
			"UnknownOutput", "BuildFinished", "JobNotReady", "failure FileAlreadyInView",
			"plan JobSpecNotFound", "plan TwoProducers", "plan MissingInput", "plan IncompatibleFallback", "plan PlanStale", "plan JobSpecCycle",
			"build QUEUED", "build RUNNING", "build SUCCEEDED", "build FAILED", "build CANCELED", "build REFUSED",
			"job WAITING", "job RUN_PENDING", "job RUNNING", "job COMPLETED", "job FAILED", "job ABORT_PENDING", "job ABORTED", "job SKIPPED",
			"admitted from the queue", "incremental", "build branch CREATED", "build branch DELETED", "build branch REPARENTED",
		} {
			if seen[what] == 0 && !testing.Short() {
				t.Errorf("no walk came to %s", what)
			}
		}
		t.Log(seen)
	})
	require.NotNil(t, seen)
}
