package event

import (
	"bytes"
	"slices"
	"sync"

	fast "github.com/go-json-experiment/json/v1"
)

// marshal writes an event's data as JSON. same says that unmarshal gives equal data;
// otherwise it may or may not.
func marshal(data any) (out []byte, same bool, err error) {
	l, ok := data.(*LineageExtracted)
	if !ok {
		out, err = fast.Marshal(data)
		return out, false, err
	}
	w, ok := writers.Get().(*jsonWriter)
	if !ok {
		w = new(jsonWriter)
	}
	w.out, w.altered = w.out[:0], false
	err = l.write(w)
	out, same = bytes.Clone(w.out), !w.altered
	if cap(w.out) <= mostWritten {
		writers.Put(w)
	}
	return out, same, err
}

// writers are those that nobody uses now: they have the memory to write into, from
// which the event is copied once its length is known.
var writers sync.Pool

// mostWritten bounds the memory of a writer that is kept, in bytes.
const mostWritten = 128 << 10

// unmarshal reads what marshal writes, and any other JSON of an event's data. fresh
// gives an empty value of its type.
func unmarshal(b []byte, fresh func() Data) (Data, error) {
	data := fresh()
	if readUsual(b, data) {
		return data, nil
	}
	data = fresh() // that one may be filled in half
	return data, fast.Unmarshal(b, data)
}

// readUsual reads JSON of the usual form into the data of a frequent event. If it
// gives false, data may hold anything.
func readUsual(b []byte, data Data) bool {
	switch d := data.(type) {
	case *LineageExtracted:
		return readWith(b, d.read)
	case *TaskDefined:
		return readWith(b, d.readTexts)
	}
	return false
}

func readWith(b []byte, read func(*jsonReader)) bool {
	r, ok := readers.Get().(*jsonReader)
	if !ok {
		r = new(jsonReader)
	}
	defer readers.Put(r)
	r.reset(b)
	read(r)
	done := r.done()
	r.reset(nil)
	return done
}

var readers sync.Pool

func (l *LineageExtracted) write(w *jsonWriter) error {
	w.open()
	w.member(`"task":`)
	l.Task.write(w)
	w.text(`"kind":`, l.Kind)
	w.text(`"name":`, l.Name)
	w.mustText(`"result":`, l.Result)
	w.member(`"from":`)
	l.From.write(w)
	w.member(`"definitions":`)
	l.Definitions.write(w)
	w.mustNumber(`"parser":`, int64(l.Parser))
	w.mustNumber(`"part":`, int64(l.Part))
	w.mustNumber(`"parts":`, int64(l.Parts))
	w.mustText(`"origin":`, l.Origin)
	w.text(`"dialect":`, l.Dialect)
	w.truth(`"dialect_guessed":`, l.DialectGuessed)
	if err := w.fraction(`"confidence":`, l.Confidence); err != nil {
		return err
	}
	w.text(`"hash":`, l.Hash)
	w.text(`"run_id":`, l.RunID)
	if l.Observed != nil {
		w.member(`"observed":`)
		l.Observed.write(w)
	}
	writeList(w, `"uses":`, l.Uses, func(w *jsonWriter, u *Use) {
		w.mustText(`"key":`, u.Key)
		w.mustTruth(`"found":`, u.Found)
		w.text(`"columns_hash":`, u.ColumnsHash)
	})
	writeList(w, `"nodes":`, l.Nodes, func(w *jsonWriter, n *Node) {
		w.mustText(`"key":`, n.Key)
		w.text(`"kind":`, n.Kind)
		w.text(`"display":`, n.Display)
	})
	writeList(w, `"edges":`, l.Edges, func(w *jsonWriter, e *LineageEdge) { e.write(w) })
	writeList(w, `"statements":`, l.Statements, func(w *jsonWriter, s *Statement) { s.write(w) })
	writeList(w, `"columns":`, l.Columns, func(w *jsonWriter, c *NodeColumns) {
		w.mustText(`"key":`, c.Key)
		w.mustTexts(`"names":`, c.Names)
	})
	w.raw(`"steps":`, l.Steps)
	writeList(w, `"errors":`, l.Errors, func(w *jsonWriter, e *SQLError) { e.write(w) })
	if l.Flink != nil {
		if err := w.any(`"flink":`, l.Flink); err != nil {
			return err
		}
	}
	w.end()
	return nil
}

// AppendStatements adds statements as JSON, as they stand in an extraction, or
// nothing if there are none.
func AppendStatements(out []byte, list []Statement) []byte {
	w := jsonWriter{out: out}
	for i := range list {
		w.out = append(w.out, "[,"[min(i, 1)])
		w.open()
		list[i].write(&w)
		w.end()
	}
	if len(list) > 0 {
		w.out = append(w.out, ']')
	}
	return w.out
}

func (l *LineageExtracted) read(r *jsonReader) {
	r.open()
	if r.member(`"task":`) {
		l.Task.read(r)
	}
	r.text(`"kind":`, &l.Kind)
	r.text(`"name":`, &l.Name)
	r.text(`"result":`, &l.Result)
	if r.member(`"from":`) {
		l.From.read(r)
	}
	if r.member(`"definitions":`) {
		l.Definitions.read(r)
	}
	r.number(`"parser":`, &l.Parser)
	r.number(`"part":`, &l.Part)
	r.number(`"parts":`, &l.Parts)
	r.text(`"origin":`, &l.Origin)
	r.text(`"dialect":`, &l.Dialect)
	r.truth(`"dialect_guessed":`, &l.DialectGuessed)
	r.fraction(`"confidence":`, &l.Confidence)
	r.text(`"hash":`, &l.Hash)
	r.text(`"run_id":`, &l.RunID)
	if r.member(`"observed":`) {
		l.Observed = new(Observed)
		l.Observed.read(r)
	}
	l.Uses = readList(r, `"uses":`, l.Uses, func(r *jsonReader, u *Use) {
		r.text(`"key":`, &u.Key)
		r.truth(`"found":`, &u.Found)
		r.text(`"columns_hash":`, &u.ColumnsHash)
	})
	l.Nodes = readList(r, `"nodes":`, l.Nodes, func(r *jsonReader, n *Node) {
		r.text(`"key":`, &n.Key)
		r.text(`"kind":`, &n.Kind)
		r.text(`"display":`, &n.Display)
	})
	l.Edges = r.edgeList()
	l.Statements = readList(r, `"statements":`, l.Statements, func(r *jsonReader, s *Statement) { s.read(r) })
	l.Columns = readList(r, `"columns":`, l.Columns, func(r *jsonReader, c *NodeColumns) {
		r.text(`"key":`, &c.Key)
		r.textList(`"names":`, &c.Names)
	})
	r.raw(`"steps":`, &l.Steps)
	l.Errors = readList(r, `"errors":`, l.Errors, func(r *jsonReader, e *SQLError) { e.read(r) })
	r.end()
}

// mostEdges bounds the room for edges that is kept.
const mostEdges = 1024

// edgeList reads edges into room that is kept, and copies them when their number
// is known: nothing else of an extraction is as long.
func (r *jsonReader) edgeList() []LineageEdge {
	room := readList(r, `"edges":`, r.edges[:0], func(r *jsonReader, e *LineageEdge) { e.read(r) })
	out := slices.Clone(room)
	clear(room)
	if cap(room) <= mostEdges && room != nil {
		r.edges = room
	}
	return out
}

func (t *Task) write(w *jsonWriter) {
	w.open()
	w.text(`"namespace":`, t.Namespace)
	w.mustText(`"id":`, t.ID)
	w.text(`"branch":`, t.Branch)
	w.end()
}

func (t *Task) read(r *jsonReader) {
	r.open()
	r.text(`"namespace":`, &t.Namespace)
	r.text(`"id":`, &t.ID)
	r.text(`"branch":`, &t.Branch)
	r.end()
}

func (p *Position) write(w *jsonWriter) {
	w.open()
	w.mustNumber(`"generation":`, int64(p.Generation))
	w.mustNumber(`"partition":`, int64(p.Partition))
	w.mustNumber(`"offset":`, p.Offset)
	w.end()
}

func (p *Position) read(r *jsonReader) {
	r.open()
	r.number(`"generation":`, &p.Generation)
	r.number(`"partition":`, &p.Partition)
	if r.member(`"offset":`) {
		p.Offset = r.integer()
	}
	r.end()
}

func (o *Observed) write(w *jsonWriter) {
	w.open()
	w.mustText(`"state":`, o.State)
	w.texts(`"inputs":`, o.Inputs)
	w.texts(`"outputs":`, o.Outputs)
	w.end()
}

func (o *Observed) read(r *jsonReader) {
	r.open()
	r.text(`"state":`, &o.State)
	r.textList(`"inputs":`, &o.Inputs)
	r.textList(`"outputs":`, &o.Outputs)
	r.end()
}

func (e *LineageEdge) write(w *jsonWriter) {
	w.mustText(`"from":`, e.From)
	w.text(`"from_column":`, e.FromColumn)
	w.mustText(`"to":`, e.To)
	w.text(`"to_column":`, e.ToColumn)
	w.mustText(`"level":`, e.Level)
	w.mustTruth(`"direct":`, e.Direct)
	w.texts(`"via":`, e.Via)
	w.numbers(`"statements":`, e.Statements)
	w.truth(`"unexpanded":`, e.Unexpanded)
	w.text(`"origin":`, e.Origin)
}

func (e *LineageEdge) read(r *jsonReader) {
	r.text(`"from":`, &e.From)
	r.text(`"from_column":`, &e.FromColumn)
	r.text(`"to":`, &e.To)
	r.text(`"to_column":`, &e.ToColumn)
	r.text(`"level":`, &e.Level)
	r.truth(`"direct":`, &e.Direct)
	r.textList(`"via":`, &e.Via)
	r.numberList(`"statements":`, &e.Statements)
	r.truth(`"unexpanded":`, &e.Unexpanded)
	r.text(`"origin":`, &e.Origin)
}

func (s *Statement) write(w *jsonWriter) {
	w.mustNumber(`"n":`, int64(s.N))
	w.mustNumber(`"line":`, int64(s.Line))
	w.mustNumber(`"column":`, int64(s.Column))
	w.number(`"end_line":`, s.EndLine)
	w.text(`"kind":`, s.Kind)
	w.texts(`"reads":`, s.Reads)
	w.texts(`"writes":`, s.Writes)
}

func (s *Statement) read(r *jsonReader) {
	r.number(`"n":`, &s.N)
	r.number(`"line":`, &s.Line)
	r.number(`"column":`, &s.Column)
	r.number(`"end_line":`, &s.EndLine)
	r.text(`"kind":`, &s.Kind)
	r.textList(`"reads":`, &s.Reads)
	r.textList(`"writes":`, &s.Writes)
}

func (e *SQLError) write(w *jsonWriter) {
	w.mustText(`"kind":`, e.Kind)
	w.number(`"statement":`, e.Statement)
	w.number(`"line":`, e.Line)
	w.number(`"column":`, e.Column)
	w.mustText(`"message":`, e.Message)
}

func (e *SQLError) read(r *jsonReader) {
	r.text(`"kind":`, &e.Kind)
	r.number(`"statement":`, &e.Statement)
	r.number(`"line":`, &e.Line)
	r.number(`"column":`, &e.Column)
	r.text(`"message":`, &e.Message)
}
