package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser"
)

// guessed says which dialect was taken where none was named.
func guessed(dialect string, confidence float64) string {
	if confidence == 0 {
		return "no dialect was named and nothing tells which it is: read as " + dialect
	}
	return fmt.Sprintf("dialect %s (a guess, %.0f%% sure)", dialect, 100*confidence)
}

// printLineage prints a result for a person: each statement that moves data, its
// target's columns and where they come from, what decides its rows, and the places
// in the SQL.
func printLineage(w io.Writer, res *parser.Result, steps bool) {
	if res.Guessed {
		fmt.Fprintln(w, guessed(res.Dialect, res.Confidence))
	}
	p := lineagePrinter{w: w, res: res}
	if steps {
		p.graph = res.Steps()
	}
	for i := range res.Statements {
		p.statement(&res.Statements[i])
	}
	p.summary()
	for _, e := range res.Errors {
		fmt.Fprintf(w, "%d:%d: %s: %s\n", e.Line, e.Column, e.Kind, e.Message)
	}
}

type lineagePrinter struct {
	w     io.Writer
	res   *parser.Result
	graph *parser.Graph
}

// statement prints what one statement moves.
func (p *lineagePrinter) statement(s *parser.Statement) {
	targets := p.targets(s.N)
	if len(targets) == 0 {
		return
	}
	fmt.Fprintf(p.w, "%d:%d %s\n", s.Line, s.Column, s.Kind)
	for i, t := range targets {
		branch, below := fork(i == len(targets)-1)
		fmt.Fprintf(p.w, "%s%s%s\n", branch, t, arrow(p.sources(s.N, t)))
		p.columns(s.N, t, below)
	}
}

func fork(last bool) (branch, below string) {
	if last {
		return "└─ ", "   "
	}
	return "├─ ", "│  "
}

func arrow(sources []string) string {
	if len(sources) == 0 {
		return ""
	}
	return " ← " + strings.Join(sources, ", ")
}

// targets lists what a statement's edges go into.
func (p *lineagePrinter) targets(n int) []string {
	var out []string
	add := func(t string, statements []int) {
		if slices.Contains(statements, n) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, e := range p.res.Tables {
		add(e.To, e.Statements)
	}
	for _, e := range p.res.Columns {
		add(e.ToTable, e.Statements)
	}
	for _, e := range p.res.Indirect {
		add(e.To, e.Statements)
	}
	return out
}

func (p *lineagePrinter) sources(n int, target string) []string {
	var out []string
	for _, e := range p.res.Tables {
		if e.To == target && slices.Contains(e.Statements, n) {
			out = append(out, e.From)
		}
	}
	return out
}

// columns prints a target's columns, then what decides its rows.
func (p *lineagePrinter) columns(n int, target, indent string) {
	var names []string
	edges := map[string][]int{}
	for i, e := range p.res.Columns {
		if e.ToTable != target || !slices.Contains(e.Statements, n) {
			continue
		}
		if edges[e.ToColumn] == nil {
			names = append(names, e.ToColumn)
		}
		edges[e.ToColumn] = append(edges[e.ToColumn], i)
	}
	conds := p.conditions(n, target)
	for i, c := range names {
		branch, below := fork(i == len(names)-1 && len(conds) == 0)
		var from []string
		for _, at := range edges[c] {
			e := &p.res.Columns[at]
			from = append(from, e.FromTable+"."+e.FromColumn+viaText(e.Via))
		}
		fmt.Fprintf(p.w, "%s%s%s%s\n", indent, branch, c, arrow(from))
		p.steps(edges[c], indent+below)
	}
	if len(conds) > 0 {
		fmt.Fprintf(p.w, "%s└─ rows decided by %s\n", indent, strings.Join(conds, ", "))
	}
}

func viaText(via []string) string {
	if len(via) == 1 && via[0] == "identity" {
		return ""
	}
	return " (" + strings.Join(via, ", ") + ")"
}

func (p *lineagePrinter) conditions(n int, target string) []string {
	var out []string
	for _, e := range p.res.Indirect {
		if e.To == target && slices.Contains(e.Statements, n) {
			out = append(out, e.FromTable+"."+e.FromColumn+" ("+strings.Join(e.Via, ", ")+")")
		}
	}
	return out
}

// maxSteps bounds how many steps of one column are printed.
const maxSteps = 200

// steps prints the steps behind a column's edges, each once.
func (p *lineagePrinter) steps(edges []int, indent string) {
	if p.graph == nil {
		return
	}
	seen := map[int]bool{}
	for _, at := range edges {
		for _, root := range p.graph.Columns[at] {
			p.step(root, indent, seen)
		}
	}
}

func (p *lineagePrinter) step(id int, indent string, seen map[int]bool) {
	if seen[id] || len(seen) >= maxSteps || len(indent) > 300 {
		return
	}
	seen[id] = true
	s := &p.graph.Steps[id]
	switch {
	case s.Table != "":
		fmt.Fprintf(p.w, "%s%s.%s\n", indent, s.Table, s.Name)
	case s.Name != "":
		fmt.Fprintf(p.w, "%s%s  at %d:%d\n", indent, s.Name, s.Line, s.Column)
	default:
		fmt.Fprintf(p.w, "%san expression  at %d:%d\n", indent, s.Line, s.Column)
	}
	for _, in := range s.Inputs {
		p.step(in.Step, indent+"  ", seen)
	}
}

// summary prints what has no edge: tables only read or only written, and what names
// stand for.
func (p *lineagePrinter) summary() {
	if len(p.res.Tables) == 0 {
		if len(p.res.Reads) > 0 {
			fmt.Fprintf(p.w, "reads %s\n", strings.Join(p.res.Reads, ", "))
		}
		if len(p.res.Writes) > 0 {
			fmt.Fprintf(p.w, "writes %s\n", strings.Join(p.res.Writes, ", "))
		}
	}
	names := make([]string, 0, len(p.res.Physical))
	for n := range p.res.Physical {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(p.w, "%s stands for %s\n", n, strings.Join(p.res.Physical[n], ", "))
	}
}
