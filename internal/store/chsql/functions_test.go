package chsql_test

import (
	"context"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

var update = flag.Bool("update", false, "write functions.txt anew")

// reaching are functions that read files, dial out, wait, ask a service, or
// tell about the machine or other people's requests.
var reaching = []string{
	"file", "catboostEvaluate", "hasColumnInTable", "joinGet", "joinGetOrNull", "sleep", "sleepEachRow",
	"showCertificate", "getMacro", "getClientHTTPHeader", "getServerSetting", "evalMLMethod", "hasThreadFuzzer",
	"chdb", "fuzzQuery", "initializeAggregation", "zookeeperSessionUptime", "serverUUID", "getOSKernelVersion", "getServerPort", "tcpPort",
	"hostName", "hostname", "FQDN", "fullHostName", "buildId", "stem", "lemmatize", "synonyms", "generateSerialID",
	"addressToLine", "addressToLineWithInlines", "addressToSymbol", "demangle", "transactionID", "globalVariable",
	"formatRow", "formatRowNoNewline", "structureToCapnProtoSchema", "structureToProtobufSchema",
}

// reachingPrefixes are families of such functions.
var reachingPrefixes = []string{"ai", "dict", "filesystem", "region", "naivebayes", "detect", "transaction", "timeseriesstore"}

// tables are the table functions that make rows out of their arguments alone.
const tables = "('numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'generateSeries', 'generate_series', 'values', 'primes')"

// TestFunctionsAreTheEngines says when the pinned engine has functions that
// nobody has looked at, or has lost some. Run it with -update after a look at
// the difference.
func TestFunctionsAreTheEngines(t *testing.T) {
	s := storetest.Open(t)
	allowed := names(t, s, `
		SELECT name FROM system.functions WHERE lower(name) NOT IN (SELECT lower(name) FROM system.table_functions)
		UNION DISTINCT SELECT name FROM system.table_functions WHERE name IN `+tables+`
		UNION DISTINCT SELECT 'format'
		UNION DISTINCT SELECT name FROM system.data_type_families WHERE lower(name) NOT IN (SELECT lower(name) FROM system.table_functions)
		UNION DISTINCT SELECT concat(f.name, c.name) FROM system.functions AS f CROSS JOIN system.aggregate_function_combinators AS c
			WHERE f.is_aggregate AND f.alias_to = '' AND c.name IN ('If', 'Array', 'Distinct', 'OrNull', 'OrDefault', 'Merge', 'State')`)
	maps.DeleteFunc(allowed, func(name string, _ bool) bool { return reaches(name) })
	refused := names(t, s, "SELECT name FROM system.functions")
	maps.DeleteFunc(refused, func(name string, _ bool) bool { return allowed[name] })
	require.Contains(t, refused, "file")

	golden(t, "functions.txt", "Functions and types that people may use in SQL.", allowed)
	golden(t, "refused.txt", "Functions that people may not name in SQL.", refused)
}

// names reads a set of names, in lower case.
func names(t *testing.T, s *store.Store, query string) map[string]bool {
	t.Helper()
	rows, err := s.Read().Query(context.Background(), query)
	require.NoError(t, err)
	set := map[string]bool{}
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		set[strings.ToLower(name)] = true
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	return set
}

// golden compares a list with its file, or writes it.
func golden(t *testing.T, file, title string, set map[string]bool) {
	t.Helper()
	text := "# " + title + " Written by: go test ./internal/store/chsql -run Functions -update\n" +
		strings.Join(slices.Sorted(maps.Keys(set)), "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Split(text, "\n"), strings.Split(string(have), "\n"))
}

func reaches(name string) bool {
	lower := strings.ToLower(name)
	for _, r := range reaching {
		if strings.ToLower(r) == lower {
			return true
		}
	}
	return slices.ContainsFunc(reachingPrefixes, func(p string) bool { return strings.HasPrefix(lower, p) })
}
