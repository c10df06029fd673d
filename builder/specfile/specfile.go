// Package specfile reads job specs from a working tree: SQL files with a header, and YAML files. The form
// is described in docs/branches.md.
package specfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tributary-data/tributary/schemas/event"
)

const (
	maxFile  = 4 << 20
	maxFiles = 20_000
)

// FileError says what is wrong with a file, and where.
type FileError struct {
	File string
	Line int
	Why  string
}

// Error gives file, line and reason.
func (f *FileError) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Why
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Why)
}

// Options complete what files leave out.
type Options struct {
	// Namespace is that of datasets that are named without one.
	Namespace string
	// Engine and Dialect are those of specs that name none.
	Engine, Dialect string
}

// Read reads all job specs of a tree, by id. All faults are reported together, each a *FileError.
func Read(tree fs.FS, o Options) ([]event.JobSpec, error) {
	var specs []event.JobSpec
	var faults []error
	where := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !slices.Contains([]string{".sql", ".yaml", ".yml"}, path.Ext(name)) {
			return nil
		}
		found, err := readFile(tree, name, o)
		if err != nil {
			faults = append(faults, err)
			return nil
		}
		for _, spec := range found {
			if other, twice := where[spec.ID]; twice {
				faults = append(faults, &FileError{File: name, Why: fmt.Sprintf("job spec %s is in %s too", spec.ID, other)})
				continue
			}
			where[spec.ID] = name
			specs = append(specs, spec)
		}
		if len(specs) > maxFiles {
			return fmt.Errorf("the tree has more than %d job specs", maxFiles)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the tree: %w", err)
	}
	slices.SortFunc(specs, func(a, b event.JobSpec) int { return strings.Compare(a.ID, b.ID) })
	return specs, errors.Join(faults...)
}

func readFile(tree fs.FS, name string, o Options) ([]event.JobSpec, error) {
	info, err := fs.Stat(tree, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, &FileError{File: name, Why: "it has more than 4 MiB"}
	}
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	if path.Ext(name) == ".sql" {
		return readSQL(name, string(text), o)
	}
	return readYAML(name, text, o)
}

// readSQL reads the header of a SQL file: the comment lines "-- key: value" before the first statement. A
// file whose header names no output is no job spec.
func readSQL(name, text string, o Options) ([]event.JobSpec, error) {
	spec := event.JobSpec{ID: strings.TrimSuffix(path.Base(name), ".sql"), Engine: o.Engine}
	spec.Logic = event.Logic{Language: "sql", Dialect: o.Dialect, Text: text}
	line := 0
	for row := range strings.Lines(text) {
		line++
		row = strings.TrimSpace(row)
		if row == "" {
			continue
		}
		comment, ok := strings.CutPrefix(row, "--")
		if !ok {
			break
		}
		key, value, ok := strings.Cut(comment, ":")
		if !ok {
			continue // a remark
		}
		if err := setField(&spec, strings.TrimSpace(key), strings.TrimSpace(value), &o); err != nil {
			return nil, &FileError{File: name, Line: line, Why: err.Error()}
		}
	}
	if len(spec.Outputs) == 0 && len(spec.Inputs) > 0 {
		return nil, &FileError{File: name, Why: "its header has inputs but no outputs"}
	}
	if len(spec.Outputs) == 0 {
		return nil, nil
	}
	return []event.JobSpec{spec}, nil
}

// setField takes a line of a header. Keys that it does not know are remarks.
func setField(spec *event.JobSpec, key, value string, o *Options) error {
	switch strings.ToLower(key) {
	case "job":
		spec.ID = value
	case "namespace":
		o.Namespace = value
	case "engine":
		spec.Engine = value
	case "dialect":
		spec.Logic.Dialect = value
	case "withdrawn":
		spec.Withdrawn = value == "true" || value == "yes"
	case "inputs", "input":
		for item := range strings.SplitSeq(value, ",") {
			in, err := parseInput(item, o.Namespace)
			if err != nil {
				return err
			}
			spec.Inputs = append(spec.Inputs, in)
		}
	case "outputs", "output":
		for item := range strings.SplitSeq(value, ",") {
			out, err := parseOutput(item, o.Namespace)
			if err != nil {
				return err
			}
			spec.Outputs = append(spec.Outputs, out)
		}
	default:
		if name, ok := strings.CutPrefix(key, "property "); ok {
			if spec.Properties == nil {
				spec.Properties = map[string]string{}
			}
			spec.Properties[strings.TrimSpace(name)] = value
		}
	}
	return nil
}

func parseDataset(s, namespace string) (event.CatalogDataset, error) {
	s = strings.TrimSpace(s)
	if before, after, ok := strings.Cut(s, "|"); ok {
		return event.CatalogDataset{Namespace: strings.TrimSpace(before), Name: strings.TrimSpace(after)}, nil
	}
	if namespace == "" {
		return event.CatalogDataset{}, fmt.Errorf("the dataset %q has no namespace: write namespace|name, or a namespace line above", s)
	}
	return event.CatalogDataset{Namespace: namespace, Name: s}, nil
}

// parseInput reads "name", "namespace|name" or "name of space s".
func parseInput(s, namespace string) (event.SpecInput, error) {
	name, space, _ := strings.Cut(s, " of space ")
	d, err := parseDataset(name, namespace)
	return event.SpecInput{Dataset: d, Space: strings.TrimSpace(space)}, err
}

// parseOutput reads "name" or "name as APPEND".
func parseOutput(s, namespace string) (event.SpecOutput, error) {
	name, typ, _ := strings.Cut(s, " as ")
	d, err := parseDataset(name, namespace)
	typ = strings.ToUpper(strings.TrimSpace(typ))
	if err == nil && !slices.Contains([]string{"", event.TransactionSnapshot, event.TransactionAppend, event.TransactionUpdate}, typ) {
		err = fmt.Errorf("the output %s is written as %q: use SNAPSHOT, APPEND or UPDATE", d.Name, typ)
	}
	return event.SpecOutput{Dataset: d, Type: typ}, err
}

// yamlSpec is a job spec in a YAML file.
type yamlSpec struct {
	Job        string            `yaml:"job"`
	Namespace  string            `yaml:"namespace"`
	Inputs     []string          `yaml:"inputs"`
	Outputs    []string          `yaml:"outputs"`
	Engine     string            `yaml:"engine"`
	Language   string            `yaml:"language"`
	Dialect    string            `yaml:"dialect"`
	Text       string            `yaml:"text"`
	Ref        string            `yaml:"ref"`
	Properties map[string]string `yaml:"properties"`
	Withdrawn  bool              `yaml:"withdrawn"`
}

// readYAML reads a file with a list of job specs under the key "jobs". Other YAML files are none of ours.
func readYAML(name string, text []byte, o Options) ([]event.JobSpec, error) {
	var probe struct {
		Jobs yaml.Node `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &probe); err != nil || probe.Jobs.IsZero() {
		return nil, nil //nolint:nilerr // a file of someone else, in whatever form
	}
	var file struct {
		Jobs []yamlSpec `yaml:"jobs"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, yamlFaults(name, err)
	}
	var specs []event.JobSpec
	for i, y := range file.Jobs {
		spec, err := y.spec(o)
		if err != nil {
			return nil, &FileError{File: name, Why: fmt.Sprintf("job %d: %v", i+1, err)}
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// yamlFaults tells a YAML file's faults with their lines, in words that name no type of this program.
func yamlFaults(name string, err error) error {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return &FileError{File: name, Why: err.Error()}
	}
	var faults []error
	for _, text := range wrong.Errors {
		fault := &FileError{File: name, Why: text}
		if rest, ok := strings.CutPrefix(text, "line "); ok {
			number, why, _ := strings.Cut(rest, ": ")
			if line, err := strconv.Atoi(number); err == nil {
				fault.Line, fault.Why = line, why
			}
		}
		if field, ok := strings.CutPrefix(fault.Why, "field "); ok {
			field, _, _ = strings.Cut(field, " ")
			fault.Why = fmt.Sprintf("a job spec has no key %q", field)
		}
		faults = append(faults, fault)
	}
	return errors.Join(faults...)
}

func (y *yamlSpec) spec(o Options) (event.JobSpec, error) {
	namespace := orElse(y.Namespace, o.Namespace)
	spec := event.JobSpec{
		ID: y.Job, Engine: orElse(y.Engine, o.Engine), Properties: y.Properties, Withdrawn: y.Withdrawn,
		Logic: event.Logic{Language: y.Language, Dialect: y.Dialect, Text: y.Text, Ref: y.Ref},
	}
	if y.Language == "sql" {
		spec.Logic.Dialect = orElse(y.Dialect, o.Dialect)
	}
	if y.Job == "" {
		return spec, errors.New("it has no name: give job")
	}
	if len(y.Outputs) == 0 {
		return spec, fmt.Errorf("job %s has no outputs", y.Job)
	}
	for _, s := range y.Inputs {
		in, err := parseInput(s, namespace)
		if err != nil {
			return spec, err
		}
		spec.Inputs = append(spec.Inputs, in)
	}
	for _, s := range y.Outputs {
		out, err := parseOutput(s, namespace)
		if err != nil {
			return spec, err
		}
		spec.Outputs = append(spec.Outputs, out)
	}
	return spec, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Hide returns withdrawn specs for what a base branch makes and the tree does not: files that were removed
// in the tree must not show again as the base's.
func Hide(tree, base []event.JobSpec) []event.JobSpec {
	ids, made := map[string]bool{}, map[event.CatalogDataset]bool{}
	for _, spec := range tree {
		ids[spec.ID] = true
		for _, out := range spec.Outputs {
			made[out.Dataset] = true
		}
	}
	var hidden []event.JobSpec
	for _, spec := range base {
		var outputs []event.SpecOutput
		for _, out := range spec.Outputs {
			if !made[out.Dataset] {
				outputs = append(outputs, out)
			}
		}
		if len(outputs) > 0 && !spec.Withdrawn {
			id := spec.ID
			if ids[id] {
				id += " (withdrawn)"
			}
			hidden = append(hidden, event.JobSpec{ID: id, Outputs: outputs, Withdrawn: true})
		}
	}
	return hidden
}
