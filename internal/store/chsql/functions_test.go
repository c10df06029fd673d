package chsql_test

import (
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	rows, err := s.Read().Query(context.Background(), `
		SELECT name FROM system.functions WHERE lower(name) NOT IN (SELECT lower(name) FROM system.table_functions)
		UNION DISTINCT SELECT name FROM system.table_functions WHERE name IN `+tables+`
		UNION DISTINCT SELECT 'format'
		UNION DISTINCT SELECT name FROM system.data_type_families WHERE lower(name) NOT IN (SELECT lower(name) FROM system.table_functions)
		UNION DISTINCT SELECT concat(f.name, c.name) FROM system.functions AS f CROSS JOIN system.aggregate_function_combinators AS c
			WHERE f.is_aggregate AND f.alias_to = '' AND c.name IN ('If', 'Array', 'Distinct', 'OrNull', 'OrDefault', 'Merge', 'State')`)
	require.NoError(t, err)
	names := map[string]bool{}
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		if !reaches(name) {
			names[strings.ToLower(name)] = true
		}
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())

	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	text := "# Functions and types that people may use in SQL. Written by: go test ./internal/store/chsql -run Functions -update\n" +
		strings.Join(list, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("functions.txt", []byte(text), 0o644))
	}
	have, err := os.ReadFile("functions.txt")
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
