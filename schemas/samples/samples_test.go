package samples_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/jsonschema"
	"github.com/tributary-data/tributary/schemas/samples"
)

func read(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	paths, err := fs.Glob(samples.FS(), pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	out := map[string][]byte{}
	for _, p := range paths {
		b, err := samples.FS().ReadFile(p)
		require.NoError(t, err)
		out[p] = b
	}
	return out
}

func TestSamplesAreReadForEver(t *testing.T) {
	set, err := jsonschema.New()
	require.NoError(t, err)
	seen := map[string]int{}
	for p, b := range read(t, "tributary.*/*.json") {
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, b), p)
		env, err := event.ReadStructured(line.Bytes())
		require.NoError(t, err, p)
		require.Equal(t, path.Dir(p), env.Type, "a sample lies in the folder of its type")
		seen[env.Type]++
		require.NoError(t, set.Validate(env.Type, env.Data), p)
		ev, err := env.Decode()
		require.NoError(t, err, p)
		require.NotEmpty(t, ev.Key, p)

		rec, err := event.Encode(ev)
		require.NoError(t, err, p)
		again, err := event.Decode(rec.Headers, rec.Value)
		require.NoError(t, err, p)
		require.Equal(t, ev, again, p)
		if !strings.Contains(p, "unknown_fields") {
			require.JSONEq(t, string(env.Data), string(rec.Value), "%s: the Go type loses something", p)
		}
	}
	for _, e := range event.Entries() {
		require.Positive(t, seen[e.Type], "%s has no sample", e.Type)
	}
}

func TestUnknownFieldsAndAttributesAreKept(t *testing.T) {
	b, err := samples.FS().ReadFile(event.TypeTaskDefined + "/with_unknown_fields.json")
	require.NoError(t, err)
	env, err := event.ReadStructured(b)
	require.NoError(t, err)
	require.Equal(t, "30", env.Extensions["sampledrate"])
	require.Equal(t, "true", env.Extensions["internal"])
	rec := env.Record(event.TopicTasks, "k")
	require.Contains(t, string(rec.Value), "priority_of_the_future", "the log keeps what this version does not know")
}

func TestRefusedSamples(t *testing.T) {
	set, err := jsonschema.New()
	require.NoError(t, err)
	for p, b := range read(t, "refused/*.json") {
		code, _, _ := strings.Cut(path.Base(p), ".")
		env, err := event.ReadStructured(b)
		if err == nil {
			err = set.Validate(env.Type, env.Data)
		}
		if err == nil {
			_, err = env.Decode()
		}
		require.Error(t, err, p)
		require.Equal(t, code, event.Code(err), "%s: %v", p, err)
	}
}

// TestSchemasRefuseMissingAndMisshapenFields takes each required field away in
// turn, and gives each field a value of another shape.
func TestSchemasRefuseMissingAndMisshapenFields(t *testing.T) {
	set, err := jsonschema.New()
	require.NoError(t, err)
	for p, b := range read(t, "tributary.*/*.json") {
		env, err := event.ReadStructured(b)
		require.NoError(t, err)
		var schema struct {
			Required   []string                  `json:"required"`
			Properties map[string]map[string]any `json:"properties"`
		}
		raw, err := fs.ReadFile(jsonschema.FS(), env.Type+".json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &schema))
		for _, field := range schema.Required {
			require.ErrorIs(t, set.Validate(env.Type, change(t, env.Data, field, nil)), event.ErrInvalid, "%s without %s", p, field)
		}
		for field, shape := range schema.Properties {
			if len(shape) == 0 || shape["type"] == nil && shape["$ref"] == nil {
				continue // any JSON is right
			}
			wrong := any([]any{})
			if shape["type"] == "array" {
				wrong = "text"
			}
			require.ErrorIs(t, set.Validate(env.Type, change(t, env.Data, field, wrong)), event.ErrInvalid, "%s with another %s", p, field)
		}
	}
}

func change(t *testing.T, data []byte, field string, value any) []byte {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal(data, &m))
	if value == nil {
		delete(m, field)
	} else {
		m[field] = value
	}
	out, err := json.Marshal(m)
	require.NoError(t, err)
	return out
}
