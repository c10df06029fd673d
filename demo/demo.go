// Package demo holds an online shop to try Tributary on: its sources and
// tables, and its tasks' SQL as people write it, in six dialects.
package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/tributary-data/tributary/schemas/event"
)

//go:embed shop
var shop embed.FS

// Source is the source of the demo's events.
const Source = "tributary/demo/shop"

// Events returns the shop as events, in an order that can be sent as it
// stands: sources, tables, tasks. Ids follow from the content, so that sending
// them twice is a repeat.
func Events(at time.Time) ([]event.Event, error) {
	sources, err := readSources()
	if err != nil {
		return nil, err
	}
	tables, err := readTables()
	if err != nil {
		return nil, err
	}
	tasks, err := readTasks()
	if err != nil {
		return nil, err
	}
	var events []event.Event
	add := func(kind, id string, data any) error {
		raw, err := json.Marshal(data)
		if err != nil {
			return fmt.Errorf("encoding %s: %w", id, err)
		}
		sum := sha256.Sum256(raw)
		events = append(events, event.Event{
			ID: id + "@" + hex.EncodeToString(sum[:8]), Source: Source, Type: kind, Time: at, Data: data,
		})
		return nil
	}
	for _, s := range sources {
		if err := add(event.TypeSourceRegistered, "source/"+s.ID, s); err != nil {
			return nil, err
		}
	}
	for _, t := range tables {
		if err := add(event.TypeTableDefined, "table/"+t.Namespace+"/"+t.Name, t); err != nil {
			return nil, err
		}
	}
	for _, t := range tasks {
		if err := add(event.TypeTaskDefined, "task/"+t.ID, t); err != nil {
			return nil, err
		}
	}
	return events, nil
}

func readSources() ([]*event.SourceRegistered, error) {
	var file []struct {
		ID, Name, Engine string
		Addresses        []string
	}
	if err := readYAML("shop/sources.yaml", &file); err != nil {
		return nil, err
	}
	sources := make([]*event.SourceRegistered, 0, len(file))
	for _, s := range file {
		sources = append(sources, &event.SourceRegistered{ID: s.ID, Name: s.Name, Engine: s.Engine, Addresses: s.Addresses})
	}
	return sources, nil
}

func readTables() ([]*event.TableDefined, error) {
	var file []struct {
		Source, Name string
		Columns      []string
	}
	if err := readYAML("shop/tables.yaml", &file); err != nil {
		return nil, err
	}
	tables := make([]*event.TableDefined, 0, len(file))
	for _, t := range file {
		def := &event.TableDefined{Dataset: event.Dataset{Namespace: t.Source, Name: t.Name}}
		for _, c := range t.Columns {
			words := strings.Fields(c)
			if len(words) < 2 {
				return nil, fmt.Errorf("table %s: column %q is not 'name type'", t.Name, c)
			}
			def.Columns = append(def.Columns, event.Column{Name: words[0], Type: words[1], Masked: len(words) > 2 && words[2] == "masked"})
		}
		tables = append(tables, def)
	}
	return tables, nil
}

// header is the YAML comment that opens a task's SQL file.
type header struct {
	ID, Name, Kind, Dialect, Source, Owner string
	DefaultSchema                          string `yaml:"default_schema"`
	Catalogs, Labels                       map[string]string
}

func readTasks() ([]*event.TaskDefined, error) {
	var tasks []*event.TaskDefined
	err := fs.WalkDir(shop, "shop/tasks", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := shop.ReadFile(path)
		if err != nil {
			return err
		}
		task, err := parseTask(raw)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		tasks = append(tasks, task)
		return nil
	})
	return tasks, err
}

func parseTask(raw []byte) (*event.TaskDefined, error) {
	rest, ok := bytes.CutPrefix(raw, []byte("/*\n"))
	head, sql, found := bytes.Cut(rest, []byte("\n*/\n"))
	if !ok || !found {
		return nil, errors.New("the file does not begin with a /* */ comment of its own lines")
	}
	var h header
	dec := yaml.NewDecoder(bytes.NewReader(head))
	dec.KnownFields(true)
	if err := dec.Decode(&h); err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	return &event.TaskDefined{
		Task: event.Task{ID: h.ID}, Kind: h.Kind, Name: h.Name, Owner: h.Owner, Labels: h.Labels,
		SQL: string(sql), Dialect: h.Dialect, DefaultSource: h.Source, Catalogs: h.Catalogs, DefaultSchema: h.DefaultSchema,
	}, nil
}

func readYAML(path string, into any) error {
	raw, err := shop.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if err := yaml.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}
