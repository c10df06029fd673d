package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what the build noted of the source, with what it was built by and
// for.
func version() string {
	source := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		source = info.Main.Version
	}
	return fmt.Sprintf("tributary %s %s %s/%s", source, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
}
