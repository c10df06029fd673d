package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// NewTransactionCommand returns the commands for transactions.
func NewTransactionCommand() *cobra.Command {
	return group("transaction", "Open, fill, commit and abort transactions", transactionOpen(), transactionAdd(), transactionCommit(), transactionAbort(), transactionShow())
}

func transactionOpen() *cobra.Command {
	body := event.TransactionOpened{}
	cmd := &cobra.Command{
		Use: "open DATASET", Short: "Start a transaction on a branch and print its id", Args: cobra.ExactArgs(1),
		Example: `  t=$(tributary transaction open 'clickhouse://shop|shop.orders' --branch feature --type APPEND)`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := datasetArg(cmd, args[0])
			if err != nil {
				return err
			}
			body.Dataset = d
			return writtenTo(cmd, func(w catalogapi.Written) string { return w.Transaction }, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.OpenTransaction(ctx, spaceOf(cmd), &catalogapi.OpenTransactionParams{Wait: "applied"}, body)
			})
		},
	}
	cmd.Flags().StringVar(&body.Branch, "branch", event.MasterBranch, "branch")
	cmd.Flags().IntVar(&body.Incarnation, "incarnation", 0, "only this incarnation of the branch")
	cmd.Flags().StringVar(&body.Type, "type", event.TransactionAppend, "SNAPSHOT, APPEND, UPDATE or DELETE")
	return cmd
}

// manifestFlags are the ways to say what a transaction changes.
type manifestFlags struct {
	put, gone []string
	file      string
}

func (m *manifestFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&m.put, "put", nil, "file as path[=location[,rows[,bytes]]] (may be given often)")
	cmd.Flags().StringArrayVar(&m.gone, "delete", nil, "path of a file to remove (may be given often)")
	cmd.Flags().StringVar(&m.file, "manifest", "", "JSON file with put, delete, schema and inputs; - for standard input")
}

// read makes the manifest that the flags describe.
func (m *manifestFlags) read(cmd *cobra.Command, body *event.TransactionCommitted) error {
	if m.file != "" {
		in := cmd.InOrStdin()
		if m.file != "-" {
			f, err := os.Open(m.file)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		if err := json.NewDecoder(in).Decode(body); err != nil {
			return fmt.Errorf("reading the manifest: %w", err)
		}
	}
	for _, s := range m.put {
		f, err := parseFile(s)
		if err != nil {
			return err
		}
		body.Put = append(body.Put, f)
	}
	body.Delete = append(body.Delete, m.gone...)
	return nil
}

func parseFile(s string) (event.File, error) {
	path, rest, _ := strings.Cut(s, "=")
	f := event.File{Path: path}
	parts := strings.Split(rest, ",")
	f.Location = parts[0]
	for i, into := range []*int64{&f.Rows, &f.Bytes} {
		if len(parts) <= i+1 {
			continue
		}
		n, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil {
			return f, fmt.Errorf("%q is not a file as path=location,rows,bytes: %w", s, err)
		}
		*into = n
	}
	return f, nil
}

func transactionAdd() *cobra.Command {
	var manifest manifestFlags
	cmd := &cobra.Command{
		Use: "add TRANSACTION", Short: "Add a part of a long manifest to an open transaction", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all event.TransactionCommitted
			if err := manifest.read(cmd, &all); err != nil {
				return err
			}
			return writtenTo(cmd, said("%d files were added", len(all.Put)+len(all.Delete)), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.AddFiles(ctx, spaceOf(cmd), args[0], &catalogapi.AddFilesParams{Wait: "applied"}, event.TransactionFilesAdded{Manifest: all.Manifest})
			})
		},
	}
	manifest.add(cmd)
	return cmd
}

func transactionCommit() *cobra.Command {
	var manifest manifestFlags
	cmd := &cobra.Command{
		Use: "commit TRANSACTION", Short: "Close a transaction so that it counts", Args: cobra.ExactArgs(1),
		Example: `  tributary transaction commit "$t" --put part-0.parquet=s3://lake/part-0.parquet,1200,40960`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var body event.TransactionCommitted
			if err := manifest.read(cmd, &body); err != nil {
				return err
			}
			return writtenTo(cmd, said("transaction %s is committed", args[0]), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.CommitTransaction(ctx, spaceOf(cmd), args[0], &catalogapi.CommitTransactionParams{Wait: "applied"}, body)
			})
		},
	}
	manifest.add(cmd)
	return cmd
}

func transactionAbort() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "abort TRANSACTION", Short: "Close a transaction so that it never counts", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writtenTo(cmd, said("transaction %s is aborted", args[0]), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.AbortTransaction(ctx, spaceOf(cmd), args[0], &catalogapi.AbortTransactionParams{Wait: "applied"}, event.TransactionAborted{Reason: reason})
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	return cmd
}

func transactionShow() *cobra.Command {
	return &cobra.Command{
		Use: "show TRANSACTION", Short: "Show a transaction, what it was made from and who shows it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.GetTransaction(ctx, spaceOf(cmd), args[0], &catalogapi.GetTransactionParams{})
			}, showTransaction)
		},
	}
}

func showTransaction(w io.Writer, x catalogapi.Transaction) error {
	fmt.Fprintf(w, "%s of %s|%s\n  %s, %s, started on %s at %s by %s\n", x.Id, x.Dataset.Namespace, x.Dataset.Name, x.Type, x.State, x.Branch, x.OpenedAt.Format("2006-01-02 15:04:05"), dash(x.Actor))
	if x.Build != "" {
		fmt.Fprintf(w, "  made by job %s of build %s\n", x.JobSpec, x.Build)
	}
	if x.Reason != "" {
		fmt.Fprintf(w, "  %s\n", x.Reason)
	}
	fmt.Fprintf(w, "  shown by: %s\n", dash(strings.Join(x.ShownBy, ", ")))
	for _, in := range x.Inputs {
		line := fmt.Sprintf("  made from %s|%s at %s", in.Dataset.Namespace, in.Dataset.Name, dash(in.Transaction))
		if in.Since != "" {
			line += ", only what came after " + in.Since
		}
		fmt.Fprintln(w, line)
	}
	return nil
}
