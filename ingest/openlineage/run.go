package openlineage

import (
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// runState is what a RunEvent's type means.
type runState struct {
	eventType string
	wrap      func(event.Run) any
	ended     bool
	completed bool
}

// stateOf reads an eventType. RUNNING and OTHER, and none, say that the run
// goes on.
func stateOf(eventType string) (runState, error) {
	switch strings.ToUpper(eventType) {
	case "START", "RUNNING", "OTHER", "":
		return runState{eventType: event.TypeRunStarted, wrap: func(r event.Run) any { return &event.RunStarted{Run: r} }}, nil
	case "COMPLETE":
		return runState{eventType: event.TypeRunCompleted, wrap: func(r event.Run) any { return &event.RunCompleted{Run: r} }, ended: true, completed: true}, nil
	case "FAIL":
		return runState{eventType: event.TypeRunFailed, wrap: func(r event.Run) any { return &event.RunFailed{Run: r} }, ended: true}, nil
	case "ABORT":
		return runState{eventType: event.TypeRunAborted, wrap: func(r event.Run) any { return &event.RunAborted{Run: r} }, ended: true}, nil
	}
	return runState{}, fmt.Errorf("%w: eventType %q is none of START, RUNNING, COMPLETE, ABORT, FAIL, OTHER", ErrInvalid, eventType)
}

type parentFacet struct {
	runOfJob

	Root *runOfJob `json:"root"`
}

// runOfJob names a run and its job.
type runOfJob struct {
	Run run `json:"run"`
	Job job `json:"job"`
}

// parent gives the run as Tributary names it, nil if it has no job.
func (r *runOfJob) parent() *event.ParentRun {
	if r == nil || r.Job.Name == "" {
		return nil
	}
	return &event.ParentRun{RunID: r.Run.RunID, Task: event.Task{Namespace: r.Job.Namespace, ID: r.Job.Name}}
}

type nominalTime struct {
	NominalStartTime string `json:"nominalStartTime"`
	NominalEndTime   string `json:"nominalEndTime"`
}

type errorMessage struct {
	Message             string `json:"message"`
	ProgrammingLanguage string `json:"programmingLanguage"`
	StackTrace          string `json:"stackTrace"`
}

// runData converts what a RunEvent says of the run.
func (c *converter) runData(task event.Task, state runState) (r event.Run, err error) {
	r = event.Run{RunID: c.Run.RunID, Task: task}
	if !c.at.IsZero() {
		at := c.at
		switch {
		case state.ended:
			r.Ended = &at
		case strings.EqualFold(c.EventType, "START"):
			r.Started = &at
		}
	}
	f := c.Run.Facets
	if r.Parent, err = readParent(f); err != nil {
		return r, err
	}
	nominal, err := read[nominalTime](f, facetNominalTime)
	if err != nil {
		return r, err
	}
	if nominal != nil {
		r.NominalStart, r.NominalEnd = optionalTime(nominal.NominalStartTime), optionalTime(nominal.NominalEndTime)
	}
	failure, err := read[errorMessage](f, facetErrorMessage)
	if err != nil {
		return r, err
	}
	if failure != nil {
		r.Error = &event.RunError{Message: failure.Message, Language: failure.ProgrammingLanguage, Stack: failure.StackTrace}
	}
	r.Facets = f.others(facetNominalTime, facetErrorMessage) // a parent may have facets too
	if r.About, err = c.aboutJob(); err != nil {
		return r, err
	}
	r.Inputs, r.Outputs, err = c.dataFlow()
	return r, err
}

// readParent reads the parent run, under its present name or its old one.
func readParent(f facets) (*event.ParentRun, error) {
	p, err := read[parentFacet](f, facetParent)
	if err == nil && p == nil {
		p, err = read[parentFacet](f, facetParentOld)
	}
	if err != nil || p == nil {
		return nil, err
	}
	out := p.parent()
	if out != nil {
		out.Root = p.Root.parent()
	}
	return out, nil
}

type sqlFacet struct {
	Query   string `json:"query"`
	Dialect string `json:"dialect"`
}

type sourceCode struct {
	Language   string `json:"language"`
	SourceCode string `json:"sourceCode"`
}

type jobType struct {
	ProcessingType string `json:"processingType"`
	Integration    string `json:"integration"`
	JobType        string `json:"jobType"`
}

// kindOf gives the kind of a job by how it processes.
func kindOf(t *jobType) string {
	if t != nil {
		switch strings.ToUpper(t.ProcessingType) {
		case "STREAMING":
			return event.KindRealtime
		case "SERVICE":
			return event.KindService
		}
	}
	return event.KindBatch
}

// definition converts what an event says of its job, without data flow.
func (c *converter) definition(task event.Task) (*event.TaskDefined, error) {
	f := c.Job.Facets
	t, err := read[jobType](f, facetJobType)
	if err != nil {
		return nil, err
	}
	a, err := readAbout(f)
	if err != nil {
		return nil, err
	}
	d := &event.TaskDefined{
		Task: task, Kind: kindOf(t),
		Owner: a.owner, Labels: a.labels, Description: a.description,
	}
	query, err := readSQL(f)
	if err != nil {
		return nil, err
	}
	consumed := consumedOf(f)
	if query != nil {
		d.SQL = query.Query
		d.DefaultSource = c.defaultSource()
		d.DefaultCatalog, d.DefaultSchema = c.defaultNames(d.DefaultSource)
		d.Dialect = dialectOf(query.Dialect, t, d.DefaultSource)
		consumed = append(consumed, facetSQL)
	}
	d.Facets = f.others(consumed...)
	return d, nil
}

// consumedOf lists the facets of a job that are told in other words, and
// wholly so. Others are carried even if a part of them has a place: owners
// have types, tags have sources, a text has a content type.
func consumedOf(f facets) []string {
	if namesJob(f[facetLineage]) {
		return nil
	}
	return []string{facetLineage}
}

// readSQL reads the job's SQL from its facet, or from source code that is SQL.
func readSQL(f facets) (*sqlFacet, error) {
	query, err := read[sqlFacet](f, facetSQL)
	if err != nil {
		return nil, err
	}
	if query != nil && strings.TrimSpace(query.Query) != "" {
		return query, nil
	}
	code, err := read[sourceCode](f, facetSourceCode)
	if err != nil || code == nil || !strings.EqualFold(code.Language, "sql") || strings.TrimSpace(code.SourceCode) == "" {
		return nil, err
	}
	return &sqlFacet{Query: code.SourceCode}, nil
}

// definitionOfRun gives the definition that a RunEvent makes: only if it has
// SQL. An event that comes before the job knows its datasets defines nothing,
// for it would resolve names differently from the one that ends the run, and
// each run would change the task's lineage back and forth.
func (c *converter) definitionOfRun(task event.Task, state runState, parent *event.ParentRun) (*event.TaskDefined, error) {
	query, err := readSQL(c.Job.Facets)
	if err != nil || query == nil {
		return nil, err
	}
	if !state.completed && len(c.Inputs)+len(c.Outputs) == 0 {
		return nil, nil //nolint:nilnil // nothing to define yet is not an error
	}
	d, err := c.definition(task)
	if err != nil {
		return nil, err
	}
	if parent != nil {
		d.Parent = &parent.Task
	}
	return d, nil
}

// aboutJob converts what a RunEvent says of its job in passing.
func (c *converter) aboutJob() (*event.TaskAbout, error) {
	if len(c.Job.Facets) == 0 {
		return nil, nil //nolint:nilnil // absent is not an error
	}
	d, err := c.definition(event.Task{})
	if err != nil {
		return nil, err
	}
	return &event.TaskAbout{Kind: d.Kind, Owner: d.Owner, Labels: d.Labels, Description: d.Description, Facets: c.Job.Facets.others(consumedOf(c.Job.Facets)...)}, nil
}

// defaultSource is the namespace that names in the job's SQL belong to: the
// one that most of its tables have, the outputs' before the inputs', the first
// before later ones. Files and topics do not count.
func (c *converter) defaultSource() string {
	count := map[string]int{}
	best := ""
	for _, list := range [][]dataset{c.Outputs, c.Inputs} {
		for i := range list {
			ns := name.Namespace(list[i].Namespace)
			if ns == "" || name.PlatformOf(ns).Opaque {
				continue
			}
			count[ns]++
			if best == "" || count[ns] > count[best] {
				best = ns
			}
		}
	}
	return best
}

// defaultNames gives the catalog and schema of short names in the SQL: those
// that all tables of the default source share. Where they differ, a short name
// might mean any, and none is given.
func (c *converter) defaultNames(source string) (catalog, schema string) {
	parts := name.PlatformOf(source).Parts
	if source == "" || parts < 2 {
		return "", ""
	}
	catalogs, schemas := map[string]bool{}, map[string]bool{}
	for _, list := range [][]dataset{c.Outputs, c.Inputs} {
		for i := range list {
			if name.Namespace(list[i].Namespace) != source {
				continue
			}
			path, err := name.SplitPath(list[i].Name)
			if err != nil || len(path) != parts {
				continue
			}
			schemas[path[parts-2]] = true
			if parts == 3 {
				catalogs[path[0]] = true
			}
		}
	}
	return only(catalogs), only(schemas)
}

// only gives the one element of a set, or nothing.
func only(set map[string]bool) string {
	if len(set) != 1 {
		return ""
	}
	for s := range set {
		return s
	}
	return ""
}

// dialectOf names the SQL's dialect: as the event does, else by the engine
// that ran it, else by the platform of its tables, else not at all.
func dialectOf(named string, t *jobType, source string) string {
	if named != "" {
		return strings.ToLower(named)
	}
	if t != nil {
		switch engine := strings.ToLower(t.Integration); engine {
		case "spark", "flink", "trino", "hive", "presto":
			return engine
		}
	}
	switch platform := name.PlatformOf(source).Name; platform {
	case "mssql", "sqlserver", "azuresql", "synapse":
		return "tsql"
	case "awsathena", "athena":
		return "trino"
	case "unitycatalog":
		return "databricks"
	case "mysql", "tidb", "hive", "spark", "clickhouse", "trino", "presto", "postgres", "redshift", "greenplum",
		"snowflake", "bigquery", "oracle", "doris", "starrocks", "impala", "databricks", "duckdb":
		return platform
	}
	return ""
}
