package consumer

import (
	"strconv"

	"github.com/tributary-data/tributary/schemas/event"
)

// partItems bounds the edges, nodes, statements and other things of one part.
// At some 300 bytes each a part stays well below what the log takes.
const partItems = 10_000

// split cuts an extraction of more than so many items into numbered parts.
func split(x *event.LineageExtracted, items int) []*event.LineageExtracted {
	if size(x) <= items {
		return []*event.LineageExtracted{x}
	}
	rest := *x
	var parts []*event.LineageExtracted
	for {
		part := *x
		part.Uses, part.Nodes, part.Edges, part.Statements, part.Columns, part.Errors = nil, nil, nil, nil, nil, nil
		if len(parts) > 0 {
			part.Steps, part.Flink = nil, nil
		}
		room := items
		part.Uses, rest.Uses = cut(rest.Uses, &room)
		part.Nodes, rest.Nodes = cut(rest.Nodes, &room)
		part.Edges, rest.Edges = cut(rest.Edges, &room)
		part.Statements, rest.Statements = cut(rest.Statements, &room)
		part.Columns, rest.Columns = cut(rest.Columns, &room)
		part.Errors, rest.Errors = cut(rest.Errors, &room)
		parts = append(parts, &part)
		if size(&rest) == 0 {
			break
		}
	}
	for i, p := range parts {
		p.Part, p.Parts = i+1, len(parts)
	}
	return parts
}

func size(x *event.LineageExtracted) int {
	return len(x.Uses) + len(x.Nodes) + len(x.Edges) + len(x.Statements) + len(x.Columns) + len(x.Errors)
}

// cut takes as much of the items as there is room for.
func cut[T any](items []T, room *int) (taken, rest []T) {
	n := min(len(items), *room)
	*room -= n
	return items[:n:n], items[n:]
}

// formatHash gives a hash of what was found as a text; empty for nothing.
func formatHash(h uint64) string {
	if h == 0 {
		return ""
	}
	return strconv.FormatUint(h, 16)
}

// parseHash reads what formatHash gives; 0 for anything else.
func parseHash(s string) uint64 {
	h, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		return 0
	}
	return h
}
