package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

// NewSourceCommand gives 'tributary source': what sources there are, and what
// is the same as what.
func NewSourceCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "source", Short: "Register sources and say which are one"}
	AddServerFlags(cmd)
	cmd.AddCommand(newSourceListCommand(), newSourceAddCommand(), newSourceWhyCommand(), newSourceMergeCommand(), newSourceUnmergeCommand())
	return cmd
}

func newSourceListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List sources and mappings", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			r, err := client.ListSourcesWithResponse(cmd.Context())
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			w := cmd.OutOrStdout()
			t := NewTable(w, "id", "engine", "addresses", "shown as", "same as", "nodes")
			for _, s := range r.JSON200.Sources {
				t.AppendRow([]any{s.Id, s.Engine, strings.Join(s.Addresses, " "), s.Canonical, strings.Join(s.SameAs, " "), s.Nodes})
			}
			t.Render()
			if len(r.JSON200.Mappings) == 0 {
				return nil
			}
			fmt.Fprintln(w)
			m := NewTable(w, "mapping", "what is named", "is", "who", "why")
			for _, x := range r.JSON200.Mappings {
				m.AppendRow([]any{x.Id, x.Namespace + " " + x.Prefix, x.CanonicalNamespace + " " + x.CanonicalPrefix, x.Who, x.Why})
			}
			m.Render()
			return nil
		},
	}
}

func newSourceAddCommand() *cobra.Command {
	var s lineageapi.SourceChange
	cmd := &cobra.Command{
		Use: "add ID ADDRESS…", Short: "Register a source, or change what is registered", Args: cobra.MinimumNArgs(2),
		Example: "  tributary source add shop mysql://db.internal:3306 --engine mysql",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			s.Id, s.Addresses = args[0], args[1:]
			if s.Engine == "" {
				s.Engine, _, _ = strings.Cut(args[1], "://")
			}
			r, err := client.AddSourceWithResponse(cmd.Context(), s)
			if err := answered(r, err); err != nil {
				return err
			}
			return tellChanged(cmd, r.JSON200)
		},
	}
	cmd.Flags().StringVar(&s.Engine, "engine", "", "engine (the scheme of the first address)")
	cmd.Flags().StringVar(&s.Name, "name", "", "name for people (the id)")
	return cmd
}

func tellChanged(cmd *cobra.Command, c *lineageapi.Changed) error {
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), c)
	}
	printChanged(cmd.OutOrStdout(), c)
	return nil
}

func newSourceWhyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "why A B", Short: "Explain why two names are, or are not, one node", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			r, err := client.WhySourcesWithResponse(cmd.Context(), &lineageapi.WhySourcesParams{A: args[0], B: args[1]})
			if err := answered(r, err); err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), r.JSON200)
			}
			w := cmd.OutOrStdout()
			answer := "No"
			if r.JSON200.Same {
				answer = "Yes"
			}
			fmt.Fprintf(w, "%s: %s.\n", answer, r.JSON200.Explanation)
			for _, trace := range []lineageapi.KeyTrace{r.JSON200.A, r.JSON200.B} {
				fmt.Fprintln(w, "\n"+trace.Key)
				for _, s := range trace.Steps {
					by := s.By
					if s.Who != "" {
						by += " by " + s.Who
					}
					fmt.Fprintf(w, "  → %s  (%s %s)\n", s.To, s.Rule, by)
				}
			}
			return nil
		},
	}
}

func newSourceMergeCommand() *cobra.Command {
	var m lineageapi.Mapping
	cmd := &cobra.Command{
		Use: "merge NAMESPACE CANONICAL", Short: "Say that what is named in one place is what is named in another", Args: cobra.ExactArgs(2),
		Example: "  tributary source merge hive://metastore:9083 mysql://db:3306 --prefix shop. --canonical-prefix shop.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			m.Namespace, m.CanonicalNamespace = args[0], args[1]
			r, err := client.MergeSourcesWithResponse(cmd.Context(), m)
			if err := answered(r, err); err != nil {
				return err
			}
			return tellChanged(cmd, r.JSON200)
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.Id, "id", "", "id of the mapping (one is made)")
	f.StringVar(&m.Prefix, "prefix", "", "beginning of the names that are meant")
	f.StringVar(&m.CanonicalPrefix, "canonical-prefix", "", "what stands in its place")
	f.BoolVar(&m.Exact, "exact", false, "the prefixes are whole names")
	f.BoolVar(&m.IgnoreCase, "ignore-case", false, "compare names without case")
	f.StringVar(&m.Who, "who", "", "who says so (whoever the token is of)")
	f.StringVar(&m.Why, "why", "", "why")
	return cmd
}

func newSourceUnmergeCommand() *cobra.Command {
	var p lineageapi.UnmergeSourcesParams
	cmd := &cobra.Command{
		Use: "unmerge MAPPING", Short: "Take a mapping back", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := lineageClient(cmd)
			if err != nil {
				return err
			}
			p.Id = args[0]
			r, err := client.UnmergeSourcesWithResponse(cmd.Context(), &p)
			if err := answered(r, err); err != nil {
				return err
			}
			return tellChanged(cmd, r.JSON200)
		},
	}
	cmd.Flags().StringVar(&p.Who, "who", "", "who says so (whoever the token is of)")
	cmd.Flags().StringVar(&p.Why, "why", "", "why")
	return cmd
}
