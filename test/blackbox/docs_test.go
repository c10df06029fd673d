package blackbox_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// shell comes before each sh block of the documentation. Roles check their
// settings instead of running; exit code 3 is an answer.
const shell = `set -o pipefail
trap 'code=$?; [ $code -eq 3 ] || { echo "exit code $code: $BASH_COMMAND" >&2; exit 1; }' ERR
curl() { command curl -fsS "$@"; }
tributary() {
  case "$1 $2" in
    serve*|ingest*|parse*|project*|query*) command tributary "$@" --check-config ;;
    *) command tributary "$@" ;;
  esac
}
./bin/tributary() { tributary "$@"; }
`

// block is a piece of the documentation that can run.
type block struct{ language, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocksOf reads the marked blocks of a page.
func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	require.NoError(t, err)
	var blocks []block
	for _, found := range fence.FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, block{found[1], found[2]})
	}
	return blocks
}

// pages are the README and the pages of docs/.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	list := []string{"README.md"}
	for _, page := range found {
		list = append(list, filepath.Join("docs", filepath.Base(page)))
	}
	return list
}

// here puts the addresses of the test in the place of those of the documentation.
func here(t *testing.T, p *process) *strings.Replacer {
	t.Helper()
	host := func(address string) string {
		u, err := url.Parse(address)
		require.NoError(t, err)
		return u.Host
	}
	me, err := user.Current()
	require.NoError(t, err)
	return strings.NewReplacer(
		"127.0.0.1:7070", host(p.URL), "127.0.0.1:9092", p.Brokers[0],
		"127.0.0.1:8123", host(p.Store), `port=8123`, "port="+host(p.Store)[strings.LastIndexByte(host(p.Store), ':')+1:],
		"--publisher ci", "--publisher "+me.Username, // without tokens the caller is who runs the server
	)
}

// workplace is a folder for the blocks of a page: a git repository with the job
// specs that the page shows, and the binary where the README has it.
func workplace(t *testing.T, blocks []block) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o750))
	require.NoError(t, os.Symlink(built.binary, filepath.Join(dir, "bin", "tributary")))
	for i, b := range blocks {
		if b.language == "sql" && strings.Contains(b.text, "-- outputs:") || b.language == "yaml" && strings.HasPrefix(b.text, "jobs:") {
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("job%d.%s", i, b.language)), []byte(b.text), 0o600))
		}
	}
	script := "git init -q -b feature . && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m begin"
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// TestDocumentedCommandsRun runs what the README and docs/ tell people to type,
// on the shop of the demo.
func TestDocumentedCommandsRun(t *testing.T) {
	p := serve(t, t.TempDir())
	a := command(t, "", "", "demo", "--server", p.URL)
	require.Zero(t, a.code, a.errors)
	place := here(t, p)
	for _, page := range pages(t) {
		blocks := blocksOf(t, page)
		dir := workplace(t, blocks)
		for i, b := range blocks {
			if b.language != "sh" && b.language != "python" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", page, i), func(t *testing.T) {
				text := place.Replace(b.text)
				run := func() (string, error) {
					cmd := exec.Command("bash", "-c", shell+text+"\ntrue\n")
					if b.language == "python" {
						cmd = exec.Command(needPython(t), "-c", text)
					}
					cmd.Dir = dir
					cmd.Env = environment("TRIBUTARY_SERVER="+p.URL, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
						"CI_COMMIT=0123abc", "CI_BRANCH=feature")
					out, err := cmd.CombinedOutput()
					return string(out), err
				}
				// A machine that is busy with other tests may be too slow for the server's bound.
				poll(t, settleTime, func() error {
					out, err := run()
					if strings.Contains(out, "(Deadline)") {
						return fmt.Errorf("%s\n%s", text, out)
					}
					require.NoError(t, err, "%s\n%s", text, out)
					return nil
				})
			})
		}
	}
	require.Zero(t, p.interrupt())
}

// inline finds commands that are named in running text and tables.
var inline = regexp.MustCompile("`tributary ([a-z]+(?: [a-z]+)?)")

// TestNamedCommandsExist asks for the help of each command that the
// documentation names.
func TestNamedCommandsExist(t *testing.T) {
	var names []string
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		require.NoError(t, err)
		for _, found := range inline.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	require.NotEmpty(t, names)
	for _, name := range names {
		a := command(t, "", "", append(strings.Fields(name), "--help")...)
		require.Zero(t, a.code, name)
		require.Contains(t, a.out, "\n  tributary "+name, name)
	}
}

// TestTheComposeFileIsTaken checks the commands and settings that it gives to
// containers.
func TestTheComposeFileIsTaken(t *testing.T) {
	text, err := os.ReadFile("../../docker-compose.yml")
	require.NoError(t, err)
	var file struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	roles := 0
	for name, service := range file.Services {
		if service.Image != "tributary" {
			continue
		}
		roles++
		cmd := exec.Command(built.binary, append(service.Command, "--check-config")...)
		cmd.Env = []string{"HOME=" + t.TempDir()}
		for key, value := range service.Environment {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		require.Contains(t, string(out), "kafka:9092")
	}
	require.Positive(t, roles)
}

func TestWrongCommandsSayHowTheyAreUsed(t *testing.T) {
	for said, args := range map[string][]string{
		`did you mean show?`:                  {"lineage", "shwo", "x"},
		"Usage: tributary lineage show NODE":  {"lineage", "show"},
		"unknown flag: --colum":               {"lineage", "show", "x", "--colum", "y"},
		"Usage: tributary transaction commit": {"transaction", "commit"},
	} {
		a := command(t, "", "", args...)
		require.Equal(t, 1, a.code, args)
		require.Contains(t, a.errors, said)
		require.Empty(t, a.out, args)
	}
	a := command(t, "", "", "--version")
	require.Zero(t, a.code)
	require.Equal(t, command(t, "", "", "version").out, a.out)
}

// TestRefusalsAreReadByPeopleAndPrograms asks for what is not there.
func TestRefusalsAreReadByPeopleAndPrograms(t *testing.T) {
	p := serve(t, t.TempDir())
	post(t, p.URL, table("db.orders", "id", "total_amount"), task("load", "INSERT INTO dw.orders (id) SELECT id FROM orders"))
	soon(t, p.Store, "SELECT to_name FROM tributary.lineage_edges", "dw.orders")
	poll(t, settleTime, func() error {
		if a := command(t, p.URL, "", "lineage", "show", orders); a.code != 0 {
			return fmt.Errorf("not seen yet: %s", a.errors)
		}
		return nil
	})
	a := command(t, p.URL, "", "lineage", "up", orders, "--column", "amount")
	require.Equal(t, 1, a.code)
	require.Contains(t, a.errors, "It could be: ")
	require.NotContains(t, a.errors, "{")

	a = command(t, p.URL, "", "lineage", "up", orders, "--column", "amount", "--json")
	require.Equal(t, 1, a.code)
	require.Empty(t, a.out)
	var refused struct {
		Code    string
		Details struct{ Near []string }
	}
	require.NoError(t, json.Unmarshal([]byte(a.errors), &refused), a.errors)
	require.Equal(t, "UnknownColumn", refused.Code)
	require.Contains(t, refused.Details.Near, "total_amount")

	a = command(t, p.URL, "", "build", "run", "--space", "none", "lake|t")
	require.Equal(t, 3, a.code, a.errors)
	require.Contains(t, a.errors, "JobSpecNotFound")
	require.Equal(t, 1, strings.Count(a.errors, "JobSpecNotFound"))
}
