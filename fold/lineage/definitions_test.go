package lineage_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

const ordersKey = "dataset|mysql://h:3306|db.orders"

func defineTable(branch, by string, columns ...string) *event.TableDefined {
	d := &event.TableDefined{Dataset: event.Dataset{Namespace: "mysql://h", Name: "db.orders", Branch: branch}, DerivedBy: by, Columns: []event.Column{}}
	for _, c := range columns {
		d.Columns = append(d.Columns, event.Column{Name: c})
	}
	return d
}

func columnsOf(d *lineage.Definitions, key, branch string) []string {
	if l := d.Columns(key, branch); l != nil {
		return l.Names
	}
	return nil
}

func apply(d *lineage.Definitions, events ...any) (last lineage.Change) {
	for _, e := range events {
		last = d.Apply(d.Version()+1, e)
	}
	return last
}

func TestDefinedColumnsCountBeforeDerivedOnes(t *testing.T) {
	d := lineage.NewDefinitions()
	c := apply(d, defineTable("", "default|b", "x"))
	require.Equal(t, []string{ordersKey}, c.Uses)
	apply(d, defineTable("", "default|a", "y"))
	require.Equal(t, []string{"y"}, columnsOf(d, ordersKey, "master"))
	apply(d, defineTable("", "", "id", "amount"))
	require.Equal(t, []string{"id", "amount"}, columnsOf(d, ordersKey, "master"))
	require.Empty(t, apply(d, defineTable("", "", "id", "amount")).Uses, "a repeat changes nothing")
	require.Equal(t, uint64(4), d.Version())
}

func TestBranchFallsBackToMasterUnlessGone(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, defineTable("", "", "id"), defineTable("dev", "", "id", "dev"))
	require.Equal(t, []string{"id", "dev"}, columnsOf(d, ordersKey, "dev"))
	require.Equal(t, []string{"id"}, columnsOf(d, ordersKey, "other"))
	apply(d, &event.TableRemoved{Dataset: event.Dataset{Namespace: "mysql://h", Name: "db.orders", Branch: "dev"}})
	require.Nil(t, columnsOf(d, ordersKey, "dev"))
	require.Equal(t, []string{"id"}, columnsOf(d, ordersKey, "master"))
}

func TestUnknownColumnsLeaveKnownOnes(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, defineTable("", "", "id"))
	unknown := defineTable("", "")
	unknown.Columns = nil
	apply(d, unknown)
	require.Equal(t, []string{"id"}, columnsOf(d, ordersKey, "master"))
}

func TestRenameTakesTheColumnsAlong(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, defineTable("", "", "id"))
	c := apply(d, &event.TableRenamed{Dataset: event.Dataset{Namespace: "mysql://h", Name: "db.orders"}, To: event.Ref{Name: "db.sales"}})
	require.Equal(t, []string{ordersKey, "dataset|mysql://h:3306|db.sales"}, c.Uses)
	require.Nil(t, columnsOf(d, ordersKey, "master"))
	require.Equal(t, []string{"id"}, columnsOf(d, "dataset|mysql://h:3306|db.sales", "master"))
}

func TestAddressesOfOneSourceAreOne(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, defineTable("", "", "id"))
	alias := "dataset|mysql://alias:3306|db.orders"
	require.Nil(t, columnsOf(d, alias, "master"))
	require.Equal(t, "shop", d.Namespace("shop"))

	c := apply(d, &event.SourceRegistered{ID: "shop", Engine: "mysql", Addresses: []string{"mysql://h", "mysql://alias"}})
	require.True(t, c.Everything)
	require.Equal(t, "mysql://h:3306", d.Namespace("shop"))
	require.Equal(t, ordersKey, d.Canonical(alias))
	require.Equal(t, []string{"id"}, columnsOf(d, alias, "master"))
	require.NotZero(t, d.UseHash(lineage.SourceUse("shop"), "master"))

	apply(d, &event.SourceRemoved{ID: "shop"})
	require.Nil(t, columnsOf(d, alias, "master"), "separate again")
}

func TestMappingJoinsAndSeparates(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, defineTable("", "", "id"))
	trino := "dataset|trino://t:443|shop.db.orders"
	apply(d, &event.SourceMerged{ID: "m", From: event.Place{Namespace: "trino://t", Prefix: "shop."}, To: event.Place{Namespace: "mysql://h"}})
	require.Equal(t, ordersKey, d.Canonical(trino))
	require.Equal(t, []string{"id"}, columnsOf(d, trino, "master"))
	apply(d, &event.SourceUnmerged{ID: "m"})
	require.Equal(t, trino, d.Canonical(trino))
	require.Nil(t, columnsOf(d, trino, "master"))
}

func TestCircleOfMappingsEnds(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, &event.SourceMerged{ID: "a", From: event.Place{Namespace: "x"}, To: event.Place{Namespace: "y"}},
		&event.SourceMerged{ID: "b", From: event.Place{Namespace: "y"}, To: event.Place{Namespace: "x", Prefix: "p."}})
	for _, key := range []string{"dataset|x|t", "dataset|y|t", "dataset|x|p.t"} {
		require.Equal(t, key, d.Canonical(key), "names that grow without end are their own")
		require.Empty(t, d.Explain(key))
	}
}

// Whatever mappings there are, in whatever order they came: what one leads
// from and what it leads to are one node, in circles too, and a circle is its
// least key. The explanation leads there.
func TestMappedKeysAreOneNode(t *testing.T) {
	spaces, names := []string{"x", "y", "z"}, []string{"s", "S", "t"}
	rapid.Check(t, func(t *rapid.T) {
		var events []any
		for i := range rapid.IntRange(1, 6).Draw(t, "mappings") {
			m := &event.SourceMerged{ID: fmt.Sprint(i), From: event.Place{Namespace: rapid.SampledFrom(spaces).Draw(t, "from")}, To: event.Place{Namespace: rapid.SampledFrom(spaces).Draw(t, "to")}}
			if m.Exact = rapid.Bool().Draw(t, "exact"); m.Exact {
				m.From.Prefix, m.To.Prefix = rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(names).Draw(t, "new name")
				m.IgnoreCase = rapid.Bool().Draw(t, "ignore case")
			}
			events = append(events, m)
		}
		d, other := lineage.NewDefinitions(), lineage.NewDefinitions()
		apply(d, events...)
		apply(other, rapid.Permutation(events).Draw(t, "order")...)
		for _, space := range spaces {
			for _, n := range names {
				key := "dataset|" + space + "|" + n
				canonical := d.Canonical(key)
				require.Equal(t, canonical, other.Canonical(key))
				require.Equal(t, canonical, d.Canonical(canonical))
				at := key
				for _, step := range d.Explain(key) {
					require.Equal(t, at, step.From)
					at = step.To
					require.Equal(t, canonical, d.Canonical(at), "%s leads to %s", key, at)
				}
				require.Equal(t, canonical, at)
			}
		}
	})
}

func TestCircleOfMappingsIsItsLeastKey(t *testing.T) {
	d := lineage.NewDefinitions()
	apply(d, &event.SourceMerged{ID: "a", From: event.Place{Namespace: "x"}, To: event.Place{Namespace: "y"}},
		&event.SourceMerged{ID: "b", From: event.Place{Namespace: "y"}, To: event.Place{Namespace: "w"}},
		&event.SourceMerged{ID: "c", From: event.Place{Namespace: "w"}, To: event.Place{Namespace: "x"}},
		&event.SourceMerged{ID: "d", From: event.Place{Namespace: "a"}, To: event.Place{Namespace: "y"}})
	for _, space := range []string{"a", "w", "x", "y"} {
		require.Equal(t, "dataset|w|t", d.Canonical("dataset|"+space+"|t"))
	}
}

// TestChangesNameWhatChanged: whatever look-up has another result after a
// record was among the uses that its change names.
func TestChangesNameWhatChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := lineage.NewDefinitions()
		uses := []string{lineage.SourceUse("s"), "dataset|mysql://alias:3306|db.t0"}
		for i := range 3 {
			uses = append(uses, fmt.Sprintf("dataset|mysql://h:3306|db.t%d", i))
		}
		branches := []string{"master", "dev"}
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			before := map[string]uint64{}
			for _, u := range uses {
				for _, b := range branches {
					before[u+b] = d.UseHash(u, b)
				}
			}
			c := apply(d, definitionEvent(t))
			for _, u := range uses {
				for _, b := range branches {
					if d.UseHash(u, b) != before[u+b] && !c.Everything {
						require.Contains(t, c.Uses, d.Canonical(u))
					}
				}
			}
		}
	})
}

func definitionEvent(t *rapid.T) any {
	ds := event.Dataset{
		Namespace: rapid.SampledFrom([]string{"mysql://h", "mysql://alias"}).Draw(t, "namespace"),
		Name:      rapid.SampledFrom([]string{"db.t0", "db.t1"}).Draw(t, "name"),
		Branch:    rapid.SampledFrom([]string{"", "dev"}).Draw(t, "branch"),
	}
	by := rapid.SampledFrom([]string{"", "default|a"}).Draw(t, "by")
	switch rapid.IntRange(0, 5).Draw(t, "event") {
	case 0:
		return &event.TableRemoved{Dataset: ds, DerivedBy: by}
	case 1:
		return &event.TableRenamed{Dataset: ds, To: event.Ref{Name: "db.t2"}}
	case 2:
		return &event.SourceRegistered{ID: "s", Engine: "mysql", Addresses: []string{"mysql://h", "mysql://alias"}}
	case 3:
		return &event.SourceRemoved{ID: "s"}
	}
	return &event.TableDefined{Dataset: ds, DerivedBy: by, Columns: []event.Column{{Name: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "column")}}}
}
