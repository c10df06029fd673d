package event

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	fast "github.com/go-json-experiment/json/v1"
)

// jsonWriter writes JSON objects member by member, as encoding/json would. The
// events that are written most have their members written one by one: reflection
// takes four times as long. Names of members are given as they are written,
// `"name":`.
type jsonWriter struct {
	out []byte
	// before is what stands before the next member: an object's bracket or a
	// comma.
	before byte
	// altered says that something of what was written is read as something else, or
	// that this is not known.
	altered bool
}

func (w *jsonWriter) open() { w.before = '{' }

func (w *jsonWriter) end() {
	if w.before == '{' {
		w.out = append(w.out, '{')
	}
	w.out = append(w.out, '}')
	w.before = ','
}

func (w *jsonWriter) member(name string) {
	w.out = append(w.out, w.before)
	w.out = append(w.out, name...)
	w.before = ','
}

// text leaves out what is empty; so do the other methods but the must ones.
func (w *jsonWriter) text(name, value string) {
	if value != "" {
		w.mustText(name, value)
	}
}

func (w *jsonWriter) mustText(name, value string) {
	w.member(name)
	w.quote(value)
}

func (w *jsonWriter) number(name string, n int) {
	if n != 0 {
		w.mustNumber(name, int64(n))
	}
}

func (w *jsonWriter) mustNumber(name string, n int64) {
	w.member(name)
	w.out = strconv.AppendInt(w.out, n, 10)
}

func (w *jsonWriter) truth(name string, value bool) {
	if value {
		w.mustTruth(name, value)
	}
}

func (w *jsonWriter) mustTruth(name string, value bool) {
	w.member(name)
	w.out = strconv.AppendBool(w.out, value)
}

func (w *jsonWriter) raw(name string, value json.RawMessage) {
	if len(value) > 0 {
		w.member(name)
		w.out = append(w.out, value...)
		return
	}
	w.leaveOut(value != nil)
}

func (w *jsonWriter) texts(name string, list []string) {
	if len(list) > 0 {
		w.mustTexts(name, list)
		return
	}
	w.leaveOut(list != nil)
}

// leaveOut leaves out a value that is empty: if it is there all the same, it is read
// as one that is not.
func (w *jsonWriter) leaveOut(there bool) { w.altered = w.altered || there }

func (w *jsonWriter) mustTexts(name string, list []string) {
	w.member(name)
	if list == nil {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = append(w.out, '[')
	for i, s := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.quote(s)
	}
	w.out = append(w.out, ']')
}

func (w *jsonWriter) numbers(name string, list []int) {
	if len(list) == 0 {
		w.leaveOut(list != nil)
		return
	}
	w.member(name)
	for i, n := range list {
		w.out = append(w.out, "[,"[min(i, 1)])
		w.out = strconv.AppendInt(w.out, int64(n), 10)
	}
	w.out = append(w.out, ']')
}

// writeList writes a list of objects, each by fn between its brackets.
func writeList[T any](w *jsonWriter, name string, list []T, fn func(*jsonWriter, *T)) {
	if len(list) == 0 {
		w.leaveOut(list != nil)
		return
	}
	w.member(name)
	for i := range list {
		w.out = append(w.out, "[,"[min(i, 1)])
		w.open()
		fn(w, &list[i])
		w.end()
	}
	w.out = append(w.out, ']')
}

// fraction writes a number between 0 and 1; what is so small that it is written with
// an exponent, or no such number, is left to reflection.
func (w *jsonWriter) fraction(name string, f float64) error {
	const smallest = 1e-6
	if f == 0 {
		return nil
	}
	if !(smallest <= f && f <= 1) {
		return w.any(name, f)
	}
	w.member(name)
	w.out = strconv.AppendFloat(w.out, f, 'f', -1, 64)
	return nil
}

// any leaves a value that is seldom there to reflection.
func (w *jsonWriter) any(name string, value any) error {
	b, err := fast.Marshal(value)
	if err != nil {
		return err
	}
	w.member(name)
	w.out = append(w.out, b...)
	w.altered = true // for all that is known here
	return nil
}

func (w *jsonWriter) quote(s string) {
	if !plain(s) {
		w.altered = w.altered || !utf8.ValidString(s)
		w.out = escape(w.out, s)
		return
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, s...)
	w.out = append(w.out, '"')
}

// AppendText adds a text as JSON, as encoding/json writes it. It is given in
// parts so that nobody joins it before. Most texts have nothing to escape.
func AppendText(out []byte, parts ...string) []byte {
	for _, s := range parts {
		if !plain(s) {
			return escape(out, strings.Join(parts, ""))
		}
	}
	out = append(out, '"')
	for _, s := range parts {
		out = append(out, s...)
	}
	return append(out, '"')
}

// escape adds a text that has something to escape; what is not UTF-8 in it is
// replaced.
func escape(out []byte, s string) []byte {
	b, err := fast.Marshal(s)
	if err != nil {
		panic("a text cannot be written as JSON: " + err.Error()) // encoding/json never fails at one
	}
	return append(out, b...)
}

// plain reports a text that is written between quotes as it is.
func plain(s string) bool {
	for i := range len(s) {
		if !plainBytes[s[i]] {
			return false
		}
	}
	return true
}

// plainBytes are the bytes that are never escaped: also not for HTML's sake, nor
// as a part of a line separator.
var plainBytes = func() (t [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return t
}()
