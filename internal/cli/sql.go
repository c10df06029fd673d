package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/parser"
)

// sqlFlags are the flags of `tributary sql`.
type sqlFlags struct {
	options parser.Options
	jsonl   bool
	asJSON  bool
	columns string
	steps   bool
	set     map[string]string
}

// NewSQLCommand makes `tributary sql`: the lineage of a script, for people as a
// tree with the places in the SQL, for programs as JSON.
func NewSQLCommand() *cobra.Command {
	var f sqlFlags
	cmd := &cobra.Command{
		Use:   "sql [FILE]",
		Short: "Print the lineage of SQL without storing it",
		Long: `Prints what a SQL script reads and writes, which tables and columns flow into
which, and what could not be understood. FILE is a script, - or nothing is the
standard input.

With --jsonl the input is a JSON object a line,
{"id", "dialect", "sql" or "sql_b64", "default_catalog"?, "default_schema"?,
"schema"? {"db.t": ["a", "b"]}}, and each is answered by one line, at once.`,
		Example: `  tributary sql --dialect hive job.sql
  echo 'INSERT INTO d SELECT a FROM s' | tributary sql --dialect mysql --schema shop
  tributary sql --jsonl < requests.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: f.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.options.Dialect, "dialect", "", "dialect of the SQL, guessed if left out: "+strings.Join(parser.Dialects(), ", "))
	flags.StringVar(&f.options.DefaultCatalog, "catalog", "", "catalog of names that leave it out")
	flags.StringVar(&f.options.DefaultSchema, "schema", "", "schema (database) of names that leave it out")
	flags.StringVar(&f.options.Encoding, "encoding", "", "encoding of the text, detected if left out")
	flags.StringVar(&f.columns, "columns", "", `file with the columns of known tables: {"db.t": ["a", "b"]}`)
	flags.StringToStringVar(&f.set, "set", nil, "value of a variable that the script names, as name=value")
	flags.BoolVar(&f.options.KeepTemporary, "keep-temporary", false, "show session tables and views instead of seeing through them")
	flags.BoolVar(&f.jsonl, "jsonl", false, "read and print a JSON object a line")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.BoolVar(&f.steps, "steps", false, "show the steps between source and target of each column")
	return cmd
}

func (f *sqlFlags) run(cmd *cobra.Command, args []string) error {
	f.options.Dialect = strings.ToLower(f.options.Dialect)
	f.options.Variables = f.set
	if f.columns != "" {
		tables, err := readColumns(f.columns)
		if err != nil {
			return err
		}
		f.options.Schema = parser.NewSchema(tables)
	}
	in, done, err := openInput(cmd, args)
	if err != nil {
		return err
	}
	defer done()
	if f.jsonl {
		return parser.JSONL(cmd.Context(), in, cmd.OutOrStdout(), f.options)
	}
	sql, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the script: %w", err)
	}
	f.options.Explain = f.steps
	res := parser.Extract(cmd.Context(), sql, f.options)
	if f.asJSON {
		return printJSON(cmd.OutOrStdout(), parser.AnswerOf(nil, res))
	}
	printLineage(cmd.OutOrStdout(), &res, f.steps)
	if len(res.Errors) > 0 {
		return ExitError{Code: 1}
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("printing the lineage: %w", err)
	}
	return nil
}

func readColumns(path string) (map[string][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading known columns: %w", err)
	}
	var tables map[string][]string
	if err := json.Unmarshal(text, &tables); err != nil {
		return nil, fmt.Errorf("reading known columns from %s: %w", path, err)
	}
	return tables, nil
}

func openInput(cmd *cobra.Command, args []string) (io.Reader, func(), error) {
	if len(args) == 0 || args[0] == "-" {
		return cmd.InOrStdin(), func() {}, nil
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, nil, fmt.Errorf("opening the script: %w", err)
	}
	return file, func() { _ = file.Close() }, nil
}
