package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/internal/store/chsql"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// DataDatabase holds the rows of datasets that are ClickHouse tables.
const DataDatabase = "tributary_data"

// transactionColumn says to which transaction a row belongs.
const transactionColumn = "_tributary_transaction"

// scheme is that of the locations of such rows: tributary-table://<table>?transaction=<id>.
const scheme = "tributary-table"

// ClickHouseExecutor runs the SQL of job specs on datasets that are versioned tables: each row belongs to
// a transaction, and the view of a dataset reads exactly the transactions whose files it has. Data is never
// changed in place, so a reader of a pinned view is not disturbed by later writes.
//
// The SQL is one SELECT for a job with one output, or an INSERT INTO output SELECT for each output. It
// names datasets as they are named in the catalog. It runs as a SELECT that may call harmless functions
// only and read nothing but the inputs that the job declares.
type ClickHouseExecutor struct {
	Conn  driver.Conn
	guard *chsql.Guard
}

// NewClickHouseExecutor returns an executor on a connection that may create tables in DataDatabase and
// databases of its own.
func NewClickHouseExecutor(conn driver.Conn) *ClickHouseExecutor {
	return &ClickHouseExecutor{Conn: conn, guard: chsql.NewGuard()}
}

// Run runs the job's SQL.
func (e *ClickHouseExecutor) Run(ctx context.Context, _ string, claim *catalogapi.Claim) (outputs []event.AttemptOutput, err error) {
	if len(claim.Outputs) == 0 {
		return nil, fmt.Errorf("%w: the job has no output", ErrPermanent)
	}
	if err := e.Conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+DataDatabase); err != nil {
		return nil, fmt.Errorf("creating the database of the data: %w", err)
	}
	scope := "tributary_run_" + strings.ReplaceAll(claim.Outputs[0].Transaction, "-", "")
	if err := e.Conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+scope); err != nil {
		return nil, fmt.Errorf("creating the job's database: %w", err)
	}
	defer func() {
		if drop := e.Conn.Exec(context.WithoutCancel(ctx), "DROP DATABASE IF EXISTS "+scope); drop != nil {
			err = errors.Join(err, fmt.Errorf("dropping the job's database: %w", drop))
		}
	}()
	views, err := e.makeViews(ctx, scope, claim)
	if err != nil {
		return nil, err
	}
	queries, err := queriesOf(claim, views)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPermanent, err)
	}
	for _, q := range queries {
		if err := e.check(ctx, scope, q.sql); err != nil {
			return nil, err
		}
	}
	for _, q := range queries {
		out, err := e.write(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", q.output.Dataset.Name, err)
		}
		outputs = append(outputs, *out)
	}
	return outputs, nil
}

// view is what an input is called while the job runs.
type view struct {
	dataset string
	name    string // quoted, with its database
}

// makeViews gives the job its inputs and nothing else to read.
func (e *ClickHouseExecutor) makeViews(ctx context.Context, scope string, claim *catalogapi.Claim) ([]view, error) {
	var views []view
	used := map[string]bool{}
	for i, in := range claim.Inputs {
		if in.FilesLeftOut > 0 {
			return nil, fmt.Errorf("%w: the input %s has too many files", ErrPermanent, in.Dataset.Name)
		}
		short := in.Dataset.Name[strings.LastIndexByte(in.Dataset.Name, '.')+1:]
		if used[short] {
			short = fmt.Sprintf("%s_%d", short, i)
		}
		used[short] = true
		v := view{dataset: in.Dataset.Name, name: quote(scope) + "." + quote(short)}
		body, err := ViewSQL(in.Files, in.Schema)
		if err != nil {
			return nil, fmt.Errorf("%w: reading %s: %w", ErrPermanent, in.Dataset.Name, err)
		}
		if err := e.Conn.Exec(ctx, "CREATE OR REPLACE VIEW "+v.name+" AS "+body); err != nil {
			return nil, fmt.Errorf("preparing the input %s: %w", in.Dataset.Name, err)
		}
		views = append(views, v)
	}
	return views, nil
}

// ViewSQL returns the SELECT that reads exactly the rows of the files of a view, which ClickHouseExecutor
// or InsertRows wrote. Without files it reads no rows of the schema.
func ViewSQL(files []event.File, schema []event.Field) (string, error) {
	byTable := map[string][]string{}
	var order []string
	for _, f := range files {
		u, err := url.Parse(f.Location)
		if err != nil || u.Scheme != scheme || !plain(u.Host) || !plain(strings.ReplaceAll(u.Query().Get("transaction"), "-", "")) {
			return "", fmt.Errorf("the file %s is not rows of a table here, but %q", f.Path, f.Location)
		}
		if byTable[u.Host] == nil {
			order = append(order, u.Host)
		}
		byTable[u.Host] = append(byTable[u.Host], "'"+u.Query().Get("transaction")+"'")
	}
	columns := make([]string, len(schema))
	for i, field := range schema {
		columns[i] = quote(field.Name)
	}
	if len(columns) == 0 {
		return "", errors.New("its schema is not known")
	}
	if len(order) == 0 {
		for i, field := range schema {
			columns[i] = "CAST(NULL, " + text(field.Type) + ") AS " + quote(field.Name)
			if !strings.HasPrefix(field.Type, "Nullable(") {
				columns[i] = "defaultValueOfTypeName(" + text(field.Type) + ") AS " + quote(field.Name)
			}
		}
		return "SELECT " + strings.Join(columns, ", ") + " WHERE 0", nil
	}
	var parts []string
	for _, table := range order {
		parts = append(parts, fmt.Sprintf("SELECT %s FROM %s.%s WHERE %s IN (%s)", strings.Join(columns, ", "), DataDatabase, table, transactionColumn, strings.Join(byTable[table], ", ")))
	}
	return strings.Join(parts, " UNION ALL "), nil
}

// query is a SELECT whose rows go into an output.
type query struct {
	output catalogapi.ClaimOutput
	sql    string
}

// queriesOf takes the job's script apart and puts the views in for the names of the inputs.
func queriesOf(claim *catalogapi.Claim, views []view) ([]query, error) {
	tokens, err := chsql.Tokens(claim.Spec.Logic.Text)
	if err != nil {
		return nil, err
	}
	var queries []query
	for len(tokens) > 0 {
		end := 0
		for end < len(tokens) && !tokens[end].Sign(";") && tokens[end].Kind != chsql.KindEnd {
			end++
		}
		if end > 0 {
			q, err := queryOf(claim, tokens[:end], views)
			if err != nil {
				return nil, err
			}
			queries = append(queries, *q)
		}
		if end == len(tokens) {
			break
		}
		tokens = tokens[end+1:]
	}
	written := map[event.CatalogDataset]bool{}
	for _, q := range queries {
		if written[q.output.Dataset] {
			return nil, fmt.Errorf("the output %s is written twice", q.output.Dataset.Name)
		}
		written[q.output.Dataset] = true
	}
	if len(queries) != len(claim.Outputs) {
		return nil, fmt.Errorf("the job has %d outputs and its SQL writes %d", len(claim.Outputs), len(queries))
	}
	return queries, nil
}

func queryOf(claim *catalogapi.Claim, tokens []chsql.Token, views []view) (*query, error) {
	q := &query{output: claim.Outputs[0]}
	if tokens[0].Is("INSERT") {
		if len(tokens) < 4 || !tokens[1].Is("INTO") {
			return nil, errors.New("an INSERT must read INSERT INTO output SELECT …")
		}
		tokens = tokens[2:]
		if tokens[0].Is("TABLE") {
			tokens = tokens[1:]
		}
		name, length := nameAt(tokens, 0)
		found := false
		for _, out := range claim.Outputs {
			if out.Dataset.Name == name {
				q.output, found = out, true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s is not an output of the job", name)
		}
		tokens = tokens[length:]
	} else if len(claim.Outputs) > 1 {
		return nil, errors.New("a job with several outputs must say which it writes: INSERT INTO output SELECT …")
	}
	if len(tokens) == 0 || !tokens[0].Is("SELECT") && !tokens[0].Is("WITH") {
		return nil, errors.New("only SELECT can be run, alone or behind INSERT INTO output")
	}
	q.sql = rename(claim.Spec.Logic.Text, tokens, views)
	return q, nil
}

// nameAt reads a name with dots, and says how many tokens it has.
func nameAt(tokens []chsql.Token, at int) (string, int) {
	var name strings.Builder
	n := 0
	for at+n < len(tokens) && tokens[at+n].Name() {
		name.WriteString(tokens[at+n].Value)
		n++
		if at+n+1 >= len(tokens) || !tokens[at+n].Sign(".") || !tokens[at+n+1].Name() {
			break
		}
		name.WriteByte('.')
		n++
	}
	return name.String(), n
}

// rename writes the statement with the views for the names of the inputs. A longer chain that begins with
// an input's name is a column of it.
func rename(sql string, tokens []chsql.Token, views []view) string {
	var out strings.Builder
	last := tokens[0].Start
	for i := 0; i < len(tokens); {
		if !tokens[i].Name() || i > 0 && tokens[i-1].Sign(".") {
			i++
			continue
		}
		_, length := nameAt(tokens, i)
		replaced := 0
		for n := length; n > 0 && replaced == 0; n -= 2 {
			prefix, _ := nameAt(tokens[:i+n], i)
			for _, v := range views {
				if v.dataset == prefix {
					out.WriteString(sql[last:tokens[i].Start])
					out.WriteString(v.name)
					last, replaced = tokens[i+n-1].End, n
				}
			}
		}
		i += max(replaced, 1)
	}
	out.WriteString(sql[last:tokens[len(tokens)-1].End])
	return out.String()
}

// check refuses SQL that reaches out or reads what the job did not declare.
func (e *ClickHouseExecutor) check(ctx context.Context, scope, sql string) error {
	if err := e.guard.Check(sql); err != nil {
		return fmt.Errorf("%w: %w", ErrPermanent, err)
	}
	rows, err := e.Conn.Query(ctx, "EXPLAIN QUERY TREE "+sql)
	if err != nil {
		return failureOf("resolving the SQL", err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return fmt.Errorf("reading the engine's plan: %w", err)
		}
		if _, table, ok := strings.Cut(line, "table_name: "); ok && !strings.HasPrefix(table, scope+".") && table != "system.one" {
			return fmt.Errorf("%w: the SQL reads %s, which is not an input of the job", ErrPermanent, table)
		}
	}
	return rows.Err()
}

// write makes the output's table if need be, and inserts what the query gives into its transaction.
func (e *ClickHouseExecutor) write(ctx context.Context, q query) (*event.AttemptOutput, error) {
	schema, err := e.describe(ctx, q.sql)
	if err != nil {
		return nil, err
	}
	table, err := e.table(ctx, q.output.Dataset, schema)
	if err != nil {
		return nil, err
	}
	columns := make([]string, len(schema))
	for i, field := range schema {
		columns[i] = quote(field.Name)
	}
	insert := fmt.Sprintf("INSERT INTO %s.%s (%s, %s) SELECT %s, toUUID('%s') FROM (%s)", DataDatabase, table,
		strings.Join(columns, ", "), transactionColumn, strings.Join(columns, ", "), q.output.Transaction, q.sql)
	if err := e.Conn.Exec(ctx, insert); err != nil {
		return nil, failureOf("running the SQL", err)
	}
	file, err := e.file(ctx, table, q.output.Transaction)
	if err != nil {
		return nil, err
	}
	return &event.AttemptOutput{Dataset: q.output.Dataset, Manifest: event.Manifest{Put: []event.File{file}}, Schema: schema}, nil
}

// InsertRows runs a SELECT and puts its rows into a transaction that a person has opened; it returns the
// manifest and the schema to commit.
func (e *ClickHouseExecutor) InsertRows(ctx context.Context, d event.CatalogDataset, transaction, sql string) (*event.AttemptOutput, error) {
	if err := e.guard.Check(sql); err != nil {
		return nil, err
	}
	if err := e.Conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+DataDatabase); err != nil {
		return nil, fmt.Errorf("creating the database of the data: %w", err)
	}
	return e.write(ctx, query{output: catalogapi.ClaimOutput{Dataset: d, Transaction: transaction}, sql: sql})
}

// file describes the rows of a transaction as a file of the manifest.
func (e *ClickHouseExecutor) file(ctx context.Context, table, transaction string) (event.File, error) {
	var count uint64
	row := e.Conn.QueryRow(ctx, "SELECT count() FROM "+DataDatabase+"."+table+" WHERE "+transactionColumn+" = {transaction:UUID}", clickhouse.Named("transaction", transaction))
	if err := row.Scan(&count); err != nil {
		return event.File{}, fmt.Errorf("counting the rows: %w", err)
	}
	location := url.URL{Scheme: scheme, Host: table, RawQuery: url.Values{"transaction": {transaction}}.Encode()}
	return event.File{Path: "rows/" + transaction, Location: location.String(), Rows: int64(count)}, nil
}

// describe asks the engine for the columns of a SELECT.
func (e *ClickHouseExecutor) describe(ctx context.Context, sql string) ([]event.Field, error) {
	rows, err := e.Conn.Query(ctx, "DESCRIBE TABLE ("+sql+")")
	if err != nil {
		return nil, failureOf("asking for the columns of the SQL", err)
	}
	defer rows.Close()
	var schema []event.Field
	for rows.Next() {
		// The engine says more about a column than its name and type, which come first.
		said := make([]string, len(rows.Columns()))
		into := make([]any, len(said))
		for i := range said {
			into[i] = &said[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("asking for the columns of the SQL: %w", err)
		}
		schema = append(schema, event.Field{Name: said[0], Type: said[1]})
	}
	return schema, rows.Err()
}

// table makes the table for a dataset's rows of a schema. Branches on which a dataset has other columns
// have another table, so that they never meet.
func (e *ClickHouseExecutor) table(ctx context.Context, d event.CatalogDataset, schema []event.Field) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", d.Namespace, d.Name)
	var columns []string
	for _, field := range schema {
		fmt.Fprintf(h, " %q %q", field.Name, field.Type)
		columns = append(columns, quote(field.Name)+" "+field.Type)
	}
	table := "rows_" + hex.EncodeToString(h.Sum(nil)[:12])
	create := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s (%s, %s UUID) ENGINE = MergeTree ORDER BY %s COMMENT %s", DataDatabase, table,
		strings.Join(columns, ", "), transactionColumn, transactionColumn, text(d.Namespace+"|"+d.Name))
	if err := e.Conn.Exec(ctx, create); err != nil {
		return "", fmt.Errorf("creating the table of %s: %w", d.Name, err)
	}
	return table, nil
}

// failureOf tells an error of the SQL itself, which another try would bring again, from one of the engine.
func failureOf(doing string, err error) error {
	var exception *clickhouse.Exception
	if errors.As(err, &exception) && !passing[exception.Code] || strings.Contains(err.Error(), "DB::Exception") && !errors.As(err, &exception) {
		return fmt.Errorf("%w: %s: %w", ErrPermanent, doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// passing are the codes of the engine's errors that may be gone the next time: memory, timeouts, too many
// parts or queries, network, disk, a table that is read only for now.
var passing = map[int32]bool{159: true, 160: true, 164: true, 202: true, 209: true, 210: true, 241: true, 242: true, 243: true, 252: true, 394: true}

// plain says whether s is made of letters, digits and underscores alone.
func plain(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func quote(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

func text(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
