package blackbox_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/eventsapi"
)

// TestTokensKeepToTheirNamespaces serves a team and an administrator, and looks
// for a password in everything that is kept.
func TestTokensKeepToTheirNamespaces(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	token := func(args ...string) string {
		a := command(t, "", "", append([]string{"token", "create", "--file", tokens}, args...)...)
		require.Zero(t, a.code, a.errors)
		return "Bearer " + strings.TrimSpace(a.out)
	}
	ann := token("--name", "ann", "--scope", "write", "--writes", "team", "--sees", "team,team-*")
	admin := token("--name", "admin", "--scope", "admin")
	dir := t.TempDir()
	p := serve(t, dir, "--auth-tokens", tokens)

	const secret = "hush-hush-hush"
	define := func(who, namespace string) (int, eventsapi.EventsAnswer) {
		body := `{"specversion":"1.0","id":"1","source":"s","type":"tributary.task.defined.v1","data":{"id":"t","namespace":"` + namespace +
			`","dialect":"mysql","default_schema":"d","sql":"INSERT INTO a SELECT b FROM c WHERE password = '` + secret + `'"}}`
		status, raw, err := call(http.MethodPost, p.URL+"/api/v1/events?wait=applied", "application/cloudevents+json", strings.NewReader(body), "Authorization", who)
		require.NoError(t, err)
		var a eventsapi.EventsAnswer
		require.NoError(t, json.Unmarshal(raw, &a), string(raw))
		return status, a
	}
	status, a := define(ann, "team")
	require.Equal(t, http.StatusOK, status, a)
	status, a = define(ann, "other")
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "ForeignNamespace", a.Code)
	status, a = define(admin, "other")
	require.Equal(t, http.StatusOK, status, a)

	ask := func(who, path string) (int, string) {
		status, raw, err := call(http.MethodGet, p.URL+path, "", http.NoBody, "Authorization", who)
		require.NoError(t, err)
		return status, string(raw)
	}
	node := func(namespace string) string {
		return "/api/v1/node?" + url.Values{"node": {"task|" + namespace + "|t"}}.Encode()
	}
	soonStatus := func(who, path string, want int) string {
		var body string
		poll(t, settleTime, func() error {
			var status int
			if status, body = ask(who, path); status != want {
				return &unexpected{status, body}
			}
			return nil
		})
		return body
	}
	require.Contains(t, soonStatus(admin, node("other"), http.StatusOK), "password = '"+strings.Repeat("*", len(secret)))
	require.NotContains(t, soonStatus(ann, node("team"), http.StatusOK), "INSERT", "its SQL names tables that ann does not see")
	hidden, _ := ask(ann, node("other"))
	require.Equal(t, http.StatusNotFound, hidden)
	hidden, _ = ask(ann, "/api/v1/spaces/other/datasets")
	require.Equal(t, http.StatusNotFound, hidden)
	hidden, _ = ask("", node("team"))
	require.Equal(t, http.StatusUnauthorized, hidden)
	late := token("--name", "late", "--scope", "read")
	shown, _ := ask(late, node("team"))
	require.Equal(t, http.StatusOK, shown, "the token was made while the server ran")
	require.Zero(t, p.interrupt())

	require.NotContains(t, p.out.String(), secret)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		require.False(t, bytes.Contains(raw, []byte(secret)), path)
		return err
	}))
}

// unexpected is an answer that is not the one waited for.
type unexpected struct {
	status int
	body   string
}

func (u *unexpected) Error() string { return http.StatusText(u.status) + ": " + u.body }
