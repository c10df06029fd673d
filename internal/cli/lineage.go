package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

// exitBreaks is the exit code of 'lineage impact' when something would break.
const exitBreaks = 3

// NewLineageCommand gives 'tributary lineage' with a command for each question.
func NewLineageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lineage",
		Short: "Ask where data comes from and where it goes",
		Long: `Ask where data comes from and where it goes.

A node is a table, view, topic, task, API, metric, tag or dashboard. It is named
by its key (family|namespace|name) or as people write it (source.db.table); a
column of it by --column. "tributary lineage search" finds nodes by part of their
name.

Answers end with the log position that they reflect: --min-position waits for
one, --as-of asks for the past.`,
		Example: `  tributary lineage search orders
  tributary lineage show shop.shop.orders
  tributary lineage down shop.shop.orders --column amount
  tributary lineage impact shop.shop.orders --column amount`,
	}
	AddServerFlags(cmd)
	cmd.AddCommand(
		newShowCommand(), newClosureCommand("up", "List everything that a node is made from", lineageapi.DirectionUp),
		newClosureCommand("down", "List everything that is made from a node", lineageapi.DirectionDown),
		newPathsCommand(), newImpactCommand(), newDiffCommand(), newSearchCommand(), newUnparsedCommand(),
		newEdgeCommand("add", "Draw an edge by hand", addEdge), newEdgeCommand("remove", "Remove an edge that was drawn by hand", removeEdge),
		newExportCommand(), newNodeCommand(), newEdgeDetailsCommand(),
	)
	return cmd
}

// lineageClient gives the generated client for the command's server.
func lineageClient(cmd *cobra.Command) (*lineageapi.ClientWithResponses, error) {
	return lineageapi.NewClientWithResponses(ServerOf(cmd), lineageapi.WithHTTPClient(Doer{}))
}

// response is what every generated answer can tell.
type response interface {
	StatusCode() int
	GetBody() []byte
}

// answered gives the server's own description of what went wrong, if anything
// did.
func answered(r response, err error) error {
	if err != nil {
		return err
	}
	if r.StatusCode() != http.StatusOK {
		return FailureOf(r.StatusCode(), r.GetBody())
	}
	return nil
}

// questionFlags are what the questions share.
type questionFlags struct {
	column, level, flow, branch, asOf, position, direction, cursor string
	fallback, kinds                                                []string
	depth, limit                                                   int
	tasks                                                          bool
}

// registerBranch adds the flags that say on which branches, and when.
func (q *questionFlags) registerBranch(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.branch, "branch", "", "branch to look on (master unless given)")
	f.StringSliceVar(&q.fallback, "fallback", nil, "branch to fall back on where --branch says nothing; repeat for more, in order (unless given those of the last build on the branch, else master)")
	f.StringVar(&q.asOf, "as-of", "", "answer as of a time, such as 2026-01-31T12:00:00Z, or as of the log position of an earlier answer")
}

func (q *questionFlags) registerPosition(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.position, "min-position", "", "wait until the answer reflects at least this log position, as emit prints it")
}

func (q *questionFlags) register(cmd *cobra.Command, depth int, with ...string) {
	q.registerBranch(cmd)
	q.registerPosition(cmd)
	f := cmd.Flags()
	f.StringVar(&q.flow, "flow", "", "column edges to follow: direct (values flow), indirect (they decide rows, order or groups) or all; all unless given")
	f.IntVar(&q.depth, "depth", depth, "hops each way; -1 for all")
	for _, flag := range with {
		switch flag {
		case "column":
			f.StringVar(&q.column, "column", "", "column of the node to follow, instead of the whole node")
		case "level":
			f.StringVar(&q.level, "level", "", "edges to follow: table or column (table, or column with --column, unless given)")
		case "direction":
			f.StringVar(&q.direction, "direction", "", "way to follow edges: up (what it is made from), down (what is made from it) or both; both unless given")
		case "kinds":
			f.StringSliceVar(&q.kinds, "kind", nil, "kind or family to show, such as table, view, realtime or api; repeat for more (all unless given)")
		case "tasks":
			f.BoolVar(&q.tasks, "tasks", false, "show all tasks between the nodes, not only realtime ones")
		case "limit":
			f.IntVar(&q.limit, "limit", 0, "nodes to show (5000 at most, and unless given)")
			f.StringVar(&q.cursor, "cursor", "", "go on where the last answer ended: the text that it printed")
		}
	}
}

// limitOf gives the limit if one was named.
func (q *questionFlags) limitOf() *int {
	if q.limit == 0 {
		return nil
	}
	return &q.limit
}

func newShowCommand() *cobra.Command {
	var q questionFlags
	cmd := &cobra.Command{
		Use: "show NODE", Short: "Show the graph around a node", Args: cobra.ExactArgs(1),
		Example: "  tributary lineage show shop.shop.orders --depth 2\n  tributary lineage show shop.shop.orders --column amount --direction down --depth -1",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			p := &lineageapi.GetGraphParams{
				Node: args[0], Column: q.column, Level: lineageapi.Level(q.level), Direction: lineageapi.Direction(q.direction), Depth: &q.depth,
				Flow: lineageapi.Flow(q.flow), Branch: q.branch, Fallback: q.fallback, AsOf: q.asOf, Kinds: q.kinds, Limit: q.limitOf(), Cursor: q.cursor, MinPosition: q.position,
			}
			if q.tasks {
				p.Tasks = lineageapi.TasksShownAll
			}
			r, err := client.GetGraphWithResponse(cmd.Context(), p)
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			printGraph(cmd.OutOrStdout(), r.JSON200)
			return nil
		},
	}
	q.register(cmd, 1, "column", "level", "direction", "kinds", "tasks", "limit")
	return cmd
}

// printGraph prints nodes from the farthest upstream to the farthest
// downstream, then edges.
func printGraph(w io.Writer, g *lineageapi.Graph) {
	nodes := slices.Clone(g.Nodes)
	slices.SortStableFunc(nodes, func(a, b lineageapi.Node) int {
		if x, y := int(a.Side)*a.Distance, int(b.Side)*b.Distance; x != y {
			return x - y
		}
		return strings.Compare(a.Display, b.Display)
	})
	t := NewTable(w, "hops", "node", "kind", "columns", "reads", "feeds", "")
	display := map[string]string{}
	for _, n := range nodes {
		display[n.Key] = n.Display
		t.AppendRow([]any{hops(n), n.Display, n.Kind, columnList(n), n.UpstreamCount, n.DownstreamCount, marks(n)})
	}
	t.Render()
	fmt.Fprintln(w)
	e := NewTable(w, "from", "to", "via", "known by", "tasks", "")
	for _, x := range g.Edges {
		e.AppendRow([]any{endOf(display, x.From, x.FromColumn), endOf(display, x.To, x.ToColumn), strings.Join(x.Via, ", "), strings.Join(x.Origins, ", "), taskList(x), edgeMarks(x)})
	}
	e.Render()
	printErrors(w, g.Errors)
	printRest(w, g.Truncated, g.Cursor)
	fmt.Fprintf(w, "\nat %s on %s\n", g.Position, strings.Join(g.Chain, " → "))
}

func hops(n lineageapi.Node) string {
	switch {
	case n.Centre:
		return "·"
	case n.Side < 0:
		return "-" + strconv.Itoa(n.Distance)
	}
	return "+" + strconv.Itoa(n.Distance)
}

// shownColumns is how many columns a row of a table names.
const shownColumns = 6

func columnList(n lineageapi.Node) string {
	var names []string
	for i, c := range n.Columns {
		if i == shownColumns {
			names = append(names, fmt.Sprintf("… %d more", len(n.Columns)-i))
			break
		}
		if c.WithMasked {
			names = append(names, c.Name+" (masked)")
		} else {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 && n.ColumnCount > 0 {
		return strconv.Itoa(n.ColumnCount)
	}
	return strings.Join(names, ", ")
}

func marks(n lineageapi.Node) string {
	var m []string
	if n.IsOpen {
		m = append(m, "more behind it")
	}
	if n.Cycle {
		m = append(m, "cycle")
	}
	if n.FromFallback {
		m = append(m, "from "+n.Branch)
	}
	if n.Unparsed > 0 {
		m = append(m, fmt.Sprintf("%d statements not parsed", n.Unparsed))
	}
	return strings.Join(m, "; ")
}

func edgeMarks(e lineageapi.Edge) string {
	var m []string
	for _, by := range e.Manual {
		m = append(m, "drawn by "+by.Who)
	}
	if !e.Direct {
		m = append(m, "indirect")
	}
	if e.Unexpanded {
		m = append(m, "columns not known")
	}
	if e.Hidden > 0 {
		m = append(m, fmt.Sprintf("over %d hidden", e.Hidden))
	}
	return strings.Join(m, "; ")
}

func endOf(display map[string]string, key, column string) string {
	name := display[key]
	if name == "" {
		name = key
	}
	if column == "" {
		return name
	}
	return name + "." + column
}

func taskList(e lineageapi.Edge) string {
	names := make([]string, len(e.Tasks))
	for i, key := range e.Tasks {
		names[i] = key[strings.LastIndexByte(key, '|')+1:]
	}
	text := strings.Join(names, ", ")
	if len(e.Statements) > 0 {
		text += " #" + numbers(e.Statements)
	}
	return text
}

func printErrors(w io.Writer, errs []lineageapi.SQLError) {
	if len(errs) == 0 {
		return
	}
	fmt.Fprintln(w, "\nNot parsed, so lineage may be missing:")
	t := NewTable(w, "task", "statement", "line", "column", "what")
	for _, e := range errs {
		t.AppendRow([]any{e.Task, e.Statement, e.Line, e.Column, e.Kind + ": " + e.Message})
	}
	t.Render()
}

func printRest(w io.Writer, t lineageapi.Truncated, cursor string) {
	if t.Reason == "" {
		return
	}
	fmt.Fprintf(w, "\nThis is not all: %d nodes and %d edges are left (%s).", t.NodesLeft, t.EdgesLeft, t.Reason)
	printCursor(w, cursor)
}

// printCursor ends a line with how to go on, if there is more.
func printCursor(w io.Writer, cursor string) {
	if cursor != "" {
		fmt.Fprintf(w, " Go on with --cursor %s", cursor)
	}
	fmt.Fprintln(w)
}

func newClosureCommand(use, short string, direction lineageapi.Direction) *cobra.Command {
	var q questionFlags
	cmd := &cobra.Command{
		Use: use + " NODE", Short: short, Args: cobra.ExactArgs(1),
		Long:    short + ", nearest first, with the least number of hops to each.",
		Example: fmt.Sprintf("  tributary lineage %[1]s shop.shop.orders\n  tributary lineage %[1]s shop.shop.orders --column amount --flow direct", use),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			r, err := client.GetClosureWithResponse(cmd.Context(), &lineageapi.GetClosureParams{
				Node: args[0], Column: q.column, Level: lineageapi.Level(q.level), Direction: direction, Depth: &q.depth, Flow: lineageapi.Flow(q.flow),
				Branch: q.branch, Fallback: q.fallback, AsOf: q.asOf, Kinds: q.kinds, Limit: q.limitOf(), Cursor: q.cursor, MinPosition: q.position,
			})
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			printClosure(cmd.OutOrStdout(), r.JSON200)
			return nil
		},
	}
	q.register(cmd, -1, "column", "level", "kinds", "limit")
	return cmd
}

func printClosure(w io.Writer, c *lineageapi.Closure) {
	t := NewTable(w, "hops", "node", "kind", "")
	nodes := slices.Clone(c.Nodes)
	slices.SortStableFunc(nodes, func(a, b lineageapi.ClosureNode) int {
		return cmp.Or(a.Distance-b.Distance, strings.Compare(a.Display, b.Display), strings.Compare(a.Column, b.Column))
	})
	for _, n := range nodes {
		name, mark := n.Display, ""
		if n.Column != "" {
			name += "." + n.Column
		}
		if n.WithMasked {
			mark = "masked"
		}
		t.AppendRow([]any{n.Distance, name, n.Kind, mark})
	}
	t.Render()
	printErrors(w, c.Errors)
	printRest(w, c.Truncated, c.Cursor)
	fmt.Fprintf(w, "\n%d in all, at %s on %s\n", c.Total, c.Position, strings.Join(c.Chain, " → "))
}

func newPathsCommand() *cobra.Command {
	var q questionFlags
	var fromColumn, toColumn string
	var slack int
	cmd := &cobra.Command{
		Use: "paths FROM TO", Short: "Show the ways from one node to another", Args: cobra.ExactArgs(2),
		Example: "  tributary lineage paths shop.shop.orders dwh.ads.report\n  tributary lineage paths shop.shop.orders dwh.ads.report --slack 2",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			r, err := client.GetPathsWithResponse(cmd.Context(), &lineageapi.GetPathsParams{
				From: args[0], FromColumn: fromColumn, To: args[1], ToColumn: toColumn, Slack: slack, Depth: &q.depth, Flow: lineageapi.Flow(q.flow),
				Branch: q.branch, Fallback: q.fallback, AsOf: q.asOf, Limit: q.limitOf(), MinPosition: q.position,
			})
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			printPaths(cmd.OutOrStdout(), r.JSON200, slack)
			return nil
		},
	}
	q.register(cmd, -1, "limit")
	cmd.Flags().StringVar(&fromColumn, "from-column", "", "column of FROM to begin at; needs --to-column")
	cmd.Flags().StringVar(&toColumn, "to-column", "", "column of TO to end at; needs --from-column")
	cmd.Flags().IntVar(&slack, "slack", 0, "show longer ways too, up to this many hops longer than the shortest (10 at most)")
	return cmd
}

// printPaths prints the ways; with slack those listed are not only shortest
// ones.
func printPaths(w io.Writer, p *lineageapi.Paths, slack int) {
	if !p.Found {
		fmt.Fprintln(w, "There is no way.")
		return
	}
	display := map[string]string{}
	for _, n := range p.Graph.Nodes {
		display[n.Key] = n.Display
	}
	title := fmt.Sprintf("%s of %s", counted(p.WaysTotal, "shortest way"), counted(p.Length, "hop"))
	if slack > 0 {
		title += fmt.Sprintf(", and longer ones of up to %s; %s shown", counted(p.Length+slack, "hop"), counted(len(p.Ways), "way"))
	}
	fmt.Fprintln(w, title+":")
	for _, way := range p.Ways {
		steps := make([]string, len(way))
		for i, s := range way {
			steps[i] = endOf(display, s.Key, s.Column)
		}
		fmt.Fprintln(w, "  "+strings.Join(steps, " → "))
	}
}

// counted writes a number of things.
func counted[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func newImpactCommand() *cobra.Command {
	var q questionFlags
	var r lineageapi.ImpactRequest
	var file string
	cmd := &cobra.Command{
		Use: "impact [NODE]", Short: "Tell what breaks if a node, a column or some SQL changes", Args: cobra.MaximumNArgs(1),
		Long: `Tell what breaks if a node, a column or some SQL changes.

Give a node (with --column for one of its columns), or changed SQL by --sql FILE
("-" is standard input) with --task for the task whose SQL it replaces.
The exit code is 3 when something would break.`,
		Example: "  tributary lineage impact shop.shop.orders --column amount\n  tributary lineage impact --sql new.sql --task daily_sales",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r.Node = args[0]
			}
			if err := readSQL(cmd.InOrStdin(), file, &r); err != nil {
				return err
			}
			r.Column, r.Depth, r.Flow, r.Branch, r.Fallback, r.Kinds, r.Limit, r.Cursor, r.MinPosition = q.column, &q.depth, lineageapi.Flow(q.flow), q.branch, q.fallback, q.kinds, q.limitOf(), q.cursor, q.position
			return runImpact(cmd, r)
		},
	}
	q.register(cmd, -1, "column", "kinds", "limit")
	f := cmd.Flags()
	f.StringVar(&file, "sql", "", "file with the changed SQL; - is standard input")
	f.StringVar(&r.Task, "task", "", "task whose SQL it replaces")
	f.StringVar(&r.Sql.Dialect, "dialect", "", "dialect of the SQL (that of the task, or of the source, unless given)")
	f.StringVar(&r.Sql.DefaultSource, "source", "", "source that names in the SQL belong to (that of the task unless given)")
	f.StringVar(&r.Sql.DefaultSchema, "schema", "", "schema of names without one (that of the task unless given)")
	return cmd
}

func readSQL(in io.Reader, file string, r *lineageapi.ImpactRequest) error {
	if file == "" {
		return nil
	}
	text, err := func() ([]byte, error) {
		if file == "-" {
			return io.ReadAll(in)
		}
		return os.ReadFile(file)
	}()
	if err != nil {
		return fmt.Errorf("reading the SQL: %w", err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return errors.New("the SQL is empty")
	}
	r.Sql.Sql = string(text)
	return nil
}

func runImpact(cmd *cobra.Command, r lineageapi.ImpactRequest) error {
	client, err := lineageClient(cmd)
	if err != nil {
		return err
	}
	res, err := client.PostImpactWithResponse(cmd.Context(), r)
	if err := answered(res, err); err != nil {
		return err
	}
	if WantsJSON(cmd) {
		err = PrintJSON(cmd.OutOrStdout(), res.JSON200)
	} else {
		printImpact(cmd.OutOrStdout(), res.JSON200)
	}
	if err == nil && res.JSON200.Breaks {
		return ExitError{Code: exitBreaks}
	}
	return err
}

func printImpact(w io.Writer, i *lineageapi.Impact) {
	printErrors(w, i.Errors)
	for _, part := range []struct {
		title string
		edges []lineageapi.Edge
	}{{"Edges that go away:", i.Lost}, {"Edges that come:", i.Gained}} {
		if len(part.edges) > 0 {
			fmt.Fprintln(w, part.title)
			for _, e := range part.edges {
				fmt.Fprintf(w, "  %s → %s\n", endOf(i.Display, e.From, e.FromColumn), endOf(i.Display, e.To, e.ToColumn))
			}
		}
	}
	if !i.Breaks {
		fmt.Fprintln(w, "Nothing is affected.")
		return
	}
	header := []any{"hops", "node", "kind", "columns", "how", "because of"}
	// Where all is because of one thing, that is what was asked about.
	one := !slices.ContainsFunc(i.Affected, func(n lineageapi.ImpactNode) bool { return n.Because != i.Affected[0].Because })
	if one {
		header = header[:len(header)-1]
	}
	t := NewTable(w, header...)
	for _, n := range i.Affected {
		how := "rows, order or groups"
		if n.Direct {
			how = "values"
		}
		row := []any{n.Distance, n.Display, n.Kind, strings.Join(n.Columns[:min(len(n.Columns), shownColumns)], ", "), how, endOf(i.Display, n.Because, "")}
		t.AppendRow(row[:len(header)])
	}
	t.Render()
	printRest(w, i.Truncated, i.Cursor)
	fmt.Fprintf(w, "\n%d affected", i.Total)
	if len(i.Tasks) > 0 {
		names := make([]string, len(i.Tasks))
		for n, task := range i.Tasks {
			names[n] = endOf(i.Display, task, "")
		}
		fmt.Fprintf(w, "; read by %s", strings.Join(names, ", "))
	}
	fmt.Fprintln(w)
}

func newDiffCommand() *cobra.Command {
	var q questionFlags
	var p lineageapi.GetDiffParams
	cmd := &cobra.Command{
		Use: "diff [NODE]", Short: "Compare lineage of two branches or two times", Args: cobra.MaximumNArgs(1),
		Long: `Compare lineage of two branches or two times, around a node or everywhere.

--branch and --as-of say which lineage to look at, --base and --base-as-of what
to compare it with; what it has more is printed with +, what it has less with -.`,
		Example: "  tributary lineage diff --branch feature --fallback master --base master\n  tributary lineage diff shop.shop.orders --base-as-of 2026-01-31T00:00:00Z",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				p.Node = args[0]
			}
			p.Branch, p.Fallback, p.AsOf, p.MinPosition, p.Depth, p.Flow = q.branch, q.fallback, q.asOf, q.position, &q.depth, lineageapi.Flow(q.flow)
			p.Level, p.Direction, p.Limit, p.Cursor = lineageapi.Level(q.level), lineageapi.Direction(q.direction), q.limitOf(), q.cursor
			r, err := client.GetDiffWithResponse(cmd.Context(), &p)
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			printDiff(cmd.OutOrStdout(), r.JSON200)
			return nil
		},
	}
	q.register(cmd, 1, "level", "direction", "limit")
	cmd.Flags().StringVar(&p.BaseBranch, "base", "", "branch to compare with (master unless given; with --base-as-of that of --branch)")
	cmd.Flags().StringSliceVar(&p.BaseFallback, "base-fallback", nil, "branch that the base falls back on; repeat for more, in order")
	cmd.Flags().StringVar(&p.BaseAsOf, "base-as-of", "", "time or log position to compare with")
	return cmd
}

func printDiff(w io.Writer, d *lineageapi.Diff) {
	display := map[string]string{}
	for _, n := range d.Nodes {
		display[n.Key] = n.Display
		for _, c := range n.Columns {
			if c.Change != lineageapi.ChangeUnchanged {
				fmt.Fprintf(w, "%s column %s.%s\n", sign(c.Change), n.Display, c.Name)
			}
		}
	}
	for _, e := range d.Edges {
		if e.Change != lineageapi.ChangeUnchanged {
			fmt.Fprintf(w, "%s %s → %s  %s\n", sign(e.Change), endOf(display, e.From, e.FromColumn), endOf(display, e.To, e.ToColumn), taskList(e))
		}
	}
	fmt.Fprintf(w, "%d edges added, %d removed\n", d.Added, d.Removed)
	printRest(w, d.Truncated, d.Cursor)
}

func sign(c lineageapi.Change) string {
	if c == lineageapi.ChangeAdded {
		return "+"
	}
	return "-"
}

func newSearchCommand() *cobra.Command {
	var p lineageapi.SearchParams
	cmd := &cobra.Command{
		Use: "search TEXT", Short: "Find nodes by part of their name", Args: cobra.ExactArgs(1),
		Example: "  tributary lineage search orders\n  tributary lineage search amount --columns --kind table",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			p.Q = args[0]
			r, err := client.SearchWithResponse(cmd.Context(), &p)
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			if len(r.JSON200.Hits) == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "No node has %q in its name.\n", p.Q)
				return nil
			}
			t := NewTable(cmd.OutOrStdout(), "name", "kind", "key")
			for _, h := range r.JSON200.Hits {
				t.AppendRow([]any{endOf(map[string]string{h.Key: h.Display}, h.Key, h.Column), h.Kind, h.Key})
			}
			t.Render()
			if r.JSON200.More {
				fmt.Fprintln(cmd.OutOrStdout(), "There are more: write more of the name, or ask for more by --limit.")
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&p.Kinds, "kind", nil, "kind or family to find; repeat for more")
	cmd.Flags().BoolVar(&p.Columns, "columns", false, "search column names too")
	cmd.Flags().IntVar(&p.Limit, "limit", 20, "nodes to show at most")
	return cmd
}

// edgeFlags name an edge that a person changes.
type edgeFlags struct{ fromColumn, toColumn, branch, who, why string }

func newEdgeCommand(use, short string, run func(context.Context, *lineageapi.ClientWithResponses, string, string, edgeFlags) (*lineageapi.Changed, error)) *cobra.Command {
	var f edgeFlags
	cmd := &cobra.Command{
		Use: use + " FROM TO", Short: short, Args: cobra.ExactArgs(2),
		Example: fmt.Sprintf("  tributary lineage %s shop.shop.orders dwh.ods.orders --why 'copied by a job that we do not see'", use),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			c, err := run(cmd.Context(), client, args[0], args[1], f)
			if err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), c)
			}
			printChanged(cmd.OutOrStdout(), c)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.fromColumn, "from-column", "", "column of FROM that it comes from; needs --to-column")
	cmd.Flags().StringVar(&f.toColumn, "to-column", "", "column of TO that it goes to; needs --from-column")
	cmd.Flags().StringVar(&f.branch, "branch", "", "branch to change (master unless given)")
	cmd.Flags().StringVar(&f.who, "who", "", "name to note as who did it (that of the token unless given)")
	cmd.Flags().StringVar(&f.why, "why", "", "reason to note with it")
	return cmd
}

func printChanged(w io.Writer, c *lineageapi.Changed) {
	state := "to be seen"
	if !c.Visible {
		state = "not to be seen yet"
	}
	fmt.Fprintf(w, "In the log at %s, and %s.\n", c.Position, state)
	for _, warning := range c.Warnings {
		fmt.Fprintln(w, "Beware: "+warning+".")
	}
}

func addEdge(ctx context.Context, client *lineageapi.ClientWithResponses, from, to string, f edgeFlags) (*lineageapi.Changed, error) {
	r, err := client.AddEdgeWithResponse(ctx, lineageapi.EdgeChange{From: from, To: to, FromColumn: f.fromColumn, ToColumn: f.toColumn, Branch: f.branch, Who: f.who, Why: f.why})
	if err := answered(r, err); err != nil {
		return nil, err
	}
	return r.JSON200, nil
}

func removeEdge(ctx context.Context, client *lineageapi.ClientWithResponses, from, to string, f edgeFlags) (*lineageapi.Changed, error) {
	r, err := client.RemoveEdgeWithResponse(ctx, &lineageapi.RemoveEdgeParams{From: from, To: to, FromColumn: f.fromColumn, ToColumn: f.toColumn, Branch: f.branch, Who: f.who, Why: f.why})
	if err := answered(r, err); err != nil {
		return nil, err
	}
	return r.JSON200, nil
}

func newExportCommand() *cobra.Command {
	var q questionFlags
	var format, output string
	cmd := &cobra.Command{
		Use: "export [NODE]", Short: "Write the graph around a node, or all of it, to a file", Args: cobra.MaximumNArgs(1),
		Example: "  tributary lineage export --format csv -o edges.csv\n  tributary lineage export shop.shop.orders --format dot | dot -Tsvg > orders.svg",
		RunE: func(cmd *cobra.Command, args []string) error {
			if WantsJSON(cmd) && format != "json" {
				return fmt.Errorf("--json and --format %s contradict each other: leave one of them out", format)
			}
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			p := &lineageapi.ExportGraphParams{
				Format: lineageapi.ExportGraphParamsFormat(format), Level: lineageapi.Level(q.level), Direction: lineageapi.Direction(q.direction), Depth: &q.depth,
				Flow: lineageapi.Flow(q.flow), Branch: q.branch, Fallback: q.fallback, AsOf: q.asOf, Kinds: q.kinds,
			}
			if len(args) == 1 {
				p.Node = args[0]
			}
			resp, err := client.ExportGraph(cmd.Context(), p)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			return saveExport(cmd.OutOrStdout(), resp, output)
		},
	}
	q.register(cmd, -1, "level", "direction", "kinds")
	cmd.Flags().StringVar(&format, "format", "json", "form of the file: json, csv, dot (for Graphviz) or openlineage")
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (standard output unless given)")
	return cmd
}

func saveExport(w io.Writer, resp *http.Response, output string) (err error) {
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err != nil {
			return fmt.Errorf("reading the server's answer: %w", err)
		}
		return FailureOf(resp.StatusCode, body)
	}
	if output != "" {
		file, err := os.Create(output)
		if err != nil {
			return fmt.Errorf("writing the export: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		w = file
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("writing the export: %w", err)
	}
	return nil
}
