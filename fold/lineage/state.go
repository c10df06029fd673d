package lineage

import (
	"fmt"
	"time"

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

// interner gives each text one index.
type interner struct {
	index map[string]int64
	texts []string
}

func (in *interner) put(s string) int64 {
	if i, ok := in.index[s]; ok {
		return i
	}
	i := int64(len(in.texts))
	in.index[s] = i
	in.texts = append(in.texts, s)
	return i
}

func (in *interner) putAll(texts []string) []int64 {
	out := make([]int64, len(texts))
	for i, s := range texts {
		out[i] = in.put(s)
	}
	return out
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
	in := &interner{index: map[string]int64{}}
	s := storedState{
		Form: stateForm, Status: o.Status, Hash: o.Hash, Errors: o.Errors, Uses: o.Uses, Pending: o.Pending,
		Order:    []int64{int64(o.Order.FromGeneration), o.Order.FromOffset, int64(o.Order.DefinitionsGeneration), o.Order.DefinitionsOffset, int64(o.Order.Parser), int64(o.From.Partition)},
		Items:    in.items(o.Items),
		Mentions: in.mentions(o.Mentions),
	}
	for _, r := range o.Runs {
		s.Runs = append(s.Runs, storedRun{
			ID: r.ID, State: r.State, Inputs: in.putAll(r.Inputs), Outputs: in.putAll(r.Outputs),
			Items: in.items(r.Items), Mentions: in.mentions(r.Mentions),
		})
	}
	s.Strings = in.texts
	out, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encoding the state of owner %s: %w", o.Key.Task, err)
	}
	return out, nil
}

func (in *interner) items(items []Item) [][]int64 {
	out := make([][]int64, len(items))
	for n, i := range items {
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
		row := append(make([]int64, 0, 10+len(i.Statements)), in.put(i.From), in.put(i.FromColumn), in.put(i.To), in.put(i.ToColumn),
			flags, int64(i.Via), int64(i.Opened), milli(i.OpenedAt), in.put(i.Who), in.put(i.Why))
		for _, n := range i.Statements {
			row = append(row, int64(n))
		}
		out[n] = row
	}
	return out
}

func (in *interner) mentions(ms []Mention) [][3]int64 {
	out := make([][3]int64, len(ms))
	for i, m := range ms {
		out[i] = [3]int64{in.put(m.Key), in.put(m.Kind), in.put(m.Display)}
	}
	return out
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
