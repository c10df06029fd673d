package parser

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/parser/resolve"
)

// definition finds the lines by which a client's script sets a variable whose value
// is text to put in: Hive's and Spark's SET, psql's \set, SQL*Plus's DEFINE and
// sqlcmd's :setvar.
var definition = regexp.MustCompile(`(?im)^[ \t]*(?:` +
	`set[ \t]+(?:(?:hivevar|hiveconf|env|system|var):)?([\w.]+)[ \t]*=[ \t]*([^;\n]*?)[ \t]*(?:;|\r?$)|` +
	`\\set[ \t]+(\w+)[ \t]+([^\n]*?)[ \t]*\r?$|` +
	`def(?:ine)?[ \t]+(\w+)[ \t]*=[ \t]*([^\n]*?)[ \t]*;?[ \t]*\r?$|` +
	`:setvar[ \t]+(\w+)[ \t]+([^\n]*?)[ \t]*\r?$)`)

// blockDefinition finds a template's {% set %} of a text, a number or a model.
var blockDefinition = regexp.MustCompile(
	`\{%[-+]?\s*set\s+(\w+)\s*=\s*('[^'\n]*'|"[^"\n]*"|\d+|(?:ref|source)\([^()\n]*\))\s*[-+]?%\}`)

// placeholder finds what stands for such a variable: ${x}, ${hivevar:x} and {{ x }};
// :x, :"x" and :'x'; &x and &&x; $(x).
var placeholder = regexp.MustCompile(
	`(?i)\$\{(?:(?:hivevar|hiveconf|env|system|var):)?([\w.]+)\}|\{\{\s*([\w.]+)\s*\}\}|` +
		`:(["']?)(\w+)(["']?)|&&?(\w+)\.?|\$\((\w+)\)`)

// The styles of definition, which each have their own placeholders.
const (
	styleBraces = "{"
	styleColon  = ":"
	styleAmp    = "&"
	styleParen  = "("
)

// segment says that from out on the text was copied from src on, or, if fixed,
// stands for the single place src.
type segment struct {
	out, src int32
	fixed    bool
}

// places maps offsets of a text with variables put in to the text as written.
type places struct {
	*ir.Lines
	segments []segment
}

// Origin implements resolve.Places.
func (p *places) Origin(offset int32) int32 {
	i := sort.Search(len(p.segments), func(i int) bool { return p.segments[i].out > offset }) - 1
	if i < 0 {
		return offset
	}
	s := p.segments[i]
	if s.fixed {
		return s.src
	}
	return s.src + offset - s.out
}

// At implements resolve.Places.
func (p *places) At(offset int32) (line, column int) { return p.Lines.At(p.Origin(offset)) }

// substitute puts values that the script sets, or that are given, where it names
// them. Names without a value stay as written.
func substitute(src []byte, given map[string]string) ([]byte, resolve.Places) {
	if !mayHold(src) {
		return src, nil
	}
	known := map[string]string{}
	for k, v := range given {
		known[styleBraces+strings.ToLower(k)] = v
		known[styleColon+strings.ToLower(k)] = v
		known[styleAmp+strings.ToLower(k)] = v
		known[styleParen+strings.ToLower(k)] = v
	}
	defs := definitions(src)
	if len(defs) == 0 && len(known) == 0 {
		return src, nil
	}
	b := &substitution{src: src, known: known}
	for _, m := range placeholder.FindAllSubmatchIndex(src, -1) {
		for len(defs) > 0 && defs[0][1] <= m[0] {
			b.define(defs[0])
			defs = defs[1:]
		}
		b.replace(m)
	}
	if len(b.segments) == 0 {
		return src, nil
	}
	b.copy(len(src))
	return b.out.Bytes(), &places{ir.NewLines(src), b.segments}
}

// mayHold is a quick check for texts without any placeholder.
func mayHold(src []byte) bool {
	for _, c := range []byte("$&:") {
		if bytes.IndexByte(src, c) >= 0 {
			return true
		}
	}
	return bytes.Contains(src, []byte("{{"))
}

type substitution struct {
	src      []byte
	out      bytes.Buffer
	known    map[string]string
	segments []segment
	done     int
}

// definitions finds all of them, in the order of the text.
func definitions(src []byte) [][]int {
	defs := definition.FindAllSubmatchIndex(src, -1)
	if !bytes.Contains(src, []byte("{%")) {
		return defs
	}
	blocks := blockDefinition.FindAllSubmatchIndex(src, -1)
	if len(blocks) == 0 {
		return defs
	}
	defs = append(defs, blocks...)
	sort.Slice(defs, func(i, j int) bool { return defs[i][0] < defs[j][0] })
	return defs
}

// define notes the value that a line or a block sets.
func (b *substitution) define(m []int) {
	if len(m) == 6 {
		b.defineBlock(m)
		return
	}
	for i, style := range [...]string{styleBraces, styleColon, styleAmp, styleParen} {
		if at := 2 + 4*i; m[at] >= 0 {
			name := strings.ToLower(string(b.src[m[at]:m[at+1]]))
			b.known[style+name] = b.expand(trimQuotes(string(b.src[m[at+2]:m[at+3]]), style))
		}
	}
}

// defineBlock notes what {% set %} sets. A model is shown as what it is.
func (b *substitution) defineBlock(m []int) {
	name := strings.ToLower(string(b.src[m[2]:m[3]]))
	value := trimQuotes(string(b.src[m[4]:m[5]]), "")
	if strings.HasSuffix(value, ")") {
		value = "{{ " + value + " }}"
	}
	b.known[styleBraces+name] = b.expand(value)
}

func trimQuotes(v, style string) string {
	if style != styleBraces && len(v) > 1 && (v[0] == '\'' || v[0] == '"') && v[len(v)-1] == v[0] {
		return v[1 : len(v)-1]
	}
	return v
}

// expand puts known values into a value.
func (b *substitution) expand(v string) string {
	return placeholder.ReplaceAllStringFunc(v, func(p string) string {
		m := placeholder.FindStringSubmatchIndex(p)
		if style, name, _ := nameIn([]byte(p), m); name != "" {
			if got, ok := b.known[style+name]; ok {
				return got
			}
		}
		return p
	})
}

// nameIn reads the style and the name of a placeholder, and the quote around it.
func nameIn(src []byte, m []int) (style, name, quote string) {
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return strings.ToLower(string(src[m[2*i]:m[2*i+1]]))
	}
	switch {
	case m[2] >= 0:
		return styleBraces, group(1), ""
	case m[4] >= 0:
		return styleBraces, group(2), ""
	case m[8] >= 0:
		return styleColon, group(4), group(3)
	case m[12] >= 0:
		return styleAmp, group(6), ""
	case m[14] >= 0:
		return styleParen, group(7), ""
	}
	return "", "", ""
}

// replace puts a value in the place of a placeholder, if it is known.
func (b *substitution) replace(m []int) {
	style, name, quote := nameIn(b.src, m)
	value, ok := b.known[style+name]
	if !ok || style == styleColon && m[0] > 0 && (b.src[m[0]-1] == ':' || wordByte(b.src[m[0]-1])) {
		return
	}
	b.copy(m[0])
	b.segments = append(b.segments, segment{int32(b.out.Len()), int32(m[0]), true})
	b.out.WriteString(quote + value + quote)
	b.done = m[1]
	b.segments = append(b.segments, segment{int32(b.out.Len()), int32(m[1]), false})
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// copy takes the text over up to an offset.
func (b *substitution) copy(to int) {
	if len(b.segments) == 0 {
		b.segments = append(b.segments, segment{})
	}
	b.out.Write(b.src[b.done:to])
	b.done = to
}
