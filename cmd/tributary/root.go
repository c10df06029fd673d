package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/internal/cli"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tributary",
		Short: "Lineage and builds from the log of what happened",
		Long: `Lineage and builds from the log of what happened.

Exit codes: 0 is done; 1 is failed; 3 is answered, and the answer is bad news:
'lineage impact' found what breaks, a build is refused or did not succeed.`,
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
	root.Version = version()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(usageError)
	explain(root)
	return root
}

// explain makes every command say how it is used when it is called wrongly,
// and commands that only hold others refuse a word that is none of them.
func explain(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		explain(child)
	}
	if cmd.HasParent() && cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = unknownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		cmd.DisableFlagsInUseLine = true
	}
	cmd.SuggestionsMinimumDistance = 2
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return usageError(cmd, check(cmd, args)) }
	}
}

// usageError adds to what is wrong how the command is used.
func usageError(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\nUsage: %s\n'%s --help' tells more", err, cmd.UseLine(), cmd.CommandPath())
}

// unknownCommand refuses any argument, and names commands like it.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		return fmt.Errorf("unknown command %q for %q; did you mean %s?", args[0], cmd.CommandPath(), strings.Join(like, " or "))
	}
	return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
}
