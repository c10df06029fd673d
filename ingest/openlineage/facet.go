package openlineage

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
)

// Names of the facets that have a place of their own in Tributary's events.
// All others are carried as they are.
const (
	facetSQL              = "sql"
	facetJobType          = "jobType"
	facetSourceCode       = "sourceCode"
	facetDocumentation    = "documentation"
	facetOwnership        = "ownership"
	facetTags             = "tags"
	facetParent           = "parent"
	facetParentOld        = "parentRun"
	facetNominalTime      = "nominalTime"
	facetErrorMessage     = "errorMessage"
	facetSchema           = "schema"
	facetColumnLineage    = "columnLineage"
	facetLineage          = "lineage"
	facetSymlinks         = "symlinks"
	facetVersion          = "version"
	facetDatasetType      = "datasetType"
	facetLifecycle        = "lifecycleStateChange"
	facetInputStatistics  = "inputStatistics"
	facetOutputStatistics = "outputStatistics"
)

// deleted reports whether a facet is there to take itself back.
func deleted(raw json.RawMessage) bool {
	if len(raw) == 0 {
		return false
	}
	var f struct {
		Deleted bool `json:"_deleted"`
	}
	return json.Unmarshal(raw, &f) == nil && f.Deleted
}

// read decodes a facet. An absent or deleted one gives nil.
func read[T any](f facets, facet string) (*T, error) {
	raw, ok := f[facet]
	if !ok || string(raw) == "null" || deleted(raw) {
		return nil, nil //nolint:nilnil // absent is not an error
	}
	v := new(T)
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, fmt.Errorf("%w: facet %s: %w", ErrInvalid, facet, err)
	}
	return v, nil
}

// others gives the facets that are not among the named ones.
func (f facets) others(named ...string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
next:
	for facet, raw := range f {
		if string(raw) == "null" || deleted(raw) {
			continue
		}
		for _, n := range named {
			if n == facet {
				continue next
			}
		}
		if out == nil {
			out = map[string]json.RawMessage{}
		}
		out[facet] = raw
	}
	return out
}

type documentation struct {
	Description string `json:"description"`
}

type ownership struct {
	Owners []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"owners"`
}

type tags struct {
	Tags []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
		Field string `json:"field"`
	} `json:"tags"`
}

// about is what any thing may say of itself.
type about struct {
	description string
	owner       string
	labels      map[string]string
}

// readAbout reads documentation, ownership and tags. Owners are joined by
// commas; a tag of a field is a label field:key, a tag without a value "true".
func readAbout(f facets) (a about, err error) {
	doc, err := read[documentation](f, facetDocumentation)
	if err != nil {
		return a, err
	}
	if doc != nil {
		a.description = doc.Description
	}
	own, err := read[ownership](f, facetOwnership)
	if err != nil {
		return a, err
	}
	if own != nil {
		names := make([]string, 0, len(own.Owners))
		for _, o := range own.Owners {
			names = append(names, o.Name)
		}
		a.owner = strings.Join(names, ", ")
	}
	t, err := read[tags](f, facetTags)
	if err != nil || t == nil {
		return a, err
	}
	a.labels = make(map[string]string, len(t.Tags))
	for _, tag := range t.Tags {
		key, value := tag.Key, tag.Value
		if tag.Field != "" {
			key = tag.Field + ":" + key
		}
		if value == "" {
			value = "true"
		}
		a.labels[key] = value
	}
	return a, nil
}

type statistics struct {
	RowCount  *int64 `json:"rowCount"`
	Size      *int64 `json:"size"`
	FileCount *int64 `json:"fileCount"`
}

func readStatistics(f facets, facet string) (*event.Statistics, error) {
	s, err := read[statistics](f, facet)
	if err != nil || s == nil {
		return nil, err
	}
	return &event.Statistics{Rows: s.RowCount, Bytes: s.Size, Files: s.FileCount}, nil
}
