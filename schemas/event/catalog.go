package event

// Event types of the topic tributary.catalog. All of them are keyed by the space, so the events of one
// space stand in one order.
const (
	TypeDatasetCreated        = "tributary.dataset.created.v1"
	TypeBranchCreated         = "tributary.branch.created.v1"
	TypeBranchDeleted         = "tributary.branch.deleted.v1"
	TypeBranchRestored        = "tributary.branch.restored.v1"
	TypeBranchProtected       = "tributary.branch.protected.v1"
	TypeBranchUnprotected     = "tributary.branch.unprotected.v1"
	TypeRetentionSwept        = "tributary.retention.swept.v1"
	TypeTransactionOpened     = "tributary.transaction.opened.v1"
	TypeTransactionFilesAdded = "tributary.transaction.files_added.v1"
	TypeTransactionCommitted  = "tributary.transaction.committed.v1"
	TypeTransactionAborted    = "tributary.transaction.aborted.v1"
	TypeJobSpecPublished      = "tributary.job_spec.published.v1"
	TypeBuildRequested        = "tributary.build.requested.v1"
	TypeBuildAborted          = "tributary.build.aborted.v1"
	TypeAttemptStarted        = "tributary.attempt.started.v1"
	TypeAttemptFinished       = "tributary.attempt.finished.v1"
	TypeAttemptFailed         = "tributary.attempt.failed.v1"
	TypeAttemptExpired        = "tributary.attempt.expired.v1"
	TypeAttemptAborted        = "tributary.attempt.aborted.v1"
)

// CatalogTypes lists the types of tributary.catalog, each with a function that makes an empty value of
// its data.
func CatalogTypes() map[string]func() CatalogEvent {
	return map[string]func() CatalogEvent{
		TypeDatasetCreated:        func() CatalogEvent { return new(DatasetCreated) },
		TypeBranchCreated:         func() CatalogEvent { return new(BranchCreated) },
		TypeBranchDeleted:         func() CatalogEvent { return new(BranchDeleted) },
		TypeBranchRestored:        func() CatalogEvent { return new(BranchRestored) },
		TypeBranchProtected:       func() CatalogEvent { return new(BranchProtected) },
		TypeBranchUnprotected:     func() CatalogEvent { return new(BranchUnprotected) },
		TypeRetentionSwept:        func() CatalogEvent { return new(RetentionSwept) },
		TypeTransactionOpened:     func() CatalogEvent { return new(TransactionOpened) },
		TypeTransactionFilesAdded: func() CatalogEvent { return new(TransactionFilesAdded) },
		TypeTransactionCommitted:  func() CatalogEvent { return new(TransactionCommitted) },
		TypeTransactionAborted:    func() CatalogEvent { return new(TransactionAborted) },
		TypeJobSpecPublished:      func() CatalogEvent { return new(JobSpecPublished) },
		TypeBuildRequested:        func() CatalogEvent { return new(BuildRequested) },
		TypeBuildAborted:          func() CatalogEvent { return new(BuildAborted) },
		TypeAttemptStarted:        func() CatalogEvent { return new(AttemptStarted) },
		TypeAttemptFinished:       func() CatalogEvent { return new(AttemptFinished) },
		TypeAttemptFailed:         func() CatalogEvent { return new(AttemptFailed) },
		TypeAttemptExpired:        func() CatalogEvent { return new(AttemptExpired) },
		TypeAttemptAborted:        func() CatalogEvent { return new(AttemptAborted) },
	}
}

// CatalogEvent is the data of an event of tributary.catalog.
type CatalogEvent interface {
	Data
	// Catalog gives the fields that every catalog event has.
	Catalog() *CatalogHead
}

// CatalogHead holds the fields that every catalog event has.
type CatalogHead struct {
	// Space is the set of datasets that the event belongs to, and its key in the log.
	Space string `json:"space"`
	// Rules is the version of the rules that the event is judged by; absent means 1.
	Rules int `json:"rules,omitempty"`
	// Actor is who asked for it: a person or a service, as the server authenticated them.
	Actor string `json:"actor,omitempty"`
}

// Catalog returns h itself.
func (h *CatalogHead) Catalog() *CatalogHead { return h }

// RecordKey gives the event's space.
func (h *CatalogHead) RecordKey() string { return h.Space }

// Namespaces gives the event's space, which what it changes belongs to.
func (h *CatalogHead) Namespaces() []string { return []string{h.Space} }

// CatalogDataset names a dataset: the namespace of its physical source and its name there.
type CatalogDataset struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// BranchHandle names a branch of a dataset. With Incarnation set, only that incarnation is meant, and a
// branch that was deleted and made again does not answer to it.
type BranchHandle struct {
	Branch      string `json:"branch"`
	Incarnation int    `json:"incarnation,omitempty"`
}

// DatasetCreated makes a dataset without branches.
type DatasetCreated struct {
	CatalogHead
	Dataset CatalogDataset `json:"dataset"`
}

// BranchCreated makes a branch: a root, or a child of a branch or of a transaction.
type BranchCreated struct {
	CatalogHead
	Dataset CatalogDataset `json:"dataset"`
	Branch  string         `json:"branch"`
	// Parent is the branch that it is made from. With FromTransaction it is the branch whose history
	// holds that transaction; absent then, it is the branch that the transaction was started on.
	Parent *BranchHandle `json:"parent,omitempty"`
	// FromTransaction is the id of the transaction that the branch starts at.
	FromTransaction string `json:"from_transaction,omitempty"`
}

// BranchDeleted removes a branch's pointer.
type BranchDeleted struct {
	CatalogHead
	Dataset CatalogDataset `json:"dataset"`
	BranchHandle
}

// BranchRestored brings back an incarnation that was deleted since the last retention sweep. Without an
// incarnation, the one deleted last is meant.
type BranchRestored struct {
	CatalogHead
	Dataset CatalogDataset `json:"dataset"`
	BranchHandle
}

// BranchProtected guards a branch: of one dataset, or by name in the whole space if Dataset is absent.
type BranchProtected struct {
	CatalogHead
	Dataset *CatalogDataset `json:"dataset,omitempty"`
	Branch  string          `json:"branch"`
	// Publishers are the actors that may publish job specs on the branch; none means anyone. It counts
	// only in a protection of the whole space, as job specs belong to no dataset.
	Publishers []string `json:"publishers,omitempty"`
}

// BranchUnprotected takes a protection away: the one that names the same branch and dataset.
type BranchUnprotected struct {
	CatalogHead
	Dataset *CatalogDataset `json:"dataset,omitempty"`
	Branch  string          `json:"branch"`
}

// RetentionSwept ends the time in which the branches deleted until now can be restored.
type RetentionSwept struct {
	CatalogHead
}

// Transaction types; see the effect of each on a view in docs/branches.md.
const (
	TransactionSnapshot = "SNAPSHOT"
	TransactionAppend   = "APPEND"
	TransactionUpdate   = "UPDATE"
	TransactionDelete   = "DELETE"
)

// File is a file that a transaction puts into a dataset. Tributary keeps what is known about it; its
// bytes stay where the platform keeps them.
type File struct {
	// Path is the file's name inside the dataset: relative, with / between its parts.
	Path string `json:"path"`
	// Location says where the bytes are, as the platform names it.
	Location string `json:"location,omitempty"`
	// Rows is the number of rows, 0 if unknown.
	Rows int64 `json:"rows,omitempty"`
	// Bytes is the size.
	Bytes int64 `json:"bytes,omitempty"`
	// Checksum is in the form algorithm:hex, or empty.
	Checksum string `json:"checksum,omitempty"`
}

// Field is a column of a dataset's schema.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Manifest is what a transaction changes.
type Manifest struct {
	Put    []File   `json:"put,omitempty"`
	Delete []string `json:"delete,omitempty"`
}

// TransactionOpened starts a transaction on a branch.
type TransactionOpened struct {
	CatalogHead
	Dataset CatalogDataset `json:"dataset"`
	BranchHandle
	// Transaction is the new transaction's id, a UUID chosen by the sender.
	Transaction string `json:"transaction"`
	// Type is one of SNAPSHOT, APPEND, UPDATE, DELETE.
	Type string `json:"type"`
}

// TransactionFilesAdded adds a part of a long manifest to an open transaction.
type TransactionFilesAdded struct {
	CatalogHead
	Transaction string `json:"transaction"`
	// Token is the token of the live attempt, if a job's transaction is meant.
	Token string `json:"token,omitempty"`
	Manifest
}

// InputTransaction says which transaction of a dataset was read.
type InputTransaction struct {
	Dataset     CatalogDataset `json:"dataset"`
	Transaction string         `json:"transaction"`
}

// TransactionCommitted closes a transaction so that it counts.
type TransactionCommitted struct {
	CatalogHead
	Transaction string `json:"transaction"`
	Manifest
	// Schema is the schema of the view from now on; absent leaves it.
	Schema []Field `json:"schema,omitempty"`
	// Inputs are the transactions that it was made from.
	Inputs []InputTransaction `json:"inputs,omitempty"`
}

// TransactionAborted closes a transaction so that it never counts.
type TransactionAborted struct {
	CatalogHead
	Transaction string `json:"transaction"`
	Reason      string `json:"reason,omitempty"`
}

// SpecInput is a dataset that a job reads.
type SpecInput struct {
	Dataset CatalogDataset `json:"dataset"`
	// Space is set for a dataset of another space, which is named but not pinned.
	Space string `json:"space,omitempty"`
}

// SpecOutput is a dataset that a job writes.
type SpecOutput struct {
	Dataset CatalogDataset `json:"dataset"`
	// Type is how the job writes it: SNAPSHOT, APPEND or UPDATE; absent means SNAPSHOT.
	Type string `json:"type,omitempty"`
}

// Logic is what a job runs: the text itself, or a reference to it.
type Logic struct {
	Language string `json:"language,omitempty"`
	Dialect  string `json:"dialect,omitempty"`
	Text     string `json:"text,omitempty"`
	Ref      string `json:"ref,omitempty"`
}

// JobSpec says how datasets are made from others.
type JobSpec struct {
	ID      string       `json:"id"`
	Inputs  []SpecInput  `json:"inputs,omitempty"`
	Outputs []SpecOutput `json:"outputs"`
	Logic   Logic        `json:"logic"`
	// Engine names the executor that runs the job.
	Engine string `json:"engine,omitempty"`
	// Properties go to the executor as they are.
	Properties map[string]string `json:"properties,omitempty"`
	// Withdrawn hides what the fallbacks have for the outputs, and runs nothing.
	Withdrawn bool `json:"withdrawn,omitempty"`
}

// JobSpecPublished changes the job specs of a branch in one step.
type JobSpecPublished struct {
	CatalogHead
	Branch string `json:"branch"`
	// Specs are added, or take the place of those with the same ids.
	Specs []JobSpec `json:"specs,omitempty"`
	// Removed are the ids of specs that the branch no longer has; the fallbacks' show again.
	Removed []string `json:"removed,omitempty"`
	// Complete says that Specs are all that the branch has: others are removed.
	Complete bool `json:"complete,omitempty"`
	// Commit is the revision of the code that the specs came from.
	Commit string `json:"commit,omitempty"`
}

// Ways in which a build's targets are meant.
const (
	// TargetOnly builds the target datasets and nothing else.
	TargetOnly = "only"
	// TargetUpstream builds the targets and everything upstream of them that has a job spec.
	TargetUpstream = "upstream"
	// TargetBetween builds everything between the From datasets and the targets.
	TargetBetween = "between"
)

// BuildRequested asks for a build. The plan is made where the event stands in the log.
type BuildRequested struct {
	CatalogHead
	// Build is the new build's id, chosen by the sender.
	Build     string   `json:"build"`
	Branch    string   `json:"branch"`
	Fallbacks []string `json:"fallbacks,omitempty"`
	// Targets are the datasets wanted.
	Targets []CatalogDataset `json:"targets"`
	// Mode is one of only, upstream, between; absent means only.
	Mode string           `json:"mode,omitempty"`
	From []CatalogDataset `json:"from,omitempty"`
	// Force runs fresh jobs too.
	Force bool `json:"force,omitempty"`
	// Retries is how often a failed job is tried again.
	Retries int `json:"retries,omitempty"`
	// AbortOnFailure ends the independent jobs too when one fails.
	AbortOnFailure bool `json:"abort_on_failure,omitempty"`
	// MaxParallel bounds the jobs that run at a time; 0 means no bound.
	MaxParallel int `json:"max_parallel,omitempty"`
	// MaxJobs bounds the plan; 0 means 20,000.
	MaxJobs int `json:"max_jobs,omitempty"`
	// PlanDigest refuses the build unless the plan made now has this digest.
	PlanDigest string `json:"plan_digest,omitempty"`
}

// BuildAborted asks to end a build.
type BuildAborted struct {
	CatalogHead
	Build  string `json:"build"`
	Reason string `json:"reason,omitempty"`
}

// AttemptHandle names an attempt at a job. Token is the SHA-256, in hex, of the secret that the runner
// got, so that the log gives no one the right to finish it.
type AttemptHandle struct {
	Build string `json:"build"`
	Job   int    `json:"job"`
	Token string `json:"token"`
}

// AttemptStarted gives a pending job to a runner.
type AttemptStarted struct {
	CatalogHead
	AttemptHandle
	// Attempt is the number of the attempt, from 1.
	Attempt int    `json:"attempt"`
	Runner  string `json:"runner,omitempty"`
}

// AttemptOutput is what an attempt wrote into one of its outputs.
type AttemptOutput struct {
	Dataset CatalogDataset `json:"dataset"`
	Manifest
	Schema []Field `json:"schema,omitempty"`
}

// AttemptFinished commits all outputs of a job.
type AttemptFinished struct {
	CatalogHead
	AttemptHandle
	Outputs []AttemptOutput `json:"outputs,omitempty"`
}

// AttemptFailed ends an attempt without success.
type AttemptFailed struct {
	CatalogHead
	AttemptHandle
	Message string `json:"message,omitempty"`
	// Permanent says that another try would fail too.
	Permanent bool `json:"permanent,omitempty"`
}

// AttemptExpired says that an attempt's lease ended without a sign of its runner.
type AttemptExpired struct {
	CatalogHead
	AttemptHandle
}

// AttemptAborted is the runner's word that it stopped an attempt whose build was aborted.
type AttemptAborted struct {
	CatalogHead
	AttemptHandle
}
