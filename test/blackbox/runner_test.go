package blackbox_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
)

// exporter is a program for the engine command. It keeps what it read, and says that it wrote two rows.
const exporter = `#!/bin/sh
cat > "$1"
printf '{"outputs":[{"dataset":{"namespace":"s3://lake","name":"export"},"put":[{"path":"part-0","location":"%s/part-0","rows":2}]}]}' "$(sed 's/.*"locations":\["\([^"]*\)"\].*/\1/' "$1")"
`

// tree is a repository of job specs: two of SQL, and one that a program runs.
var tree = map[string]string{
	"orders.sql": "-- Orders, made up.\n-- namespace: clickhouse://shop\n-- outputs: shop.orders\n-- engine: clickhouse-sql\n-- dialect: clickhouse\nSELECT arrayJoin(range(1, 6)) AS id, id * 10 AS amount\n",
	"large.sql":  "-- namespace: clickhouse://shop\n-- inputs: shop.orders\n-- outputs: shop.large\n-- engine: clickhouse-sql\n-- dialect: clickhouse\nSELECT id, amount FROM shop.orders WHERE amount > 30\n",
	"export.yaml": "jobs:\n- job: export\n  inputs: ['clickhouse://shop|shop.large']\n  outputs: ['s3://lake|export']\n" +
		"  engine: command\n  ref: export.sh\n  properties: {program: export}\n",
}

// repository makes a git repository of files, on branch master.
func repository(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "init", "-q", "-b", "master")
	commitFiles(t, dir, files)
	return dir
}

func commitFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=tests", "-c", "user.email=tests@localhost", "commit", "-q", "-m", "change the jobs")
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestRunnerRunsBothEngines publishes a repository, builds what it makes on master and on a branch, and has
// 'tributary run' do the jobs.
func TestRunnerRunsBothEngines(t *testing.T) {
	p := serve(t, t.TempDir())
	dir := repository(t, tree)
	read := filepath.Join(t.TempDir(), "read.json")
	run := spawn(t, "run", "--server", p.URL, "--space", "shop", "--clickhouse", strings.Replace(p.Store, "http://", "http://tributary:"+storeToken+"@", 1)+"/",
		"--program", "export="+program(t, "export", exporter)+" "+read, "--location", "s3://lake/{name}/{branch}/{transaction}")
	tell := func(args ...string) string {
		t.Helper()
		a := command(t, p.URL, "", append(args, "--space", "shop")...)
		require.Zero(t, a.code, "%s\n%s", a.out, a.errors)
		return a.out
	}
	require.Contains(t, tell("publish", dir), "export")
	build := []string{"build", "run", "--mode", "upstream", "s3://lake|export"}
	tell(append(build, "--branch", "master")...)

	commitFiles(t, dir, map[string]string{"large.sql": strings.Replace(tree["large.sql"], "> 30", "> 10", 1)})
	git(t, dir, "checkout", "-q", "-b", "feature")
	tell("publish", dir)
	tell(append(build, "--branch", "feature", "--fallback", "master")...)

	require.Equal(t, []string{"4\t40", "5\t50"}, rowsOf(t, p, "master"))
	require.Equal(t, []string{"2\t20", "3\t30", "4\t40", "5\t50"}, rowsOf(t, p, "feature"))
	raw, err := os.ReadFile(read)
	require.NoError(t, err)
	var input struct {
		Claim     catalogapi.Claim
		Locations []string
	}
	require.NoError(t, json.Unmarshal(raw, &input))
	require.Empty(t, input.Claim.Token, "a program has no business with the token")
	require.Equal(t, "feature", input.Claim.Inputs[0].Branch)
	require.NotEmpty(t, input.Claim.Inputs[0].Files)
	require.Equal(t, "s3://lake/export/feature/"+input.Claim.Outputs[0].Transaction, input.Locations[0])
	soon(t, p.Store, `SELECT i.name, i.input = '`+input.Claim.Inputs[0].Transaction+`' FROM tributary.transaction_inputs AS i
		INNER JOIN tributary.views AS v ON v.space = i.space AND v.transaction = i.transaction WHERE v.name = 'export' AND v.branch = 'feature' FORMAT TSV`, "shop.large\t1")
	require.Zero(t, run.interrupt(), run.out.String())
	require.Zero(t, p.interrupt())
}

// rowsOf reads the rows of shop.large that the view of a branch holds.
func rowsOf(t *testing.T, p *process, branch string) []string {
	t.Helper()
	var v catalogapi.View
	get(t, p.URL, "/api/v1/spaces/shop/view", url.Values{"namespace": {"clickhouse://shop"}, "name": {"shop.large"}, "branch": {branch}}, &v)
	require.Len(t, v.List, 1)
	at, err := url.Parse(v.List[0].Location)
	require.NoError(t, err)
	require.Equal(t, "tributary-table", at.Scheme)
	return query(t, p.Store, fmt.Sprintf("SELECT id, amount FROM tributary_data.%s WHERE _tributary_transaction = '%s' ORDER BY id FORMAT TSV", at.Host, at.Query().Get("transaction")))
}
