package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// apart hides the variables of the bodies around a text of dynamic SQL, which sees
// those of the session and what USING puts into it. It gives what undoes that.
func (r *resolver) apart(bound *variables) (undo func()) {
	was := r.vars
	r.vars = r.session()
	if bound != nil {
		bound.parent = r.vars
		r.vars = bound
	}
	return func() { r.vars = was }
}

// session are the variables outside all bodies.
func (r *resolver) session() *variables {
	top := r.vars
	for top.parent != nil {
		top = top.parent
	}
	return top
}

// bind evaluates what USING puts into a text: by number ($1, :1), by name (@x, :x in
// the order in which they appear), or by place (?).
func (r *resolver) bind(text string, using []*ir.Expr) *variables {
	if len(using) == 0 {
		return nil
	}
	bound := newVariables(nil)
	names := placeholders(text)
	for i, e := range using {
		rel := &relation{}
		name := ""
		if e.Kind == ir.ExprAlias || e.Kind == ir.ExprNamedArg {
			name, e = e.Name[0].Name, e.Args[0]
		}
		v := r.reference(e, &scope{rel: rel})
		if v == nil {
			v = r.expression(e, &scope{rel: rel}, "", "")
		}
		r.noteAll(rel)
		x := &variable{v: v, rel: rel}
		bound.set("$"+strconv.Itoa(i+1), x)
		if name != "" {
			bound.set("@"+name, x)
		} else if i < len(names) {
			bound.set(names[i], x)
		}
	}
	return bound
}

// placeholders lists the placeholders of a text in the order in which they appear,
// outside strings and comments: the name of each :name once, each ? with its place.
func placeholders(text string) []string {
	var names []string
	seen := map[string]bool{}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return names
			}
			i += end + 1
		case c == '-' && strings.HasPrefix(text[i:], "--"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return names
			}
			i += end
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				return names
			}
			i += end + 1
		case c == '?':
			names = append(names, placeName(int32(i)))
		case c == ':':
			end := i + 1
			for end < len(text) && nameByte(text[end]) {
				end++
			}
			name := strings.ToLower(text[i+1 : end])
			if end > i+1 && (i == 0 || text[i-1] != ':') && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
			i = max(i, end-1)
		}
	}
	return names
}

// placeName is what a ? at an offset of a text is called among the variables.
func placeName(offset int32) string { return "?" + strconv.Itoa(int(offset)) }

func nameByte(c byte) bool {
	return c == '_' || c == '#' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
