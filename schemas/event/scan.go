package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	fast "github.com/go-json-experiment/json/v1"
)

// CheckJSON reports text that is not UTF-8 or not JSON, and at which byte.
// The error wraps ErrMalformed.
func CheckJSON(b []byte) error {
	if !utf8.Valid(b) {
		return fmt.Errorf("%w: not UTF-8 at byte %d", ErrMalformed, InvalidUTF8(b))
	}
	if fast.Valid(b) {
		return nil
	}
	var ignored json.RawMessage
	err := json.Unmarshal(b, &ignored)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w: not JSON at byte %d: %w", ErrMalformed, syntax.Offset, err)
	}
	return fmt.Errorf("%w: not JSON", ErrMalformed)
}

// Elements calls fn with each element of a JSON array. b must have passed
// CheckJSON; the elements are parts of it, not copies. The error is fn's, or
// wraps ErrMalformed if b is no array.
func Elements(b []byte, fn func(element []byte) error) error {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '[' {
		return fmt.Errorf("%w: a JSON array is expected", ErrMalformed)
	}
	for i = skipSpace(b, i+1); b[i] != ']'; i = skipSpace(b, i) {
		if b[i] == ',' {
			i = skipSpace(b, i+1)
		}
		end := skipValue(b, i)
		if err := fn(b[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// Members calls fn with the name and the value of each member of a JSON object
// that has passed CheckJSON; the values are parts of it, not copies. The error is
// fn's, or wraps ErrMalformed if b is no object. It saves decoding an event's data
// twice.
func Members(b []byte, fn func(name string, value []byte) error) error {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return fmt.Errorf("%w: an event is a JSON object", ErrMalformed)
	}
	for i = skipSpace(b, i+1); b[i] != '}'; i = skipSpace(b, i) {
		if b[i] == ',' {
			i = skipSpace(b, i+1)
		}
		end := skipValue(b, i)
		memberName, err := unquote(b[i:end])
		if err != nil {
			return err
		}
		i = skipSpace(b, end) + 1 // behind the colon
		i = skipSpace(b, i)
		end = skipValue(b, i)
		if err := fn(memberName, b[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue gives the index behind the JSON value that begins at i. It counts
// depth instead of calling itself, so that no nesting can exhaust the stack.
func skipValue(b []byte, i int) int {
	if b[i] == '"' {
		return skipString(b, i)
	}
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// skipString gives the index behind the JSON string that begins at i.
func skipString(b []byte, i int) int {
	i++
	for {
		i += bytes.IndexByte(b[i:], '"')
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if i++; escapes%2 == 0 {
			return i
		}
	}
}

// unquote gives the text of a JSON string.
func unquote(b []byte) (string, error) {
	if len(b) < 2 || b[0] != '"' {
		return "", fmt.Errorf("%w: %.40s should be text", ErrAttribute, b)
	}
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1]), nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return "", fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return s, nil
}
