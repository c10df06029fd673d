package catalog

import (
	"crypto/sha1" //nolint:gosec // UUID version 5 is defined with SHA-1; nothing is protected by it.
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tributary-data/tributary/schemas/event"
)

// ID is a transaction's id, a UUID.
type ID [16]byte

// String returns the id in the usual form of a UUID, in lower case.
func (id ID) String() string {
	var b [36]byte
	hex.Encode(b[0:8], id[0:4])
	hex.Encode(b[9:13], id[4:6])
	hex.Encode(b[14:18], id[6:8])
	hex.Encode(b[19:23], id[8:10])
	hex.Encode(b[24:36], id[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// ParseID reads a transaction's id; ok is false if s is not shaped like one.
func ParseID(s string) (id ID, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	at := 0
	for i := 0; i < 36; {
		if s[i] == '-' {
			i++
			continue
		}
		high, low := nibble(s[i]), nibble(s[i+1])
		if high > 15 || low > 15 {
			return ID{}, false
		}
		id[at] = high<<4 | low
		at++
		i += 2
	}
	return id, true
}

// nibble returns the value of a hexadecimal digit, or 255.
func nibble(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// outputID names the transaction that a build opens for an output: a UUID made from what it is for, as
// the fold has no random numbers.
func outputID(space, build string, job, output, attempt int) ID {
	h := sha1.New() //nolint:gosec // see the import
	var n [24]byte
	binary.BigEndian.PutUint64(n[0:], uint64(job))
	binary.BigEndian.PutUint64(n[8:], uint64(output))
	binary.BigEndian.PutUint64(n[16:], uint64(attempt))
	fmt.Fprintf(h, "tributary output %d:%s %d:%s ", len(space), space, len(build), build)
	h.Write(n[:])
	var id ID
	copy(id[:], h.Sum(nil))
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return id
}

const (
	maxNameRunes = 255
	maxPathBytes = 1024
	maxTextBytes = 4096
)

// checkBranchName refuses what is not a branch's name: 1 to 255 characters, no control characters, no
// leading or trailing space, not shaped like a transaction id.
func checkBranchName(name string) *Refusal {
	if why := badName(name); why != "" {
		return refuse(CodeInvalidBranchName, "%q is not a branch name: %s", clip(name), why)
	}
	if _, ok := ParseID(name); ok {
		return refuse(CodeInvalidBranchName, "%q is not a branch name: it is shaped like a transaction id", name)
	}
	return nil
}

// checkDatasetName refuses what is not a dataset's name.
func checkDatasetName(d event.CatalogDataset) *Refusal {
	for _, part := range [2]string{d.Namespace, d.Name} {
		if why := badName(part); why != "" {
			return refuse(CodeInvalidDatasetName, "%q is not part of a dataset's name: %s", clip(part), why)
		}
		if strings.ContainsRune(part, '|') {
			return refuse(CodeInvalidDatasetName, "%q is not part of a dataset's name: it holds |", clip(part))
		}
	}
	return nil
}

// badName says what is wrong with a name, or nothing.
func badName(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case len(name) > maxNameRunes && utf8.RuneCountInString(name) > maxNameRunes:
		return fmt.Sprintf("it has more than %d characters", maxNameRunes)
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return "it holds a control character"
		}
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	if unicode.IsSpace(first) || unicode.IsSpace(last) {
		return "it begins or ends with a space"
	}
	return ""
}

// clip shortens what is quoted in a message.
func clip(s string) string {
	if len(s) <= 80 {
		return s
	}
	return strings.ToValidUTF8(s[:80], "") + "…"
}

// Name returns how people see a dataset: its namespace and its name.
func Name(d event.CatalogDataset) string { return d.Namespace + "|" + d.Name }
