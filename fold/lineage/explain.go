package lineage

import (
	"strings"

	"github.com/tributary-data/tributary/schemas/name"
)

// Step is one rule that leads from a key to another of the same dataset.
type Step struct {
	// Rule is source (its id stands for its address), address (sources that
	// share one are one) or mapping.
	Rule     string
	From, To string
	// By is the id of the source or of the mapping, Who said so, if known.
	By, Who string
}

// Explain gives the steps from a key to the one that Canonical gives.
func (d *Definitions) Explain(key string) []Step {
	k, err := name.ParseKey(key)
	if err != nil || k.Family != name.FamilyDataset {
		return nil
	}
	var steps []Step
	canonical := d.canonical(k)
	for k != canonical {
		if home, ok := d.home[k.Namespace]; ok && home != k.Namespace {
			next := k
			next.Namespace = home
			step := Step{Rule: "address", From: k.String(), To: next.String(), By: d.sourceAt(k.Namespace)}
			if !strings.Contains(k.Namespace, "://") {
				step.Rule = "source"
			}
			steps, k = append(steps, step), next
			if k == canonical {
				break
			}
		}
		m := d.mappingOf(k)
		if m == nil {
			break
		}
		next := d.mapped(k, m)
		steps = append(steps, Step{Rule: "mapping", From: k.String(), To: next.String(), By: m.ID, Who: m.Who})
		k = next
	}
	return steps
}

// sourceAt gives the least id of the sources that are known by an id or have
// an address.
func (d *Definitions) sourceAt(namespace string) string {
	least := ""
	for id, s := range d.sources {
		has := id == namespace
		for _, a := range s.Addresses {
			has = has || name.Namespace(a) == namespace
		}
		if has && (least == "" || id < least) {
			least = id
		}
	}
	return least
}
