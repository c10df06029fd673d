package chsql

import "strings"

// Statement is a text taken apart as far as running it needs.
type Statement struct {
	// SQL is the statement; of an INSERT with data, its head without FORMAT or
	// VALUES and what follows.
	SQL string
	// Rows says that the statement answers with rows as it makes them, so that
	// they can be passed on as they come.
	Rows bool
	// DataFormat is set for an INSERT with data: the data's format.
	DataFormat string
	// Data is the data that stands behind the head, which may be none of it.
	Data string
}

// Split finds out what kind of statement a text is and where an INSERT's data
// begins. A text that cannot be taken apart is passed on as it is: the engine
// knows better what is wrong with it.
func Split(text string) Statement {
	l := NewLexer(text)
	first, err := l.Next()
	if err != nil {
		return Statement{SQL: text}
	}
	if first.Is("INSERT") {
		return splitInsert(text, l)
	}
	return Statement{SQL: text, Rows: first.Is("SELECT") || first.Is("WITH") && !mentionsInsert(l)}
}

// mentionsInsert looks for an INSERT behind a WITH.
func mentionsInsert(l *Lexer) bool {
	for {
		t, err := l.Next()
		if err != nil || t.Kind == KindEnd {
			return false
		}
		if t.Is("INSERT") {
			return true
		}
	}
}

func splitInsert(text string, l *Lexer) Statement {
	whole := Statement{SQL: text}
	depth := 0
	before := Token{}
	for {
		t, err := l.Next()
		if err != nil || t.Kind == KindEnd {
			return whole
		}
		switch {
		case t.Sign("("):
			depth++
		case t.Sign(")"):
			depth--
		case t.Is("SELECT"), t.Is("WITH"), t.Is("FROM"):
			return whole
		case depth > 0 || namesTable(before):
		case t.Is("VALUES"):
			return Statement{SQL: strings.TrimSpace(text[:t.Start]), DataFormat: "Values", Data: strings.TrimLeft(text[t.End:], " \t\r\n")}
		case t.Is("FORMAT"):
			return splitAtFormat(text, t, l)
		}
		before = t
	}
}

// namesTable says that the next word is a table's name, whatever it is.
func namesTable(before Token) bool {
	return before.Is("INTO") || before.Is("TABLE") || before.Sign(".")
}

// splitAtFormat cuts behind FORMAT and the format's name, and behind one line
// end, as ClickHouse does.
func splitAtFormat(text string, format Token, l *Lexer) Statement {
	name, err := l.Next()
	if err != nil || !name.Name() {
		return Statement{SQL: text}
	}
	data := strings.TrimLeft(text[name.End:], " \t")
	data = strings.TrimPrefix(data, ";")
	data = strings.TrimPrefix(data, "\r")
	data = strings.TrimPrefix(data, "\n")
	return Statement{SQL: strings.TrimSpace(text[:format.Start]), DataFormat: name.Value, Data: data}
}
