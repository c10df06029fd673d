package parser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/schemas/name"
)

// Request is one line of what `tributary sql --jsonl` reads.
type Request struct {
	ID             json.RawMessage     `json:"id"`
	Dialect        string              `json:"dialect"`
	SQL            string              `json:"sql"`
	SQLB64         string              `json:"sql_b64"`
	Encoding       string              `json:"encoding"`
	DefaultCatalog string              `json:"default_catalog"`
	DefaultSchema  string              `json:"default_schema"`
	Schema         map[string][]string `json:"schema"`
	Variables      map[string]string   `json:"variables"`
}

// Answer is one line of what it prints.
type Answer struct {
	ID         json.RawMessage `json:"id"`
	Statements int             `json:"statements"`
	Reads      []string        `json:"reads"`
	Writes     []string        `json:"writes"`
	Tables     []AnswerEdge    `json:"tables"`
	Columns    []AnswerEdge    `json:"columns"`
	Indirect   []AnswerEdge    `json:"indirect"`
	Physical   map[string]any  `json:"physical"`
	Errors     []AnswerError   `json:"errors"`
	Dialect    string          `json:"dialect,omitempty"`
	Guessed    bool            `json:"guessed,omitempty"`
	Confidence float64         `json:"confidence,omitempty"`
}

// AnswerEdge is one edge; a column is written table.column.
type AnswerEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// AnswerError is one error.
type AnswerError struct {
	Kind      ir.ErrorKind `json:"kind"`
	Statement int          `json:"statement"`
	Line      int          `json:"line"`
	Column    int          `json:"column"`
	Message   string       `json:"message"`
}

// JSONL reads requests, one JSON object a line, and prints an answer for each, in
// the order read, each flushed. A line that is no request is answered with an error
// of kind unsupported. Options give what a request leaves out. It ends at the end of
// the input, or with the error of reading or writing.
func JSONL(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	r := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriter(out)
	for {
		line, err := r.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			if werr := answerLine(ctx, line, w, o); werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func answerLine(ctx context.Context, line []byte, w *bufio.Writer, o Options) error {
	text, err := json.Marshal(answer(ctx, line, o))
	if err != nil {
		return fmt.Errorf("printing an answer: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("printing an answer: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("printing an answer: %w", err)
	}
	return nil
}

// answer reads one request and extracts its lineage.
func answer(ctx context.Context, line []byte, o Options) Answer {
	var q Request
	if err := json.Unmarshal(line, &q); err != nil {
		return AnswerOf(q.ID, failed(ir.ErrorUnsupported, "the line is no request: "+err.Error()))
	}
	sql := []byte(q.SQL)
	if q.SQLB64 != "" {
		raw, err := base64.StdEncoding.DecodeString(q.SQLB64)
		if err != nil {
			return AnswerOf(q.ID, failed(ir.ErrorUnsupported, "sql_b64 is no base64: "+err.Error()))
		}
		sql = raw
	}
	if q.Dialect != "" {
		o.Dialect = q.Dialect
	}
	o.Dialect = strings.ToLower(o.Dialect)
	if q.Encoding != "" {
		o.Encoding = q.Encoding
	}
	if q.DefaultCatalog != "" {
		o.DefaultCatalog = q.DefaultCatalog
	}
	if q.DefaultSchema != "" {
		o.DefaultSchema = q.DefaultSchema
	}
	if len(q.Schema) > 0 {
		o.Schema = NewSchema(q.Schema)
	}
	if len(q.Variables) > 0 {
		o.Variables = q.Variables
	}
	return AnswerOf(q.ID, Extract(ctx, sql, o))
}

// AnswerOf prints a result as an answer.
func AnswerOf(id json.RawMessage, res Result) Answer {
	a := Answer{
		ID: id, Statements: len(res.Statements), Reads: orEmpty(res.Reads), Writes: orEmpty(res.Writes),
		Tables: []AnswerEdge{}, Columns: []AnswerEdge{}, Indirect: []AnswerEdge{}, Physical: map[string]any{},
		Errors: []AnswerError{},
	}
	if len(id) == 0 {
		a.ID = json.RawMessage("null")
	}
	for _, e := range res.Tables {
		a.Tables = append(a.Tables, AnswerEdge{e.From, e.To})
	}
	for _, e := range res.Columns {
		a.Columns = append(a.Columns, AnswerEdge{columnName(e.FromTable, e.FromColumn), columnName(e.ToTable, e.ToColumn)})
	}
	for _, e := range res.Indirect {
		a.Indirect = append(a.Indirect, AnswerEdge{columnName(e.FromTable, e.FromColumn), e.To})
	}
	for t, places := range res.Physical {
		if len(places) == 1 {
			a.Physical[t] = places[0]
			continue
		}
		a.Physical[t] = places
	}
	for _, e := range res.Errors {
		a.Errors = append(a.Errors, AnswerError{e.Kind, e.Statement, e.Line, e.Column, e.Message})
	}
	if res.Guessed {
		a.Dialect, a.Guessed, a.Confidence = res.Dialect, true, res.Confidence
	}
	return a
}

func columnName(table, column string) string {
	if column == "*" {
		return table + ".*"
	}
	return table + "." + name.Quote(column)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Schema is a SchemaSource made of a list of tables and their columns.
type Schema struct {
	exact, folded map[string][]string
}

// NewSchema makes a schema of tables by their dotted names.
func NewSchema(tables map[string][]string) *Schema {
	s := &Schema{exact: map[string][]string{}, folded: map[string][]string{}}
	names := make([]string, 0, len(tables))
	for n := range tables {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		parts, err := name.SplitPath(n)
		if err != nil {
			parts = []string{n}
		}
		key := strings.Join(parts, "\x00")
		s.exact[key] = tables[n]
		s.folded[strings.ToLower(key)] = tables[n]
	}
	return s
}

// Columns implements SchemaSource. A name that the schema has without its catalog,
// or catalog and schema, is found too; case counts only where two names differ by
// nothing else.
func (s *Schema) Columns(parts []string) ([]string, bool) {
	for i := range parts {
		key := strings.Join(parts[i:], "\x00")
		if cols, ok := s.exact[key]; ok {
			return cols, true
		}
		if cols, ok := s.folded[strings.ToLower(key)]; ok {
			return cols, true
		}
	}
	return nil, false
}
