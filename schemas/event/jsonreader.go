package event

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"
)

// jsonReader reads JSON of an expected form: mostly that which jsonWriter writes,
// members in their order, nothing between them, nothing empty. It tells of
// anything else by bad, and then the data is read by reflection: what a record
// means is decided there, and here is only a shorter way to the same. The bytes
// must be UTF-8. Names of members are given as they are written, `"name":`.
type jsonReader struct {
	b []byte
	i int
	// before is what stands before the next member: an object's bracket or a
	// comma.
	before byte
	bad    bool

	// seen holds texts of late: names come again in every edge, and in the events
	// behind this one, and are to be in memory once.
	seen [256]string
	// texts and numbers are what short lists are cut from.
	texts   []string
	numbers []int
	edges   []LineageEdge
}

// reset begins with other bytes.
func (r *jsonReader) reset(b []byte) {
	r.b, r.i, r.before, r.bad = b, 0, 0, false
	r.texts, r.numbers = nil, nil
}

// done reports that all bytes were read, and right.
func (r *jsonReader) done() bool { return !r.bad && r.i == len(r.b) }

func (r *jsonReader) fail() { r.bad, r.i = true, len(r.b) }

// take passes over a byte if it comes next.
func (r *jsonReader) take(c byte) bool {
	if r.i < len(r.b) && r.b[r.i] == c {
		r.i++
		return true
	}
	return false
}

// space passes over white space, in data that others write.
func (r *jsonReader) space() { r.i = skipSpace(r.b, r.i) }

func (r *jsonReader) need(c byte) {
	if !r.take(c) {
		r.fail()
	}
}

func (r *jsonReader) open() { r.before = '{' }

func (r *jsonReader) end() {
	if r.before == '{' {
		r.need('{')
	}
	r.need('}')
	r.before = ','
}

// member passes over a member's name if it comes next.
func (r *jsonReader) member(name string) bool {
	rest := r.b[r.i:]
	if len(rest) <= len(name) || rest[0] != r.before || string(rest[1:1+len(name)]) != name {
		return false
	}
	r.i += 1 + len(name)
	r.before = ','
	return true
}

func (r *jsonReader) text(name string, into *string) {
	if r.member(name) {
		*into = r.value()
	}
}

func (r *jsonReader) number(name string, into *int) {
	if r.member(name) {
		*into = int(r.integer())
	}
}

func (r *jsonReader) truth(name string, into *bool) {
	if !r.member(name) {
		return
	}
	rest := r.b[r.i:]
	switch {
	case bytes.HasPrefix(rest, []byte("true")):
		r.i += len("true")
		*into = true
	case bytes.HasPrefix(rest, []byte("false")):
		r.i += len("false")
		*into = false
	default:
		r.fail()
	}
}

// fraction reads a number that may have decimals, and no exponent.
func (r *jsonReader) fraction(name string, into *float64) {
	if !r.member(name) {
		return
	}
	start := r.i
	r.digits(true)
	if r.take('.') {
		r.digits(false)
	}
	f, err := strconv.ParseFloat(string(r.b[min(start, r.i):r.i]), 64)
	if err != nil || r.goesOn() {
		r.fail()
		return
	}
	*into = f
}

// goesOn reports a number that has not ended.
func (r *jsonReader) goesOn() bool {
	return r.i < len(r.b) && (r.b[r.i] == '.' || r.b[r.i]|0x20 == 'e')
}

// digits passes over digits, at least one. A whole number of several does not
// begin with 0.
func (r *jsonReader) digits(whole bool) {
	start := r.i
	for r.i < len(r.b) && '0' <= r.b[r.i] && r.b[r.i] <= '9' {
		r.i++
	}
	if n := r.i - start; n == 0 || whole && n > 1 && r.b[start] == '0' {
		r.fail()
	}
}

func (r *jsonReader) integer() int64 {
	start := r.i
	r.take('-')
	r.digits(true)
	n, err := strconv.ParseInt(string(r.b[min(start, r.i):r.i]), 10, 64)
	if err != nil || r.goesOn() {
		r.fail()
	}
	return n
}

// longestSeen is the length up to which texts are kept.
const longestSeen = 128

var seed = maphash.MakeSeed()

// value reads a text.
func (r *jsonReader) value() string {
	raw, escaped := r.quoted()
	switch {
	case escaped:
		return unescape(raw)
	case len(raw) > longestSeen:
		return string(raw)
	case len(raw) == 0:
		return ""
	}
	place := &r.seen[maphash.Bytes(seed, raw)%uint64(len(r.seen))]
	if *place != string(raw) {
		*place = string(raw)
	}
	return *place
}

// quoted passes over a text and gives what is between its quotes.
func (r *jsonReader) quoted() (raw []byte, escaped bool) {
	r.need('"')
	start := r.i
	for i := start; i < len(r.b); i++ {
		if !stops[r.b[i]] {
			continue
		}
		switch {
		case r.b[i] == '"':
			r.i = i + 1
			return r.b[start:i], escaped
		case r.b[i] == '\\' && escapes(r.b[i+1:]):
			escaped = true
			i++
			continue
		}
		break
	}
	r.fail()
	return nil, false
}

// stops are the bytes at which a text ends or is not what it looks like.
var stops = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// escapes reports that what is behind a backslash is an escape, other than half
// of a surrogate pair.
func escapes(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if b[0] != 'u' {
		return strings.IndexByte(`"\/bfnrt`, b[0]) >= 0
	}
	if len(b) < len("u0000") {
		return false
	}
	r, err := strconv.ParseUint(string(b[1:5]), 16, 16)
	return err == nil && r>>11 != 0xd800>>11
}

// shortList is the length of lists that most are below, sheet how many elements of
// such lists share an array.
const (
	shortList = 4
	sheet     = 48
)

func (r *jsonReader) textList(name string, into *[]string) {
	if !r.member(name) {
		return
	}
	if cap(r.texts)-len(r.texts) < shortList {
		r.texts = make([]string, 0, sheet)
	}
	start := len(r.texts)
	r.need('[')
	for {
		r.texts = append(r.texts, r.value())
		if !r.take(',') {
			break
		}
	}
	r.need(']')
	*into = r.texts[start:len(r.texts):len(r.texts)]
}

func (r *jsonReader) numberList(name string, into *[]int) {
	if !r.member(name) {
		return
	}
	if cap(r.numbers)-len(r.numbers) < shortList {
		r.numbers = make([]int, 0, sheet)
	}
	start := len(r.numbers)
	r.need('[')
	for {
		r.numbers = append(r.numbers, int(r.integer()))
		if !r.take(',') {
			break
		}
	}
	r.need(']')
	*into = r.numbers[start:len(r.numbers):len(r.numbers)]
}

// readList reads a list of objects, each by fn between its brackets.
func readList[T any](r *jsonReader, name string, list []T, fn func(*jsonReader, *T)) []T {
	if !r.member(name) {
		return nil
	}
	r.need('[')
	for {
		var one T
		list = append(list, one)
		r.open()
		fn(r, &list[len(list)-1])
		r.end()
		if !r.take(',') {
			break
		}
	}
	r.need(']')
	return list
}

// raw gives the bytes of any value.
func (r *jsonReader) raw(name string, into *json.RawMessage) {
	if r.member(name) {
		start := r.i
		r.skip(0)
		*into = bytes.Clone(r.b[min(start, r.i):r.i])
	}
}

// deepest is how deep a value may be nested that is passed over.
const deepest = 16

// skip passes over a value that has no white space between its parts.
func (r *jsonReader) skip(depth int) {
	if depth > deepest || r.i >= len(r.b) {
		r.fail()
		return
	}
	switch c := r.b[r.i]; c {
	case '"':
		r.quoted()
	case '{', '[':
		r.i++
		if closing := c + 2; !r.take(closing) {
			r.items(c == '{', depth)
			r.need(closing)
		}
	default:
		r.scalar()
	}
}

// items passes over the members of an object or a list, at least one.
func (r *jsonReader) items(named bool, depth int) {
	for {
		if named {
			r.quoted()
			r.need(':')
		}
		r.skip(depth + 1)
		if !r.take(',') {
			return
		}
	}
}

// scalar passes over a whole number or a word.
func (r *jsonReader) scalar() {
	rest := r.b[r.i:]
	for _, word := range [...]string{"true", "false", "null"} {
		if len(rest) >= len(word) && string(rest[:len(word)]) == word {
			r.i += len(word)
			return
		}
	}
	r.take('-')
	r.digits(true)
	if r.goesOn() {
		r.fail()
	}
}
