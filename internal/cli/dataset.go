package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// NewDatasetCommand returns the commands for datasets and what they show.
func NewDatasetCommand() *cobra.Command {
	return group("dataset", "List and make datasets, and see what they show", datasetList(), datasetCreate(), datasetView(), datasetHistory(), datasetSpaces())
}

func datasetList() *cobra.Command {
	var params catalogapi.ListDatasetsParams
	cmd := &cobra.Command{
		Use: "list", Short: "Show the datasets of a space and the job spec that makes each", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ListDatasets(ctx, spaceOf(cmd), &params)
			}, func(w io.Writer, list catalogapi.DatasetList) error {
				t := NewTable(w, "dataset", "branches", "job spec", "of branch")
				for _, d := range list.Datasets {
					t.AppendRow(table.Row{d.Namespace + "|" + d.Name, d.Branches, dash(d.JobSpec), dash(d.JobSpecBranch)})
				}
				t.Render()
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&params.Branch, "branch", "", "branch whose job specs are shown (master unless given)")
	cmd.Flags().StringSliceVar(&params.Fallbacks, "fallback", nil, "fallbacks of that branch, in order")
	cmd.Flags().StringVar(&params.Contains, "contains", "", "only datasets with this in their name")
	return cmd
}

func datasetCreate() *cobra.Command {
	return &cobra.Command{
		Use: "create DATASET", Short: "Make a dataset without branches", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			return writtenTo(cmd, said("dataset %s is there", d.Name), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.CreateDataset(ctx, spaceOf(cmd), &catalogapi.CreateDatasetParams{Wait: "applied"}, event.DatasetCreated{Dataset: d})
			})
		},
	}
}

func datasetView() *cobra.Command {
	var params catalogapi.GetViewParams
	var at int64
	cmd := &cobra.Command{
		Use: "view DATASET", Short: "Show the content of a dataset on a branch, now or at a position", Args: cobra.ExactArgs(1),
		Example: `  tributary dataset view 'clickhouse://shop|shop.orders' --branch feature --at 1042`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			params.Namespace, params.Name = d.Namespace, d.Name
			if cmd.Flags().Changed("at") {
				params.At = &at
			}
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.GetView(ctx, spaceOf(cmd), &params)
			}, func(w io.Writer, v catalogapi.View) error {
				if v.Transaction == "" {
					return showEmpty(w, v, params.At)
				}
				return showView(w, v)
			})
		},
	}
	cmd.Flags().StringVar(&params.Branch, "branch", event.MasterBranch, "branch")
	cmd.Flags().IntVar(&params.Incarnation, "incarnation", 0, "only this incarnation of the branch")
	cmd.Flags().Int64Var(&at, "at", 0, "position in the space's log: what was committed until then")
	cmd.Flags().StringVar(&params.After, "after", "", "path of the file to go on behind")
	cmd.Flags().IntVar(&params.Limit, "limit", 0, "files to show, 100 unless given, 1000 at most")
	return cmd
}

// showEmpty tells that nothing was committed on a branch, by a position if one
// is named.
func showEmpty(w io.Writer, v catalogapi.View, at *int64) error {
	when := "yet"
	if at != nil {
		when = fmt.Sprintf("by position %d", *at)
	}
	_, err := fmt.Fprintf(w, "%s#%d is empty: nothing was committed %s\n", v.Branch, v.Incarnation, when)
	return err
}

func showView(w io.Writer, v catalogapi.View) error {
	fmt.Fprintf(w, "%s#%d at %s: %s, %s, %s\n", v.Branch, v.Incarnation, short(v.Transaction), counted(v.Files, "file"), counted(v.Rows, "row"), counted(v.Bytes, "byte"))
	if len(v.List) == 0 {
		return nil
	}
	t := NewTable(w, "path", "rows", "bytes", "location")
	for _, f := range v.List {
		t.AppendRow(table.Row{f.Path, f.Rows, f.Bytes, dash(f.Location)})
	}
	t.Render()
	if v.Next != "" {
		fmt.Fprintf(w, "there are more: --after '%s'\n", v.Next)
	}
	return nil
}

func datasetHistory() *cobra.Command {
	var params catalogapi.ListTransactionsParams
	cmd := &cobra.Command{
		Use: "history DATASET", Short: "Show the transactions of a branch, newest first", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			params.Namespace, params.Name = d.Namespace, d.Name
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ListTransactions(ctx, spaceOf(cmd), &params)
			}, func(w io.Writer, list catalogapi.TransactionList) error {
				t := NewTable(w, "transaction", "type", "state", "started on", "by", "opened")
				for _, x := range list.Transactions {
					by := x.Actor
					if x.Build != "" {
						by = x.JobSpec + " of build " + short(x.Build)
					}
					t.AppendRow(table.Row{x.Id, x.Type, x.State, x.Branch, dash(by), x.OpenedAt.Format("2006-01-02 15:04:05")})
				}
				t.Render()
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&params.Branch, "branch", event.MasterBranch, "branch")
	cmd.Flags().StringVar(&params.Before, "before", "", "id of the transaction to go on behind")
	cmd.Flags().IntVar(&params.Limit, "limit", 0, "transactions to show, 100 unless given, 1000 at most")
	return cmd
}

func datasetSpaces() *cobra.Command {
	return &cobra.Command{
		Use: "spaces", Short: "Show the spaces that have datasets or job specs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ListSpaces(ctx)
			}, func(w io.Writer, list catalogapi.SpaceList) error {
				t := NewTable(w, "space", "datasets", "job specs on", "running", "queued")
				for _, s := range list.Spaces {
					t.AppendRow(table.Row{s.Name, s.Datasets, dash(strings.Join(s.SpecBranches, ", ")), s.Running, s.Queued})
				}
				t.Render()
				return nil
			})
		},
	}
}
