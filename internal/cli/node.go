package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

func newNodeCommand() *cobra.Command {
	var q questionFlags
	cmd := &cobra.Command{
		Use: "node NODE", Short: "Tell all that is known of one node", Args: cobra.ExactArgs(1),
		Long:    "Tell all that is known of one node: columns, the tasks that make and read it, branches, transactions, runs and, of a task, its SQL.",
		Example: "  tributary lineage node shop.shop.orders\n  tributary lineage node ods_orders --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			r, err := client.GetNodeWithResponse(cmd.Context(), &lineageapi.GetNodeParams{Node: args[0], Branch: q.branch, Fallback: q.fallback, AsOf: q.asOf, MinPosition: q.position})
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			printNode(cmd.OutOrStdout(), r.JSON200)
			return nil
		},
	}
	q.registerBranch(cmd)
	q.registerPosition(cmd)
	return cmd
}

func printNode(w io.Writer, d *lineageapi.NodeDetails) {
	fmt.Fprintf(w, "%s (%s)\n", d.Node.Display, d.Node.Kind)
	for _, key := range d.Keys {
		fmt.Fprintf(w, "  key    %s\n", key)
	}
	if d.Owner != "" {
		fmt.Fprintf(w, "  owner  %s\n", d.Owner)
	}
	if d.Comment != "" {
		fmt.Fprintf(w, "  about  %s\n", d.Comment)
	}
	printColumns(w, d.Node.Columns)
	printTasks(w, "Made by", d.Producers, d.MoreProducers)
	printTasks(w, "Read by", d.Consumers, d.MoreConsumers)
	printVersions(w, d)
	printRuns(w, d.Runs)
	if d.Sql.Text != "" {
		fmt.Fprintf(w, "\nIts SQL (%s) on %s:\n%s\n", d.Sql.Dialect, d.Sql.Branch, strings.TrimRight(d.Sql.Text, "\n"))
	}
	printErrors(w, d.Errors)
	fmt.Fprintf(w, "\nat %s\n", d.Position)
}

func printColumns(w io.Writer, columns []lineageapi.Column) {
	if len(columns) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := NewTable(w, "column", "type", "made from", "feeds", "")
	for _, c := range columns {
		mark := c.Comment
		if c.WithMasked {
			mark = strings.TrimSuffix("masked; "+mark, "; ")
		}
		t.AppendRow([]any{c.Name, dash(c.Type), c.UpstreamCount, c.DownstreamCount, mark})
	}
	t.Render()
}

func printTasks(w io.Writer, title string, tasks []lineageapi.TaskRef, more bool) {
	if len(tasks) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	t := NewTable(w, "task", "kind", "on", "known by", "statements")
	for _, x := range tasks {
		t.AppendRow([]any{x.Name, x.Kind, x.Branch, x.Origin, numbers(x.Statements)})
	}
	t.Render()
	if more {
		fmt.Fprintf(w, "and more than these %d\n", len(tasks))
	}
}

// printVersions prints what the catalog knows of a dataset.
func printVersions(w io.Writer, d *lineageapi.NodeDetails) {
	if len(d.Branches) > 0 {
		fmt.Fprintln(w, "\nBranches:")
		t := NewTable(w, "branch", "parent", "head", "job spec")
		for _, b := range d.Branches {
			spec := "no"
			if b.HasJobSpec {
				spec = "yes"
			}
			t.AppendRow([]any{b.Name, dash(b.Parent), dash(short(b.Transaction)), spec})
		}
		t.Render()
	}
	if len(d.Transactions) > 0 {
		fmt.Fprintln(w, "\nLatest transactions:")
		t := NewTable(w, "transaction", "branch", "type", "state", "by", "opened", "rows")
		for _, x := range d.Transactions {
			t.AppendRow([]any{short(x.Id), x.Branch, x.Type, x.State, dash(x.By), moment(x.Opened), x.Rows})
		}
		t.Render()
	}
}

func printRuns(w io.Writer, runs []lineageapi.Run) {
	if len(runs) == 0 {
		return
	}
	fmt.Fprintln(w, "\nLatest runs:")
	t := NewTable(w, "run", "task", "on", "state", "started", "ended", "")
	for _, r := range runs {
		t.AppendRow([]any{short(r.Id), r.Task, r.Branch, r.State, moment(r.Started), moment(r.Ended), r.Error})
	}
	t.Render()
}

func newEdgeDetailsCommand() *cobra.Command {
	var q questionFlags
	var p lineageapi.GetEdgeParams
	cmd := &cobra.Command{
		Use: "edge FROM TO", Short: "Tell who makes an edge, from which SQL, since when", Args: cobra.ExactArgs(2),
		Example: "  tributary lineage edge shop.shop.orders warehouse.ods.orders\n  tributary lineage edge shop.shop.orders warehouse.ods.orders --from-column order_id --to-column order_id",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			p.From, p.To, p.Branch, p.Fallback, p.AsOf = args[0], args[1], q.branch, q.fallback, q.asOf
			r, err := client.GetEdgeWithResponse(cmd.Context(), &p)
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			printEdge(cmd.OutOrStdout(), r.JSON200)
			return nil
		},
	}
	q.registerBranch(cmd)
	cmd.Flags().StringVar(&p.FromColumn, "from-column", "", "column of FROM that it comes from; needs --to-column, but for an edge into all columns")
	cmd.Flags().StringVar(&p.ToColumn, "to-column", "", "column of TO that it goes to; needs --from-column")
	return cmd
}

func printEdge(w io.Writer, d *lineageapi.EdgeDetails) {
	fmt.Fprintf(w, "%s → %s", endOf(nil, d.Edge.From, d.Edge.FromColumn), endOf(nil, d.Edge.To, d.Edge.ToColumn))
	if mark := edgeMarks(d.Edge); mark != "" {
		fmt.Fprintf(w, " (%s)", mark)
	}
	fmt.Fprint(w, "\n\n")
	t := NewTable(w, "made by", "known by", "on", "via", "since", "last seen", "")
	for _, c := range d.Contributors {
		by := c.Task
		if by == "" {
			by = c.Person
		}
		note := c.Why
		if c.Closed {
			note = strings.TrimSuffix("over; "+note, "; ")
		}
		t.AppendRow([]any{by, c.Origin, c.Branch, strings.Join(c.Via, ", "), moment(c.FirstSeen), moment(c.LastSeen), note})
	}
	t.Render()
	for _, c := range d.Contributors {
		for _, s := range c.Statements {
			fmt.Fprintf(w, "\n%s, statement %d at %d:%d:\n%s\n", c.Task, s.N, s.Line, s.Column, strings.TrimRight(s.Text, "\n"))
		}
	}
	fmt.Fprintf(w, "\nat %s\n", d.Position)
}

// numbers lists numbers, separated by commas.
func numbers(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

// moment writes a time for people, - for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
