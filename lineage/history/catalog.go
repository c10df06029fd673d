package history

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Dataset gives the branches of a dataset, those that it is only defined on
// among them, and its latest transactions in all spaces, newest first.
func (s *Store) Dataset(ctx context.Context, q api.DatasetQuestion) (api.DatasetDetails, error) {
	ids := make([]uint64, len(q.Keys))
	for i, key := range q.Keys {
		ids[i] = taskID(key)
	}
	branches := branchList{}
	err := s.each(ctx, "looking up a dataset's definitions", `
		SELECT branch, max(defined) FROM
		(
			SELECT key, branch, argMax(status = 'defined', opened) AS defined FROM tributary.table_definitions
			WHERE node_id IN {ids:Array(UInt64)} AND key IN {keys:Array(String)} GROUP BY key, branch
		) GROUP BY branch`, args("ids", ids, "keys", q.Keys), func(rows driver.Rows) error {
		var branch string
		var defined bool
		err := rows.Scan(&branch, &defined)
		branches.of(branch).HasDefinition = defined
		return err
	})
	if err != nil {
		return api.DatasetDetails{}, err
	}
	places, err := s.places(ctx, q)
	if err != nil || len(places) == 0 {
		return api.DatasetDetails{Branches: branches.sorted()}, err
	}
	if err := s.catalogBranches(ctx, places, branches); err != nil {
		return api.DatasetDetails{}, err
	}
	transactions, err := s.transactions(ctx, places, q.Limit)
	return api.DatasetDetails{Branches: branches.sorted(), Transactions: transactions}, err
}

// branchList collects what is known of branches, by name.
type branchList map[string]*lineageapi.NodeBranch

func (l branchList) of(branch string) *lineageapi.NodeBranch {
	if l[branch] == nil {
		l[branch] = &lineageapi.NodeBranch{Name: branch}
	}
	return l[branch]
}

func (l branchList) sorted() []lineageapi.NodeBranch {
	out := make([]lineageapi.NodeBranch, 0, len(l))
	for _, b := range l {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(x, y lineageapi.NodeBranch) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// places gives the ways in which the catalog writes a dataset, namespace|name:
// it keeps namespaces and names as they came, the id of a source among them,
// and keys have them in one form.
func (s *Store) places(ctx context.Context, q api.DatasetQuestion) ([]string, error) {
	var out, names []string
	for _, key := range q.Keys {
		if k, err := name.ParseKey(key); err == nil {
			// A job spec may name what is no dataset of the catalog yet.
			out, names = append(out, k.Namespace+"|"+k.Name), append(names, k.Name)
		}
	}
	err := s.each(ctx, "looking up a dataset's places", `
		SELECT DISTINCT namespace, name FROM tributary.catalog_datasets WHERE lowerUTF8(name) IN (SELECT lowerUTF8(arrayJoin({names:Array(String)})))`,
		args("names", names), func(rows driver.Rows) error {
			var namespace, written string
			err := rows.Scan(&namespace, &written)
			if place := namespace + "|" + written; q.Is(name.NewKey(name.FamilyDataset, namespace, written).String()) && !slices.Contains(out, place) {
				out = append(out, place)
			}
			return err
		})
	return out, err
}

// catalogBranches adds the living branches and those that job specs produce
// the dataset on.
func (s *Store) catalogBranches(ctx context.Context, places []string, branches branchList) error {
	err := s.each(ctx, "looking up a dataset's branches", `
		SELECT branch, parent, head FROM tributary.branches
		WHERE NOT deleted AND concat(namespace, '|', name) IN {places:Array(String)} ORDER BY space, namespace`, args("places", places), func(rows driver.Rows) error {
		var branch, parent, head string
		err := rows.Scan(&branch, &parent, &head)
		b := branches.of(branch)
		b.Parent, b.Transaction = parent, head
		return err
	})
	if err != nil {
		return err
	}
	return s.each(ctx, "looking up a dataset's job specs", `
		SELECT DISTINCT branch FROM tributary.job_specs
		WHERE NOT gone AND NOT withdrawn AND hasAny(outputs, {places:Array(String)})`, args("places", places), func(rows driver.Rows) error {
		var branch string
		err := rows.Scan(&branch)
		branches.of(branch).HasJobSpec = true
		return err
	})
}

func (s *Store) transactions(ctx context.Context, places []string, limit int) ([]lineageapi.Transaction, error) {
	var out []lineageapi.Transaction
	err := s.each(ctx, "looking up a dataset's transactions", `
		SELECT transaction, branch, toString(type), toString(state), actor, opened_at, closed_at, rows, bytes FROM tributary.transactions
		WHERE concat(namespace, '|', name) IN {places:Array(String)} ORDER BY opened_at DESC, opened DESC, transaction LIMIT {limit:UInt32}`,
		args("places", places, "limit", limit), func(rows driver.Rows) error {
			var t lineageapi.Transaction
			var closed time.Time
			err := rows.Scan(&t.Id, &t.Branch, &t.Type, &t.State, &t.By, &t.Opened, &closed, &t.Rows, &t.Bytes)
			if closed.Unix() > 0 {
				t.Closed = closed
			}
			out = append(out, t)
			return err
		})
	return out, err
}

// Chains tells the fallbacks of branches by the builds that ran on them. It is
// safe for concurrent use.
type Chains struct {
	store *Store
	now   func() time.Time
	mu    sync.Mutex
	known map[string]knownChain
}

type knownChain struct {
	chain []string
	until time.Time
}

// Chains are asked for with every question, and change with builds.
const (
	chainLasts = 2 * time.Second
	maxChains  = 1000
)

// NewChains makes chains of what a store knows.
func NewChains(s *Store, now func() time.Time) *Chains {
	return &Chains{store: s, now: now, known: map[string]knownChain{}}
}

// Has reports whether the catalog's tables name a branch.
func (c *Chains) Has(ctx context.Context, branch string) (bool, error) {
	has := false
	err := c.store.each(ctx, "looking up a branch", `
		SELECT 1 FROM (SELECT branch FROM tributary.catalog_branches UNION ALL SELECT branch FROM tributary.catalog_job_specs UNION ALL SELECT branch FROM tributary.catalog_builds)
		WHERE branch = {branch:String} LIMIT 1`, args("branch", branch), func(driver.Rows) error {
		has = true
		return nil
	})
	return has, err
}

// Chain gives a branch and the fallbacks of the latest build on it that named
// any and was not refused; nil if there is none. It may be 2 seconds old.
func (c *Chains) Chain(ctx context.Context, branch string) ([]string, error) {
	if branch == event.MasterBranch {
		return nil, nil
	}
	c.mu.Lock()
	k, ok := c.known[branch]
	c.mu.Unlock()
	if ok && c.now().Before(k.until) {
		return k.chain, nil
	}
	var chain []string
	err := c.store.each(ctx, "looking up the latest build", `
		SELECT fallbacks FROM tributary.builds WHERE branch = {branch:String} AND notEmpty(fallbacks) AND state != 'REFUSED'
		ORDER BY requested_at DESC, requested DESC, space LIMIT 1`, args("branch", branch), func(rows driver.Rows) error {
		var fallbacks []string
		err := rows.Scan(&fallbacks)
		chain = append([]string{branch}, fallbacks...)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxChains {
		clear(c.known)
	}
	c.known[branch] = knownChain{chain, c.now().Add(chainLasts)}
	return chain, nil
}
