package specfile

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

func lake(name string) event.CatalogDataset {
	return event.CatalogDataset{Namespace: "lake", Name: name}
}

func TestReadTakesSQLAndYAML(t *testing.T) {
	sql := "-- The daily orders.\n-- job: daily\n-- namespace: lake\n-- inputs: shop.orders, mysql://h:3306|shop.users, fx.rates of space bank\n-- outputs: shop.daily as append\n-- engine: clickhouse-sql\n-- property memory: 2G\nSELECT 1 -- outputs: not.a.header\n"
	tree := fstest.MapFS{
		"etl/daily.sql":     {Data: []byte(sql)},
		"notes.sql":         {Data: []byte("-- nothing to see\nSELECT 1")},
		"jobs.yaml":         {Data: []byte("jobs:\n- {job: spark, namespace: lake, inputs: [shop.daily], outputs: [shop.week], engine: command, ref: 'git:x', properties: {program: spark}}\n")},
		"compose.yaml":      {Data: []byte("services: {}\n")},
		".hidden/other.sql": {Data: []byte(sql)},
	}
	specs, err := Read(tree, Options{Dialect: "clickhouse"})
	require.NoError(t, err)
	require.Equal(t, []event.JobSpec{
		{
			ID:      "daily",
			Inputs:  []event.SpecInput{{Dataset: lake("shop.orders")}, {Dataset: event.CatalogDataset{Namespace: "mysql://h:3306", Name: "shop.users"}}, {Dataset: lake("fx.rates"), Space: "bank"}},
			Outputs: []event.SpecOutput{{Dataset: lake("shop.daily"), Type: "APPEND"}}, Engine: "clickhouse-sql", Properties: map[string]string{"memory": "2G"},
			Logic: event.Logic{Language: "sql", Dialect: "clickhouse", Text: sql},
		},
		{
			ID: "spark", Inputs: []event.SpecInput{{Dataset: lake("shop.daily")}}, Outputs: []event.SpecOutput{{Dataset: lake("shop.week")}},
			Engine: "command", Logic: event.Logic{Ref: "git:x"}, Properties: map[string]string{"program": "spark"},
		},
	}, specs)
}

func TestReadNamesEveryFault(t *testing.T) {
	_, err := Read(fstest.MapFS{
		"a.sql":  {Data: []byte("-- outputs: x\nSELECT 1")},
		"b.sql":  {Data: []byte("-- namespace: lake\n-- outputs: x as MERGE\nSELECT 1")},
		"c.yaml": {Data: []byte("jobs:\n- {job: c, otputs: [x]}\n")},
		"d.yaml": {Data: []byte("jobs:\n- {job: d, namespace: lake, outputs: [x], text: y}\n")},
		"e.sql":  {Data: []byte("-- namespace: lake\n-- inputs: x\n-- outputz: y\nSELECT 1")},
		"f.yaml": {Data: []byte("jobs:\n- job: f\n  namespace: lake\n  outputs: [y]\n  foo: 1\n")},
		"d.sql":  {Data: []byte("-- namespace: lake\n-- outputs: x\nSELECT 1")},
	}, Options{})
	for _, want := range []string{"a.sql:1: the dataset \"x\" has no namespace", "b.sql:2: the output x is written as \"MERGE\"", "c.yaml", "d.yaml: job spec d is in d.sql too"} {
		require.ErrorContains(t, err, want)
	}
	var fault *FileError
	require.ErrorAs(t, err, &fault)
}

func TestHideWithdrawsWhatTheTreeHasNoMore(t *testing.T) {
	spec := func(id string, outputs ...string) event.JobSpec {
		s := event.JobSpec{ID: id}
		for _, o := range outputs {
			s.Outputs = append(s.Outputs, event.SpecOutput{Dataset: lake(o)})
		}
		return s
	}
	hidden := Hide([]event.JobSpec{spec("a", "A"), spec("renamed", "B")}, []event.JobSpec{spec("a", "A", "X"), spec("b", "B"), spec("c", "C")})
	require.Len(t, hidden, 2)
	require.Equal(t, "a (withdrawn)", hidden[0].ID)
	require.Equal(t, lake("X"), hidden[0].Outputs[0].Dataset)
	require.Equal(t, "c", hidden[1].ID)
	require.True(t, hidden[1].Withdrawn)
}
