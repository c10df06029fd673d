package history

import (
	"errors"

	"github.com/tributary-data/tributary/lineage/graph"
)

// collision lets a load go on over names that share an id: the later one is
// left out, and the loader remembers it.
func collision(err error) error {
	if errors.Is(err, graph.ErrCollision) {
		return nil
	}
	return err
}
