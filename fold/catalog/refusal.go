package catalog

import "fmt"

// Code says by which rule an event was refused. Codes are part of the API and never change meaning.
type Code string

// The refusal codes.
const (
	CodeInvalidEvent        Code = "InvalidEvent"
	CodeUnknownRules        Code = "UnknownRules"
	CodeDatasetExists       Code = "DatasetExists"
	CodeDatasetNotFound     Code = "DatasetNotFound"
	CodeInvalidDatasetName  Code = "InvalidDatasetName"
	CodeBranchExists        Code = "BranchExists"
	CodeInvalidBranchName   Code = "InvalidBranchName"
	CodeBranchNotFound      Code = "BranchNotFound"
	CodeStaleBranch         Code = "StaleBranch"
	CodeBranchInUse         Code = "BranchInUse"
	CodeBranchProtected     Code = "BranchProtected"
	CodeNotRestorable       Code = "NotRestorable"
	CodeParentNotFound      Code = "ParentNotFound"
	CodeTransactionNotFound Code = "TransactionNotFound"
	CodeTransactionExists   Code = "TransactionExists"
	CodeInvalidTransaction  Code = "InvalidTransaction"
	CodeNotInHistory        Code = "NotInHistory"
	CodeOpenTransaction     Code = "OpenTransactionAlreadyExists"
	CodeTransactionNotOpen  Code = "TransactionNotOpen"
	CodeTransactionOfBuild  Code = "TransactionHeldByBuild"
	CodeFileAlreadyInView   Code = "FileAlreadyInView"
	CodeFileNotInView       Code = "FileNotInView"
	CodeInvalidManifest     Code = "InvalidManifest"
	CodeInvalidJobSpec      Code = "InvalidJobSpec"
	CodeJobSpecNotFound     Code = "JobSpecNotFound"
	CodeInvalidBuild        Code = "InvalidBuild"
	CodeBuildExists         Code = "BuildExists"
	CodeBuildNotFound       Code = "BuildNotFound"
	CodeBuildFinished       Code = "BuildFinished"
	CodeSpecCycle           Code = "JobSpecCycle"
	CodeTwoProducers        Code = "TwoProducers"
	CodeMissingInput        Code = "MissingInput"
	CodeIncompatible        Code = "IncompatibleFallback"
	CodeNothingBetween      Code = "NothingBetween"
	CodePlanTooLarge        Code = "PlanTooLarge"
	CodePlanStale           Code = "PlanStale"
	CodeJobNotFound         Code = "JobNotFound"
	CodeJobNotReady         Code = "JobNotReady"
	CodeStaleAttempt        Code = "StaleAttempt"
	CodeBuildAborted        Code = "BuildAborted"
	CodeUnknownOutput       Code = "UnknownOutput"
	CodeJobFailed           Code = "JobFailed"
)

// Refusal is why an event, or a part of a plan, was refused: a code for programs and a sentence for
// people.
type Refusal struct {
	Code    Code
	Message string
}

// refuse makes a refusal with a sentence.
func refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}
