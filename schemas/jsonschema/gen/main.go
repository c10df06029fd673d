// Command gen writes the JSON Schema of every event type, and the page that
// describes them, from the Go structs: shape from fields and tags,
// descriptions from comments, so that there is one place where an event is
// written down.
//
// Usage: gen EVENT_SOURCE_FOLDER SCHEMA_FOLDER PAGE.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tributary-data/tributary/schemas/event"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: gen EVENT_SOURCE_FOLDER SCHEMA_FOLDER PAGE")
	}
	docs, err := readDocs(args[0])
	if err != nil {
		return err
	}
	documents := map[string]*schema{}
	for _, e := range event.Entries() {
		s := newBuilder(docs).document(e)
		documents[e.Type] = s
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(s); err != nil {
			return fmt.Errorf("writing the schema of %s: %w", e.Type, err)
		}
		if err := os.WriteFile(filepath.Join(args[1], e.Type+".json"), b.Bytes(), 0o600); err != nil { //nolint:gosec // a folder named by go generate
			return err
		}
	}
	return writePage(args[2], documents)
}
