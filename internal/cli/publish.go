package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/builder/specfile"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// NewPublishCommand returns the command that publishes the job specs of a working tree.
func NewPublishCommand() *cobra.Command {
	var p publication
	cmd := &cobra.Command{
		Use:   "publish DIR",
		Short: "Publish the job specs of a working tree for its branch",
		Long: `Publish the job specs of a working tree for its branch.

SQL files with a header and YAML files are job specs (docs/branches.md). Branch and
commit are git's, or named with --branch and --commit; a commit that the tree
differs from is marked -dirty. In one step specs are added
and changed, those whose files are gone are removed, and what the base branch makes
but this tree does not is withdrawn, so that it does not show again here.`,
		Example: `  tributary publish . --base master --dry-run`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.namespace, _ = cmd.Flags().GetString("namespace")
			return p.run(cmd, args[0])
		},
	}
	addCatalogFlags(cmd)
	cmd.Flags().StringVar(&p.branch, "branch", "", "branch to publish for (git's unless given)")
	cmd.Flags().StringVar(&p.commit, "commit", "", "revision of the code (git's unless given)")
	cmd.Flags().StringVar(&p.base, "base", event.MasterBranch, "branch that this one falls back on; what it makes and the tree does not is withdrawn")
	cmd.Flags().StringVar(&p.engine, "engine", "clickhouse-sql", "engine of specs that name none")
	cmd.Flags().StringVar(&p.dialect, "dialect", "clickhouse", "SQL dialect of specs that name none")
	cmd.Flags().BoolVar(&p.dry, "dry-run", false, "show what would change")
	return cmd
}

// dirty marks a commit that the tree differs from, as git describe does.
const dirty = "-dirty"

type publication struct {
	branch, commit, base, engine, dialect, namespace string
	dry                                              bool
}

func (p *publication) run(cmd *cobra.Command, dir string) error {
	ctx := cmd.Context()
	if err := p.askGit(ctx, dir); err != nil {
		return err
	}
	specs, err := specfile.Read(os.DirFS(dir), specfile.Options{Namespace: p.namespace, Engine: p.engine, Dialect: p.dialect})
	if err != nil {
		return err
	}
	c, err := catalogClient(cmd)
	if err != nil {
		return err
	}
	now, err := specsOf(ctx, c, spaceOf(cmd), p.branch)
	if err != nil {
		return err
	}
	if p.base != "" && p.base != p.branch {
		base, err := specsOf(ctx, c, spaceOf(cmd), p.base)
		if err != nil {
			return err
		}
		specs = append(specs, specfile.Hide(specs, base)...)
	}
	changes := compare(now, specs)
	if WantsJSON(cmd) && p.dry {
		return PrintJSON(cmd.OutOrStdout(), changes)
	}
	if len(changes) == 0 && !p.dry {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "branch %s has these %d job specs already\n", p.branch, len(specs))
		return err
	}
	for _, line := range changes {
		if !WantsJSON(cmd) {
			fmt.Fprintln(cmd.OutOrStdout(), line)
		}
	}
	if p.dry {
		return nil
	}
	w, err := answerOf[catalogapi.Written](c.PublishJobSpecs(ctx, spaceOf(cmd), &catalogapi.PublishJobSpecsParams{Wait: "applied"},
		event.JobSpecPublished{Branch: p.branch, Commit: p.commit, Specs: specs, Complete: true}))
	if err != nil {
		return err
	}
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), w)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "branch %s has %d job specs of commit %s\n", p.branch, len(specs), dash(p.commit))
	return err
}

// askGit fills in branch and commit from the working tree.
func (p *publication) askGit(ctx context.Context, dir string) error {
	if p.branch == "" {
		out, err := git(ctx, dir, "rev-parse", "--abbrev-ref", "HEAD")
		switch {
		case err != nil:
			return fmt.Errorf("asking git for the branch (or name it with --branch): %w", err)
		case out == "HEAD":
			return errors.New("no branch is checked out here: name it with --branch")
		}
		p.branch = out
	}
	if p.commit == "" {
		// A tree without git, or without a commit, is published without one.
		if p.commit, _ = git(ctx, dir, "rev-parse", "HEAD"); p.commit != "" {
			changed, err := git(ctx, dir, "status", "--porcelain", "--", ".")
			if err != nil {
				return fmt.Errorf("asking git for changes: %w", err)
			}
			if changed != "" {
				p.commit += dirty
			}
		}
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output() //nolint:gosec // a folder that the caller names
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// specsOf asks for the job specs of a branch; in a space where nothing is yet, there are none.
func specsOf(ctx context.Context, c *catalogapi.Client, space, branch string) ([]event.JobSpec, error) {
	list, err := answerOf[[]catalogapi.PublishedSpec](c.ListJobSpecs(ctx, space, &catalogapi.ListJobSpecsParams{Branch: branch}))
	var refused *RefusedError
	if errors.As(err, &refused) && refused.Code == "SpaceNotFound" {
		return nil, nil
	}
	specs := make([]event.JobSpec, len(list))
	for i := range list {
		specs[i] = list[i].Spec
	}
	return specs, err
}

// compare says in lines what publishing changes.
func compare(now, next []event.JobSpec) []string {
	var lines []string
	old := map[string]event.JobSpec{}
	for _, spec := range now {
		old[spec.ID] = spec
	}
	for _, spec := range next {
		was, known := old[spec.ID]
		delete(old, spec.ID)
		switch {
		case spec.Withdrawn && !was.Withdrawn:
			lines = append(lines, "withdraw "+spec.ID)
		case !known:
			lines = append(lines, "add      "+spec.ID)
		case !reflect.DeepEqual(was, spec):
			lines = append(lines, "change   "+spec.ID)
		}
	}
	for _, spec := range now {
		if _, gone := old[spec.ID]; gone {
			lines = append(lines, "remove   "+spec.ID)
		}
	}
	return lines
}
