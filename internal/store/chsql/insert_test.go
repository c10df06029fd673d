package chsql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store/chsql"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]chsql.Statement{
		"SELECT 1":                             {SQL: "SELECT 1", Rows: true},
		"WITH 1 AS x SELECT x":                 {SQL: "WITH 1 AS x SELECT x", Rows: true},
		"WITH 1 AS x INSERT INTO t SELECT x":   {SQL: "WITH 1 AS x INSERT INTO t SELECT x"},
		"CREATE TABLE t (a UInt8)":             {SQL: "CREATE TABLE t (a UInt8)"},
		"INSERT INTO t SELECT 1":               {SQL: "INSERT INTO t SELECT 1"},
		"INSERT INTO t (a) FORMAT Native":      {SQL: "INSERT INTO t (a)", DataFormat: "Native"},
		"insert into t format CSV\n1,2\n3,4\n": {SQL: "insert into t", DataFormat: "CSV", Data: "1,2\n3,4\n"},
		"INSERT INTO t (a, b) VALUES\n(1, 'x\ny'),\n(2, '')": {
			SQL: "INSERT INTO t (a, b)", DataFormat: "Values", Data: "(1, 'x\ny'),\n(2, '')"},
		"INSERT INTO d.values (format) VALUES (1)":            {SQL: "INSERT INTO d.values (format)", DataFormat: "Values", Data: "(1)"},
		"INSERT INTO format FORMAT TSV\r\n1":                  {SQL: "INSERT INTO format", DataFormat: "TSV", Data: "1"},
		"INSERT INTO t SETTINGS async_insert=0 FORMAT Native": {SQL: "INSERT INTO t SETTINGS async_insert=0", DataFormat: "Native"},
		"INSERT INTO t (`values`) FORMAT":                     {SQL: "INSERT INTO t (`values`) FORMAT"},
		"SELECT 'open":                                        {SQL: "SELECT 'open", Rows: true},
		"'open":                                               {SQL: "'open"},
	} {
		require.Equal(t, want, chsql.Split(text), text)
	}
}
