package catalog

// CheckBranchName gives the refusal that the catalog's events meet for a text
// that is no branch's name, nil for one that is. Who takes a request can so
// refuse it at once, and branches of lineage follow the same rule.
func CheckBranchName(name string) *Refusal { return checkBranchName(name) }
