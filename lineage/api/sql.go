package api

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// PostSQL answers with the lineage of SQL that is not stored.
func (a *API) PostSQL(ctx context.Context, req lineageapi.PostSQLRequestObject) (lineageapi.PostSQLResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	r := req.Body
	if r.Sql == "" {
		return nil, badParameter("sql", "there is no SQL to read")
	}
	if len(r.Sql) > a.Limits.SQL {
		return nil, badParameter("sql", fmt.Sprintf("the SQL has %d bytes; this server takes %d", len(r.Sql), a.Limits.SQL))
	}
	schema := &knownColumns{sources: a.Live.Sources(), source: r.DefaultSource, branch: r.Branch, see: a.Caller(ctx).See, given: parser.NewSchema(r.Schema)}
	done, err := a.parse(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	res := parser.Extract(ctx, []byte(r.Sql), parser.Options{
		Dialect: a.dialectOf(r), DefaultCatalog: r.DefaultCatalog, DefaultSchema: r.DefaultSchema, Schema: schema, KeepTemporary: r.KeepTemporary,
		Limits: parser.Limits{Time: a.Limits.Deadline}, Explain: r.Steps,
	})
	return lineageapi.PostSQL200JSONResponse(renderSQL(r.Sql, res, r.Steps)), nil
}

// dialectOf gives the dialect of a request, from the source's engine if it
// names none; empty lets the parser guess.
func (a *API) dialectOf(r *lineageapi.SQLRequest) string {
	if r.Dialect != "" || r.DefaultSource == "" {
		return r.Dialect
	}
	for _, s := range a.Live.Sources().Registered() {
		if s.ID == r.DefaultSource {
			for _, d := range parser.Dialects() {
				if d == s.Engine {
					return d
				}
			}
		}
	}
	return ""
}

// knownColumns gives the columns of tables from the request, then from what
// the server knows.
type knownColumns struct {
	sources        Sources
	source, branch string
	see            func(key string) bool
	given          *parser.Schema
}

// Columns gives the columns of a table by the parts of its name.
func (k *knownColumns) Columns(parts []string) ([]string, bool) {
	if columns, ok := k.given.Columns(parts); ok {
		return columns, true
	}
	if k.source == "" {
		return nil, false
	}
	namespace := k.source
	for _, s := range k.sources.Registered() {
		if s.ID == k.source {
			namespace = s.Addresses[0]
		}
	}
	key := name.NewKey(name.FamilyDataset, namespace, name.JoinPath(parts...)).String()
	if k.see != nil && !k.see(k.sources.Canonical(key)) {
		return nil, false
	}
	branch := k.branch
	if branch == "" {
		branch = event.MasterBranch
	}
	return k.sources.Columns(key, branch)
}

func renderSQL(sql string, res parser.Result, withSteps bool) lineageapi.SQLResult {
	answer := parser.AnswerOf(nil, res)
	out := lineageapi.SQLResult{
		Statements: answer.Statements, Dialect: res.Dialect, DialectGuessed: res.Guessed, Reads: answer.Reads, Writes: answer.Writes,
		Tables: pairs(answer.Tables), Columns: pairs(answer.Columns), Indirect: pairs(answer.Indirect), Physical: map[string]string{},
		Errors: []lineageapi.SQLError{}, StatementList: []lineageapi.Statement{},
	}
	for table, place := range answer.Physical {
		out.Physical[table] = fmt.Sprint(place)
	}
	for _, e := range answer.Errors {
		out.Errors = append(out.Errors, lineageapi.SQLError{Kind: string(e.Kind), Statement: e.Statement, Line: e.Line, Column: e.Column, Message: e.Message})
	}
	for _, s := range res.Statements {
		row := lineageapi.Statement{N: s.N, Kind: s.Kind, Line: s.Line, Column: s.Column, EndLine: s.EndLine, Reads: s.Reads, Writes: s.Writes}
		if s.Start >= 0 && s.Start <= s.End && s.End <= len(sql) {
			row.Text = sql[s.Start:s.End]
		}
		out.StatementList = append(out.StatementList, row)
	}
	if withSteps {
		out.Steps = stepsOf(res.Steps())
	}
	return out
}

func pairs(edges []parser.AnswerEdge) []lineageapi.FromTo {
	out := make([]lineageapi.FromTo, len(edges))
	for i, e := range edges {
		out[i] = lineageapi.FromTo{From: e.From, To: e.To}
	}
	return out
}

// stepsOf renders the parser's graph of steps.
func stepsOf(g *parser.Graph) lineageapi.Steps {
	out := lineageapi.Steps{Nodes: []lineageapi.Step{}, Edges: [][]int{}}
	for n, s := range g.Steps {
		step := lineageapi.Step{N: n, Kind: "expression", Label: s.Name, Statement: s.Statement, Line: s.Line, At: s.Column}
		if s.Table != "" {
			step.Kind, step.Column = "column", name.ColumnKey(s.Table, s.Name)
		}
		out.Nodes = append(out.Nodes, step)
		for _, in := range s.Inputs {
			out.Edges = append(out.Edges, []int{in.Step, n})
		}
		for _, in := range s.Conditions {
			out.Edges = append(out.Edges, []int{in.Step, n})
		}
	}
	return out
}
