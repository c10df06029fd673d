package lineage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	json "github.com/go-json-experiment/json/v1"

	"github.com/tributary-data/tributary/schemas/event"
)

// stateForm is the number of the stored form of an owner.
const stateForm = 1

// storedState is an owner as its row holds it. Texts stand once each in
// Strings and are referred to by their index; times are milliseconds.
type storedState struct {
	Form     int         `json:"form"`
	Strings  []string    `json:"strings,omitempty"`
	Order    []int64     `json:"order"`
	Status   Status      `json:"status"`
	Hash     string      `json:"hash,omitempty"`
	Errors   int         `json:"errors,omitempty"`
	Uses     []event.Use `json:"uses,omitempty"`
	Items    [][]int64   `json:"items,omitempty"`
	Mentions [][3]int64  `json:"mentions,omitempty"`
	Pending  *Pending    `json:"pending,omitempty"`
	Runs     []storedRun `json:"runs,omitempty"`
}

type storedRun struct {
	ID       string     `json:"id"`
	State    string     `json:"state,omitempty"`
	Inputs   []int64    `json:"inputs,omitempty"`
	Outputs  []int64    `json:"outputs,omitempty"`
	Items    [][]int64  `json:"items,omitempty"`
	Mentions [][3]int64 `json:"mentions,omitempty"`
}

// Flags of a stored item.
const (
	flagDirect = 1 << iota
	flagUnexpanded
	flagExplicit
)

// flagBits is the number of flags; the origin stands above them.
const flagBits = 3

// EncodeState gives the owner's state, all but its key, partition and
// version, in the form that its row stores. DecodeState reads it.
func (o *Owner) EncodeState() ([]byte, error) {
	w, ok := stateWriters.Get().(*stateWriter)
	if !ok {
		w = &stateWriter{index: map[string]int64{}}
	}
	defer stateWriters.Put(w)
	w.reset()
	w.member("order")
	w.numbers(int64(o.Order.FromGeneration), o.Order.FromOffset, int64(o.Order.DefinitionsGeneration), o.Order.DefinitionsOffset,
		int64(o.Order.Parser), int64(o.From.Partition))
	w.member("status")
	w.number(int64(o.Status))
	if o.Hash != "" {
		w.member("hash")
		w.text(o.Hash)
	}
	if o.Errors != 0 {
		w.member("errors")
		w.number(int64(o.Errors))
	}
	w.list("uses", len(o.Uses), func(n int) { w.use(&o.Uses[n]) })
	w.items(o.Items)
	w.mentions(o.Mentions)
	if o.Pending != nil {
		w.member("pending")
		w.value(o.Pending)
	}
	w.list("runs", len(o.Runs), func(n int) { w.run(&o.Runs[n]) })
	if w.err != nil {
		return nil, fmt.Errorf("encoding the state of owner %s: %w", o.Key.Task, w.err)
	}
	return w.whole(), nil
}

// stateWriters keeps the memory of one state for the next.
var stateWriters sync.Pool

// stateWriter writes a storedState as JSON. An owner's state is written with
// every change of it, and most of it is lists of numbers, for which the
// library's reflection costs several times what they do.
type stateWriter struct {
	// out are the members after the texts, each with a comma before it.
	out   []byte
	index map[string]int64
	texts []string
	err   error
}

// longestKept bounds the texts and bytes that a writer keeps memory for.
const longestKept = 1 << 16

func (w *stateWriter) reset() {
	if len(w.texts) > longestKept || cap(w.out) > longestKept {
		*w = stateWriter{index: map[string]int64{}}
	}
	clear(w.index)
	clear(w.texts)
	w.out, w.texts, w.err = w.out[:0], w.texts[:0], nil
}

// whole gives the object with all texts in it.
func (w *stateWriter) whole() []byte {
	size := len(w.out) + 32
	for _, s := range w.texts {
		size += len(s) + len(`"",`)
	}
	members := w.out
	w.out = make([]byte, 0, size)
	w.out = append(w.out, `{"form":`...)
	w.number(stateForm)
	w.list("strings", len(w.texts), func(n int) { w.text(w.texts[n]) })
	whole := append(append(w.out, members...), '}')
	w.out = members
	return whole
}

// put gives a text one index.
func (w *stateWriter) put(s string) int64 {
	if i, ok := w.index[s]; ok {
		return i
	}
	i := int64(len(w.texts))
	w.index[s] = i
	w.texts = append(w.texts, s)
	return i
}

func (w *stateWriter) number(n int64) { w.out = strconv.AppendInt(w.out, n, 10) }

// numbers writes a list of at least one number.
func (w *stateWriter) numbers(list ...int64) {
	w.out = append(w.out, '[')
	for _, n := range list {
		w.entry(n)
	}
	w.out[len(w.out)-1] = ']' // instead of the last comma
}

// text writes a text; what is not UTF-8 in it is replaced, as the library does.
func (w *stateWriter) text(s string) {
	if out, err := jsontext.AppendQuote(w.out, s); err == nil {
		w.out = out
		return
	}
	w.out, _ = jsontext.AppendQuote(w.out, strings.ToValidUTF8(s, "\uFFFD"))
}

func (w *stateWriter) value(v any) {
	out, err := json.Marshal(v)
	w.err = errors.Join(w.err, err)
	w.out = append(w.out, out...)
}

// member begins a member. In an object of its own its first one has no comma.
func (w *stateWriter) member(name string) {
	if n := len(w.out); n == 0 || w.out[n-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, name...)
	w.out = append(w.out, '"', ':')
}

// list writes a member that is a list, unless it is empty.
func (w *stateWriter) list(name string, n int, element func(n int)) {
	if n == 0 {
		return
	}
	w.member(name)
	w.out = append(w.out, '[')
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		element(i)
	}
	w.out = append(w.out, ']')
}

func (w *stateWriter) use(u *event.Use) {
	w.out = append(w.out, '{')
	w.member("key")
	w.text(u.Key)
	w.member("found")
	w.out = strconv.AppendBool(w.out, u.Found)
	if u.ColumnsHash != "" {
		w.member("columns_hash")
		w.text(u.ColumnsHash)
	}
	w.out = append(w.out, '}')
}

// items writes edges. They are sorted, so that much of what one has is what the
// one before it has.
func (w *stateWriter) items(items []Item) {
	var from, to, who, why lately
	var since, till int // where the last time of opening stands
	w.list("items", len(items), func(n int) {
		i := &items[n]
		w.out = append(w.out, '[')
		w.entry(w.again(&from, i.From))
		w.entry(w.put(i.FromColumn))
		w.entry(w.again(&to, i.To))
		w.entry(w.put(i.ToColumn))
		w.entry(i.flags())
		w.entry(int64(i.Via))
		if n > 0 && i.Opened == items[n-1].Opened && i.OpenedAt.Equal(items[n-1].OpenedAt) {
			w.out = append(w.out, w.out[since:till]...)
		} else {
			since = len(w.out)
			w.entry(int64(i.Opened))
			w.entry(milli(i.OpenedAt))
			till = len(w.out)
		}
		w.entry(w.again(&who, i.Who))
		w.entry(w.again(&why, i.Why))
		for _, s := range i.Statements {
			w.entry(int64(s))
		}
		w.out[len(w.out)-1] = ']' // instead of the last comma
	})
}

// entry writes a number of a list and a comma.
func (w *stateWriter) entry(n int64) {
	if 0 <= n && n < 10 {
		w.out = append(w.out, byte('0'+n), ',')
		return
	}
	w.out = append(strconv.AppendInt(w.out, n, 10), ',')
}

// lately is the text that was written last in some place, with its index.
type lately struct {
	text  string
	index int64
	known bool
}

// again is put for a place that mostly has the text that it had before.
func (w *stateWriter) again(l *lately, s string) int64 {
	if !l.known || l.text != s {
		*l = lately{text: s, index: w.put(s), known: true}
	}
	return l.index
}

func (i *Item) flags() int64 {
	flags := int64(i.Origin) << flagBits
	if i.Direct {
		flags |= flagDirect
	}
	if i.Unexpanded {
		flags |= flagUnexpanded
	}
	if i.Explicit {
		flags |= flagExplicit
	}
	return flags
}

func (w *stateWriter) mentions(ms []Mention) {
	w.list("mentions", len(ms), func(n int) {
		w.numbers(w.put(ms[n].Key), w.put(ms[n].Kind), w.put(ms[n].Display))
	})
}

func (w *stateWriter) run(r *Run) {
	w.out = append(w.out, '{')
	w.member("id")
	w.text(r.ID)
	if r.State != "" {
		w.member("state")
		w.text(r.State)
	}
	w.list("inputs", len(r.Inputs), func(n int) { w.number(w.put(r.Inputs[n])) })
	w.list("outputs", len(r.Outputs), func(n int) { w.number(w.put(r.Outputs[n])) })
	w.items(r.Items)
	w.mentions(r.Mentions)
	w.out = append(w.out, '}')
}

// DecodeState reads what EncodeState gave into an owner of the given key. The
// error says what does not fit; a state of a later form is refused.
func DecodeState(key OwnerKey, partition int, version uint64, state []byte) (*Owner, error) {
	var s storedState
	if err := json.Unmarshal(state, &s); err != nil {
		return nil, fmt.Errorf("decoding the state of owner %s: %w", key.Task, err)
	}
	if s.Form != stateForm || len(s.Order) != 6 {
		return nil, fmt.Errorf("decoding the state of owner %s: its form is %d, and this program reads form %d", key.Task, s.Form, stateForm)
	}
	o := &Owner{
		Key: key, Partition: partition, Version: version,
		Order: Order{
			FromGeneration: int(s.Order[0]), FromOffset: s.Order[1],
			DefinitionsGeneration: int(s.Order[2]), DefinitionsOffset: s.Order[3], Parser: int(s.Order[4]),
		},
		From:   event.Position{Generation: int(s.Order[0]), Partition: int(s.Order[5]), Offset: s.Order[1]},
		Status: s.Status, Hash: s.Hash, Errors: s.Errors, Uses: s.Uses, Pending: s.Pending,
	}
	d := decoder{texts: s.Strings}
	o.Items, o.Mentions = d.items(s.Items), d.mentions(s.Mentions)
	for _, r := range s.Runs {
		o.Runs = append(o.Runs, Run{
			ID: r.ID, State: r.State, Inputs: d.all(r.Inputs), Outputs: d.all(r.Outputs),
			Items: d.items(r.Items), Mentions: d.mentions(r.Mentions),
		})
	}
	if d.bad {
		return nil, fmt.Errorf("decoding the state of owner %s: it refers to a text that is not in it", key.Task)
	}
	return o, nil
}

// decoder looks texts up; bad is set once one is not there.
type decoder struct {
	texts []string
	bad   bool
}

func (d *decoder) text(i int64) string {
	if i < 0 || i >= int64(len(d.texts)) {
		d.bad = true
		return ""
	}
	return d.texts[i]
}

func (d *decoder) all(ids []int64) []string {
	var out []string
	for _, i := range ids {
		out = append(out, d.text(i))
	}
	return out
}

func (d *decoder) items(rows [][]int64) []Item {
	var out []Item
	for _, r := range rows {
		if len(r) < 10 {
			d.bad = true
			continue
		}
		i := Item{
			Edge: Edge{From: d.text(r[0]), FromColumn: d.text(r[1]), To: d.text(r[2]), ToColumn: d.text(r[3]), Direct: r[4]&flagDirect != 0, Origin: Origin(r[4] >> flagBits)},
			Via:  Via(r[5]), Opened: uint64(r[6]), OpenedAt: fromMilli(r[7]), Who: d.text(r[8]), Why: d.text(r[9]),
			Unexpanded: r[4]&flagUnexpanded != 0, Explicit: r[4]&flagExplicit != 0,
		}
		for _, n := range r[10:] {
			i.Statements = append(i.Statements, int(n))
		}
		out = append(out, i)
	}
	return out
}

func (d *decoder) mentions(rows [][3]int64) []Mention {
	var out []Mention
	for _, r := range rows {
		out = append(out, Mention{Key: d.text(r[0]), Kind: d.text(r[1]), Display: d.text(r[2])})
	}
	return out
}

func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMilli(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
