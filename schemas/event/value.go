package event

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Value decodes JSON that has passed CheckJSON, into the types that
// encoding/json uses for any, numbers as json.Number. It trusts the bytes, and
// so reads them once where encoding/json reads them three times. Depth is
// bounded by CheckJSON.
func Value(b []byte) any {
	v, _ := value(b, skipSpace(b, 0))
	return v
}

// value decodes the value that begins at i and gives the index behind it.
func value(b []byte, i int) (any, int) {
	switch b[i] {
	case '{':
		return object(b, i)
	case '[':
		list := []any{}
		for i = skipSpace(b, i+1); b[i] != ']'; i = skipSpace(b, i) {
			if b[i] == ',' {
				i = skipSpace(b, i+1)
			}
			var v any
			v, i = value(b, i)
			list = append(list, v)
		}
		return list, i + 1
	case '"':
		end := skipString(b, i)
		return unescape(b[i+1 : end-1]), end
	case 't':
		return true, i + len("true")
	case 'f':
		return false, i + len("false")
	case 'n':
		return nil, i + len("null")
	}
	end := skipValue(b, i)
	return json.Number(b[i:end]), end
}

func object(b []byte, i int) (map[string]any, int) {
	m := map[string]any{}
	for i = skipSpace(b, i+1); b[i] != '}'; i = skipSpace(b, i) {
		if b[i] == ',' {
			i = skipSpace(b, i+1)
		}
		end := skipString(b, i)
		member := unescape(b[i+1 : end-1])
		i = skipSpace(b, skipSpace(b, end)+1) // behind the colon
		var v any
		v, i = value(b, i)
		m[member] = v
	}
	return m, i + 1
}

// unescape gives the text between the quotes of a JSON string.
func unescape(b []byte) string {
	slash := bytes.IndexByte(b, '\\')
	if slash < 0 {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
	for slash >= 0 {
		out.Write(b[:slash])
		b = b[slash+1:]
		switch c := b[0]; c {
		case 'u':
			var r rune
			r, b = codePoint(b)
			out.WriteRune(r)
		default:
			out.WriteByte(escaped(c))
			b = b[1:]
		}
		slash = bytes.IndexByte(b, '\\')
	}
	out.Write(b)
	return out.String()
}

// escaped gives the byte that a letter after a backslash stands for.
func escaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// codePoint reads uXXXX, and the second half of a surrogate pair behind it. A
// half without its other half is the replacement character.
func codePoint(b []byte) (rune, []byte) {
	r := hex4(b)
	b = b[5:]
	if !utf16.IsSurrogate(r) {
		return r, b
	}
	if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(b[1:])); pair != utf8.RuneError {
			return pair, b[6:]
		}
	}
	return utf8.RuneError, b
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[1:5]), 16, 16) // CheckJSON has seen four hex digits
	return rune(n)
}
