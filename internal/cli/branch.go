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

// NewBranchCommand returns the commands for branches of datasets.
func NewBranchCommand() *cobra.Command {
	return group("branch", "List, make, delete, restore and protect branches of datasets",
		branchList(), branchCreate(), branchDelete(), branchRestore(), branchProtect(), branchUnprotect(), branchProtections(), branchSweep())
}

func branchList() *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use: "list DATASET", Short: "Show the branches of a dataset, their parents and heads", Args: cobra.ExactArgs(1),
		Example: `  tributary branch list 'clickhouse://shop|shop.orders'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ListBranches(ctx, spaceOf(cmd), &catalogapi.ListBranchesParams{Namespace: d.Namespace, Name: d.Name, Deleted: deleted})
			}, showBranches)
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "show deleted incarnations too")
	return cmd
}

func showBranches(w io.Writer, list catalogapi.BranchList) error {
	t := NewTable(w, "branch", "parent", "head", "state", "notes")
	for _, b := range list.Branches {
		notes := ""
		switch {
		case b.Deleted:
			notes = "deleted"
		case b.Protected:
			notes = "protected"
		}
		t.AppendRow(table.Row{fmt.Sprintf("%s#%d", b.Name, b.Incarnation), dash(b.Parent), dash(short(b.Head)), dash(b.HeadState), notes})
	}
	t.Render()
	return nil
}

func branchCreate() *cobra.Command {
	var from, transaction string
	cmd := &cobra.Command{
		Use: "create DATASET BRANCH", Short: "Make a root branch, or a child of a branch or of a transaction", Args: cobra.ExactArgs(2),
		Example: `  tributary branch create 'clickhouse://shop|shop.orders' feature --from master`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			body := event.BranchCreated{Dataset: d, Branch: args[1], FromTransaction: transaction}
			if from != "" {
				body.Parent = &event.BranchHandle{Branch: from}
			}
			return writtenTo(cmd, func(w catalogapi.Written) string {
				return fmt.Sprintf("branch %s#%d of %s is there", args[1], w.Incarnation, d.Name)
			}, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.CreateBranch(ctx, spaceOf(cmd), &catalogapi.CreateBranchParams{Wait: "applied"}, body)
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "parent branch; none makes a root")
	cmd.Flags().StringVar(&transaction, "from-transaction", "", "id of the transaction to start at")
	return cmd
}

// branchWrite is a command on one branch, with --incarnation.
func branchWrite(use, about, done string, call func(ctx context.Context, c *catalogapi.Client, space string, d event.CatalogDataset, h event.BranchHandle) (*http.Response, error)) *cobra.Command {
	var incarnation int
	cmd := &cobra.Command{
		Use: use + " DATASET BRANCH", Short: about, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			return writtenTo(cmd, said("branch %s of %s is %s", args[1], d.Name, done), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return call(ctx, c, spaceOf(cmd), d, event.BranchHandle{Branch: args[1], Incarnation: incarnation})
			})
		},
	}
	cmd.Flags().IntVar(&incarnation, "incarnation", 0, "only this incarnation of the branch")
	return cmd
}

func branchDelete() *cobra.Command {
	return branchWrite("delete", "Remove a branch; its transactions stay, its children go to its parent", "deleted",
		func(ctx context.Context, c *catalogapi.Client, space string, d event.CatalogDataset, h event.BranchHandle) (*http.Response, error) {
			return c.DeleteBranch(ctx, space, &catalogapi.DeleteBranchParams{Wait: "applied"}, event.BranchDeleted{Dataset: d, BranchHandle: h})
		})
}

func branchRestore() *cobra.Command {
	return branchWrite("restore", "Bring back a branch deleted since the last retention sweep", "back",
		func(ctx context.Context, c *catalogapi.Client, space string, d event.CatalogDataset, h event.BranchHandle) (*http.Response, error) {
			return c.RestoreBranch(ctx, space, &catalogapi.RestoreBranchParams{Wait: "applied"}, event.BranchRestored{Dataset: d, BranchHandle: h})
		})
}

// protected reads the dataset of a protection, nil for the whole space.
func protected(cmd *cobra.Command, dataset string) (*event.CatalogDataset, error) {
	if dataset == "" {
		return nil, nil //nolint:nilnil // none stands for the whole space
	}
	d, err := datasetArg(cmd, dataset)
	return &d, err
}

func branchProtect() *cobra.Command {
	var dataset string
	var publishers []string
	cmd := &cobra.Command{
		Use: "protect BRANCH", Short: "Guard a branch against deletion and, in the whole space, against foreign publishers", Args: cobra.ExactArgs(1),
		Example: `  tributary branch protect master --publisher ci`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := protected(cmd, dataset)
			if err != nil {
				return err
			}
			return writtenTo(cmd, said("branch %s is protected", args[0]), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ProtectBranch(ctx, spaceOf(cmd), &catalogapi.ProtectBranchParams{Wait: "applied"}, event.BranchProtected{Dataset: d, Branch: args[0], Publishers: publishers})
			})
		},
	}
	cmd.Flags().StringVar(&dataset, "dataset", "", "protect it in this dataset alone")
	cmd.Flags().StringArrayVar(&publishers, "publisher", nil, "who alone may publish job specs on it (may be given often)")
	return cmd
}

func branchUnprotect() *cobra.Command {
	var dataset string
	cmd := &cobra.Command{
		Use: "unprotect BRANCH", Short: "Take a protection away", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := protected(cmd, dataset)
			if err != nil {
				return err
			}
			return writtenTo(cmd, said("branch %s is not protected any more", args[0]), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.UnprotectBranch(ctx, spaceOf(cmd), &catalogapi.UnprotectBranchParams{Wait: "applied"}, event.BranchUnprotected{Dataset: d, Branch: args[0]})
			})
		},
	}
	cmd.Flags().StringVar(&dataset, "dataset", "", "the protection of this dataset")
	return cmd
}

func branchProtections() *cobra.Command {
	return &cobra.Command{
		Use: "protections", Short: "Show what is protected", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ListProtections(ctx, spaceOf(cmd), &catalogapi.ListProtectionsParams{})
			}, func(w io.Writer, list []catalogapi.BranchProtected) error {
				t := NewTable(w, "branch", "dataset", "publishers")
				for _, p := range list {
					in := "all"
					if p.Dataset != nil {
						in = p.Dataset.Namespace + "|" + p.Dataset.Name
					}
					t.AppendRow(table.Row{p.Branch, in, dash(strings.Join(p.Publishers, ", "))})
				}
				t.Render()
				return nil
			})
		},
	}
}

func branchSweep() *cobra.Command {
	return &cobra.Command{
		Use: "sweep", Short: "End the time in which branches deleted until now can be restored", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writtenTo(cmd, said("branches deleted until now cannot be restored any more"), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.Sweep(ctx, spaceOf(cmd), &catalogapi.SweepParams{Wait: "applied"})
			})
		},
	}
}
