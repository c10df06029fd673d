package ingest

import (
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/schemas/event"
)

// maxKey bounds the key of an event, which its name or names are in, in bytes.
const maxKey = 8 << 10

// checkKey refuses an event with names that nobody can mean.
func checkKey(key int) error {
	if key > maxKey {
		return &refusal{"NameTooLong", fmt.Sprintf("the names that the event's key is made of have %d bytes, %d are allowed", key, maxKey)}
	}
	return nil
}

// checkBranch refuses an event of lineage on a branch with a name that the
// catalog would refuse. The catalog's own events are judged by its fold.
func checkBranch(data any) error {
	d, ok := data.(interface{ OnBranch() string })
	if !ok {
		return nil
	}
	if r := catalog.CheckBranchName(d.OnBranch()); r != nil {
		return &refusal{string(r.Code), r.Message}
	}
	return nil
}

// permit refuses an event that its sender may not send. What a task reads and
// writes may belong to anyone; what an event changes has to belong to its
// sender. What sources are is everyone's business.
func permit(id auth.Identity, ev event.Event) error {
	if len(id.Writes) == 0 {
		return nil
	}
	if strings.HasPrefix(ev.Type, "tributary.source.") {
		return &refusal{"ForeignNamespace", fmt.Sprintf("the sender %s is bound to namespaces, and sources concern all of them", id.Name)}
	}
	data, ok := ev.Data.(event.Data)
	if !ok {
		return fmt.Errorf("%w: data of %s is %T", event.ErrInvalid, ev.Type, ev.Data)
	}
	for _, namespace := range data.Namespaces() {
		if !id.MayWrite(namespace) {
			return &refusal{"ForeignNamespace", fmt.Sprintf("the sender %s may send nothing about the namespace %q", id.Name, namespace)}
		}
	}
	return nil
}
