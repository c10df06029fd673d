package openlineage

import (
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

type schemaField struct {
	Name        string        `json:"name"`
	Type        string        `json:"type"`
	Description string        `json:"description"`
	Fields      []schemaField `json:"fields"`
}

type schemaFacet struct {
	Fields []schemaField `json:"fields"`
}

type datasetType struct {
	DatasetType string `json:"datasetType"`
	SubType     string `json:"subType"`
}

type lifecycle struct {
	Change   string `json:"lifecycleStateChange"`
	Previous *struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"previousIdentifier"`
}

type symlinks struct {
	Identifiers []struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		Type      string `json:"type"`
	} `json:"identifiers"`
}

// edgeFacets are facets of a dataset that become edges and mappings.
func edgeFacets() []string { return []string{facetColumnLineage, facetLineage, facetSymlinks} }

// flowFacets are facets of a dataset that say what a job did with it, and
// travel with the job's inputs and outputs. Where there is no job they travel
// with the dataset's definition.
func flowFacets() []string {
	return []string{facetLifecycle, "subset", "dataQualityMetrics", "dataQualityAssertions"}
}

// define adds what an event says of a dataset itself: its definition, other
// names of it, its removal or renaming. happened is false while the run that
// says so has not completed; then nothing is removed or renamed.
func (c *converter) define(d *dataset, happened bool) error {
	self := event.Dataset{Namespace: d.Namespace, Name: d.Name}
	if err := c.linkNames(d); err != nil {
		return err
	}
	change, err := read[lifecycle](d.Facets, facetLifecycle)
	if err != nil {
		return err
	}
	if change != nil && happened {
		switch strings.ToUpper(change.Change) {
		case "DROP":
			c.add(event.TypeTableRemoved, &event.TableRemoved{Dataset: self})
			return nil
		case "RENAME":
			if p := change.Previous; p != nil && p.Name != "" {
				c.add(event.TypeTableRenamed, &event.TableRenamed{
					Dataset: event.Dataset{Namespace: name.WithoutUser(p.Namespace), Name: p.Name},
					To:      event.Ref{Namespace: d.Namespace, Name: d.Name},
				})
			}
		}
	}
	elsewhere := edgeFacets()
	if c.Job != nil {
		elsewhere = append(append(elsewhere, flowFacets()...), facetVersion)
	}
	if len(d.Facets.others(elsewhere...)) == 0 {
		return nil
	}
	table, err := tableOf(d, elsewhere)
	if err != nil {
		return fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	c.add(event.TypeTableDefined, table)
	return nil
}

// tableOf converts the facets that describe a dataset, but for those that
// travel elsewhere.
func tableOf(d *dataset, elsewhere []string) (*event.TableDefined, error) {
	a, err := readAbout(d.Facets)
	if err != nil {
		return nil, err
	}
	kind, err := read[datasetType](d.Facets, facetDatasetType)
	if err != nil {
		return nil, err
	}
	schema, err := read[schemaFacet](d.Facets, facetSchema)
	if err != nil {
		return nil, err
	}
	t := &event.TableDefined{
		Dataset: event.Dataset{Namespace: d.Namespace, Name: d.Name},
		Kind:    tableKind(kind, d.Namespace),
		Owner:   a.owner, Labels: a.labels, Description: a.description,
		Facets: d.Facets.others(append(elsewhere, facetSchema)...),
	}
	if schema != nil && len(schema.Fields) > 0 {
		t.Columns = columnsOf(schema.Fields)
	}
	return t, nil
}

func columnsOf(fields []schemaField) []event.Column {
	out := make([]event.Column, 0, len(fields))
	for _, f := range fields {
		if f.Name == "" {
			continue
		}
		c := event.Column{Name: f.Name, Type: f.Type, Comment: f.Description}
		if len(f.Fields) > 0 {
			c.Fields = columnsOf(f.Fields)
		}
		out = append(out, c)
	}
	return out
}

// tableKind gives the kind of a dataset: as its facet says, else by what its
// platform holds.
func tableKind(t *datasetType, namespace string) string {
	if t != nil && t.DatasetType != "" {
		kind := strings.ToLower(t.DatasetType)
		switch {
		case kind == "view" && strings.EqualFold(t.SubType, "materialized"):
			return "materialized_view"
		case kind == "file":
			return "file_set"
		case kind == "stream":
			return "topic"
		}
		return kind
	}
	switch p := name.PlatformOf(name.Namespace(namespace)); {
	case p.Name == "kafka" || p.Name == "pulsar" || p.Name == "pubsub" || p.Name == "kinesis":
		return "topic"
	case p.Opaque:
		return "file_set"
	}
	return "table"
}

// linkNames adds a mapping for each other name of a dataset. Of a path and a
// table the table is what people know, so the path's name leads to the
// table's; else other names lead to the dataset's own.
func (c *converter) linkNames(d *dataset) error {
	links, err := read[symlinks](d.Facets, facetSymlinks)
	if err != nil || links == nil {
		return err
	}
	self := event.Place{Namespace: d.Namespace, Prefix: d.Name}
	target := self
	if name.PlatformOf(name.Namespace(d.Namespace)).Opaque {
		for _, l := range links.Identifiers {
			if strings.EqualFold(l.Type, "TABLE") && l.Name != "" && l.Namespace != "" {
				target = event.Place{Namespace: l.Namespace, Prefix: l.Name}
				break
			}
		}
	}
	if target != self {
		c.link(self, target)
	}
	for _, l := range links.Identifiers {
		other := event.Place{Namespace: l.Namespace, Prefix: l.Name}
		if l.Name != "" && l.Namespace != "" && other != self && other != target {
			c.link(other, target)
		}
	}
	return nil
}

// link says that one name is another. Its id follows from the name that it
// leads from, so that a name leads to one place only.
func (c *converter) link(from, to event.Place) {
	from.Namespace, to.Namespace = name.WithoutUser(from.Namespace), name.WithoutUser(to.Namespace)
	if from.Namespace == "" || to.Namespace == "" {
		return
	}
	key := name.NewKey(name.FamilyDataset, from.Namespace, from.Prefix).String()
	c.add(event.TypeSourceMerged, &event.SourceMerged{
		ID: "symlink:" + key, From: from, To: to, Exact: true,
		Who: c.source, Why: "symlinks facet",
	})
}
