package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/internal/app"
	"github.com/tributary-data/tributary/internal/cli"
	"github.com/tributary-data/tributary/internal/config"
	"github.com/tributary-data/tributary/internal/heap"
	"github.com/tributary-data/tributary/internal/telemetry"
)

// drainTimeout bounds how long a process that was told to stop drains.
const drainTimeout = 30 * time.Second

func newRoleCommands() []*cobra.Command {
	return []*cobra.Command{
		newRoleCommand("serve", "Everything in one process: the log, the store, every role and the page", app.AllRoles()...),
		newRoleCommand("ingest", "HTTP in, events into the log", app.RoleIngest),
		newRoleCommand("parse", "Task definitions in, their lineage out", app.RoleParse),
		newRoleCommand("project", "Events in, rows of the store out", app.RoleProject),
		newBuildCommand(),
		newRoleCommand("query", "Answer questions and serve the page", app.RoleQuery),
	}
}

// newBuildCommand is the role when it is called by itself, and the commands
// for people below it.
func newBuildCommand() *cobra.Command {
	cmd := cli.NewBuildCommand()
	cmd.Short = "Run the role that drives builds; or, with a command, plan, run, watch and explain builds"
	asRole(cmd, app.RoleBuild)
	return cmd
}

func newRoleCommand(use, short string, roles ...app.Role) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	asRole(cmd, roles...)
	return cmd
}

// asRole makes a command run roles until it is told to stop.
func asRole(cmd *cobra.Command, roles ...app.Role) {
	var ready string
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runRoles(cmd, ready, roles) }
	config.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&ready, "ready-file", "", "file to write addresses to, as JSON, once the process answers")
}

func runRoles(cmd *cobra.Command, ready string, roles []app.Role) error {
	cfg, err := config.Load(cmd.Flags())
	if err != nil {
		return fmt.Errorf("the settings are not right:\n%w", err)
	}
	if check, _ := cmd.Flags().GetBool("check-config"); check {
		return printConfig(cmd.OutOrStdout(), cfg)
	}
	logger, err := telemetry.NewLogger(cmd.ErrOrStderr(), cfg.Telemetry)
	if err != nil {
		return err
	}
	defer heap.Room()()
	a, err := app.Start(cmd.Context(), cfg, roles, logger, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	err = announce(cmd.OutOrStdout(), ready, cmd.Name(), cfg, a)
	if err == nil {
		err = a.Wait(cmd.Context())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), drainTimeout)
	defer cancel()
	if stopErr := a.Stop(ctx); err == nil {
		err = stopErr
	}
	return err
}

// announce says what to open and how to stop.
func announce(w io.Writer, ready, use string, cfg config.Config, a *app.App) error {
	fmt.Fprintf(w, "tributary %s is ready\n", use)
	fmt.Fprintf(w, "  open   %s/\n", a.URL())
	fmt.Fprintf(w, "  Kafka  %s\n", strings.Join(a.Brokers(), ","))
	if store := a.StoreURL(); store != "" {
		fmt.Fprintf(w, "  store  %s/\n", store)
	}
	if len(cfg.Log.Brokers) == 0 || cfg.Store.DSN == "" {
		fmt.Fprintf(w, "  data   %s\n", cfg.Data)
	}
	fmt.Fprintln(w, "Stop it with Ctrl+C.")
	if ready == "" {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"url": a.URL(), "brokers": a.Brokers(), "store": a.StoreURL(), "pid": os.Getpid()})
	if err != nil {
		return fmt.Errorf("encoding the addresses: %w", err)
	}
	if err := writeWhole(ready, raw); err != nil {
		return fmt.Errorf("writing the ready file: %w", err)
	}
	return nil
}

// writeWhole writes a file whole or not at all: whoever waits for it, or reads it
// whenever it changes, never sees half.
func writeWhole(path string, raw []byte) error {
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func printConfig(w io.Writer, cfg config.Config) error {
	text, err := cfg.YAML()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "# The settings are right.\n%s", text)
	return err
}
