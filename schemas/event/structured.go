package event

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// structured is the JSON form of an event's known attributes.
type structured struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Time            string          `json:"time,omitempty"`
	DataContentType string          `json:"datacontenttype,omitempty"`
	DataSchema      string          `json:"dataschema,omitempty"`
	Subject         string          `json:"subject,omitempty"`
	Data            json.RawMessage `json:"data,omitempty"`
	DataBase64      string          `json:"data_base64,omitempty"`
}

// knownMembers is the number of members of structured; an object with no
// more than it has names of is not searched for extensions twice.
var knownMembers = []string{
	"specversion", "id", "source", "type", "time", "datacontenttype", "dataschema", "subject", "data", "data_base64",
}

// ReadStructured reads one whole event as JSON, without decoding its data.
func ReadStructured(b []byte) (*Envelope, error) {
	if i := InvalidUTF8(b); i >= 0 {
		return nil, fmt.Errorf("%w: not UTF-8 at byte %d", ErrMalformed, i)
	}
	var s structured
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, describe(err))
	}
	if err := checkSpec(s.SpecVersion); err != nil {
		return nil, err
	}
	env := &Envelope{ID: s.ID, Source: s.Source, Type: s.Type, Data: s.Data}
	if err := env.checkAttributes(); err != nil {
		return nil, err
	}
	for _, a := range [...]struct{ name, value string }{
		{"time", s.Time}, {"datacontenttype", s.DataContentType}, {"dataschema", s.DataSchema}, {"subject", s.Subject},
	} {
		if a.value == "" {
			continue
		}
		if err := env.set(a.name, a.value, nil); err != nil {
			return nil, err
		}
	}
	if s.DataBase64 != "" {
		data, err := base64.StdEncoding.DecodeString(s.DataBase64)
		if err != nil || s.Data != nil {
			return nil, fmt.Errorf("%w: data_base64 is not base64, or stands beside data", ErrMalformed)
		}
		env.Data = data
	}
	if env.Data == nil {
		return nil, fmt.Errorf("%w: data is missing", ErrMalformed)
	}
	return env, env.readExtensions(b)
}

// readExtensions takes the members that are no known attributes. Values that
// are numbers or booleans become text.
func (e *Envelope) readExtensions(b []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, describe(err))
	}
	for _, known := range knownMembers {
		delete(all, known)
	}
	for n, raw := range all {
		text := string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &text); err != nil {
				return fmt.Errorf("%w: attribute %s: %w", ErrMalformed, n, err)
			}
		} else if raw[0] == '{' || raw[0] == '[' || text == "null" {
			return fmt.Errorf("%w: attribute %s should be text, a number or a boolean", ErrAttribute, n)
		}
		if err := e.setExtension(n, text); err != nil {
			return err
		}
	}
	return nil
}

// describe says where JSON is wrong.
func describe(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("JSON at byte %d: %w", syntax.Offset, err)
	}
	return err
}

// MarshalStructured writes an event as one JSON object.
func MarshalStructured(ev Event) ([]byte, error) {
	data, err := json.Marshal(ev.Data)
	if err != nil {
		return nil, fmt.Errorf("encoding data of %s: %w", ev.Type, err)
	}
	s := structured{
		SpecVersion: SpecVersion, ID: ev.ID, Source: ev.Source, Type: ev.Type,
		DataContentType: ContentTypeJSON, Data: data,
	}
	if !ev.Time.IsZero() {
		s.Time = ev.Time.Format(time.RFC3339Nano)
	}
	ext := maps.Clone(ev.Extensions)
	s.DataSchema, s.Subject = ext["dataschema"], ext["subject"]
	maps.DeleteFunc(ext, func(n, _ string) bool { return slices.Contains(knownMembers, n) })
	head, err := json.Marshal(s)
	if err != nil || len(ext) == 0 {
		return head, err
	}
	tail, err := json.Marshal(ext)
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), tail[1:]...), nil
}

// MarshalBatch writes events as one JSON array, the form of ContentTypeBatch.
func MarshalBatch(events []Event) ([]byte, error) {
	out := []byte{'['}
	for i, ev := range events {
		if i > 0 {
			out = append(out, ',')
		}
		b, err := MarshalStructured(ev)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return append(out, ']'), nil
}
