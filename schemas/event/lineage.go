package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-data/tributary/schemas/name"
)

// Types of the lineage side's events.
const (
	TypeTaskDefined      = "tributary.task.defined.v1"
	TypeTaskRemoved      = "tributary.task.removed.v1"
	TypeTaskWithdrawn    = "tributary.task.withdrawn.v1"
	TypeRunStarted       = "tributary.run.started.v1"
	TypeRunCompleted     = "tributary.run.completed.v1"
	TypeRunFailed        = "tributary.run.failed.v1"
	TypeRunAborted       = "tributary.run.aborted.v1"
	TypeTableDefined     = "tributary.table.defined.v1"
	TypeTableRemoved     = "tributary.table.removed.v1"
	TypeTableRenamed     = "tributary.table.renamed.v1"
	TypeSourceRegistered = "tributary.source.registered.v1"
	TypeSourceRemoved    = "tributary.source.removed.v1"
	TypeSourceMerged     = "tributary.source.merged.v1"
	TypeSourceUnmerged   = "tributary.source.unmerged.v1"
	TypeEdgeAdded        = "tributary.edge.added.v1"
	TypeEdgeRemoved      = "tributary.edge.removed.v1"
	TypeLineageExtracted = "tributary.lineage.extracted.v1"
	TypeLineageWithdrawn = "tributary.lineage.withdrawn.v1"
)

// Topics of the log.
const (
	TopicCatalog     = "tributary.catalog"
	TopicDefinitions = "tributary.definitions"
	TopicTasks       = "tributary.tasks"
	TopicLineage     = "tributary.lineage"
	TopicDeadLetter  = "tributary.deadletter"
)

// Kinds of tasks. Batch, realtime and service tasks are of the family task,
// the others are families of their own.
const (
	KindBatch     = "batch"
	KindRealtime  = "realtime"
	KindService   = "service"
	KindAPI       = "api"
	KindMetric    = "metric"
	KindTag       = "tag"
	KindDashboard = "dashboard"
)

// Kinds lists the kinds of tasks.
func Kinds() []string {
	return []string{KindBatch, KindRealtime, KindService, KindAPI, KindMetric, KindTag, KindDashboard}
}

// Levels of edges.
const (
	LevelTable  = "table"
	LevelColumn = "column"
)

// Origins of edges: who says that there is one.
const (
	OriginParsed   = "parsed"
	OriginDeclared = "declared"
	OriginObserved = "observed"
	OriginManual   = "manual"
)

// Ways that a column's value goes (direct edges), or that a column decides
// rows, order or groups (indirect edges).
const (
	ViaIdentity       = "identity"
	ViaTransformation = "transformation"
	ViaAggregation    = "aggregation"
	ViaMasking        = "masking"
	ViaFilter         = "filter"
	ViaJoin           = "join"
	ViaGroupBy        = "group_by"
	ViaSort           = "sort"
	ViaWindow         = "window"
	ViaConditional    = "conditional"
)

// Results of an extraction.
const (
	// ResultExtracted: the record carries the task's lineage.
	ResultExtracted = "extracted"
	// ResultUnchanged: the task event changes nothing; the record is there to
	// be waited for.
	ResultUnchanged = "unchanged"
	// ResultRemoved: the task was removed on its branch, and hides fallbacks.
	ResultRemoved = "removed"
	// ResultWithdrawn: the branch says nothing about the task any more.
	ResultWithdrawn = "withdrawn"
)

// branch gives the branch of an event, master if it names none.
func branch(s string) string {
	if s == "" {
		return MasterBranch
	}
	return s
}

// Ref names a node from within an event.
type Ref struct {
	// Family is the node's family, dataset if empty.
	Family string `json:"family,omitempty" enum:"dataset task api metric tag dashboard"`
	// Namespace is the id of a registered source, or a physical namespace
	// (mysql://host:3306); of tasks and their like the namespace of tasks.
	Namespace string `json:"namespace,omitempty"`
	// Name is what the platform calls it: db.table, a topic, a path; of tasks
	// and their like the id.
	Name string `json:"name"`
}

// NodeKey gives the node's key in canonical form. A namespace that is a
// source's id stays as it is: only the fold of definitions knows the address.
func (r Ref) NodeKey() name.Key { return name.NewKey(r.Family, r.Namespace, r.Name) }

// Check reports a node without a name, or of no known family.
func (r *Ref) Check() error {
	if r.Name == "" {
		return fmt.Errorf("%w: a node has no name", ErrInvalid)
	}
	if r.Family != "" && !name.ValidFamily(r.Family) {
		return fmt.Errorf("%w: %q is no family of nodes (%s)", ErrInvalid, r.Family, strings.Join(name.Families(), ", "))
	}
	return nil
}

// Column describes one column of a dataset.
type Column struct {
	Name string `json:"name"`
	// Type is the type as its platform writes it.
	Type string `json:"type,omitempty"`
	// Masked columns carry with_masked to what is derived from them.
	Masked  bool   `json:"masked,omitempty"`
	Comment string `json:"comment,omitempty"`
	// Fields are the fields of a struct column.
	Fields []Column `json:"fields,omitempty"`
}

// ColumnEdge says that a column goes into an output.
type ColumnEdge struct {
	// From is the node that the column belongs to.
	From Ref `json:"from"`
	// FromColumn is the column; a dot separates the fields of a struct.
	FromColumn string `json:"from_column"`
	// ToColumn is the output's column; empty on an indirect edge that goes
	// into the whole output.
	ToColumn string `json:"to_column,omitempty"`
	// Indirect edges decide rows, order or groups; by others a value flows.
	Indirect bool `json:"indirect,omitempty"`
	// Via says through what, see ViaIdentity and its like.
	Via []string `json:"via,omitempty"`
	// Description is the sender's own text about it.
	Description string `json:"description,omitempty"`
}

// Input is a node that a task declares to read, or that a run has read.
type Input struct {
	Ref
	// Columns are the columns read; empty if not said.
	Columns []Column `json:"columns,omitempty"`
	// Transaction is the transaction or version that was read, if known.
	Transaction string `json:"transaction,omitempty"`
	// Statistics are figures of the read (rows, bytes, files).
	Statistics *Statistics `json:"statistics,omitempty"`
	// Facets are OpenLineage facets that have no place of their own here.
	Facets map[string]json.RawMessage `json:"facets,omitempty"`
}

// Output is a node that a task declares to write, or that a run has written.
type Output struct {
	Ref
	// Columns are the columns written; empty if not said.
	Columns []Column `json:"columns,omitempty"`
	// From are the nodes that this output is made from. Absent means every
	// input of the task; an empty list means none.
	From []Ref `json:"from,omitzero"`
	// ColumnEdges say which columns go into it.
	ColumnEdges []ColumnEdge `json:"column_edges,omitempty"`
	// Transaction is the transaction or version that was written, if known.
	Transaction string `json:"transaction,omitempty"`
	// Statistics are figures of the write (rows, bytes, files).
	Statistics *Statistics `json:"statistics,omitempty"`
	// Facets are OpenLineage facets that have no place of their own here.
	Facets map[string]json.RawMessage `json:"facets,omitempty"`
}

func checkInputs(inputs []Input) error {
	for i := range inputs {
		if err := inputs[i].Check(); err != nil {
			return fmt.Errorf("inputs[%d]: %w", i, err)
		}
	}
	return nil
}

func checkOutputs(outputs []Output) error {
	for i := range outputs {
		if err := outputs[i].Check(); err != nil {
			return fmt.Errorf("outputs[%d]: %w", i, err)
		}
		for j := range outputs[i].From {
			if err := outputs[i].From[j].Check(); err != nil {
				return fmt.Errorf("outputs[%d].from[%d]: %w", i, j, err)
			}
		}
		if err := checkColumnEdges(outputs[i].ColumnEdges); err != nil {
			return fmt.Errorf("outputs[%d]: %w", i, err)
		}
	}
	return nil
}

func checkColumnEdges(edges []ColumnEdge) error {
	for i := range edges {
		if err := edges[i].Check(); err != nil {
			return fmt.Errorf("column_edges[%d]: %w", i, err)
		}
	}
	return nil
}

// Check reports an edge that lacks one of its ends.
func (e *ColumnEdge) Check() error {
	if e.FromColumn == "" {
		return fmt.Errorf("%w: from_column is missing", ErrInvalid)
	}
	if e.ToColumn == "" && !e.Indirect {
		return fmt.Errorf("%w: to_column is missing; only an indirect edge goes into the whole output", ErrInvalid)
	}
	return e.From.Check()
}

// Statistics are figures of a read or a write; a figure that is not known is
// absent.
type Statistics struct {
	Rows  *int64 `json:"rows,omitempty"`
	Bytes *int64 `json:"bytes,omitempty"`
	Files *int64 `json:"files,omitempty"`
}

// TaskDefined says what a task is and does; it replaces what was known of the
// task on its branch. Its lineage comes from SQL, or from what it declares.
type TaskDefined struct {
	Task
	// Kind is one of KindBatch and its like, batch if empty.
	Kind string `json:"kind,omitempty" enum:"batch realtime service api metric tag dashboard"`
	// Name is shown to people; the id if empty.
	Name        string            `json:"name,omitempty"`
	Owner       string            `json:"owner,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Description string            `json:"description,omitempty"`

	// SQL is a script of one or more statements.
	SQL string `json:"sql,omitempty"`
	// Dialect is the dialect of SQL; from the source's engine if empty.
	Dialect string `json:"dialect,omitempty"`
	// DefaultSource is the source (id or physical namespace) that names in
	// the SQL belong to.
	DefaultSource string `json:"default_source,omitempty"`
	// Catalogs maps catalog names of the SQL to sources.
	Catalogs       map[string]string `json:"catalogs,omitempty"`
	DefaultCatalog string            `json:"default_catalog,omitempty"`
	DefaultSchema  string            `json:"default_schema,omitempty"`
	// Variables are put in for ${name} and the like in the SQL.
	Variables map[string]string `json:"variables,omitempty"`

	// Inputs and Outputs are declared lineage.
	Inputs  []Input  `json:"inputs,omitempty"`
	Outputs []Output `json:"outputs,omitempty"`
	// Columns are the columns that an API, a metric, a tag or a dashboard
	// has itself.
	Columns []Column `json:"columns,omitempty"`
	// ColumnEdges go into Columns.
	ColumnEdges []ColumnEdge `json:"column_edges,omitempty"`
	// Parent is the task that this one belongs to.
	Parent *Task `json:"parent,omitempty"`
	// Facets are OpenLineage facets that have no place of their own here.
	Facets map[string]json.RawMessage `json:"facets,omitempty"`
}

// Task names a task on a branch.
type Task struct {
	// Namespace is the namespace of tasks, name.DefaultTaskNamespace if empty.
	Namespace string `json:"namespace,omitempty"`
	ID        string `json:"id"`
	// Branch is MasterBranch if empty.
	Branch string `json:"branch,omitempty"`
}

// TaskKey gives the task's key, namespace|id: the key of its records.
func (t Task) TaskKey() string { return name.TaskKey(t.Namespace, t.ID) }

// RecordKey gives the key of the task's records.
func (t Task) RecordKey() string { return t.TaskKey() }

// Namespaces gives the task's namespace.
func (t Task) Namespaces() []string { return []string{t.NodeKey(KindBatch).Namespace} }

// OnBranch gives the task's branch, master if none is named.
func (t Task) OnBranch() string { return branch(t.Branch) }

// Check reports a task without an id.
func (t *Task) Check() error {
	if t.ID == "" {
		return fmt.Errorf("%w: the task has no id", ErrInvalid)
	}
	return nil
}

// NodeKey gives the key of the node that a task of this kind is.
func (t Task) NodeKey(kind string) name.Key {
	return name.NewKey(name.FamilyOfKind(kind), t.Namespace, t.ID)
}

// NodeKey gives the key of the task's node.
func (d *TaskDefined) NodeKey() name.Key { return d.Task.NodeKey(d.Kind) }

// Check reports what is wrong with the definition beyond its JSON's shape.
func (d *TaskDefined) Check() error {
	if err := d.Task.Check(); err != nil {
		return err
	}
	if d.Kind != "" && !slices.Contains(Kinds(), d.Kind) {
		return fmt.Errorf("%w: task %s is of kind %q, which is none of %s", ErrInvalid, d.ID, d.Kind, strings.Join(Kinds(), ", "))
	}
	if err := checkInputs(d.Inputs); err != nil {
		return err
	}
	if err := checkOutputs(d.Outputs); err != nil {
		return err
	}
	family := name.FamilyOfKind(d.Kind)
	if family == name.FamilyTask && (len(d.Columns) > 0 || len(d.ColumnEdges) > 0) {
		return fmt.Errorf("%w: columns and column_edges beside outputs are for an api, metric, tag or dashboard; put those of task %s into its outputs", ErrInvalid, d.ID)
	}
	return nil
}

// TaskRemoved takes a task away from a branch, and hides the task of fallback
// branches as well.
type TaskRemoved struct {
	Task
	// Outputs are the datasets that a job spec's removal hides the fallbacks'
	// job specs of.
	Outputs []Ref             `json:"outputs,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// TaskWithdrawn takes back what a branch says of a task, so that the task of
// its fallbacks shows again.
type TaskWithdrawn struct {
	Task
	Reason string            `json:"reason,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// LabelCatalogPosition is the label of a task that is a job spec, with the
// offset in tributary.catalog of the publication that says so.
const LabelCatalogPosition = "catalog_position"

// PublicationOf gives the task that an event of a job spec is about, and the
// position in tributary.catalog of the publication that it tells of; false for
// any other event. Of two events of one task the one with the greater position
// stands, whichever was written last: a builder that was stopped and goes on may
// write what it was about to write, after another has taken its place.
func PublicationOf(data any) (task Task, position int64, ok bool) {
	var labels map[string]string
	switch d := data.(type) {
	case *TaskDefined:
		task, labels = d.Task, d.Labels
	case *TaskRemoved:
		task, labels = d.Task, d.Labels
	case *TaskWithdrawn:
		task, labels = d.Task, d.Labels
	}
	position, err := strconv.ParseInt(labels[LabelCatalogPosition], 10, 64)
	return task, position, err == nil
}

// Run says what a run of a task does or did. All events of runs have this
// shape.
type Run struct {
	// RunID names the run.
	RunID string `json:"run_id"`
	// Task is the task that ran.
	Task Task `json:"task"`
	// Started and Ended are times by the sender's clock.
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	// NominalStart and NominalEnd bound the period that the run is for.
	NominalStart *time.Time `json:"nominal_start,omitempty"`
	NominalEnd   *time.Time `json:"nominal_end,omitempty"`
	// Parent is the run that this one is part of.
	Parent *ParentRun `json:"parent,omitempty"`
	// Inputs and Outputs are what the run was seen to read and write. Those
	// of a completed run are observed lineage.
	Inputs  []Input  `json:"inputs,omitempty"`
	Outputs []Output `json:"outputs,omitempty"`
	// Error is why the run failed.
	Error *RunError `json:"error,omitempty"`
	// About is what the sender says of the task besides; it counts where no
	// definition of the task says otherwise.
	About *TaskAbout `json:"about,omitempty"`
	// Facets are OpenLineage facets that have no place of their own here.
	Facets map[string]json.RawMessage `json:"facets,omitempty"`
}

// RecordKey gives the key of the run's task.
func (r *Run) RecordKey() string { return r.Task.RecordKey() }

// Namespaces gives the namespace of the run's task; what the run reads and
// writes may belong to anyone.
func (r *Run) Namespaces() []string { return r.Task.Namespaces() }

// OnBranch gives the branch of the run's task.
func (r *Run) OnBranch() string { return r.Task.OnBranch() }

// Check reports a run without an id or task, and nodes that are none.
func (r *Run) Check() error {
	if r.RunID == "" {
		return fmt.Errorf("%w: the run has no run_id", ErrInvalid)
	}
	if err := r.Task.Check(); err != nil {
		return err
	}
	if err := checkInputs(r.Inputs); err != nil {
		return err
	}
	return checkOutputs(r.Outputs)
}

// TaskAbout describes a task in passing.
type TaskAbout struct {
	Kind        string            `json:"kind,omitempty" enum:"batch realtime service api metric tag dashboard"`
	Owner       string            `json:"owner,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Description string            `json:"description,omitempty"`
	// Facets are OpenLineage facets of the job that have no place of their
	// own here.
	Facets map[string]json.RawMessage `json:"facets,omitempty"`
}

// ParentRun names the run that a run is part of, and the run at the root.
type ParentRun struct {
	RunID string     `json:"run_id,omitempty"`
	Task  Task       `json:"task"`
	Root  *ParentRun `json:"root,omitempty"`
}

// RunError is why a run failed.
type RunError struct {
	Message  string `json:"message"`
	Language string `json:"language,omitempty"`
	Stack    string `json:"stack,omitempty"`
}

// RunStarted says that a run has begun, or goes on. What it has read and
// written so far adds up with what the run's later events say.
type RunStarted struct{ Run }

// RunCompleted says that a run has ended well. What its events say it read
// and wrote is observed lineage, and replaces what earlier runs were seen to
// do.
type RunCompleted struct{ Run }

// RunFailed says that a run has failed.
type RunFailed struct{ Run }

// RunAborted says that a run was stopped.
type RunAborted struct{ Run }

// Dataset names a dataset on a branch.
type Dataset struct {
	// Namespace is the id of a registered source or a physical namespace.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Branch    string `json:"branch,omitempty"`
}

// NodeKey gives the dataset's key in canonical form.
func (d Dataset) NodeKey() name.Key {
	return name.NewKey(name.FamilyDataset, d.Namespace, d.Name)
}

// RecordKey gives the dataset's key.
func (d Dataset) RecordKey() string { return d.NodeKey().String() }

// Namespaces gives the dataset's namespace in canonical form.
func (d Dataset) Namespaces() []string { return []string{d.NodeKey().Namespace} }

// OnBranch gives the dataset's branch, master if none is named.
func (d Dataset) OnBranch() string { return branch(d.Branch) }

// Check reports a dataset without a name.
func (d *Dataset) Check() error {
	if d.Name == "" {
		return fmt.Errorf("%w: the dataset has no name", ErrInvalid)
	}
	return nil
}

// TableDefined says what a dataset looks like on a branch. It replaces what
// was known.
type TableDefined struct {
	Dataset
	// Kind is table, view, materialized_view, topic, file_set, stage, model
	// or what its platform calls it; table if empty.
	Kind string `json:"kind,omitempty"`
	// Columns are all columns in order. Absent means that they are not known
	// by this event, and what was known stays.
	Columns     []Column          `json:"columns,omitzero"`
	Engine      string            `json:"engine,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	Owner       string            `json:"owner,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Description string            `json:"description,omitempty"`
	// Facets are OpenLineage facets that have no place of their own here.
	Facets map[string]json.RawMessage `json:"facets,omitempty"`
	// DerivedBy is the key (namespace|id) of the task whose SQL gives the
	// dataset these columns, written by the parser; empty for what the
	// platform or a person says, which counts before it.
	DerivedBy string `json:"derived_by,omitempty"`
}

// TableRemoved says that a dataset is gone on a branch.
type TableRemoved struct {
	Dataset
	// DerivedBy is set when only the columns that this task gave are meant.
	DerivedBy string `json:"derived_by,omitempty"`
}

// TableRenamed says that a dataset has another name on a branch from now on.
type TableRenamed struct {
	Dataset
	// To is the new name.
	To Ref `json:"to"`
}

// Namespaces gives those of the old name and the new one.
func (d *TableRenamed) Namespaces() []string {
	return append(d.Dataset.Namespaces(), d.To.NodeKey().Namespace)
}

// Check reports a dataset or a new name that is none.
func (d *TableRenamed) Check() error {
	if err := d.Dataset.Check(); err != nil {
		return err
	}
	return d.To.Check()
}

// SourceRegistered says where a source is and what it is.
type SourceRegistered struct {
	// ID is what events and people call the source.
	ID string `json:"id"`
	// Name is shown to people; the id if empty.
	Name string `json:"name,omitempty"`
	// Engine is the platform: mysql, hive, flink, kafka, …
	Engine string `json:"engine"`
	// Addresses are physical namespaces of the source, the first one being
	// the one that keys are made of. Sources that share one are the same.
	Addresses []string `json:"addresses"`
	// Catalogs maps catalogs of this engine (Trino, Flink, Spark) to the
	// sources behind them.
	Catalogs map[string]string `json:"catalogs,omitempty"`
	Owner    string            `json:"owner,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// RecordKey gives the source's id.
func (d *SourceRegistered) RecordKey() string { return d.ID }

// Namespaces gives none: what sources are concerns all of them.
func (d *SourceRegistered) Namespaces() []string { return nil }

// Check reports a source without id, engine or address.
func (d *SourceRegistered) Check() error {
	if err := checkID(d.ID); err != nil {
		return err
	}
	if d.Engine == "" || len(d.Addresses) == 0 || slices.Contains(d.Addresses, "") {
		return fmt.Errorf("%w: source %s needs an engine and at least one address such as mysql://host:3306", ErrInvalid, d.ID)
	}
	for _, address := range d.Addresses {
		if name.WithoutUser(address) != address {
			return fmt.Errorf("%w: an address of source %s names a user or a password; leave it out", ErrInvalid, d.ID)
		}
	}
	return nil
}

func checkID(id string) error {
	if id == "" {
		return fmt.Errorf("%w: the id is missing", ErrInvalid)
	}
	return nil
}

// SourceRemoved forgets a source's registration.
type SourceRemoved struct {
	ID string `json:"id"`
}

// RecordKey gives the source's id.
func (d *SourceRemoved) RecordKey() string { return d.ID }

// Namespaces gives none: what sources are concerns all of them.
func (d *SourceRemoved) Namespaces() []string { return nil }

// Check reports a removal that names no source.
func (d *SourceRemoved) Check() error { return checkID(d.ID) }

// SourceMerged says that what is named under From is what is named under To:
// a name that begins with From.Prefix is the same dataset as the one with
// To.Prefix in its place. It is taken back by SourceUnmerged with its ID.
type SourceMerged struct {
	// ID names the mapping.
	ID   string `json:"id"`
	From Place  `json:"from"`
	To   Place  `json:"to"`
	// Exact says that the prefixes are whole names, so that one dataset is
	// mapped and nothing under it.
	Exact bool `json:"exact,omitempty"`
	// IgnoreCase compares names under From without case.
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Who        string `json:"who,omitempty"`
	Why        string `json:"why,omitempty"`
	// DerivedBy is the key (namespace|id) of the task whose SQL makes From a
	// table that only stands for To (ClickHouse's Distributed, Buffer, Kafka
	// and such), written by the parser.
	DerivedBy string `json:"derived_by,omitempty"`
}

// RecordKey gives the mapping's id.
func (d *SourceMerged) RecordKey() string { return d.ID }

// Namespaces gives none: what sources are concerns all of them.
func (d *SourceMerged) Namespaces() []string { return nil }

// Check reports a mapping without id or one of its ends.
func (d *SourceMerged) Check() error {
	if d.From.Namespace == "" || d.To.Namespace == "" {
		return fmt.Errorf("%w: mapping %s needs from.namespace and to.namespace", ErrInvalid, d.ID)
	}
	return checkID(d.ID)
}

// Place is a namespace, and a prefix of the names in it.
type Place struct {
	Namespace string `json:"namespace"`
	Prefix    string `json:"prefix,omitempty"`
}

// SourceUnmerged takes a mapping back.
type SourceUnmerged struct {
	// ID is that of the SourceMerged event's mapping.
	ID  string `json:"id"`
	Who string `json:"who,omitempty"`
	Why string `json:"why,omitempty"`
}

// RecordKey gives the mapping's id.
func (d *SourceUnmerged) RecordKey() string { return d.ID }

// Namespaces gives none: what sources are concerns all of them.
func (d *SourceUnmerged) Namespaces() []string { return nil }

// Check reports a taking back that names no mapping.
func (d *SourceUnmerged) Check() error { return checkID(d.ID) }

// Edge names an edge that a person draws or takes away.
type Edge struct {
	From Ref `json:"from"`
	// FromColumn is the column at the edge's beginning; set on an edge between
	// columns, with to_column.
	FromColumn string `json:"from_column,omitempty"`
	To         Ref    `json:"to"`
	// ToColumn is the column at the edge's end.
	ToColumn string `json:"to_column,omitempty"`
	Branch   string `json:"branch,omitempty"`
	// Who is the person behind it. The server fills in who it knows the
	// sender to be.
	Who string `json:"who"`
	Why string `json:"why,omitempty"`
}

// RecordKey gives the key of the node that the edge goes into.
func (e Edge) RecordKey() string { return e.To.NodeKey().String() }

// Namespaces gives those of both ends.
func (e Edge) Namespaces() []string {
	return []string{e.From.NodeKey().Namespace, e.To.NodeKey().Namespace}
}

// OnBranch gives the edge's branch, master if none is named.
func (e Edge) OnBranch() string { return branch(e.Branch) }

// Level is column if columns are named, else table.
func (e Edge) Level() string {
	if e.FromColumn != "" || e.ToColumn != "" {
		return LevelColumn
	}
	return LevelTable
}

// Check reports what is wrong with the edge beyond its JSON's shape.
func (e *Edge) Check() error {
	if e.Who == "" {
		return fmt.Errorf("%w: who draws or removes the edge is missing", ErrInvalid)
	}
	if err := e.From.Check(); err != nil {
		return fmt.Errorf("from: %w", err)
	}
	if err := e.To.Check(); err != nil {
		return fmt.Errorf("to: %w", err)
	}
	if (e.FromColumn == "") != (e.ToColumn == "") {
		return fmt.Errorf("%w: an edge between columns names both from_column and to_column", ErrInvalid)
	}
	return nil
}

// EdgeAdded draws an edge by hand.
type EdgeAdded struct{ Edge }

// EdgeRemoved takes an edge away that was drawn by hand.
type EdgeRemoved struct{ Edge }

// LineageExtracted says what the parser made of one task event. An older one
// (by From, Definitions, Parser) never outdoes a newer one of the same task,
// branch and origin.
type LineageExtracted struct {
	Task Task   `json:"task"`
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	// Result is one of ResultExtracted and its like.
	Result string `json:"result" enum:"extracted unchanged removed withdrawn"`
	// From is where the task's event stands in tributary.tasks.
	From Position `json:"from"`
	// Definitions is the position in tributary.definitions (next offset) that
	// names and columns were resolved at.
	Definitions Position `json:"definitions"`
	// Parser is the version of the parser.
	Parser int `json:"parser"`
	// Part counts from 1 to Parts, for a long extraction.
	Part  int `json:"part"`
	Parts int `json:"parts"`
	// Origin is parsed, declared or observed.
	Origin string `json:"origin" enum:"parsed declared observed"`

	Dialect        string  `json:"dialect,omitempty"`
	DialectGuessed bool    `json:"dialect_guessed,omitempty"`
	Confidence     float64 `json:"confidence,omitempty"`
	// Hash is that of the task's definition, by which a repeat is known.
	Hash string `json:"hash,omitempty"`
	// RunID is the run that an observed extraction came from.
	RunID string `json:"run_id,omitempty"`
	// Observed is what the run's event told, in an observed extraction.
	Observed *Observed `json:"observed,omitempty"`

	// Uses are the definitions that were looked up.
	Uses []Use `json:"uses,omitempty"`
	// Nodes are all nodes mentioned.
	Nodes      []Node          `json:"nodes,omitempty"`
	Edges      []LineageEdge   `json:"edges,omitempty"`
	Statements []Statement     `json:"statements,omitempty"`
	Columns    []NodeColumns   `json:"columns,omitempty"`
	Steps      json.RawMessage `json:"steps,omitempty"`
	Errors     []SQLError      `json:"errors,omitempty"`
	Flink      *Flink          `json:"flink,omitempty"`
}

// Use is a definition that an extraction looked up.
type Use struct {
	// Key is a dataset's key, or a source's id.
	Key   string `json:"key"`
	Found bool   `json:"found"`
	// ColumnsHash is the hash of the columns that were found.
	ColumnsHash string `json:"columns_hash,omitempty"`
}

// Node is a node that an extraction mentions.
type Node struct {
	Key  string `json:"key"`
	Kind string `json:"kind,omitempty"`
	// Display is the name as the SQL writes it, with its case.
	Display string `json:"display,omitempty"`
}

// LineageEdge is an edge that an extraction found. From and To are node keys.
type LineageEdge struct {
	From       string `json:"from"`
	FromColumn string `json:"from_column,omitempty"`
	To         string `json:"to"`
	// ToColumn is empty on an indirect edge, which goes into the dataset.
	ToColumn string   `json:"to_column,omitempty"`
	Level    string   `json:"level" enum:"table column"`
	Direct   bool     `json:"direct"`
	Via      []string `json:"via,omitempty"`
	// Statements are the numbers, from 1, of the statements that make it.
	Statements []int `json:"statements,omitempty"`
	// Unexpanded marks the edge of a star whose columns are not known.
	Unexpanded bool `json:"unexpanded,omitempty"`
	// Origin is set where it is not that of the extraction: a definition may
	// declare edges beside those of its SQL.
	Origin string `json:"origin,omitempty"`
}

// States that the events of a run tell.
const (
	RunStateRunning   = "running"
	RunStateCompleted = "completed"
	RunStateFailed    = "failed"
	RunStateAborted   = "aborted"
)

// Observed says what one event of a run tells of it. The events of a run
// accumulate.
type Observed struct {
	// State is running, completed, failed or aborted.
	State string `json:"state"`
	// Inputs are the keys of the nodes read.
	Inputs []string `json:"inputs,omitempty"`
	// Outputs are the keys of the nodes written that are made from every input
	// of the run; one that names what it is made from has edges instead.
	Outputs []string `json:"outputs,omitempty"`
}

// Statement is one statement of a script.
type Statement struct {
	N int `json:"n"`
	// Line and Column are where it begins, from 1; EndLine is its last line.
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	EndLine int      `json:"end_line,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Reads   []string `json:"reads,omitempty"`
	Writes  []string `json:"writes,omitempty"`
}

// NodeColumns are columns that a statement gives to its target.
type NodeColumns struct {
	Key   string   `json:"key"`
	Names []string `json:"names"`
}

// SQLError says what of a script could not be understood, and where.
type SQLError struct {
	// Kind is syntax, unresolved, ambiguous, template, unsupported or limit.
	Kind      string `json:"kind"`
	Statement int    `json:"statement,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Message   string `json:"message"`
}

// Flink holds the mapping tables of a Flink script, sources apart from
// results.
type Flink struct {
	Sources []FlinkTable `json:"sources,omitempty"`
	Results []FlinkTable `json:"results,omitempty"`
}

// FlinkTable is a mapping table and the physical dataset that its connector
// names.
type FlinkTable struct {
	Name      string `json:"name"`
	Connector string `json:"connector,omitempty"`
	// Physical is the key of the physical dataset.
	Physical string            `json:"physical,omitempty"`
	Columns  []Column          `json:"columns,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
}

// LineageWithdrawn says that lineage of one origin is no longer claimed for a
// task, without a task event behind it (observed lineage of a job that was
// forgotten, for example).
type LineageWithdrawn struct {
	Task   Task     `json:"task"`
	Origin string   `json:"origin" enum:"parsed declared observed manual"`
	From   Position `json:"from"`
	Reason string   `json:"reason,omitempty"`
}

// RecordKey gives the key of the task.
func (l *LineageExtracted) RecordKey() string { return l.Task.RecordKey() }

// Namespaces gives the task's namespace.
func (l *LineageExtracted) Namespaces() []string { return l.Task.Namespaces() }

// Check reports a result, origin or part that is not one.
func (l *LineageExtracted) Check() error {
	if err := l.Task.Check(); err != nil {
		return err
	}
	if !slices.Contains([]string{ResultExtracted, ResultUnchanged, ResultRemoved, ResultWithdrawn}, l.Result) {
		return fmt.Errorf("%w: %q is no result of an extraction", ErrInvalid, l.Result)
	}
	if l.Part < 1 || l.Part > l.Parts {
		return fmt.Errorf("%w: part %d of %d", ErrInvalid, l.Part, l.Parts)
	}
	return checkOrigin(l.Origin)
}

func checkOrigin(origin string) error {
	if !slices.Contains([]string{OriginParsed, OriginDeclared, OriginObserved, OriginManual}, origin) {
		return fmt.Errorf("%w: %q is no origin of lineage", ErrInvalid, origin)
	}
	return nil
}

// RecordKey gives the key of the task.
func (l *LineageWithdrawn) RecordKey() string { return l.Task.RecordKey() }

// Namespaces gives the task's namespace.
func (l *LineageWithdrawn) Namespaces() []string { return l.Task.Namespaces() }

// Check reports a withdrawal without task or origin.
func (l *LineageWithdrawn) Check() error {
	if err := l.Task.Check(); err != nil {
		return err
	}
	return checkOrigin(l.Origin)
}

// lineageEntries are the events of the lineage side.
func lineageEntries() []Entry {
	return []Entry{
		entry[TaskDefined](TypeTaskDefined, TopicTasks),
		entry[TaskRemoved](TypeTaskRemoved, TopicTasks),
		entry[TaskWithdrawn](TypeTaskWithdrawn, TopicTasks),
		entry[RunStarted](TypeRunStarted, TopicTasks),
		entry[RunCompleted](TypeRunCompleted, TopicTasks),
		entry[RunFailed](TypeRunFailed, TopicTasks),
		entry[RunAborted](TypeRunAborted, TopicTasks),
		entry[TableDefined](TypeTableDefined, TopicDefinitions),
		entry[TableRemoved](TypeTableRemoved, TopicDefinitions),
		entry[TableRenamed](TypeTableRenamed, TopicDefinitions),
		entry[SourceRegistered](TypeSourceRegistered, TopicDefinitions),
		entry[SourceRemoved](TypeSourceRemoved, TopicDefinitions),
		entry[SourceMerged](TypeSourceMerged, TopicDefinitions),
		entry[SourceUnmerged](TypeSourceUnmerged, TopicDefinitions),
		entry[EdgeAdded](TypeEdgeAdded, TopicTasks),
		entry[EdgeRemoved](TypeEdgeRemoved, TopicTasks),
		entry[LineageExtracted](TypeLineageExtracted, TopicLineage),
		entry[LineageWithdrawn](TypeLineageWithdrawn, TopicLineage),
	}
}
