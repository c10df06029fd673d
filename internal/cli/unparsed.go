package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

func newUnparsedCommand() *cobra.Command {
	var p lineageapi.GetUnparsedParams
	cmd := &cobra.Command{
		Use: "unparsed [TASK]", Short: "List statements that could not be parsed, whose lineage may be missing", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				p.Node = args[0]
			}
			r, err := client.GetUnparsedWithResponse(cmd.Context(), &p)
			if err := answered(r, err); err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if WantsJSON(cmd) {
				return PrintJSON(w, r.JSON200)
			}
			if len(r.JSON200.Errors) == 0 {
				fmt.Fprintln(w, "Every statement was parsed.")
				return nil
			}
			printErrors(w, r.JSON200.Errors)
			fmt.Fprintf(w, "\n%d in all.", r.JSON200.Total)
			printCursor(w, r.JSON200.Cursor)
			return nil
		},
	}
	cmd.Flags().StringVar(&p.Kind, "kind", "", "only errors of a kind, such as syntax or unresolved (docs/sql.md)")
	cmd.Flags().IntVar(&p.Limit, "limit", 100, "errors a page")
	cmd.Flags().StringVar(&p.Cursor, "cursor", "", "go on after a page")
	return cmd
}
