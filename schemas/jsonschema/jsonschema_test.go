package jsonschema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/jsonschema"
)

func TestSchemasFollowTheGoTypes(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("go", "run", "./gen", "../event", dir, filepath.Join(dir, "events.md")).CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	have, err := filepath.Glob("*.json")
	require.NoError(t, err)
	require.Len(t, have, len(want), "a schema without a type")
	for _, p := range want {
		fresh, err := os.ReadFile(p)
		require.NoError(t, err)
		kept, err := os.ReadFile(filepath.Base(p))
		require.NoError(t, err)
		require.Equal(t, string(fresh), string(kept), "%s is out of date: run go generate ./schemas/jsonschema", filepath.Base(p))
	}
}

func TestPageFollowsTheGoTypes(t *testing.T) {
	dir := t.TempDir()
	fresh := filepath.Join(dir, "events.md")
	out, err := exec.Command("go", "run", "./gen", "../event", dir, fresh).CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := os.ReadFile(fresh)
	require.NoError(t, err)
	have, err := os.ReadFile("../../docs/events.md")
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "docs/events.md is out of date: run go generate ./schemas/jsonschema")
}

func TestFaultsSayWhereAndWhat(t *testing.T) {
	set, err := jsonschema.New()
	require.NoError(t, err)
	for _, c := range []struct{ eventType, data, want string }{
		{event.TypeTaskDefined, `{"sql":7}`, "id"},
		{event.TypeTaskDefined, `{"id":"x","sql":7}`, "/sql: got number, want string"},
		{event.TypeTaskDefined, `{"id":"x","kind":"cron"}`, "/kind: value must be one of"},
		{event.TypeTaskDefined, `{"id":"x","outputs":[{"name":"t","column_edges":[{"from":{"name":3}}]}]}`, "/outputs/0/column_edges/0"},
		{event.TypeTaskDefined, `{"id":"","sql":"x"}`, "/id: minLength"},
		{event.TypeTaskDefined, `{"sql":"x"}`, "id"},
		{event.TypeTaskDefined, `{"id":"x","sql":null}`, "/sql: got null, want string"},
		{event.TypeTaskDefined, `{"id":"x","id":""}`, "/id: minLength"},
		{event.TypeTaskDefined, `[]`, "got array, want object"},
		{event.TypeRunStarted, `{"run_id":"r","task":{"id":"t"},"started":"now"}`, "/started"},
	} {
		err := set.Validate(c.eventType, []byte(c.data))
		require.ErrorIs(t, err, event.ErrInvalid, c.data)
		require.ErrorContains(t, err, c.want, c.data)
	}
	require.ErrorIs(t, set.Validate(event.TypeTaskDefined, []byte(`{`)), event.ErrMalformed)
	require.ErrorIs(t, set.Validate("tributary.task.defined.v9", []byte(`{}`)), event.ErrUnknownVersion)
}

// oneKB is a task definition of about 1 KB of SQL.
func oneKB() []byte {
	b, err := json.Marshal(event.TaskDefined{
		Task: event.Task{Namespace: "scheduler", ID: "orders_daily"}, Kind: event.KindBatch, Dialect: "mysql", DefaultSource: "shop",
		SQL: "INSERT INTO d SELECT " + strings.Repeat("t.some_column AS a,\n", 50) + " 1 FROM t",
	})
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkValidate(b *testing.B) {
	set, err := jsonschema.New()
	require.NoError(b, err)
	data := oneKB()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := set.Validate(event.TypeTaskDefined, data); err != nil {
			b.Fatal(err)
		}
	}
}
