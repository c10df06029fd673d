package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// What the commands of the catalog share: the space, names of datasets, and how answers are read.

// defaultSpace is the space where none is named.
const defaultSpace = "default"

func envOr(name, fallback string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return fallback
}

// addCatalogFlags gives a command, and those below it, --space and --namespace beside --server and --json.
func addCatalogFlags(cmd *cobra.Command) {
	AddServerFlags(cmd)
	addSpaceFlag(cmd)
	cmd.PersistentFlags().String("namespace", os.Getenv("TRIBUTARY_NAMESPACE"), "namespace of datasets that are named without one (TRIBUTARY_NAMESPACE)")
}

func addSpaceFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().String("space", envOr("TRIBUTARY_SPACE", defaultSpace), "space of the datasets (TRIBUTARY_SPACE)")
}

func spaceOf(cmd *cobra.Command) string {
	s, _ := cmd.Flags().GetString("space")
	return s
}

func catalogClient(cmd *cobra.Command) (*catalogapi.Client, error) {
	return catalogapi.NewClient(ServerOf(cmd), catalogapi.WithHTTPClient(Doer{}))
}

// datasetArg reads the name of a dataset: namespace|name, dataset|namespace|name as the lineage writes it,
// or a name alone with --namespace.
func datasetArg(cmd *cobra.Command, s string) (event.CatalogDataset, error) {
	namespace, _ := cmd.Flags().GetString("namespace")
	return parseDataset(s, namespace)
}

func parseDataset(s, namespace string) (event.CatalogDataset, error) {
	s = strings.TrimSpace(s)
	parts := strings.Split(s, "|")
	switch {
	case len(parts) == 3 && parts[0] == "dataset":
		return event.CatalogDataset{Namespace: parts[1], Name: parts[2]}, nil
	case len(parts) == 2:
		return event.CatalogDataset{Namespace: parts[0], Name: parts[1]}, nil
	case len(parts) == 1 && namespace != "":
		return event.CatalogDataset{Namespace: namespace, Name: s}, nil
	case len(parts) == 1:
		return event.CatalogDataset{}, fmt.Errorf("the dataset %q has no namespace: write 'namespace|name', or give --namespace", s)
	}
	return event.CatalogDataset{}, fmt.Errorf("%q is not the name of a dataset: write 'namespace|name'", s)
}

func datasetArgs(cmd *cobra.Command, list []string) ([]event.CatalogDataset, error) {
	var out []event.CatalogDataset
	for _, s := range list {
		d, err := datasetArg(cmd, s)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// answerOf reads an answer, or the server's reason for none.
func answerOf[T any](resp *http.Response, err error) (T, error) {
	var v T
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return v, fmt.Errorf("reading the server's answer: %w", err)
	}
	if resp.StatusCode >= 300 {
		return v, FailureOf(resp.StatusCode, body)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, fmt.Errorf("reading the server's answer: %w", err)
	}
	return v, nil
}

// writtenTo runs an operation that writes and says in a line what it did.
func writtenTo(cmd *cobra.Command, did func(catalogapi.Written) string, call func(ctx context.Context, c *catalogapi.Client) (*http.Response, error)) error {
	c, err := catalogClient(cmd)
	if err != nil {
		return err
	}
	w, err := answerOf[catalogapi.Written](call(cmd.Context(), c))
	if err != nil {
		return err
	}
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), w)
	}
	line := did(w)
	if w.Repeat {
		line += " (it was asked for before; this is what came of it then)"
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

// asked runs a question and prints its answer, as JSON or by show.
func asked[T any](cmd *cobra.Command, call func(ctx context.Context, c *catalogapi.Client) (*http.Response, error), show func(io.Writer, T) error) error {
	c, err := catalogClient(cmd)
	if err != nil {
		return err
	}
	v, err := answerOf[T](call(cmd.Context(), c))
	if err != nil {
		return err
	}
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), v)
	}
	return show(cmd.OutOrStdout(), v)
}

// said is writtenTo's did for operations of which nothing more can be told.
func said(format string, args ...any) func(catalogapi.Written) string {
	return func(catalogapi.Written) string { return fmt.Sprintf(format, args...) }
}

// group makes a command that holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	addCatalogFlags(cmd)
	cmd.AddCommand(children...)
	return cmd
}

// short is the beginning of a transaction's id, enough for people.
func short(id string) string {
	if len(id) == 36 {
		return id[:8] + "…" + id[32:]
	}
	return id
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
