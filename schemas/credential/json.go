package credential

import (
	"bytes"
	"encoding/json"
)

// MaskJSON masks the texts of a JSON value: whole behind a member's name that
// credentials are given under, else as Mask does. It gives the value itself if
// nothing is masked or it is no JSON.
func MaskJSON(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return raw
	}
	masked, changed := maskValue("", value)
	if !changed {
		return raw
	}
	out, err := json.Marshal(masked)
	if err != nil {
		return raw
	}
	return out
}

// maskValue masks in place what stands under a member's name.
func maskValue(name string, value any) (masked any, changed bool) {
	switch v := value.(type) {
	case string:
		text := Value(name, v)
		return text, text != v
	case map[string]any:
		for member, inner := range v {
			m, c := maskValue(member, inner)
			v[member] = m
			changed = changed || c
		}
	case []any:
		for i, inner := range v {
			m, c := maskValue(name, inner)
			v[i] = m
			changed = changed || c
		}
	}
	return value, changed
}
