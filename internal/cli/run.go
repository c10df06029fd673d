package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/builder/runner"
)

// NewRunCommand returns the command that runs jobs of builds.
func NewRunCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{ //nolint:gosec // the passwords in its help are examples
		Use:   "run",
		Short: "Claim jobs of builds and run them",
		Long: `Claim jobs of builds and run them, until it is told to stop.

The engine clickhouse-sql runs SQL on datasets that are versioned tables in
ClickHouse; name the server with --clickhouse. With 'tributary serve
--store-listen 127.0.0.1:8123' that is http://tributary:TOKEN@127.0.0.1:8123/.

The engine command starts a program that is registered here with --program, without
a shell. docs/runners.md describes what it reads and prints.`,
		Example: `  tributary run --space shop --clickhouse clickhouse://runner:secret@db:9000
  tributary run --space shop --program spark='/opt/jobs/spark-submit.py --queue etl' --location 's3://lake/{name}/{transaction}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	addServerFlag(cmd)
	addSpaceFlag(cmd)
	host, _ := os.Hostname()
	cmd.Flags().StringVar(&f.name, "name", host+"-"+uuid.NewString()[:8], "name of this runner")
	cmd.Flags().IntVar(&f.parallel, "parallel", 1, "jobs at a time")
	cmd.Flags().StringVar(&f.clickhouse, "clickhouse", os.Getenv("TRIBUTARY_RUN_CLICKHOUSE"), "ClickHouse where clickhouse-sql runs (TRIBUTARY_RUN_CLICKHOUSE)")
	cmd.Flags().StringArrayVar(&f.programs, "program", nil, "program for the engine command, as name='path argument…' (may be given often)")
	cmd.Flags().StringVar(&f.location, "location", "", "where programs put outputs; {namespace}, {name}, {branch}, {transaction} are filled in")
	cmd.Flags().StringArrayVar(&f.environment, "env", []string{"PATH", "HOME"}, "environment variable that programs get (may be given often)")
	cmd.Flags().DurationVar(&f.idle, "idle", 0, "end when no job was there for so long; 0 for never")
	return cmd
}

type runFlags struct {
	name, clickhouse, location string
	parallel                   int
	programs, environment      []string
	idle                       time.Duration
}

func (f *runFlags) run(cmd *cobra.Command) error {
	executors := map[string]runner.Executor{}
	if f.clickhouse != "" {
		options, err := clickhouse.ParseDSN(f.clickhouse)
		if err != nil {
			return fmt.Errorf("reading --clickhouse: %w", err)
		}
		conn, err := clickhouse.Open(options)
		if err != nil {
			return fmt.Errorf("opening ClickHouse: %w", err)
		}
		defer conn.Close()
		if err := conn.Ping(cmd.Context()); err != nil {
			return fmt.Errorf("reaching ClickHouse: %w", err)
		}
		executors["clickhouse-sql"] = runner.NewClickHouseExecutor(conn)
	}
	if len(f.programs) > 0 {
		programs, err := parsePrograms(f.programs)
		if err != nil {
			return err
		}
		command := &runner.CommandExecutor{Programs: programs, Location: f.location}
		for _, name := range f.environment {
			if v, ok := os.LookupEnv(name); ok {
				command.Environment = append(command.Environment, name+"="+v)
			}
		}
		executors["command"] = command
	}
	if len(executors) == 0 {
		return errors.New("nothing can be run: give --clickhouse or --program")
	}
	r, err := runner.New(runner.Config{
		Servers: strings.Split(ServerOf(cmd), ","), Space: spaceOf(cmd), Name: f.name, Executors: executors,
		Parallel: f.parallel, Client: Doer{}, Logger: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)), Idle: f.idle,
	})
	if err != nil {
		return err
	}
	return r.Run(cmd.Context())
}

// parsePrograms reads name='path argument…'. Arguments are cut at spaces and mean nothing else.
func parsePrograms(list []string) (map[string]runner.Program, error) {
	programs := map[string]runner.Program{}
	for _, s := range list {
		name, line, ok := strings.Cut(s, "=")
		words := strings.Fields(line)
		if !ok || name == "" || len(words) == 0 {
			return nil, fmt.Errorf("%q is not a program as name='path argument…'", s)
		}
		programs[name] = runner.Program{Path: words[0], Args: words[1:]}
	}
	return programs, nil
}
