package projector_test

import (
	"testing"

	"github.com/tributary-data/tributary/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
