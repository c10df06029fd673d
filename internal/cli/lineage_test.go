package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

// run runs a command against a server that gives one answer, and tells what
// was printed and asked.
func runLineage(t *testing.T, status int, answer any, args ...string) (printed, asked string, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.RequestURI()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer server.Close()
	cmd := NewLineageCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(append(args, "--server", server.URL))
	err = cmd.ExecuteContext(t.Context())
	return out.String(), asked, err
}

func TestLineageShowPrintsATable(t *testing.T) {
	answer := lineageapi.Graph{
		Nodes: []lineageapi.Node{
			{Key: "dataset|m|a", Display: "shop.a", Kind: "table", Centre: true, DownstreamCount: 2},
			{Key: "dataset|m|b", Display: "shop.b", Kind: "view", Distance: 1, Side: 1, IsOpen: true},
		},
		Edges:    []lineageapi.Edge{{From: "dataset|m|a", To: "dataset|m|b", Direct: true, Origins: []string{"parsed"}, Tasks: []string{"task|default|load"}, Statements: []int{2}}},
		Position: "tributary.lineage:4", Chain: []string{"dev", "master"},
	}
	out, asked, err := runLineage(t, 200, answer, "show", "shop.a", "--depth", "-1")
	require.NoError(t, err)
	require.Contains(t, asked, "GET /api/v1/graph?node=shop.a&")
	require.Contains(t, asked, "&depth=-1&")
	for _, want := range []string{"shop.b", "more behind it", "load #2", "at tributary.lineage:4 on dev → master"} {
		require.Contains(t, out, want)
	}
	out, _, err = runLineage(t, 200, answer, "show", "shop.a", "--json")
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(out)))
}

func TestLineagePathsCountsInWords(t *testing.T) {
	out, _, err := runLineage(t, 200, lineageapi.Paths{Found: true, WaysTotal: 1, Length: 1}, "paths", "shop.a", "shop.b")
	require.NoError(t, err)
	require.Contains(t, out, "1 shortest way of 1 hop:")
	out, _, err = runLineage(t, 200, lineageapi.Paths{Found: true, WaysTotal: 2, Length: 3}, "paths", "shop.a", "shop.b")
	require.NoError(t, err)
	require.Contains(t, out, "2 shortest ways of 3 hops:")
	out, asked, err := runLineage(t, 200, lineageapi.Paths{Found: true, WaysTotal: 1, Length: 1, Ways: make([][]lineageapi.Centre, 3)}, "paths", "shop.a", "shop.b", "--slack", "2")
	require.NoError(t, err)
	require.Contains(t, asked, "slack=2")
	require.Contains(t, out, "1 shortest way of 1 hop, and longer ones of up to 3 hops; 3 ways shown:")
}

func TestLineageImpactExitsWithThree(t *testing.T) {
	answer := lineageapi.Impact{
		Breaks: true, Total: 2, Affected: []lineageapi.ImpactNode{{Display: "shop.b", Because: "dataset|m|a.x"}, {Display: "shop.c", Because: "dataset|m|a.y"}}, Tasks: []string{"task|default|load"},
		Display: map[string]string{"dataset|m|a.x": "shop.a.x", "dataset|m|a.y": "shop.a.y", "task|default|load": "load"},
	}
	out, _, err := runLineage(t, 200, answer, "impact", "shop.a")
	require.Equal(t, ExitError{Code: 3}, err)
	require.Contains(t, out, "shop.a.x")
	require.Contains(t, out, "; read by load\n")
	require.NotContains(t, out, "|m|")
	answer.Affected[1].Because = answer.Affected[0].Because
	out, _, _ = runLineage(t, 200, answer, "impact", "shop.a", "--column", "x")
	require.NotContains(t, out, "because of", "it is what was asked about")
	out, _, err = runLineage(t, 200, lineageapi.Impact{}, "impact", "shop.a")
	require.NoError(t, err)
	require.Contains(t, out, "Nothing is affected")
}

func TestLineageNodePrintsWhatIsKnown(t *testing.T) {
	answer := lineageapi.NodeDetails{
		Node: lineageapi.Node{Display: "shop.b", Kind: "table", Columns: []lineageapi.Column{{Name: "card", Type: "text", WithMasked: true}}},
		Keys: []string{"dataset|m|b", "dataset|old|b"}, Owner: "ann", Position: "tributary.lineage:4",
		Producers: []lineageapi.TaskRef{{Name: "load", Kind: "batch", Branch: "dev", Origin: "parsed", Statements: []int{2, 5}}},
		Branches:  []lineageapi.NodeBranch{{Name: "feature", Parent: "master", HasJobSpec: true}},
		Runs:      []lineageapi.Run{{Id: "r1", State: "failed", Error: "disk full"}},
		Sql:       lineageapi.TaskSQL{Text: "select 1", Dialect: "spark"},
	}
	out, asked, err := runLineage(t, 200, answer, "node", "shop.b", "--branch", "dev")
	require.NoError(t, err)
	require.Contains(t, asked, "GET /api/v1/node?node=shop.b&branch=dev")
	for _, want := range []string{"shop.b (table)", "dataset|old|b", "ann", "masked", "2,5", "feature", "disk full", "select 1", "at tributary.lineage:4"} {
		require.Contains(t, out, want)
	}
	out, _, err = runLineage(t, 200, answer, "node", "shop.b", "--json")
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(out)))
}

func TestLineageEdgePrintsWhoMakesIt(t *testing.T) {
	answer := lineageapi.EdgeDetails{
		Edge: lineageapi.Edge{From: "dataset|m|a", FromColumn: "x", To: "dataset|m|b", ToColumn: "y", Direct: true},
		Contributors: []lineageapi.Contributor{
			{Task: "task|default|load", Origin: "parsed", Branch: "master", Via: []string{"identity"}, Statements: []lineageapi.Statement{{N: 2, Line: 3, Column: 1, Text: "insert into b select x from a"}}},
			{Person: "ann", Why: "seen by eye", Origin: "manual", Branch: "master", Closed: true},
		},
	}
	out, asked, err := runLineage(t, 200, answer, "edge", "shop.a", "shop.b", "--from-column", "x", "--to-column", "y")
	require.NoError(t, err)
	require.Contains(t, asked, "GET /api/v1/edge?from=shop.a&from_column=x&to=shop.b&to_column=y")
	for _, want := range []string{"dataset|m|a.x → dataset|m|b.y", "task|default|load, statement 2 at 3:1", "insert into b", "over; seen by eye"} {
		require.Contains(t, out, want)
	}
	out, _, err = runLineage(t, 200, answer, "edge", "shop.a", "shop.b", "--json")
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(out)))
}

func TestLineageExportIsJSONIfAsked(t *testing.T) {
	out, asked, err := runLineage(t, 200, map[string]int{"nodes": 1}, "export", "--json")
	require.NoError(t, err)
	require.Contains(t, asked, "format=json")
	require.JSONEq(t, `{"nodes":1}`, out)
	_, asked, err = runLineage(t, 200, nil, "export", "--json", "--format", "csv")
	require.ErrorContains(t, err, "contradict")
	require.Empty(t, asked)
}

func TestLineageSearchSaysThatThereIsNothing(t *testing.T) {
	out, _, err := runLineage(t, 200, lineageapi.SearchResult{}, "search", "xyzzy")
	require.NoError(t, err)
	require.Equal(t, "No node has \"xyzzy\" in its name.\n", out)
}

func TestLineageUnparsedSaysHowToGoOn(t *testing.T) {
	answer := lineageapi.Unparsed{Total: 2, Cursor: "abc", Errors: []lineageapi.SQLError{{Task: "t", Kind: "syntax", Message: "expected )"}}}
	out, _, err := runLineage(t, 200, answer, "unparsed")
	require.NoError(t, err)
	require.Contains(t, out, "2 in all. Go on with --cursor abc\n")
}

func TestLineageTellsWhatTheServerRefused(t *testing.T) {
	refused := lineageapi.Error{Code: "UnknownNode", Message: "no node is named shop.x"}
	refused.Details.Near = []string{"dataset|m|shop.y"}
	_, _, err := runLineage(t, 404, refused, "down", "shop.x")
	require.ErrorContains(t, err, "no node is named shop.x (UnknownNode)")
	require.ErrorContains(t, err, "shop.y")
}
