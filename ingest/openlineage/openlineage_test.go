package openlineage_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/ingest/openlineage"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/jsonschema"
)

var update = flag.Bool("update", false, "write golden files afresh")

// specSamples reads the specification's samples: the copy kept here, and the
// original beside the repository where there is one.
func specSamples(t *testing.T) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, root := range []string{"testdata/spec", "../../../shared/openlineage/tests"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipAll // the original is not there
			}
			if d.IsDir() || filepath.Ext(path) != ".json" {
				return nil
			}
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			var v map[string]any
			require.NoError(t, json.Unmarshal(b, &v), path)
			out[path] = v
			return nil
		})
	}
	require.GreaterOrEqual(t, len(out), 47)
	return out
}

// around puts a sample facet into the events that may carry it.
func around(folder string, sample map[string]any) map[string]map[string]any {
	run := map[string]any{"runId": "f69a6e9b-9bac-3c9a-9cf6-eacb70ecc9a9"}
	job := map[string]any{"namespace": "airflow", "name": "daily"}
	ds := map[string]any{"namespace": "postgres://pg:5432", "name": "shop.public.orders"}
	base := func(eventType string, parts map[string]any) map[string]any {
		e := map[string]any{"eventTime": "2026-03-01T12:00:00.000+01:00", "producer": "https://example.com/p", "schemaURL": "x"}
		if eventType != "" {
			e["eventType"] = eventType
		}
		maps.Copy(e, parts)
		return e
	}
	with := func(thing map[string]any, member string) map[string]any {
		c := map[string]any{member: sample}
		maps.Copy(c, thing)
		return c
	}
	switch {
	case folder == "LineageFacet" && sample["lineage"].(map[string]any)["entries"] == nil:
		return around("LineageDatasetFacet", sample)
	case folder == "LineageFacet":
		return around("LineageJobFacet", sample)
	case strings.HasSuffix(folder, "InputDatasetFacet"):
		return map[string]map[string]any{"input": base("COMPLETE", map[string]any{"run": run, "job": job, "inputs": []any{with(ds, "inputFacets")}})}
	case strings.HasSuffix(folder, "OutputDatasetFacet"):
		return map[string]map[string]any{"output": base("COMPLETE", map[string]any{"run": run, "job": job, "outputs": []any{with(ds, "outputFacets")}})}
	case strings.HasSuffix(folder, "DatasetFacet"):
		return map[string]map[string]any{
			"dataset": base("", map[string]any{"dataset": with(ds, "facets")}),
			"output":  base("COMPLETE", map[string]any{"run": run, "job": job, "outputs": []any{with(ds, "facets")}}),
			"job":     base("", map[string]any{"job": job, "outputs": []any{with(ds, "facets")}}),
		}
	case strings.HasSuffix(folder, "JobFacet"):
		return map[string]map[string]any{
			"job": base("", map[string]any{"job": with(job, "facets")}),
			"run": base("COMPLETE", map[string]any{"run": run, "job": with(job, "facets")}),
		}
	default:
		return map[string]map[string]any{"run": base("FAIL", map[string]any{"run": with(run, "facets"), "job": job})}
	}
}

func convert(t *testing.T, message any) []event.Event {
	t.Helper()
	raw, err := json.Marshal(message)
	require.NoError(t, err)
	events, err := openlineage.Convert(raw)
	require.NoError(t, err, string(raw))
	require.NotEmpty(t, events)
	return events
}

// leaves lists the texts and numbers in a JSON value.
func leaves(v any, path string, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if !strings.HasPrefix(k, "_") {
				leaves(e, path+"/"+k, out)
			}
		}
	case []any:
		for i, e := range v {
			leaves(e, fmt.Sprint(path, "/", i), out)
		}
	case nil, bool:
	default:
		out[path] = fmt.Sprint(v)
	}
}

// retold are words of the specification that Tributary says by structure.
func retold(path, value string) bool {
	if strings.HasSuffix(path, "/type") || strings.HasSuffix(path, "/processingType") || strings.HasSuffix(path, "/datasetType") {
		return slices.Contains([]string{"DIRECT", "INDIRECT", "DATASET", "JOB", "TABLE", "LOCATION", "FILE"}, value)
	}
	if strings.HasSuffix(path, "/transformationType") {
		return value == "MASKED"
	}
	return strings.HasSuffix(path, "/ordinal_position") || value == "RENAME"
}

func TestContentOfEverySpecSampleIsFound(t *testing.T) {
	set, err := jsonschema.New()
	require.NoError(t, err)
	for path, sample := range specSamples(t) {
		messages := around(filepath.Base(filepath.Dir(path)), sample)
		if sample["job"] != nil {
			messages = map[string]map[string]any{"whole": sample}
		}
		for kind, message := range messages {
			var text strings.Builder
			for _, ev := range convert(t, message) {
				rec, err := event.Encode(ev)
				require.NoError(t, err, path)
				require.NoError(t, set.Validate(ev.Type, rec.Value), "%s as %s", path, kind)
				var compact any
				require.NoError(t, json.Unmarshal(rec.Value, &compact))
				found := map[string]string{}
				leaves(compact, "", found)
				for p, v := range found {
					text.WriteString(strings.ToLower(p + " " + v + "\n"))
				}
			}
			want := map[string]string{}
			if sample["job"] == nil {
				leaves(sample, "", want)
			}
			for p, v := range want {
				if !retold(p, v) {
					require.Contains(t, text.String(), strings.ToLower(v), "%s as %s loses %s", path, kind, p)
				}
			}
		}
	}
}

func TestGoldenEvents(t *testing.T) {
	paths, err := filepath.Glob("testdata/events/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		if strings.HasSuffix(path, ".want.json") {
			continue
		}
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		events, err := openlineage.Convert(raw)
		require.NoError(t, err, path)
		var got bytes.Buffer
		for _, ev := range events {
			b, err := event.MarshalStructured(ev)
			require.NoError(t, err)
			require.NoError(t, json.Indent(&got, b, "", "  "))
			got.WriteByte('\n')
		}
		golden := strings.TrimSuffix(path, ".json") + ".want.json"
		if *update {
			require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got.String(), path)
	}
}

func TestRetryIsARepeat(t *testing.T) {
	message := around("SchemaDatasetFacet", map[string]any{"schema": map[string]any{"fields": []any{map[string]any{"name": "a"}}}})["output"]
	raw, err := json.Marshal(message)
	require.NoError(t, err)
	indented, err := json.MarshalIndent(message, "", "\t")
	require.NoError(t, err)
	first, err := openlineage.Convert(raw)
	require.NoError(t, err)
	again, err := openlineage.Convert(indented)
	require.NoError(t, err)
	require.Equal(t, first, again)
	ids := map[string]bool{}
	for _, ev := range first {
		ids[ev.ID] = true
	}
	require.Len(t, ids, len(first), "ids of one message differ")
	message["eventTime"] = "2026-03-01T12:00:01Z"
	require.NotEqual(t, first[0].ID, convert(t, message)[0].ID)
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want error
		says string
	}{
		{`{`, event.ErrMalformed, "JSON"},
		{`[]`, event.ErrMalformed, "array"},
		{"{\"job\":{\"name\":\"\xff\"}}", event.ErrMalformed, "UTF-8"},
		{`{"eventTime":"2026-01-01T00:00:00Z"}`, openlineage.ErrInvalid, "neither run nor job nor dataset"},
		{`{"run":{"runId":"1"}}`, openlineage.ErrInvalid, "job.name"},
		{`{"run":{},"job":{"namespace":"n","name":"j"}}`, openlineage.ErrInvalid, "runId"},
		{`{"run":{"runId":"1"},"job":{"name":"j"},"eventType":"DONE"}`, openlineage.ErrInvalid, "DONE"},
		{`{"run":{"runId":"1"},"job":{"name":"j"},"eventTime":"noon"}`, openlineage.ErrInvalid, "noon"},
		{`{"run":{"runId":"1"},"job":{"name":"j"},"outputs":[{"namespace":"n"}]}`, openlineage.ErrInvalid, "outputs[0].name"},
		{`{"dataset":{"namespace":"n"}}`, openlineage.ErrInvalid, "dataset.name"},
		{`{"job":{"name":"j","facets":{"sql":{"query":7}}}}`, openlineage.ErrInvalid, "facet sql"},
		{`{"run":7}`, event.ErrMalformed, "run"},
	} {
		_, err := openlineage.Convert([]byte(c.raw))
		require.ErrorIs(t, err, c.want, c.raw)
		require.ErrorContains(t, err, c.says, c.raw)
	}
}

func TestLenience(t *testing.T) {
	for _, raw := range []string{
		`{"run":{"runId":"not-a-uuid"},"job":{"name":"j"},"eventTime":"2026-01-01T00:00:00"}`,
		`{"run":{"runId":"1","facets":null},"job":{"namespace":"","name":"j","facets":{"jobType":null}},"eventType":"complete"}`,
		`{"job":{"namespace":"n","name":"j"},"inputs":null}`,
		`{"dataset":{"namespace":"n","name":"d"}}`,
	} {
		events, err := openlineage.Convert([]byte(raw))
		require.NoError(t, err, raw)
		require.NotEmpty(t, events, raw)
		for _, ev := range events {
			_, err := event.Encode(ev)
			require.NoError(t, err, raw)
		}
	}
}

// only gives the data of the one event of its type.
func only[T any](t *testing.T, events []event.Event) *T {
	t.Helper()
	var found []*T
	for _, ev := range events {
		if d, ok := ev.Data.(*T); ok {
			found = append(found, d)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

func TestEdgePrecedence(t *testing.T) {
	ds := func(n, facets string) string {
		return `{"namespace":"mysql://h:3306","name":"` + n + `","facets":{` + facets + `}}`
	}
	in := func(n, field, kind string) string {
		return `{"namespace":"mysql://h:3306","name":"` + n + `","field":"` + field + `","transformations":[{"type":"` + kind + `"}]}`
	}
	columns := `"columnLineage":{"fields":{"c":{"inputFields":[` + in("db.a", "x", "DIRECT") + `]}}}`
	lineage := `"lineage":{"inputs":[{"type":"DATASET","namespace":"mysql://h:3306","name":"db.b"}]}`
	run := func(facets, job string) *event.RunCompleted {
		events, err := openlineage.Convert([]byte(`{"eventType":"COMPLETE","run":{"runId":"1"},"job":{"namespace":"n","name":"j","facets":{` + job + `}},
			"inputs":[` + ds("db.a", "") + `,` + ds("db.b", "") + `],"outputs":[` + ds("db.d", facets) + `]}`))
		require.NoError(t, err)
		return only[event.RunCompleted](t, events)
	}
	a := event.Ref{Namespace: "mysql://h:3306", Name: "db.a"}
	b := event.Ref{Namespace: "mysql://h:3306", Name: "db.b"}
	require.Nil(t, run("", "").Outputs[0].From, "nothing said: every input goes into every output")
	require.Equal(t, []event.Ref{a}, run(columns, "").Outputs[0].From)
	require.Equal(t, []event.Ref{b}, run(columns+","+lineage, "").Outputs[0].From)
	require.Len(t, run(columns+","+lineage, "").Outputs[0].ColumnEdges, 1)
	none := run(columns, `"lineage":{"entries":[{"type":"DATASET","namespace":"mysql://h","name":"db.d","inputs":[]}]}`)
	require.NotNil(t, none.Outputs[0].From)
	require.Empty(t, none.Outputs[0].From, "an empty list of inputs is no upstream")
	require.Len(t, none.Outputs, 1, "the same dataset with its port left out")
	own := run("", `"lineage":{"entries":[{"type":"JOB","inputs":[{"type":"DATASET","namespace":"mysql://h:3306","name":"db.e","field":"k"}]}]}`)
	require.Equal(t, "db.e", own.Inputs[2].Name)
	require.Equal(t, []event.Column{{Name: "k"}}, own.Inputs[2].Columns)
}

func TestIndirectColumnsAreFolded(t *testing.T) {
	field := func(n, kind, subtype string) string {
		return `{"namespace":"hive://m:9083","name":"ods.t","field":"` + n + `","transformations":[{"type":"` + kind + `","subtype":"` + subtype + `"}]}`
	}
	var fields []string
	for i := range 50 {
		fields = append(fields, fmt.Sprintf(`"c%02d":{"inputFields":[%s,%s,%s]}`, i,
			field("x", "DIRECT", "IDENTITY"), field("k", "INDIRECT", "JOIN"), field("k", "INDIRECT", "FILTER")))
	}
	events, err := openlineage.Convert([]byte(`{"dataset":{"namespace":"hive://m:9083","name":"dwd.t","facets":{"columnLineage":{"fields":{` + strings.Join(fields, ",") + `}}}}}`))
	require.NoError(t, err)
	edges := only[event.TaskDefined](t, events).Outputs[0].ColumnEdges
	require.Len(t, edges, 51, "one edge for each direct column, one for all that k decides")
	require.Equal(t, event.ColumnEdge{
		From: event.Ref{Namespace: "hive://m:9083", Name: "ods.t"}, FromColumn: "k", Indirect: true, Via: []string{"filter", "join"},
	}, edges[0])
}

func TestSQLNamesGetTheirSource(t *testing.T) {
	convertRun := func(eventType, datasets string) []event.Event {
		events, err := openlineage.Convert([]byte(`{"eventType":"` + eventType + `","run":{"runId":"1"},"job":{"namespace":"n","name":"j","facets":{"sql":{"query":"INSERT INTO d SELECT a FROM t"}}}` + datasets + `}`))
		require.NoError(t, err)
		return events
	}
	tables := `,"inputs":[{"namespace":"postgresql://PG","name":"shop.public.t"},{"namespace":"s3://b","name":"x"}],"outputs":[{"namespace":"postgres://pg:5432","name":"shop.public.d"}]`
	d := only[event.TaskDefined](t, convertRun("COMPLETE", tables))
	require.Equal(t, "postgres://pg:5432", d.DefaultSource)
	require.Equal(t, "postgres", d.Dialect)
	require.Equal(t, "shop", d.DefaultCatalog)
	require.Equal(t, "public", d.DefaultSchema)

	for _, eventType := range []string{"START", "RUNNING", "FAIL"} {
		only[event.TaskDefined](t, convertRun(eventType, tables))
		for _, ev := range convertRun(eventType, "") {
			require.NotEqual(t, event.TypeTaskDefined, ev.Type, "%s without datasets cannot place the SQL's names", eventType)
		}
	}
	only[event.TaskDefined](t, convertRun("COMPLETE", ""))
}

func TestNothingIsRemovedBeforeTheRunCompletes(t *testing.T) {
	for eventType, removed := range map[string]bool{"START": false, "FAIL": false, "COMPLETE": true} {
		events, err := openlineage.Convert([]byte(`{"eventType":"` + eventType + `","run":{"runId":"1"},"job":{"name":"j"},"outputs":[{"namespace":"hive://m","name":"db.t","facets":{"lifecycleStateChange":{"lifecycleStateChange":"DROP"}}}]}`))
		require.NoError(t, err)
		require.Equal(t, removed, events[0].Type == event.TypeTableRemoved, eventType)
	}
}

func TestPasswordsDoNotReachTheLog(t *testing.T) {
	ns := "mysql://root:s3cret@db:3306"
	events, err := openlineage.Convert([]byte(`{"eventType":"COMPLETE","run":{"runId":"1"},"job":{"name":"j","facets":{"sql":{"query":"SELECT 1"},
		"lineage":{"entries":[{"type":"DATASET","namespace":"` + ns + `","name":"d.e","inputs":[{"type":"DATASET","namespace":"` + ns + `","name":"d.f"}]}]}}},
		"inputs":[{"namespace":"` + ns + `","name":"d.t"}],
		"outputs":[{"namespace":"` + ns + `","name":"d.u","facets":{"schema":{"fields":[{"name":"a"}]},
			"symlinks":{"identifiers":[{"namespace":"` + ns + `","name":"d.v","type":"TABLE"}]},
			"lifecycleStateChange":{"lifecycleStateChange":"RENAME","previousIdentifier":{"namespace":"mysql://db:3306","name":"d.w"}},
			"columnLineage":{"fields":{"a":{"inputFields":[{"namespace":"` + ns + `","name":"d.t","field":"a"}]}}}}}]}`))
	require.NoError(t, err)
	require.Len(t, events, 5)
	for _, ev := range events {
		b, err := event.MarshalStructured(ev)
		require.NoError(t, err)
		require.NotContains(t, string(b), "s3cret", ev.Type)
		require.Contains(t, string(b), "mysql://db:3306", ev.Type)
	}
}

func TestSymlinks(t *testing.T) {
	link := func(namespace, nodeName, identifiers string) []event.Event {
		events, err := openlineage.Convert([]byte(`{"dataset":{"namespace":"` + namespace + `","name":"` + nodeName + `","facets":{"symlinks":{"identifiers":[` + identifiers + `]}}}}`))
		require.NoError(t, err)
		return events
	}
	table := `{"namespace":"hive://m:9083","name":"dwd.t","type":"TABLE"}`
	location := `{"namespace":"s3://lake","name":"dwd/t","type":"LOCATION"}`
	m := only[event.SourceMerged](t, link("s3://lake", "dwd/t", table))
	require.Equal(t, event.Place{Namespace: "s3://lake", Prefix: "dwd/t"}, m.From, "a path leads to the table that people know")
	require.Equal(t, event.Place{Namespace: "hive://m:9083", Prefix: "dwd.t"}, m.To)
	require.True(t, m.Exact)
	back := only[event.SourceMerged](t, link("hive://m:9083", "dwd.t", location))
	require.Equal(t, m.ID, back.ID)
	require.Equal(t, m.From, back.From)
	require.Equal(t, m.To, back.To, "told from the other side it is the same mapping")
	for _, ev := range link("hive://m:9083", "dwd.t", table) {
		require.NotEqual(t, event.TypeSourceMerged, ev.Type, "a name does not lead to itself")
	}
}

// TestConversionIsDeterministic also holds for maps, whose order in Go is not.
func TestConversionIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.Custom(func(t *rapid.T) map[string]any {
			return map[string]any{
				"namespace": rapid.SampledFrom([]string{"mysql://h", "mysql://h:3306", "postgresql://p", "s3://b", ""}).Draw(t, "namespace"),
				"name":      rapid.SampledFrom([]string{"a.b", "a.c", "", "x/y"}).Draw(t, "name"),
				"field":     rapid.SampledFrom([]string{"f", "g", "", "s.t"}).Draw(t, "field"),
				"transformations": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) map[string]any {
					return map[string]any{
						"type": rapid.SampledFrom([]string{"DIRECT", "INDIRECT", ""}).Draw(t, "type"), "subtype": rapid.SampledFrom([]string{"JOIN", "IDENTITY", ""}).Draw(t, "subtype"),
						"masking": rapid.Bool().Draw(t, "masking"), "description": rapid.SampledFrom([]string{"", "d1", "d2"}).Draw(t, "description"),
					}
				}), 0, 3).Draw(t, "transformations"),
			}
		})
		fields := map[string]any{}
		for range rapid.IntRange(0, 6).Draw(t, "columns") {
			fields[rapid.StringMatching(`[a-d]`).Draw(t, "column")] = map[string]any{"inputFields": rapid.SliceOfN(field, 0, 4).Draw(t, "fields"), "inputs": rapid.SliceOfN(field, 0, 3).Draw(t, "inputs")}
		}
		facet := rapid.SampledFrom([]string{"columnLineage", "lineage"}).Draw(t, "facet")
		raw, err := json.Marshal(map[string]any{
			"eventType": "COMPLETE", "run": map[string]any{"runId": "1"}, "job": map[string]any{"name": "j"},
			"outputs": []any{map[string]any{"namespace": "mysql://h", "name": "a.d", "facets": map[string]any{facet: map[string]any{"fields": fields}}}},
		})
		require.NoError(t, err)
		first, err := openlineage.Convert(raw)
		require.NoError(t, err)
		for _, ev := range first {
			_, err := event.Encode(ev)
			require.NoError(t, err)
		}
		for range 5 {
			again, err := openlineage.Convert(raw)
			require.NoError(t, err)
			require.Equal(t, first, again)
		}
	})
}

func FuzzConvert(f *testing.F) {
	paths, err := filepath.Glob("testdata/events/*.json")
	require.NoError(f, err)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		events, err := openlineage.Convert(raw)
		if err != nil {
			return
		}
		require.NotEmpty(t, events)
		for _, ev := range events {
			rec, err := event.Encode(ev)
			if err != nil {
				require.ErrorIs(t, err, event.ErrInvalid)
				continue
			}
			_, err = event.Decode(rec.Headers, rec.Value)
			require.NoError(t, err)
		}
	})
}
