package openlineage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

type transformation struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	Description string `json:"description"`
	Masking     bool   `json:"masking"`
}

// lineageInput is an input field of either facet.
type lineageInput struct {
	Type            string           `json:"type"`
	Namespace       string           `json:"namespace"`
	Name            string           `json:"name"`
	Field           string           `json:"field"`
	Transformations []transformation `json:"transformations"`
}

// isDataset tells a dataset from a job, which the lineage facet may name too.
func (i *lineageInput) isDataset() bool {
	return i.Name != "" && !strings.EqualFold(i.Type, "JOB")
}

func (i *lineageInput) ref() event.Ref {
	return event.Ref{Namespace: name.WithoutUser(i.Namespace), Name: i.Name}
}

type columnLineage struct {
	Fields map[string]struct {
		InputFields []lineageInput `json:"inputFields"`
		// Type and Description are how older clients said it.
		Type        string `json:"transformationType"`
		Description string `json:"transformationDescription"`
	} `json:"fields"`
	Dataset []lineageInput `json:"dataset"`
}

// lineageEntry is an entry of a job's lineage facet, and a dataset's facet.
type lineageEntry struct {
	Type      string          `json:"type"`
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	Inputs    *[]lineageInput `json:"inputs"`
	Fields    map[string]struct {
		Inputs []lineageInput `json:"inputs"`
	} `json:"fields"`
}

type lineageFacet struct {
	Entries []lineageEntry `json:"entries"`
}

// dataFlow converts inputs and outputs, with the edges between them. An
// output's edges are those of the lineage facet; else those of its
// columnLineage facet; else every input goes into it.
func (c *converter) dataFlow() ([]event.Input, []event.Output, error) {
	inputs := make([]event.Input, 0, len(c.Inputs))
	for i := range c.Inputs {
		in, err := inputOf(&c.Inputs[i])
		if err != nil {
			return nil, nil, err
		}
		inputs = append(inputs, in)
	}
	outputs := make([]event.Output, 0, len(c.Outputs))
	for i := range c.Outputs {
		out, err := outputOf(&c.Outputs[i])
		if err != nil {
			return nil, nil, err
		}
		outputs = append(outputs, out)
	}
	if c.Job == nil {
		return inputs, outputs, nil
	}
	explicit, err := read[lineageFacet](c.Job.Facets, facetLineage)
	if err != nil || explicit == nil {
		return inputs, outputs, err
	}
	for i := range explicit.Entries {
		inputs, outputs = c.applyEntry(&explicit.Entries[i], inputs, outputs)
	}
	return inputs, outputs, nil
}

// applyEntry applies one entry of the job's lineage facet. A job entry names
// inputs of this job; what it says of other jobs is theirs to say.
func (c *converter) applyEntry(e *lineageEntry, inputs []event.Input, outputs []event.Output) ([]event.Input, []event.Output) {
	if strings.EqualFold(e.Type, "JOB") {
		own := e.Name == "" || e.Name == c.Job.Name && e.Namespace == c.Job.Namespace
		if own && e.Inputs != nil {
			for i := range *e.Inputs {
				inputs = withInput(inputs, &(*e.Inputs)[i])
			}
		}
		return inputs, outputs
	}
	if e.Name == "" {
		return inputs, outputs
	}
	target := event.Ref{Namespace: name.WithoutUser(e.Namespace), Name: e.Name}
	at := slices.IndexFunc(outputs, func(o event.Output) bool { return o.NodeKey() == target.NodeKey() })
	if at < 0 {
		outputs = append(outputs, event.Output{Ref: target})
		at = len(outputs) - 1
	}
	applyLineage(&outputs[at], e)
	for _, ref := range outputs[at].From {
		inputs = withInput(inputs, &lineageInput{Namespace: ref.Namespace, Name: ref.Name})
	}
	return inputs, outputs
}

// withInput adds a dataset to inputs unless it is there, and the column that
// is read.
func withInput(inputs []event.Input, i *lineageInput) []event.Input {
	if !i.isDataset() {
		return inputs
	}
	ref := i.ref()
	at := slices.IndexFunc(inputs, func(in event.Input) bool { return in.NodeKey() == ref.NodeKey() })
	if at < 0 {
		inputs = append(inputs, event.Input{Ref: ref})
		at = len(inputs) - 1
	}
	known := slices.ContainsFunc(inputs[at].Columns, func(c event.Column) bool { return c.Name == i.Field })
	if i.Field != "" && !known {
		inputs[at].Columns = append(inputs[at].Columns, event.Column{Name: i.Field})
	}
	return inputs
}

func inputOf(d *dataset) (event.Input, error) {
	in := event.Input{Ref: event.Ref{Namespace: d.Namespace, Name: d.Name}}
	version, err := readVersion(d)
	if err != nil {
		return in, err
	}
	in.Transaction = version
	if in.Statistics, err = readStatistics(d.InputFacets, facetInputStatistics); err != nil {
		return in, err
	}
	in.Facets = d.InputFacets.others(facetInputStatistics)
	in.Facets = withFlowFacets(in.Facets, d.Facets)
	return in, nil
}

func outputOf(d *dataset) (event.Output, error) {
	out := event.Output{Ref: event.Ref{Namespace: d.Namespace, Name: d.Name}}
	version, err := readVersion(d)
	if err != nil {
		return out, err
	}
	out.Transaction = version
	if out.Statistics, err = readStatistics(d.OutputFacets, facetOutputStatistics); err != nil {
		return out, err
	}
	out.Facets = withFlowFacets(d.OutputFacets.others(facetOutputStatistics), d.Facets)
	columns, err := read[columnLineage](d.Facets, facetColumnLineage)
	if err != nil {
		return out, err
	}
	explicit, err := read[lineageEntry](d.Facets, facetLineage)
	if err != nil {
		return out, err
	}
	switch {
	case explicit != nil:
		applyLineage(&out, explicit)
		if len(out.ColumnEdges) == 0 && columns != nil {
			out.ColumnEdges = columnEdges(columns)
			if out.From == nil {
				out.From = sources(out.ColumnEdges)
			}
		}
	case columns != nil:
		out.ColumnEdges = columnEdges(columns)
		out.From = sources(out.ColumnEdges)
	}
	return out, nil
}

// withFlowFacets adds facets of a dataset that say what was done with it.
func withFlowFacets(to facets, from facets) facets {
	carried := flowFacets()
	if namesJob(from[facetLineage]) {
		carried = append(carried, facetLineage)
	}
	for _, facet := range carried {
		raw, ok := from[facet]
		if !ok || string(raw) == "null" || deleted(raw) {
			continue
		}
		if to == nil {
			to = facets{}
		}
		to[facet] = raw
	}
	return to
}

// namesJob reports whether a lineage facet has a job at one of its ends. Such
// a relation is no edge between datasets; the facet is carried for it.
func namesJob(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"JOB"`))
}

func readVersion(d *dataset) (string, error) {
	v, err := read[struct {
		DatasetVersion string `json:"datasetVersion"`
	}](d.Facets, facetVersion)
	if err != nil || v == nil {
		return "", err
	}
	return v.DatasetVersion, nil
}

// applyLineage sets an output's edges as a lineage entry says: inputs that
// are there, if only as an empty list, are all that the output is made from;
// absent ones leave that open and tell columns only.
func applyLineage(out *event.Output, e *lineageEntry) {
	var edges []event.ColumnEdge
	for _, column := range slices.Sorted(maps.Keys(e.Fields)) {
		field := e.Fields[column]
		for i := range field.Inputs {
			edges = appendEdges(edges, &field.Inputs[i], column)
		}
	}
	if e.Inputs != nil {
		out.From = []event.Ref{}
		for i := range *e.Inputs {
			in := &(*e.Inputs)[i]
			if !in.isDataset() {
				continue
			}
			out.From = append(out.From, in.ref())
			if in.Field != "" {
				edges = appendEdges(edges, in, "")
			}
		}
		out.From = append(out.From, sources(edges)...)
	} else if out.From == nil && len(edges) > 0 {
		out.From = sources(edges)
	}
	out.From = distinct(out.From)
	if len(edges) > 0 {
		out.ColumnEdges = tidy(edges)
	}
}

// columnEdges converts a columnLineage facet.
func columnEdges(f *columnLineage) []event.ColumnEdge {
	var edges []event.ColumnEdge
	for _, column := range slices.Sorted(maps.Keys(f.Fields)) {
		field := f.Fields[column]
		for i := range field.InputFields {
			made := appendEdges(nil, &field.InputFields[i], column)
			for j := range made {
				addDeprecated(&made[j], field.Type, field.Description)
			}
			edges = append(edges, made...)
		}
	}
	for i := range f.Dataset {
		edges = appendEdges(edges, &f.Dataset[i], "")
	}
	return tidy(edges)
}

// addDeprecated adds what older clients said of an output column as a whole.
func addDeprecated(e *event.ColumnEdge, transformation, description string) {
	if e.Indirect {
		return
	}
	if e.Description == "" {
		e.Description = description
	}
	switch via := strings.ToLower(transformation); {
	case via == "masked" && !slices.Contains(e.Via, event.ViaMasking):
		e.Via = append(e.Via, event.ViaMasking)
	case via != "" && via != "masked" && len(e.Via) == 0:
		e.Via = []string{via}
	}
}

// appendEdges adds the edges of one input field: a direct one into the column,
// if a value flows, and an indirect one into the whole output, if it decides
// rows, order or groups. Clients that repeat such a field under every column
// mean the same one edge. Without a column every edge is indirect.
func appendEdges(edges []event.ColumnEdge, in *lineageInput, column string) []event.ColumnEdge {
	if !in.isDataset() || in.Field == "" {
		return edges
	}
	var direct, indirect []transformation
	for _, t := range in.Transformations {
		if strings.EqualFold(t.Type, "INDIRECT") || column == "" {
			indirect = append(indirect, t)
		} else {
			direct = append(direct, t)
		}
	}
	if len(direct) > 0 || len(in.Transformations) == 0 && column != "" {
		edges = append(edges, event.ColumnEdge{
			From: in.ref(), FromColumn: in.Field, ToColumn: column,
			Via: viaOf(direct), Description: describe(direct),
		})
	}
	if len(indirect) > 0 || len(in.Transformations) == 0 && column == "" {
		edges = append(edges, event.ColumnEdge{
			From: in.ref(), FromColumn: in.Field, Indirect: true,
			Via: viaOf(indirect), Description: describe(indirect),
		})
	}
	return edges
}

// viaOf names what transformations go through, in Tributary's words.
func viaOf(list []transformation) []string {
	var via []string
	for _, t := range list {
		subtype := strings.ToLower(t.Subtype)
		switch subtype {
		case "group by", "groupby":
			subtype = event.ViaGroupBy
		}
		if subtype == "" && !strings.EqualFold(t.Type, "INDIRECT") {
			subtype = event.ViaTransformation
		}
		if subtype != "" {
			via = append(via, subtype)
		}
		if t.Masking {
			via = append(via, event.ViaMasking)
		}
	}
	slices.Sort(via)
	return slices.Compact(via)
}

func describe(list []transformation) string {
	var texts []string
	for _, t := range list {
		if t.Description != "" {
			texts = append(texts, t.Description)
		}
	}
	return strings.Join(texts, "; ")
}

// edgeID tells one column edge from another.
type edgeID struct {
	from     name.Key
	column   string
	to       string
	indirect bool
}

func idOf(e *event.ColumnEdge) edgeID {
	return edgeID{e.From.NodeKey(), e.FromColumn, e.ToColumn, e.Indirect}
}

// tidy joins edges between the same ends and sorts them, so that the same
// facet always gives the same list.
func tidy(edges []event.ColumnEdge) []event.ColumnEdge {
	joined := map[edgeID]event.ColumnEdge{}
	for _, e := range edges {
		id := idOf(&e)
		if old, ok := joined[id]; ok {
			via := append(slices.Clone(old.Via), e.Via...)
			slices.Sort(via)
			old.Via = slices.Compact(via)
			old.Description = max(old.Description, e.Description)
			e = old
		}
		joined[id] = e
	}
	out := slices.Collect(maps.Values(joined))
	slices.SortFunc(out, func(a, b event.ColumnEdge) int {
		return cmp.Or(
			cmp.Compare(a.ToColumn, b.ToColumn),
			cmp.Compare(a.From.NodeKey().String(), b.From.NodeKey().String()),
			cmp.Compare(a.FromColumn, b.FromColumn),
		)
	})
	return out
}

// sources lists the datasets that edges come from, each once, or nil for no
// edges.
func sources(edges []event.ColumnEdge) []event.Ref {
	var refs []event.Ref
	for i := range edges {
		refs = append(refs, edges[i].From)
	}
	slices.SortStableFunc(refs, func(a, b event.Ref) int {
		return cmp.Compare(a.NodeKey().String(), b.NodeKey().String())
	})
	return distinct(refs)
}

// distinct leaves the first of refs that name the same node.
func distinct(refs []event.Ref) []event.Ref {
	if refs == nil {
		return nil
	}
	seen := map[name.Key]bool{}
	out := make([]event.Ref, 0, len(refs))
	for _, r := range refs {
		if k := r.NodeKey(); !seen[k] {
			seen[k] = true
			out = append(out, r)
		}
	}
	return out
}
