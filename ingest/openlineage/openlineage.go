// Package openlineage turns OpenLineage events into Tributary's. The
// conversion is pure: the same bytes always give the same events with the
// same ids, so that a client's retry is a repeat and nothing more.
package openlineage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// ErrInvalid says that an OpenLineage event lacks something that it must
// have. JSON that cannot be read wraps event.ErrMalformed instead.
var ErrInvalid = errors.New("invalid OpenLineage event")

// DatasetTaskNamespace is the namespace of the tasks that stand for lineage
// which a DatasetEvent declares: it names no job, and an edge needs someone
// who can take it back.
const DatasetTaskNamespace = "openlineage-dataset"

// defaultSource is the source of events whose producer says nothing of itself.
const defaultSource = "openlineage"

// facets are the facets of one thing, undecoded, by name.
type facets map[string]json.RawMessage

// message is an OpenLineage event of any of the three kinds.
type message struct {
	EventType string    `json:"eventType"`
	EventTime string    `json:"eventTime"`
	Producer  string    `json:"producer"`
	Run       *run      `json:"run"`
	Job       *job      `json:"job"`
	Dataset   *dataset  `json:"dataset"`
	Inputs    []dataset `json:"inputs"`
	Outputs   []dataset `json:"outputs"`
}

type run struct {
	RunID  string `json:"runId"`
	Facets facets `json:"facets"`
}

type job struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Facets    facets `json:"facets"`
}

type dataset struct {
	Namespace    string `json:"namespace"`
	Name         string `json:"name"`
	Facets       facets `json:"facets"`
	InputFacets  facets `json:"inputFacets"`
	OutputFacets facets `json:"outputFacets"`
}

// Convert turns one OpenLineage event into the events that say the same. They
// are sorted as they should be read: definitions first. Errors wrap
// ErrInvalid or event.ErrMalformed.
func Convert(raw []byte) ([]event.Event, error) {
	if err := event.CheckJSON(raw); err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", event.ErrMalformed, err)
	}
	at, err := eventTime(m.EventTime)
	if err != nil {
		return nil, err
	}
	m.dropCredentials()
	c := &converter{message: m, at: at, hash: hashOf(raw), source: m.Producer}
	if c.source == "" || len(c.source) > maxSource {
		c.source = defaultSource
	}
	switch {
	case m.Run != nil:
		err = c.runEvent()
	case m.Job != nil:
		err = c.jobEvent()
	case m.Dataset != nil:
		err = c.datasetEvent()
	default:
		err = fmt.Errorf("%w: it has neither run nor job nor dataset", ErrInvalid)
	}
	if err != nil {
		return nil, err
	}
	return c.events, nil
}

// dropCredentials takes users and passwords out of the namespaces of datasets.
// Clients that build them from a connection's URL have sent both.
func (m *message) dropCredentials() {
	for _, list := range [][]dataset{m.Inputs, m.Outputs} {
		for i := range list {
			list[i].Namespace = name.WithoutUser(list[i].Namespace)
		}
	}
	if m.Dataset != nil {
		m.Dataset.Namespace = name.WithoutUser(m.Dataset.Namespace)
	}
}

// maxSource bounds a producer's name as an event's source, in bytes.
const maxSource = 2048

// hashOf gives the hash that ids are made of. White space does not count, so
// that the same event printed in another way is the same event.
func hashOf(raw []byte) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err == nil {
		raw = compact.Bytes()
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// eventTime reads a time with or without a zone; clients have sent both. A
// time without one is taken as UTC, an absent one as not known.
func eventTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, s); err == nil {
			if t.Year() < 0 || t.Year() > 9999 {
				break
			}
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: eventTime %q is not as RFC 3339 says (2026-01-31T12:00:00Z)", ErrInvalid, s)
}

// optionalTime reads a time inside a facet; one that cannot be read is left out.
func optionalTime(s string) *time.Time {
	t, err := eventTime(s)
	if err != nil || t.IsZero() {
		return nil
	}
	return &t
}

// converter gathers the events of one message.
type converter struct {
	message

	at     time.Time
	hash   string
	source string
	events []event.Event
}

// add gathers one event. Its id follows from the message and its place.
func (c *converter) add(eventType string, data any) {
	what := strings.TrimSuffix(strings.TrimPrefix(eventType, "tributary."), ".v1")
	c.events = append(c.events, event.Event{
		ID:     fmt.Sprintf("ol-%s-%d-%s", c.hash, len(c.events), what),
		Source: c.source, Type: eventType, Time: c.at, Data: data,
	})
}

// task names the message's job.
func (c *converter) task() (event.Task, error) {
	if c.Job == nil || c.Job.Name == "" {
		return event.Task{}, fmt.Errorf("%w: job.name is missing", ErrInvalid)
	}
	return event.Task{Namespace: c.Job.Namespace, ID: c.Job.Name}, nil
}

// checkDatasets reports a dataset without a name.
func checkDatasets(field string, list []dataset) error {
	for i := range list {
		if list[i].Name == "" {
			return fmt.Errorf("%w: %s[%d].name is missing", ErrInvalid, field, i)
		}
	}
	return nil
}

// runEvent converts a RunEvent.
func (c *converter) runEvent() error {
	task, err := c.task()
	if err != nil {
		return err
	}
	if c.Run.RunID == "" {
		return fmt.Errorf("%w: run.runId is missing", ErrInvalid)
	}
	if err := errors.Join(checkDatasets("inputs", c.Inputs), checkDatasets("outputs", c.Outputs)); err != nil {
		return err
	}
	state, err := stateOf(c.EventType)
	if err != nil {
		return err
	}
	for _, list := range [][]dataset{c.Inputs, c.Outputs} {
		for i := range list {
			if err := c.define(&list[i], state.completed); err != nil {
				return err
			}
		}
	}
	if c.Dataset != nil && c.Dataset.Name != "" {
		if err := c.define(c.Dataset, state.completed); err != nil {
			return err
		}
	}
	data, err := c.runData(task, state)
	if err != nil {
		return err
	}
	if d, err := c.definitionOfRun(task, state, data.Parent); err != nil {
		return err
	} else if d != nil {
		data.About = nil // the definition says it
		c.add(event.TypeTaskDefined, d)
	}
	c.add(state.eventType, state.wrap(data))
	return nil
}

// jobEvent converts a JobEvent: the job's definition, with what it declares.
func (c *converter) jobEvent() error {
	task, err := c.task()
	if err != nil {
		return err
	}
	if err := errors.Join(checkDatasets("inputs", c.Inputs), checkDatasets("outputs", c.Outputs)); err != nil {
		return err
	}
	for _, list := range [][]dataset{c.Inputs, c.Outputs} {
		for i := range list {
			if err := c.define(&list[i], true); err != nil {
				return err
			}
		}
	}
	d, err := c.definition(task)
	if err != nil {
		return err
	}
	if d.Inputs, d.Outputs, err = c.dataFlow(); err != nil {
		return err
	}
	c.add(event.TypeTaskDefined, d)
	return nil
}

// datasetEvent converts a DatasetEvent: the dataset's definition, and the
// lineage that it declares.
func (c *converter) datasetEvent() error {
	d := c.Dataset
	if d.Name == "" {
		return fmt.Errorf("%w: dataset.name is missing", ErrInvalid)
	}
	if err := c.define(d, true); err != nil {
		return err
	}
	c.Outputs = []dataset{*d}
	_, outputs, err := c.dataFlow()
	if err != nil {
		return err
	}
	ref := event.Ref{Namespace: d.Namespace, Name: d.Name}
	task := event.Task{Namespace: DatasetTaskNamespace, ID: ref.NodeKey().String()}
	if deleted(d.Facets[facetColumnLineage]) || deleted(d.Facets[facetLineage]) {
		c.add(event.TypeTaskRemoved, &event.TaskRemoved{Task: task})
		return nil
	}
	out := outputs[0]
	if out.From == nil && len(out.ColumnEdges) == 0 {
		if len(c.events) == 0 { // a dataset that is only mentioned is still a dataset
			c.add(event.TypeTableDefined, &event.TableDefined{Dataset: event.Dataset{Namespace: d.Namespace, Name: d.Name}})
		}
		return nil
	}
	c.add(event.TypeTaskDefined, &event.TaskDefined{
		Task: task, Kind: event.KindBatch, Name: "lineage of " + d.Name,
		Inputs: inputsOf(out), Outputs: outputs,
	})
	return nil
}

// inputsOf lists what an output is made from as inputs.
func inputsOf(out event.Output) []event.Input {
	inputs := make([]event.Input, 0, len(out.From))
	for _, ref := range out.From {
		inputs = append(inputs, event.Input{Ref: ref})
	}
	return inputs
}
