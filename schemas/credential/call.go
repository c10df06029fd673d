package credential

import "strings"

// positional are functions and engines whose arguments hold credentials.
var positional = map[string]places{
	"mysql": {first: 5, last: 5}, "postgresql": {first: 5, last: 5}, "mongodb": {first: 5, last: 5},
	"materializedmysql": {first: 4, last: 4}, "materializedpostgresql": {first: 4, last: 4},
	"remote": {first: 4, last: 5}, "remotesecure": {first: 4, last: 5},
	"s3": {first: 3, last: 3, long: true}, "s3cluster": {first: 4, last: 4, long: true}, "gcs": {first: 3, last: 3, long: true},
	"oss": {first: 3, last: 3, long: true}, "cosn": {first: 3, last: 3, long: true}, "deltalake": {first: 3, last: 3, long: true},
	"iceberg": {first: 3, last: 3, long: true}, "icebergs3": {first: 3, last: 3, long: true}, "hudi": {first: 3, last: 3, long: true},
}

// longestCall is the length of the longest of those names.
const longestCall = len("materializedpostgresql")

// places are the first and the last argument that may be a credential, counted
// from 1; of several that are literals it is the last. If long, the place may
// also hold a format or a structure of columns, which are shorter or have
// blanks and brackets.
type places struct {
	first, last int
	long        bool
}

// call masks the credential among the arguments of a call whose name has just
// been read.
func (s *scanner) call(p places) {
	in := s.in[:min(len(s.in), s.at+maxArguments)]
	i := blank(in, s.at)
	if i >= len(in) || in[i] != '(' {
		return
	}
	from, to := 0, 0
	i = blank(in, i+1)
	for n := 1; n <= p.last && i < len(in); n++ {
		end := i + bytesUntil(in[i:], ",)'")
		if in[i] == '\'' {
			end = closing(in, i)
			if n >= p.first && p.fit(in[i+1:end]) {
				from, to = i+1, end
			}
			end = min(end+1, len(in))
		} else if strings.HasSuffix(in[i:end], "(") {
			end++ // a call of its own, such as currentDatabase()
		}
		if i = blank(in, end); i >= len(in) || in[i] != ',' {
			break
		}
		i = blank(in, i+1)
	}
	s.hide(from, to, mask)
}

// maxArguments bounds how far arguments are looked at, in bytes, so that a
// hostile text takes no time.
const maxArguments = 2 << 10

// shortest is the length of the shortest key that storage services give out.
const shortest = 16

// fit says whether a literal can be the credential of that place.
func (p places) fit(literal string) bool {
	return !p.long || len(literal) >= shortest && !strings.ContainsAny(literal, " ()")
}
