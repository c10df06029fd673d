// Command gen writes the JSON Schema of every event type from its Go struct:
// shape from fields and tags, descriptions from comments, so that there is
// one place where an event is written down.
//
// Usage: gen EVENT_SOURCE_FOLDER OUTPUT_FOLDER.
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
	if len(args) != 2 {
		return errors.New("usage: gen EVENT_SOURCE_FOLDER OUTPUT_FOLDER")
	}
	docs, err := readDocs(args[0])
	if err != nil {
		return err
	}
	for _, e := range event.Entries() {
		s := newBuilder(docs).document(e)
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(s); err != nil {
			return fmt.Errorf("writing the schema of %s: %w", e.Type, err)
		}
		if err := os.WriteFile(filepath.Join(args[1], e.Type+".json"), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
