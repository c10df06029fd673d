package main

import (
	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/internal/cli"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "tributary",
		Short:         "Lineage and builds from the log of what happened",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddGroup(
		&cobra.Group{ID: "roles", Title: "Roles:"},
		&cobra.Group{ID: "people", Title: "Commands for people:"},
		&cobra.Group{ID: "admin", Title: "Administration:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("roles", append(newRoleCommands(), cli.NewRunCommand())...)
	add("people",
		cli.NewLineageCommand(), cli.NewSourceCommand(), cli.NewSQLCommand(), cli.NewEmitCommand(),
		cli.NewDatasetCommand(), cli.NewBranchCommand(), cli.NewTransactionCommand(), cli.NewPublishCommand(),
		newDemoCommand(),
	)
	add("admin", cli.NewDeadletterCommand(), newEngineCommand(), newTokenCommand(), newVersionCommand())
	return root
}
