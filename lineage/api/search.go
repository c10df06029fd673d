package api

import (
	"context"
	"strings"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/name"
)

// searchHits is the number of hits given unless a limit is named, searchMost
// the most that may be.
const (
	searchHits = 20
	searchMost = 200
)

// Search finds nodes, and columns if asked to, by part of their name.
func (a *API) Search(ctx context.Context, req lineageapi.SearchRequestObject) (lineageapi.SearchResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	if strings.TrimSpace(p.Q) == "" {
		return nil, badParameter("q", "there is nothing to search for: q is empty")
	}
	q, err := a.ask(ctx, params{kinds: p.Kinds, position: p.MinPosition})
	if err != nil {
		return nil, err
	}
	limit, err := listed(p.Limit, searchHits, searchMost)
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	r := a.renderer(v, q)
	out := lineageapi.Search200JSONResponse{Hits: []lineageapi.SearchHit{}, Position: v.Position().String()}
	a.searchNodes(r, &out, p.Q, limit)
	if p.Columns && len(out.Hits) < limit {
		hits, more := v.SearchColumns(ctx, p.Q, limit-len(out.Hits), r.wanted)
		for _, h := range hits {
			node, col := v.ColumnName(h)
			hit := r.hit(node, 0)
			hit.Column = col
			out.Hits = append(out.Hits, hit)
		}
		out.More = out.More || more
	}
	return out, nil
}

func (a *API) searchNodes(r *renderer, out *lineageapi.Search200JSONResponse, text string, limit int) {
	seen := map[graph.NodeID]bool{}
	if key, ok := a.lookup(r.v, text); ok {
		// A whole key, an old one too, is what was meant.
		if id := r.v.Node(key); r.wanted(id) {
			seen[id] = true
			out.Hits = append(out.Hits, r.hit(id, 100))
		}
	}
	hits, more := r.v.Search(text, limit, r.wanted)
	if len(hits) == 0 && len(out.Hits) == 0 {
		// The first part may be a source's name, which is no part of a name.
		if _, rest, ok := strings.Cut(text, "."); ok && rest != "" {
			hits, more = r.v.Search(rest, limit, r.wanted)
		}
	}
	for _, h := range hits {
		if !seen[h.ID] && len(out.Hits) < limit {
			out.Hits = append(out.Hits, r.hit(h.ID, h.Score))
		}
	}
	out.More = more
}

func (r *renderer) hit(id graph.NodeID, score int) lineageapi.SearchHit {
	key := r.v.KeyOf(id)
	k, err := name.ParseKey(key)
	if err != nil {
		k = name.Key{Name: key}
	}
	about := r.v.About(id)
	h := lineageapi.SearchHit{Key: key, Family: k.Family, Kind: about.Kind, Name: k.Name, Namespace: k.Namespace, Score: score, Aliases: about.Aliases}
	h.Display, _ = r.display(k, about.Display)
	return h
}
