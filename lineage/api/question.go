package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// asked is a question as all endpoints share it, with its parameters checked.
type asked struct {
	nodes    []string // as the caller writes them
	column   string
	byColumn bool
	up, down bool
	depth    int
	flow     graph.Flow
	branch   string
	chain    []string
	asOf     string
	kinds    []string
	allTasks bool
	// temporary shows session tables instead of seeing through them.
	temporary bool
	limit     int
	after     *graph.Cursor
	position  string
	caller    Caller
}

// maxChain bounds the fallbacks that a request may name.
const maxChain = 64

// params are the query parameters that questions share.
type params struct {
	node, column     string
	level            lineageapi.Level
	direction        lineageapi.Direction
	depth            *int
	flow             lineageapi.Flow
	branch           string
	fallback         []string
	asOf             string
	kinds            []string
	tasks            lineageapi.TasksShown
	temporary        bool
	limit            *int
	cursor, position string
	defaultDepth     int
}

// ask checks parameters and fills in what was left out.
func (a *API) ask(ctx context.Context, p params) (*asked, error) {
	q := &asked{column: p.column, asOf: p.asOf, kinds: p.kinds, position: p.position, depth: p.defaultDepth, limit: a.Limits.Nodes, caller: a.Caller(ctx)}
	if p.node != "" {
		q.nodes = []string{p.node}
	}
	err := errors.Join(
		q.setLevel(p), q.setDirection(p.direction), q.setFlow(p), q.setDepth(p.depth), q.setLimit(p.limit, a.Limits.Nodes),
		q.setCursor(p.cursor), checkKinds(p.kinds), checkTimes(p),
	)
	if err != nil {
		return nil, firstOf(err)
	}
	switch p.tasks {
	case "", lineageapi.TasksShownRealtime:
	case lineageapi.TasksShownAll:
		q.allTasks = true
	default:
		return nil, badParameter("tasks", fmt.Sprintf("tasks is %q; it is realtime or all", p.tasks))
	}
	if q.temporary = p.temporary; q.temporary && q.byColumn {
		return nil, badParameter("temporary", "temporary tables are shown at table level; leave level or temporary out")
	}
	q.branch, q.chain, err = a.chain(ctx, p.branch, p.fallback)
	return q, err
}

// firstOf gives the first of joined errors, which a caller can act on alone.
func firstOf(err error) error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()[0]
	}
	return err
}

func (q *asked) setLevel(p params) error {
	switch p.level {
	case "":
		q.byColumn = p.column != ""
	case lineageapi.LevelTable:
		if p.column != "" {
			return badParameter("level", "a column is named, but level is table: leave one of them out")
		}
	case lineageapi.LevelColumn:
		q.byColumn = true
	default:
		return badParameter("level", fmt.Sprintf("level is %q; it is table or column", p.level))
	}
	return nil
}

func (q *asked) setDirection(d lineageapi.Direction) error {
	switch d {
	case "", lineageapi.DirectionBoth:
		q.up, q.down = true, true
	case lineageapi.DirectionUp:
		q.up = true
	case lineageapi.DirectionDown:
		q.down = true
	default:
		return badParameter("direction", fmt.Sprintf("direction is %q; it is up, down or both", d))
	}
	return nil
}

func (q *asked) setFlow(p params) error {
	switch p.flow {
	case "", lineageapi.FlowAll:
		return nil
	case lineageapi.FlowDirect:
		q.flow = graph.FlowDirect
	case lineageapi.FlowIndirect:
		q.flow = graph.FlowIndirect
	default:
		return badParameter("flow", fmt.Sprintf("flow is %q; it is all, direct or indirect", p.flow))
	}
	if !q.byColumn && p.level != lineageapi.LevelColumn && p.column == "" {
		return badParameter("flow", "flow tells column edges apart, but the question is about tables: add level=column, or leave flow out")
	}
	return nil
}

func (q *asked) setDepth(depth *int) error {
	if depth == nil {
		return nil
	}
	if *depth < graph.Unlimited {
		return badParameter("depth", fmt.Sprintf("depth is %d; it is a number of hops, or -1 for all", *depth))
	}
	q.depth = *depth
	return nil
}

func (q *asked) setLimit(limit *int, most int) error {
	if limit == nil {
		return nil
	}
	if *limit < 0 {
		return badParameter("limit", fmt.Sprintf("limit is %d; it is the number of nodes that a page holds", *limit))
	}
	q.limit = min(*limit, most)
	return nil
}

// listed gives how many entries a list may have: by default so many, at most
// so many.
func listed(limit, byDefault, most int) (int, error) {
	switch {
	case limit < 0:
		return 0, badParameter("limit", fmt.Sprintf("limit is %d; it is how many entries are listed", limit))
	case limit == 0:
		return byDefault, nil
	}
	return min(limit, most), nil
}

func (q *asked) setCursor(text string) error {
	if text == "" {
		return nil
	}
	c, err := graph.ParseCursor(text)
	if err != nil {
		return badParameter("cursor", "the cursor is none that this server gave; ask for the first page again")
	}
	q.after = &c
	return nil
}

// kindsKnown are kinds and families that a filter may name; what a platform
// calls its own kinds is not in the list and may be named too, if it looks
// like a kind.
func checkKinds(kinds []string) error {
	for _, k := range kinds {
		if k == "" || len(k) > 64 || strings.ContainsAny(k, " |\n\"'") {
			return badParameter("kinds", fmt.Sprintf("%.64q is no kind; kinds are words such as table, view, topic, realtime, api", k))
		}
	}
	return nil
}

func checkTimes(p params) error {
	if p.asOf != "" && p.position != "" {
		return badParameter("min_position", "as_of asks for the past and min_position for what is newest: leave one of them out")
	}
	if p.asOf == "" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339Nano, p.asOf); err == nil {
		return nil
	}
	if _, err := graph.ParsePosition(p.asOf); err == nil {
		return nil
	}
	return badParameter("as_of", fmt.Sprintf("%.100q is neither a time such as 2026-01-31T12:00:00Z nor a log position", p.asOf))
}

// chain gives the branches to look on, in order: with the fallbacks that the
// request names, else those that are known of the branch, else master.
func (a *API) chain(ctx context.Context, branch string, fallback []string) (string, []string, error) {
	if branch == "" {
		branch = event.MasterBranch
	}
	if len(fallback) > maxChain {
		return "", nil, badParameter("fallback", fmt.Sprintf("%d fallbacks are named; at most %d are followed", len(fallback), maxChain))
	}
	if len(fallback) > 0 {
		chain := append([]string{branch}, fallback...)
		for i, b := range chain {
			if b == "" || slices.Contains(chain[:i], b) {
				return "", nil, badParameter("fallback", fmt.Sprintf("branch %q is named twice in the chain %s", b, strings.Join(chain, " → ")))
			}
		}
		return branch, chain, nil
	}
	if a.Chains != nil {
		chain, err := a.Chains.Chain(ctx, branch)
		if err != nil {
			return "", nil, fmt.Errorf("looking up the fallbacks of branch %s: %w", branch, err)
		}
		if len(chain) > 0 {
			return branch, chain, nil
		}
	}
	if branch == event.MasterBranch {
		return branch, []string{branch}, nil
	}
	return branch, []string{branch, event.MasterBranch}, nil
}

// view gives the graph that a question is asked of, and how it says what time
// that is.
func (a *API) view(ctx context.Context, q *asked) (*graph.View, error) {
	s, err := a.snapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.View(q.chain...).Permitted(q.caller.See), nil
}

func (a *API) snapshot(ctx context.Context, q *asked) (*graph.Snapshot, error) {
	if q.asOf == "" {
		s, err := a.current(ctx, q.position)
		if err != nil {
			return nil, err
		}
		return s, takeTurn(ctx)
	}
	if err := takeTurn(ctx); err != nil {
		return nil, err
	}
	if a.Past == nil {
		return nil, refuse(http.StatusNotImplemented, "NoHistory", "this server has no store, and so no past")
	}
	keys := make([]string, 0, len(q.nodes))
	for _, n := range q.nodes {
		key, err := a.resolve(a.Live.Current().View(q.chain...).Permitted(q.caller.See), n)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	s, err := a.Past.PastGraph(ctx, Scope{Keys: keys, ByColumn: q.byColumn, Up: q.up, Down: q.down, Depth: q.depth, Chain: q.chain, At: q.asOf})
	switch {
	case errors.Is(err, ErrAsOf):
		return nil, badParameter("as_of", err.Error())
	case errors.Is(err, graph.ErrCollision):
		return nil, refuse(http.StatusConflict, "IDCollision", "the past of two nodes cannot be told apart here: "+err.Error())
	case errors.Is(err, ErrTooLarge):
		return nil, badParameter("node", err.Error()+": name a node, or a smaller depth")
	}
	return s, err
}

// current gives the latest snapshot, waiting for a position if one is named.
func (a *API) current(ctx context.Context, position string) (*graph.Snapshot, error) {
	if position == "" {
		return a.Live.Current(), nil
	}
	p, err := graph.ParsePosition(position)
	if err != nil {
		return nil, badParameter("min_position", err.Error())
	}
	s, err := a.Live.WaitFor(ctx, p)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, refuse(http.StatusGatewayTimeout, "PositionNotReached", "the graph has not come to "+position+" yet; it is at "+a.Live.Current().Position().String())
	}
	return s, err
}

// resolve gives the key of what a caller writes: a key, an old key, or
// source.db.table. The refusal names what is like it.
func (a *API) resolve(v *graph.View, text string) (string, error) {
	if key, ok := a.lookup(v, text); ok {
		return key, nil
	}
	if strings.Contains(text, "|") {
		return "", a.unknown(v, text)
	}
	return a.only(v, text)
}

// lookup gives the key of a whole name, an old one too; ok is false if there
// is no such node.
func (a *API) lookup(v *graph.View, text string) (key string, ok bool) {
	candidates := []string{text}
	if !strings.Contains(text, "|") {
		candidates = a.candidates(text)
	} else if k, err := name.ParseKey(text); err == nil {
		candidates = append(candidates, name.NewKey(k.Family, k.Namespace, k.Name).String())
	}
	for _, key := range candidates {
		for _, k := range []string{key, a.Live.Sources().Canonical(key)} {
			if id := v.Node(k); id != graph.NodeID(graph.NoID) {
				return v.KeyOf(id), true
			}
		}
	}
	return "", false
}

// candidates gives the keys that a dotted name may mean.
func (a *API) candidates(text string) []string {
	parts, err := name.SplitPath(text)
	if err != nil {
		return nil
	}
	var out []string
	if len(parts) > 1 {
		out = append(out, name.DatasetFromPath(parts[0], parts[1:]).String())
		for _, s := range a.Live.Sources().Registered() {
			if s.ID == parts[0] || s.Name == parts[0] {
				out = append(out, name.DatasetFromPath(s.Addresses[0], parts[1:]).String())
			}
		}
	}
	for _, family := range name.Families() {
		if family != name.FamilyDataset {
			out = append(out, name.NewKey(family, "", text).String())
			if len(parts) > 1 {
				out = append(out, name.NewKey(family, parts[0], strings.Join(parts[1:], ".")).String())
			}
		}
	}
	return out
}

// only gives the one node whose whole name is the text, if there is one.
func (a *API) only(v *graph.View, text string) (string, error) {
	hits, _ := v.Search(text, 3, nil)
	var found []string
	for _, h := range hits {
		k, err := name.ParseKey(v.KeyOf(h.ID))
		if err == nil && strings.EqualFold(k.Name, text) {
			found = append(found, v.KeyOf(h.ID))
		}
	}
	switch len(found) {
	case 0:
		return "", a.unknown(v, text)
	case 1:
		return found[0], nil
	}
	r := refuse(http.StatusBadRequest, "AmbiguousNode", fmt.Sprintf("several nodes are named %s; use one of their keys", text))
	r.body.Details.Near = found
	return "", r
}

// nearShown is the number of near names that a refusal lists.
const nearShown = 5

func (a *API) unknown(v *graph.View, text string) error {
	r := refuse(http.StatusNotFound, "UnknownNode", fmt.Sprintf("no node is named %.300s", text))
	r.body.Details.Near = v.Near(text, nearShown)
	if len(r.body.Details.Near) > 0 {
		r.body.Message += "; did you mean " + strings.Join(r.body.Details.Near[:min(3, len(r.body.Details.Near))], ", or ") + "?"
	}
	return r
}

// centre gives the node and, if asked by column, the columns that a question
// starts from.
func (a *API) centre(v *graph.View, q *asked, text string) (graph.NodeID, []graph.ColumnID, error) {
	key, err := a.resolve(v, text)
	if err != nil {
		return 0, nil, err
	}
	id := v.Node(key)
	if !q.byColumn {
		return id, nil, nil
	}
	if q.column == "" {
		var ids []graph.ColumnID
		for _, c := range v.Columns(id) {
			ids = append(ids, c.ID)
		}
		return id, ids, nil
	}
	c := v.ColumnOf(id, q.column)
	if c == graph.ColumnID(graph.NoID) || !v.Live(c) {
		return 0, nil, a.unknownColumn(v, id, q.column)
	}
	return id, []graph.ColumnID{c}, nil
}

func (a *API) unknownColumn(v *graph.View, id graph.NodeID, col string) error {
	r := refuse(http.StatusNotFound, "UnknownColumn", fmt.Sprintf("%s has no column %.200s", v.KeyOf(id), col))
	for _, c := range v.Columns(id) {
		r.body.Details.Near = append(r.body.Details.Near, c.Name)
	}
	needle := strings.ToLower(col)
	slices.SortStableFunc(r.body.Details.Near, func(x, y string) int { return likeness(y, needle) - likeness(x, needle) })
	r.body.Details.Near = r.body.Details.Near[:min(len(r.body.Details.Near), nearShown)]
	return r
}

// likeness is greater the more of its beginning a name shares with a text.
func likeness(s, needle string) int {
	s = strings.ToLower(s)
	n := 0
	for n < len(s) && n < len(needle) && s[n] == needle[n] {
		n++
	}
	if strings.Contains(s, needle) {
		n += len(needle)
	}
	return n
}
