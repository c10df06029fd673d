package blackbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// killSpace is the space of the tests that kill.
const killSpace = "killed"

// catalogHistory is what the log holds of a space, with how a fold that begins at the first event judges it.
type catalogHistory struct {
	events   []*catalog.Event
	outcomes []catalog.Outcome
	space    *catalog.Space
}

// readCatalog reads and folds the space from its first event.
func readCatalog(t *testing.T, client *log.Client) catalogHistory {
	t.Helper()
	raw, err := audit.ReadAll(t.Context(), client, log.TopicCatalog)
	require.NoError(t, err)
	state, h := catalog.New(), catalogHistory{}
	for _, rec := range catalogfold.Decode(raw, log.EmbeddedPartitions) {
		if rec.Event != nil && rec.Event.Data.Catalog().Space == killSpace {
			h.events = append(h.events, rec.Event)
			h.outcomes = append(h.outcomes, state.Apply(rec.Event))
		}
	}
	h.space = state.Space(killSpace)
	return h
}

// settleCatalog waits until no attempt is live.
func settleCatalog(t *testing.T, client *log.Client) (h catalogHistory) {
	t.Helper()
	poll(t, settleTime, func() error {
		h = readCatalog(t, client)
		for _, b := range h.space.Running {
			for _, j := range b.Jobs {
				if a := j.Live(); a != nil {
					return fmt.Errorf("attempt %d at job %d of build %s is live", a.Number, j.Index, b.ID)
				}
			}
		}
		return nil
	})
	return h
}

// require finds in the history everything that was acknowledged, no result of an attempt that had ended, and
// in what the server says and in the tables what the fold says.
func (h catalogHistory) require(t *testing.T, base, storeURL string, acknowledged map[int64]string) {
	t.Helper()
	accepted := map[int64]string{}
	for i, e := range h.events {
		if h.outcomes[i].Accepted() && !h.outcomes[i].Repeat {
			accepted[e.Offset] = e.ID
		}
	}
	require.NotEmpty(t, acknowledged)
	for offset, id := range acknowledged {
		require.Equal(t, id, accepted[offset], "what was acknowledged at %d", offset)
	}
	h.requireNoLateResults(t)
	for _, name := range []string{"D0", "D1", "D2"} {
		h.requireBranches(t, base, name)
	}
	h.requireTables(t, storeURL)
}

// requireNoLateResults goes through the log by itself: after the word that ended an attempt none with its
// token is accepted, and what is COMMITTED is what the attempt that finished has put.
func (h catalogHistory) requireNoLateResults(t *testing.T) {
	t.Helper()
	ended := map[string]string{}
	finished := map[string]bool{}
	for i, e := range h.events {
		handle, ok := endOf(e.Data)
		if !ok || !h.outcomes[i].Accepted() || h.outcomes[i].Repeat {
			continue
		}
		require.Empty(t, ended[handle.Token], "a word of an attempt that had ended was accepted at %d", e.Offset)
		ended[handle.Token] = e.Type
		finished[fmt.Sprint(handle.Build, "/", handle.Job)] = e.Type == event.TypeAttemptFinished && h.outcomes[i].Failure == nil
	}
	for _, b := range h.space.Builds {
		for _, j := range b.Jobs {
			require.Equal(t, finished[fmt.Sprint(b.ID, "/", j.Index)], j.State == catalog.JobCompleted, "job %d of build %s", j.Index, b.ID)
		}
	}
	for _, x := range h.space.Transactions() {
		require.False(t, x.Job != nil && x.State == catalog.Committed && x.Job.State != catalog.JobCompleted)
	}
}

// endOf gives the attempt that an event ends.
func endOf(data event.CatalogEvent) (h event.AttemptHandle, ok bool) {
	switch d := data.(type) {
	case *event.AttemptFinished:
		return d.AttemptHandle, true
	case *event.AttemptFailed:
		return d.AttemptHandle, true
	case *event.AttemptExpired:
		return d.AttemptHandle, true
	case *event.AttemptAborted:
		return d.AttemptHandle, true
	}
	return h, false
}

// requireBranches compares the branches that the server shows with those of the fold.
func (h catalogHistory) requireBranches(t *testing.T, base, name string) {
	t.Helper()
	var list catalogapi.BranchList
	get(t, base, "/api/v1/spaces/"+killSpace+"/branches", map[string][]string{"namespace": {"lake"}, "name": {name}}, &list)
	ds := h.space.Dataset(event.CatalogDataset{Namespace: "lake", Name: name})
	require.Len(t, list.Branches, len(ds.Branches))
	for _, b := range list.Branches {
		want := ds.Branches[b.Name]
		require.NotNil(t, want)
		require.Equal(t, want.Incarnation, b.Incarnation)
		require.Equal(t, headOf(want), b.Head)
	}
}

func headOf(b *catalog.Branch) string {
	if b.Head == nil {
		return ""
	}
	return b.Head.ID.String()
}

// requireTables waits until the tables hold what the fold says.
func (h catalogHistory) requireTables(t *testing.T, storeURL string) {
	t.Helper()
	var branches, transactions, builds, jobs []string
	for _, ds := range h.space.Datasets {
		for _, b := range ds.Branches {
			branches = append(branches, fmt.Sprintf("%s %s %d %s", ds.Ref.Name, b.Name, b.Incarnation, headOf(b)))
		}
	}
	for _, x := range h.space.Transactions() {
		transactions = append(transactions, fmt.Sprintf("%s %s %d %d", x.ID, x.State, x.Opened, x.Closed))
	}
	for _, b := range h.space.Builds {
		builds = append(builds, fmt.Sprintf("%s %s", b.ID, b.State))
		for _, j := range b.Jobs {
			jobs = append(jobs, fmt.Sprintf("%s %d %s %d", b.ID, j.Index, j.State, len(j.Attempts)))
		}
	}
	for sql, want := range map[string][]string{
		"concat(name, ' ', branch, ' ', toString(incarnation), ' ', head) FROM tributary.branches WHERE NOT deleted AND ":     branches,
		"concat(transaction, ' ', state, ' ', toString(opened), ' ', toString(closed)) FROM tributary.transactions WHERE ":    transactions,
		"concat(build, ' ', state) FROM tributary.builds WHERE ":                                                              builds,
		"concat(build, ' ', toString(job), ' ', state, ' ', toString(attempts)) FROM tributary.jobs WHERE ":                   jobs,
		"concat(toString(position), ' ', event_id, ' ', toString(accepted)) FROM tributary.outcomes WHERE repeat_of < 0 AND ": h.judgements(),
	} {
		soonSet(t, storeURL, "SELECT "+sql+"space = '"+killSpace+"' FORMAT TSVRaw", want)
	}
}

// judgements lists how each event was judged, repeats apart.
func (h catalogHistory) judgements() (list []string) {
	for i, e := range h.events {
		if !h.outcomes[i].Repeat {
			list = append(list, fmt.Sprintf("%d %s %t", e.Offset, e.ID, h.outcomes[i].Accepted()))
		}
	}
	return list
}

// soonSet waits until a query gives these rows, in any order.
func soonSet(t *testing.T, storeURL, sql string, want []string) {
	t.Helper()
	poll(t, settleTime, func() error {
		got, err := tryQuery(storeURL, sql)
		if err != nil {
			return err
		}
		missing := map[string]int{}
		for _, row := range want {
			missing[row]++
		}
		for _, row := range got {
			if missing[row]--; missing[row] < 0 {
				return fmt.Errorf("%.60s has %q, which the fold has not", sql, row)
			}
		}
		if len(got) != len(want) {
			return fmt.Errorf("%.60s has %d rows, not %d", sql, len(got), len(want))
		}
		return nil
	})
}
