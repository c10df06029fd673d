package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/internal/engine"
)

func newEngineCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "engine", Short: "The embedded ClickHouse engine"}
	cmd.AddCommand(&cobra.Command{
		Use:   "fetch",
		Short: "Bring the engine's library into the user's cache, and print where it is",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := engine.Fetch(cmd.Context(), engine.FetchConfig{Progress: cmd.ErrOrStderr()})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	})
	return cmd
}
