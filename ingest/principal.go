package ingest

import (
	"fmt"
	"strings"

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
	for _, namespace := range namespacesOf(ev.Data) {
		if !id.MayWrite(namespace) {
			return &refusal{"ForeignNamespace", fmt.Sprintf("the sender %s may send nothing about the namespace %q", id.Name, namespace)}
		}
	}
	return nil
}

// namespacesOf gives the namespaces that an event changes something in: of its
// task, its dataset or both ends of an edge, or the catalog's space. An id of a
// source stands for itself, for only the fold of definitions knows its address.
func namespacesOf(data any) []string {
	switch d := data.(type) {
	case event.CatalogEvent:
		return []string{d.Catalog().Space}
	case *event.TaskDefined:
		return ofTask(d.Task)
	case *event.TaskRemoved:
		return ofTask(d.Task)
	case *event.TaskWithdrawn:
		return ofTask(d.Task)
	case *event.RunStarted:
		return ofTask(d.Task)
	case *event.RunCompleted:
		return ofTask(d.Task)
	case *event.RunFailed:
		return ofTask(d.Task)
	case *event.RunAborted:
		return ofTask(d.Task)
	case *event.LineageExtracted:
		return ofTask(d.Task)
	case *event.LineageWithdrawn:
		return ofTask(d.Task)
	case *event.TableDefined:
		return []string{d.NodeKey().Namespace}
	case *event.TableRemoved:
		return []string{d.NodeKey().Namespace}
	case *event.TableRenamed:
		return []string{d.NodeKey().Namespace, d.To.NodeKey().Namespace}
	case *event.EdgeAdded:
		return []string{d.From.NodeKey().Namespace, d.To.NodeKey().Namespace}
	case *event.EdgeRemoved:
		return []string{d.From.NodeKey().Namespace, d.To.NodeKey().Namespace}
	}
	return nil
}

func ofTask(t event.Task) []string { return []string{t.NodeKey(event.KindBatch).Namespace} }
