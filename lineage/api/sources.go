package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// ListSources answers with the registered sources and the mappings.
func (a *API) ListSources(ctx context.Context, _ lineageapi.ListSourcesRequestObject) (lineageapi.ListSourcesResponseObject, error) {
	sources := a.Live.Sources()
	out := lineageapi.ListSources200JSONResponse{Sources: []lineageapi.Source{}, Mappings: []lineageapi.Mapping{}}
	canonical := map[string][]string{}
	for _, s := range sources.Registered() {
		row := lineageapi.Source{Id: s.ID, Name: s.Name, Engine: s.Engine, Addresses: s.Addresses, Namespace: name.Namespace(s.Addresses[0])}
		row.Canonical = canonicalNamespace(sources, row.Namespace)
		canonical[row.Canonical] = append(canonical[row.Canonical], s.ID)
		out.Sources = append(out.Sources, row)
	}
	for i := range out.Sources {
		s := &out.Sources[i]
		s.SameAs = slices.DeleteFunc(slices.Clone(canonical[s.Canonical]), func(id string) bool { return id == s.Id })
	}
	for _, m := range sources.Mappings() {
		out.Mappings = append(out.Mappings, mappingOf(m))
	}
	a.countNodes(ctx, &out)
	return out, nil
}

// countNodes counts the nodes that the caller sees of each source.
func (a *API) countNodes(ctx context.Context, out *lineageapi.ListSources200JSONResponse) {
	v := a.Live.Current().View().Permitted(a.Caller(ctx).See)
	counts := map[string]int{}
	v.EachNode(func(id graph.NodeID) bool {
		if k, err := name.ParseKey(v.KeyOf(id)); err == nil && k.Family == name.FamilyDataset {
			counts[k.Namespace]++
		}
		return ctx.Err() == nil
	})
	for i := range out.Sources {
		out.Sources[i].Nodes = counts[out.Sources[i].Canonical]
	}
}

// canonicalNamespace gives the namespace that names of a namespace are shown
// under, unless single mappings say otherwise.
func canonicalNamespace(sources Sources, namespace string) string {
	k, err := name.ParseKey(sources.Canonical(name.Key{Family: name.FamilyDataset, Namespace: namespace, Name: "\u0001"}.String()))
	if err != nil {
		return namespace
	}
	return k.Namespace
}

func mappingOf(m event.SourceMerged) lineageapi.Mapping {
	out := lineageapi.Mapping{
		Id: m.ID, Namespace: m.From.Namespace, Prefix: m.From.Prefix, CanonicalNamespace: m.To.Namespace, CanonicalPrefix: m.To.Prefix,
		Exact: m.Exact, IgnoreCase: m.IgnoreCase, Who: m.Who, Why: m.Why,
	}
	return out
}

// AddSource registers a source.
func (a *API) AddSource(ctx context.Context, req lineageapi.AddSourceRequestObject) (lineageapi.AddSourceResponseObject, error) {
	if err := a.mayDefine(ctx); err != nil {
		return nil, err
	}
	r := req.Body
	e := &event.SourceRegistered{ID: r.Id, Name: r.Name, Engine: r.Engine, Addresses: r.Addresses}
	if err := e.Check(); err != nil {
		return nil, refuse(http.StatusBadRequest, "InvalidSource", err.Error())
	}
	changed, _, err := a.put(ctx, e, event.TypeSourceRegistered)
	if err != nil {
		return nil, err
	}
	return lineageapi.AddSource200JSONResponse{EdgeChangedJSONResponse: lineageapi.EdgeChangedJSONResponse(*changed)}, nil
}

// mayDefine admits callers who may change every node: what is the same as
// what concerns all.
func (a *API) mayDefine(ctx context.Context) error {
	if a.Caller(ctx).Edit != nil {
		return refuse(http.StatusForbidden, "Forbidden", "sources may be changed only by those who may change every node")
	}
	return nil
}

// MergeSources says that two places are one.
func (a *API) MergeSources(ctx context.Context, req lineageapi.MergeSourcesRequestObject) (lineageapi.MergeSourcesResponseObject, error) {
	if err := a.mayDefine(ctx); err != nil {
		return nil, err
	}
	r := req.Body
	e := &event.SourceMerged{
		ID: r.Id, From: event.Place{Namespace: r.Namespace, Prefix: r.Prefix}, To: event.Place{Namespace: r.CanonicalNamespace, Prefix: r.CanonicalPrefix},
		Exact: r.Exact, IgnoreCase: r.IgnoreCase, Who: r.Who, Why: r.Why,
	}
	if e.ID == "" {
		e.ID = "mapping-" + uuid.NewString()
	}
	if caller := a.Caller(ctx).Name; caller != "" {
		e.Who = caller
	}
	if err := e.Check(); err != nil {
		return nil, refuse(http.StatusBadRequest, "InvalidMapping", err.Error())
	}
	if e.From == e.To {
		return nil, refuse(http.StatusBadRequest, "InvalidMapping", "the mapping says that a place is itself")
	}
	changed, _, err := a.put(ctx, e, event.TypeSourceMerged)
	if err != nil {
		return nil, err
	}
	return lineageapi.MergeSources200JSONResponse{EdgeChangedJSONResponse: lineageapi.EdgeChangedJSONResponse(*changed)}, nil
}

// UnmergeSources takes a mapping back.
func (a *API) UnmergeSources(ctx context.Context, req lineageapi.UnmergeSourcesRequestObject) (lineageapi.UnmergeSourcesResponseObject, error) {
	if err := a.mayDefine(ctx); err != nil {
		return nil, err
	}
	p := req.Params
	if !slices.ContainsFunc(a.Live.Sources().Mappings(), func(m event.SourceMerged) bool { return m.ID == p.Id }) {
		return nil, refuse(http.StatusNotFound, "UnknownMapping", fmt.Sprintf("there is no mapping %.200s", p.Id))
	}
	who := p.Who
	if caller := a.Caller(ctx).Name; caller != "" {
		who = caller
	}
	changed, _, err := a.put(ctx, &event.SourceUnmerged{ID: p.Id, Who: who, Why: p.Why}, event.TypeSourceUnmerged)
	if err != nil {
		return nil, err
	}
	return lineageapi.UnmergeSources200JSONResponse{EdgeChangedJSONResponse: lineageapi.EdgeChangedJSONResponse(*changed)}, nil
}

// WhySources explains why two names are one node, or are not.
func (a *API) WhySources(ctx context.Context, req lineageapi.WhySourcesRequestObject) (lineageapi.WhySourcesResponseObject, error) {
	v := a.Live.Current().View().Permitted(a.Caller(ctx).See)
	x, err := a.trace(ctx, v, req.Params.A)
	if err != nil {
		return nil, err
	}
	y, err := a.trace(ctx, v, req.Params.B)
	if err != nil {
		return nil, err
	}
	out := lineageapi.WhySources200JSONResponse{A: x, B: y, Same: x.Canonical == y.Canonical}
	switch {
	case x.Key == y.Key:
		out.Explanation = "both are written as one key"
	case out.Same:
		out.Explanation = "both lead to " + x.Canonical
	default:
		out.Explanation = fmt.Sprintf("they lead to different nodes: %s and %s; merge their sources if they are one", x.Canonical, y.Canonical)
	}
	return out, nil
}

// trace gives the steps from a name to its canonical key. A name that is no
// node may be asked about too: a whole source, or a table yet to come.
func (a *API) trace(ctx context.Context, v *graph.View, text string) (lineageapi.KeyTrace, error) {
	key := text
	if !strings.Contains(text, "|") {
		candidates := a.candidates(text)
		if i := slices.IndexFunc(candidates, func(k string) bool { return v.Node(k) != graph.NodeID(graph.NoID) }); i >= 0 {
			key = candidates[i]
		} else if len(candidates) > 0 {
			key = candidates[0]
		} else {
			return lineageapi.KeyTrace{}, badParameter("a", fmt.Sprintf("%.200q is no name such as source.db.table", text))
		}
	}
	sources := a.Live.Sources()
	out := lineageapi.KeyTrace{Key: key, Canonical: sources.Canonical(key), Steps: []lineageapi.TraceStep{}}
	if v.Node(key) == graph.NodeID(graph.NoID) && a.Caller(ctx).See != nil {
		return out, a.unknown(v, text)
	}
	for _, s := range sources.Explain(key) {
		out.Steps = append(out.Steps, lineageapi.TraceStep{From: s.From, To: s.To, Rule: s.Rule, By: s.By, Who: s.Who})
	}
	return out, nil
}
