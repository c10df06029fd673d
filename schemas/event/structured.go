package event

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// ReadStructured reads one whole event as JSON, without decoding its data.
func ReadStructured(b []byte) (*Envelope, error) {
	if err := CheckJSON(b); err != nil {
		return nil, err
	}
	return ParseStructured(b)
}

// ParseStructured is ReadStructured for bytes that have passed CheckJSON, an
// element of a batch for example. The envelope's data is a part of b. When it
// fails, the envelope holds what could be read, for naming the event.
func ParseStructured(b []byte) (*Envelope, error) {
	env := &Envelope{}
	var spec string
	var coded []byte
	err := Members(b, func(member string, value []byte) error {
		switch {
		case member == "data":
			env.Data = value
			return nil
		case member == "data_base64":
			coded = value
			return nil
		case bytes.Equal(value, []byte("null")):
			return nil // JSON's way to leave an attribute out
		}
		text, err := attributeText(member, value)
		if err != nil {
			return err
		}
		return env.set(member, text, &spec)
	})
	if err != nil {
		return env, err
	}
	if err := checkSpec(spec); err != nil {
		return env, err
	}
	if coded != nil {
		if env.Data != nil {
			return env, fmt.Errorf("%w: data and data_base64 exclude each other", ErrMalformed)
		}
		if env.Data, err = decodeBase64(coded); err != nil {
			return env, err
		}
	}
	if env.Data == nil {
		return env, fmt.Errorf("%w: data is missing", ErrMalformed)
	}
	return env, env.checkAttributes()
}

// attributeText gives an attribute's value as text. Attributes of CloudEvents
// are text; extensions may be numbers and booleans too.
func attributeText(member string, value []byte) (string, error) {
	switch value[0] {
	case '"':
		return unquote(value)
	case '{', '[':
		return "", fmt.Errorf("%w: attribute %s should be text, a number or a boolean", ErrAttribute, member)
	}
	if slices.Contains([]string{"id", "source", "type", "specversion", "time", "datacontenttype"}, member) {
		return "", fmt.Errorf("%w: %s should be text", ErrAttribute, member)
	}
	return string(value), nil
}

func decodeBase64(quoted []byte) ([]byte, error) {
	text, err := unquote(quoted)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: data_base64: %w", ErrMalformed, err)
	}
	return data, CheckJSON(data)
}

// structured is the JSON form of an event's attributes, for writing.
type structured struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Time            string          `json:"time,omitempty"`
	DataContentType string          `json:"datacontenttype,omitempty"`
	Data            json.RawMessage `json:"data"`
}

// MarshalStructured writes an event as one JSON object.
func MarshalStructured(ev Event) ([]byte, error) {
	data, err := json.Marshal(ev.Data)
	if err != nil {
		return nil, fmt.Errorf("encoding data of %s: %w", ev.Type, err)
	}
	env := Envelope{ID: ev.ID, Source: ev.Source, Type: ev.Type, Time: ev.Time, Data: data, Extensions: ev.Extensions}
	return env.MarshalStructured()
}

// MarshalStructured writes the envelope as one JSON object.
func (e *Envelope) MarshalStructured() ([]byte, error) {
	if err := e.checkAttributes(); err != nil {
		return nil, err
	}
	s := structured{
		SpecVersion: SpecVersion, ID: e.ID, Source: e.Source, Type: e.Type,
		DataContentType: ContentTypeJSON, Data: e.Data,
	}
	if !e.Time.IsZero() {
		s.Time = e.Time.Format(time.RFC3339Nano)
	}
	head, err := json.Marshal(s)
	if err != nil || len(e.Extensions) == 0 {
		return head, err
	}
	tail, err := json.Marshal(e.Extensions)
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), tail[1:]...), nil
}

// WithMember gives a JSON object with one member set, and all others as they
// were. object must have passed CheckJSON.
func WithMember(object json.RawMessage, member string, value any) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	all[member] = raw
	return json.Marshal(all)
}

// HasMember reports whether a JSON object has a member whose value is neither
// null nor empty text. object must have passed CheckJSON.
func HasMember(object json.RawMessage, member string) bool {
	found := false
	err := Members(object, func(n string, value []byte) error {
		if n == member {
			found = string(value) != "null" && string(value) != `""`
		}
		return nil
	})
	return err == nil && found
}
