package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// exitFailed is the exit code when a build ends without success.
const exitFailed = 3

// NewBuildCommand returns the commands for builds.
func NewBuildCommand() *cobra.Command {
	return group("build", "Plan, run, watch and explain builds", buildPlan(), buildApply(), buildRun(), buildAbort(), buildWatch(), buildWhy(), buildList())
}

// requestFlags say what is to be built.
type requestFlags struct {
	event.BuildRequested
	from []string
}

func (f *requestFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Branch, "branch", event.MasterBranch, "build branch")
	cmd.Flags().StringSliceVar(&f.Fallbacks, "fallback", nil, "fallbacks, in order")
	cmd.Flags().StringVar(&f.Mode, "mode", event.TargetOnly, "only the targets; upstream: everything upstream of them too; between: what lies between --from and them")
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "datasets where between begins")
	cmd.Flags().BoolVar(&f.Force, "force", false, "run fresh jobs too")
	cmd.Flags().IntVar(&f.Retries, "retries", 0, "how often a failed job is tried again")
	cmd.Flags().BoolVar(&f.AbortOnFailure, "abort-on-failure", false, "end the independent jobs too when one fails")
	cmd.Flags().IntVar(&f.MaxParallel, "parallel", 0, "jobs that may run at a time; 0 for no bound")
	cmd.Flags().IntVar(&f.MaxJobs, "max-jobs", 0, "most jobs of the plan, 20000 unless given")
}

func (f *requestFlags) read(cmd *cobra.Command, targets []string) error {
	var err error
	if f.Targets, err = datasetArgs(cmd, targets); err != nil {
		return err
	}
	f.From, err = datasetArgs(cmd, f.from)
	return err
}

func buildPlan() *cobra.Command {
	var f requestFlags
	cmd := &cobra.Command{
		Use: "plan DATASET…", Short: "Show what a build would do; nothing changes", Args: cobra.MinimumNArgs(1),
		Long:    "Show what a build would do, and why; nothing changes.\n\nThe exit code is 3 when the build would be refused.",
		Example: `  tributary build plan --branch feature --fallback master --mode upstream 'clickhouse://shop|shop.c'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.read(cmd, args); err != nil {
				return err
			}
			c, err := catalogClient(cmd)
			if err != nil {
				return err
			}
			p, err := answerOf[catalogapi.Plan](c.PlanBuild(cmd.Context(), spaceOf(cmd), &catalogapi.PlanBuildParams{}, f.BuildRequested))
			if err != nil {
				return err
			}
			if WantsJSON(cmd) {
				err = PrintJSON(cmd.OutOrStdout(), p)
			} else {
				err = ShowPlan(cmd.OutOrStdout(), p)
			}
			if err == nil && len(p.Refusals) > 0 {
				return ExitError{Code: exitFailed}
			}
			return err
		},
	}
	f.add(cmd)
	return cmd
}

// ShowPlan prints a plan for people: every job with its state and reason, what it reads, the branches that
// would be made, what it would wait for and why it cannot be.
func ShowPlan(w io.Writer, p catalogapi.Plan) error {
	for _, job := range p.Jobs {
		line := fmt.Sprintf("%-4s %s  (spec of %s)  %s", job.State, job.Spec, job.SpecBranch, job.Reason)
		if job.Incremental {
			line += "; reads only what is new"
		}
		fmt.Fprintln(w, line)
		for _, in := range job.Inputs {
			fmt.Fprintf(w, "       reads  %s  %s\n", inputText(in), in.Reason)
		}
		for _, out := range job.Outputs {
			if job.State == "RUN" {
				fmt.Fprintf(w, "       writes %s on %s as %s\n", out.Dataset.Name, out.Branch, out.Type)
			}
		}
	}
	for _, n := range p.Creates {
		from := "as a root"
		if n.From != "" {
			from = fmt.Sprintf("from %s at %s", n.From, dash(short(n.Transaction)))
		}
		fmt.Fprintf(w, "creates branch %s of %s %s\n", n.Branch, n.Dataset.Name, from)
	}
	for _, k := range p.Blockers {
		fmt.Fprintf(w, "would wait: %s\n", k.Reason)
	}
	for _, r := range p.Refusals {
		fmt.Fprintf(w, "refused: %s (%s)\n", r.Message, r.Code)
	}
	if p.Digest != "" {
		fmt.Fprintf(w, "plan %s\n", p.Digest)
	}
	return nil
}

func inputText(in catalogapi.JobInput) string {
	switch {
	case in.Space != "":
		return in.Dataset.Name + " of space " + in.Space
	case in.Transaction == "":
		return in.Dataset.Name
	}
	s := fmt.Sprintf("%s on %s at %s", in.Dataset.Name, in.Branch, short(in.Transaction))
	if in.Since != "" {
		s += " since " + short(in.Since)
	}
	return s
}

func buildApply() *cobra.Command {
	var f requestFlags
	var watch bool
	cmd := &cobra.Command{
		Use: "apply --plan DIGEST DATASET…", Short: "Run exactly the plan that was shown", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.PlanDigest == "" {
				return errors.New("name the plan with --plan: 'tributary build plan' prints its digest")
			}
			return request(cmd, &f, args, watch)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.PlanDigest, "plan", "", "digest of the plan")
	cmd.Flags().BoolVar(&watch, "watch", true, "show the jobs as they go")
	return cmd
}

func buildRun() *cobra.Command {
	var f requestFlags
	var watch bool
	cmd := &cobra.Command{
		Use: "run DATASET…", Short: "Build datasets", Args: cobra.MinimumNArgs(1),
		Long:    "Build datasets, and show the jobs until the build ends.\n\nThe exit code is 3 when the build is refused or ends without success.",
		Example: `  tributary build run --branch feature --fallback master --mode upstream 'clickhouse://shop|shop.c'`,
		RunE:    func(cmd *cobra.Command, args []string) error { return request(cmd, &f, args, watch) },
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.Build, "id", "", "id of the build; one is made unless given")
	cmd.Flags().BoolVar(&watch, "watch", true, "show the jobs as they go")
	return cmd
}

// request asks for a build and watches it.
func request(cmd *cobra.Command, f *requestFlags, targets []string, watch bool) error {
	if err := f.read(cmd, targets); err != nil {
		return err
	}
	c, err := catalogClient(cmd)
	if err != nil {
		return err
	}
	w, err := answerOf[catalogapi.Written](c.RequestBuild(cmd.Context(), spaceOf(cmd), &catalogapi.RequestBuildParams{Wait: "applied"}, f.BuildRequested))
	if refused, ok := errors.AsType[*RefusedError](err); ok && len(refused.told().Refusals) > 0 {
		return ExitError{Code: exitFailed, Err: err}
	}
	if err != nil {
		return err
	}
	if WantsJSON(cmd) && !watch {
		return PrintJSON(cmd.OutOrStdout(), w)
	}
	if !watch {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", w.Build.Id, w.Build.State)
		return err
	}
	return follow(cmd, c, w.Build)
}

func buildAbort() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "abort BUILD", Short: "End a build", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writtenTo(cmd, said("build %s is being ended", args[0]), func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.AbortBuild(ctx, spaceOf(cmd), args[0], &catalogapi.AbortBuildParams{Wait: "applied"}, event.BuildAborted{Reason: reason})
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	return cmd
}

func buildWatch() *cobra.Command {
	return &cobra.Command{
		Use: "watch BUILD", Short: "Show the jobs of a build as they go, until it ends", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := catalogClient(cmd)
			if err != nil {
				return err
			}
			b, err := answerOf[catalogapi.Build](c.GetBuild(cmd.Context(), spaceOf(cmd), args[0], &catalogapi.GetBuildParams{}))
			if err != nil {
				return err
			}
			return follow(cmd, c, b)
		},
	}
}

// follow prints each change of a build until it ends. Without success the exit code is 3.
func follow(cmd *cobra.Command, c *catalogapi.Client, b catalogapi.Build) error {
	out := cmd.OutOrStdout()
	shown := map[string]string{}
	tell := func(key, line string) {
		if shown[key] != line && !WantsJSON(cmd) {
			shown[key] = line
			fmt.Fprintln(out, line)
		}
	}
	for {
		tell("", fmt.Sprintf("build %s on %s is %s", b.Id, b.Branch, b.State))
		for _, r := range b.Refusals {
			tell("refused "+r.Message, fmt.Sprintf("  refused: %s (%s)", r.Message, r.Code))
		}
		for _, k := range b.Blockers {
			tell("waits "+k.Reason, "  waits: "+k.Reason)
		}
		for _, j := range b.Jobs {
			tell(strconv.Itoa(j.Index), jobLine(j))
		}
		if b.State != "QUEUED" && b.State != "RUNNING" {
			break
		}
		since := b.Changed + 1
		var err error
		if b, err = answerOf[catalogapi.Build](c.GetBuild(cmd.Context(), spaceOf(cmd), b.Id, &catalogapi.GetBuildParams{ChangedSince: &since})); err != nil {
			return err
		}
	}
	if WantsJSON(cmd) {
		if err := PrintJSON(out, b); err != nil {
			return err
		}
	}
	if b.State != "SUCCEEDED" {
		return ExitError{Code: exitFailed}
	}
	return nil
}

func jobLine(j catalogapi.Job) string {
	line := fmt.Sprintf("  %-13s %s", j.State, j.Spec)
	if n := len(j.Attempts); n > 0 {
		line += fmt.Sprintf("  attempt %d by %s", n, dash(j.Attempts[n-1].Runner))
	}
	if j.Message != "" {
		line += "  " + j.Message
	}
	return line
}

func buildList() *cobra.Command {
	var params catalogapi.ListBuildsParams
	cmd := &cobra.Command{
		Use: "list", Short: "Show builds, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.ListBuilds(ctx, spaceOf(cmd), &params)
			}, func(w io.Writer, list []catalogapi.Build) error {
				t := NewTable(w, "build", "state", "branch", "targets", "by", "asked for")
				for _, b := range list {
					t.AppendRow(table.Row{b.Id, b.State, strings.Join(append([]string{b.Branch}, b.Fallbacks...), " → "), targetsText(b.Targets), dash(b.RequestedBy), b.RequestedAt.Format("2006-01-02 15:04:05")})
				}
				t.Render()
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&params.State, "state", "", "only builds in this state")
	cmd.Flags().IntVar(&params.Limit, "limit", 0, "builds to show, 100 unless given")
	return cmd
}

func targetsText(list []event.CatalogDataset) string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}

func buildWhy() *cobra.Command {
	return &cobra.Command{
		Use: "why BUILD [JOB]", Short: "Explain a build: why it is queued or refused, why each job runs or not, why it reads what it reads", Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return asked(cmd, func(ctx context.Context, c *catalogapi.Client) (*http.Response, error) {
				return c.GetBuild(ctx, spaceOf(cmd), args[0], &catalogapi.GetBuildParams{})
			}, func(w io.Writer, b catalogapi.Build) error {
				job := ""
				if len(args) > 1 {
					job = args[1]
				}
				return showWhy(w, b, job)
			})
		},
	}
}

func showWhy(w io.Writer, b catalogapi.Build, spec string) error {
	fmt.Fprintf(w, "build %s on %s is %s\n", b.Id, strings.Join(append([]string{b.Branch}, b.Fallbacks...), " → "), b.State)
	for _, r := range b.Refusals {
		fmt.Fprintf(w, "  refused: %s (%s)\n", r.Message, r.Code)
	}
	for _, k := range b.Blockers {
		fmt.Fprintf(w, "  waits: %s\n", k.Reason)
	}
	if b.AbortReason != "" {
		fmt.Fprintf(w, "  aborted: %s\n", b.AbortReason)
	}
	jobs := b.Jobs
	if spec != "" {
		if jobs = slices.DeleteFunc(slices.Clone(jobs), func(j catalogapi.Job) bool { return j.Spec != spec }); len(jobs) == 0 {
			return fmt.Errorf("build %s has no job %s", b.Id, spec)
		}
	}
	for _, j := range jobs {
		verb := "writes"
		if j.State == "SKIPPED" {
			verb = "leaves"
		}
		fmt.Fprintf(w, "%s\n    spec of branch %s; %s\n", jobLine(j), j.SpecBranch, j.Reason)
		for _, in := range j.Inputs {
			fmt.Fprintf(w, "    reads %s: %s\n", inputText(in), in.Reason)
		}
		for _, out := range j.Outputs {
			fmt.Fprintf(w, "    %s %s on %s, transaction %s as %s\n", verb, out.Dataset.Name, dash(out.Branch), dash(short(out.Transaction)), out.Type)
		}
		for _, a := range j.Attempts {
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("    attempt %d by %s: %s %s", a.Number, dash(a.Runner), a.State, a.Message), " "))
		}
	}
	return nil
}
