// Package credential masks passwords, keys and tokens in SQL and other text
// before anything stores or shows it. It reads no grammar: it looks for the
// places where the platforms write credentials. What it masks keeps its
// length, so that positions in the text stay true, and its quotes, so that
// SQL parses as before.
//
// The places are: a literal behind a word that ends like one of words (PASSWORD
// 'x', 'password' = 'x', secret_key => 'x', password=x inside a text of
// options), behind IDENTIFIED BY, the password in scheme://user:password@host,
// and the arguments that are credentials of functions and engines such as
// mysql(…) and s3(…).
package credential

import (
	"strings"
)

// words end the names that credentials are given under, in lower case without
// separators between their parts; by their last letter, since most names have
// another one.
var words = [256][]string{
	'd': {"password", "passwd", "pwd", "keyid"},
	'e': {"passphrase", "sharedaccesssignature"},
	'g': {"jaasconfig"},
	'n': {"token", "authorization"},
	's': {"credentials"},
	't': {"secret"},
	'y': {"accesskey", "secretkey", "privatekey", "accountkey", "apikey", "masterkey", "sharedkey", "encryptionkey"},
}

// mask is what stands for each byte of a credential.
const mask = '*'

// IsName says whether a name is one that credentials are given under.
func IsName(name string) bool {
	return len(name) > 1 && ends[name[len(name)-2]][name[len(name)-1]] && isName(name)
}

func isName(name string) bool {
	for _, w := range words[name[len(name)-1]|0x20] {
		if endsLike(name, w) {
			return true
		}
	}
	return false
}

// ends are the pairs of bytes that a name of credentials may end with: few other
// names need a closer look.
var ends = func() (t [256][256]bool) {
	for _, list := range words {
		for _, w := range list {
			last, before := w[len(w)-1], w[len(w)-2]
			for _, c := range []byte{last, last &^ 0x20} {
				for _, b := range []byte{before, before &^ 0x20, '_', '.', '-'} {
					t[b][c] = true
				}
			}
		}
	}
	return t
}()

// endsLike says whether a name ends with a word, whatever its case and the
// separators in it.
func endsLike(name, word string) bool {
	i := len(name) - 1
	for j := len(word) - 1; j >= 0; j-- {
		for i >= 0 && (name[i] == '_' || name[i] == '.' || name[i] == '-') {
			i--
		}
		if i < 0 || name[i]|0x20 != word[j] {
			return false
		}
		i--
	}
	return true
}

// Value masks what is given under a name, whole if the name says that it is a
// credential.
func Value(name, value string) string {
	if IsName(name) {
		return strings.Repeat(string(mask), len(value))
	}
	return Mask(value)
}

// Mask gives the text with its credentials masked; the text itself if there
// are none.
func Mask(text string) string {
	s := scanner{in: text}
	for s.at < len(text) {
		switch c := text[s.at]; {
		case isWord(c):
			s.word()
		case c == ':' && strings.HasPrefix(text[s.at:], "://"):
			s.userinfo()
		default:
			s.at++
		}
	}
	if s.out == nil {
		return text
	}
	return string(s.out)
}

// scanner goes over a text. out is the masked copy, nil until it differs.
type scanner struct {
	in  string
	at  int
	out []byte
}

// hide masks the bytes from start to end but line ends, which positions are
// counted by.
func (s *scanner) hide(start, end int, with byte) {
	if s.out == nil && start < end {
		s.out = []byte(s.in)
	}
	for i := start; i < end; i++ {
		if s.in[i] != '\n' && s.in[i] != '\r' {
			s.out[i] = with
		}
	}
}

// word reads a name and masks what is behind it, if that is a credential.
func (s *scanner) word() {
	start := s.at
	s.at = nameEnd(s.in, s.at)
	name := s.in[start:s.at]
	switch {
	case IsName(name):
		s.valueOf(start)
	case len(name) == len("identified") && strings.EqualFold(name, "identified"):
		s.identified()
	case len(name) <= longestCall && s.calls():
		var lower [longestCall]byte
		for i := range len(name) {
			lower[i] = name[i]
			if 'A' <= name[i] && name[i] <= 'Z' {
				lower[i] |= 0x20
			}
		}
		if arguments, ok := positional[string(lower[:len(name)])]; ok {
			s.call(arguments)
		}
	}
}

// calls says whether an opening bracket follows.
func (s *scanner) calls() bool {
	i := blank(s.in, s.at)
	return i < len(s.in) && s.in[i] == '('
}

// valueOf masks the value that belongs to the credential's name that has just
// been read and began at start.
func (s *scanner) valueOf(start int) {
	i := s.at
	quoted := start > 0 && i < len(s.in) && strings.IndexByte("'\"`", s.in[i]) >= 0 && s.in[i] == s.in[start-1]
	if quoted {
		i++
	}
	gap := blank(s.in, i)
	value := separator(s.in, gap, quoted)
	if value == i+1 && s.in[i] == '=' && s.inOptions(start) && value < len(s.in) && isOptionByte(s.in[value]) {
		end := value + 1
		for end < len(s.in) && isOptionByte(s.in[end]) {
			end++
		}
		s.hide(value, end, mask)
		s.at = end
		return
	}
	value = blank(s.in, value)
	if value == i && !quoted && value < len(s.in) && s.in[value] != '(' {
		return // the end of a text, not a name before one
	}
	if value < len(s.in) && s.in[value] == '(' {
		value = blank(s.in, value+1)
	}
	s.literal(value, quoted)
}

// inOptions says whether the name that begins at start stands in a text of
// options, such as ?user=u&password=p, 'a=b;password=p' or 'a=b password=p'.
func (s *scanner) inOptions(start int) bool {
	if start == 0 {
		return false
	}
	before := s.in[start-1]
	if before != ' ' {
		return strings.IndexByte("?&;'\"", before) >= 0
	}
	last := s.in[:start-1]
	return strings.Contains(last[strings.LastIndexAny(last, " \t\r\n")+1:], "=")
}

// literal masks a literal that begins at i, with or without a prefix such as
// N or E. One in double quotes may be a column, unless the name was quoted too.
func (s *scanner) literal(i int, quotedName bool) {
	if i+1 < len(s.in) && strings.IndexByte("NEUBRneubr", s.in[i]) >= 0 && s.in[i+1] == '\'' {
		i++
	}
	if i >= len(s.in) || s.in[i] != '\'' && (s.in[i] != '"' || !quotedName) {
		return
	}
	end := closing(s.in, i)
	s.at = min(end+1, len(s.in))
	if s.at < len(s.in) && s.in[s.at] == '.' {
		return // a qualified column
	}
	s.hide(i+1, end, mask)
}

// identified masks the secret behind IDENTIFIED [WITH plugin] BY or AS.
func (s *scanner) identified() {
	const words = 6
	i := s.at
	for range words {
		i = blank(s.in, i)
		start := i
		i = nameEnd(s.in, i)
		if i == start {
			return
		}
		if w := strings.ToUpper(s.in[start:i]); w == "BY" || w == "AS" {
			break
		}
	}
	i = blank(s.in, i)
	start := i
	i = nameEnd(s.in, i)
	switch w := strings.ToUpper(s.in[start:i]); w {
	case "":
		s.literal(start, true)
	case "VALUES", "PASSWORD":
		s.literal(blank(s.in, i), true)
	case "RANDOM":
	default: // Oracle's password without quotes
		s.hide(start, i, 'x')
		s.at = i
	}
}

// userinfo masks the password of scheme://user:password@host.
func (s *scanner) userinfo() {
	s.at += len("://")
	end := s.at + bytesUntil(s.in[s.at:], "/?# \t\r\n'\"`,()<>")
	at := strings.LastIndexByte(s.in[s.at:end], '@')
	if at < 0 {
		return
	}
	if colon := strings.IndexByte(s.in[s.at:s.at+at], ':'); colon >= 0 {
		s.hide(s.at+colon+1, s.at+at, mask)
	}
	s.at += at
}

// bytesUntil counts the bytes before the first of some.
func bytesUntil(text, stops string) int {
	if i := strings.IndexAny(text, stops); i >= 0 {
		return i
	}
	return len(text)
}

// blank passes over spaces.
func blank(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// separator passes over what stands between a name and its value.
func separator(text string, i int, quotedName bool) int {
	for _, s := range []string{"=>", ":=", "==", "=", ":"} {
		if strings.HasPrefix(text[i:], s) {
			return i + len(s)
		}
	}
	if quotedName && i < len(text) && text[i] == ',' {
		return i + 1 // a map's key and value
	}
	return i
}

// closing finds the quote that ends the literal that begins at i, the end of
// the text if there is none. A doubled quote does not end it, nor one behind a
// backslash, unless what follows shows that the backslash is a plain one.
func closing(text string, i int) int {
	quote := text[i]
	for j := i + 1; j < len(text); j++ {
		if text[j] != quote {
			continue
		}
		ends := j+1 == len(text) || strings.IndexByte(" \t\r\n,);&}]", text[j+1]) >= 0
		switch {
		case !ends && text[j+1] == quote:
			j++
		case text[j-1] == '\\' && j-1 > i && !ends:
		default:
			return j
		}
	}
	return len(text)
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nameEnd finds where the name that begins at i ends.
func nameEnd(text string, i int) int {
	for i < len(text) && nameBytes[text[i]] {
		i++
	}
	return i
}

// nameBytes are the bytes of names: a table, since every byte of every script
// is looked up here.
var nameBytes = func() (t [256]bool) {
	for c := range 256 {
		b := byte(c)
		t[c] = isWord(b) || b == '.' || b == '-' || '0' <= b && b <= '9'
	}
	return t
}()

// isOptionByte says whether a byte can be in a value in a text of options.
func isOptionByte(c byte) bool { return strings.IndexByte("&;'\" \t\r\n,()", c) < 0 }
