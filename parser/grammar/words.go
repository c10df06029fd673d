package grammar

import "strings"

// The hash of a word, computed while it is scanned, over its characters with the
// bit that tells small from capital letters set.
const (
	hashSeed  = 2166136261
	hashPrime = 16777619
)

// keywordSlots is the size of the open hash table of keywords, a power of two well
// over their number.
const keywordSlots = 8192

// keywordTable finds keywords by hash, with linear probing.
var keywordTable = newKeywordTable()

// upperNames are the spellings in capitals, for operators and messages.
var upperNames = upperKeywords()

// keywordIndex finds keywords by name while the tables of words are made.
var keywordIndex = indexKeywords()

func indexKeywords() map[string]keyword {
	index := make(map[string]keyword, len(keywordNames))
	for i, name := range keywordNames {
		index[name] = keyword(i + 1)
	}
	return index
}

// keywordSlot is a keyword in its low half and a part of its hash in the high one, 0 if
// it is free. Slots are small, so that the table stays in the processor's cache.
type keywordSlot uint32

func newSlot(kw keyword, hash uint32) keywordSlot { return keywordSlot(hash&^0xffff | uint32(kw)) }

func newKeywordTable() *[keywordSlots]keywordSlot {
	var table [keywordSlots]keywordSlot
	for i, name := range keywordNames {
		hash := uint32(hashSeed)
		for j := range len(name) {
			hash = (hash ^ uint32(name[j]|0x20)) * hashPrime
		}
		slot := slotOf(hash)
		for table[slot] != 0 {
			slot = (slot + 1) % keywordSlots
		}
		table[slot] = newSlot(keyword(i+1), hash)
	}
	return &table
}

func slotOf(hash uint32) uint32 { return (hash ^ hash>>15) % keywordSlots }

func upperKeywords() []string {
	names := make([]string, keywordCount)
	for i, name := range keywordNames {
		names[i+1] = strings.ToUpper(name)
	}
	return names
}

// lookupKeyword finds the keyword that a word spells in any case, or 0.
func lookupKeyword(word []byte, hash uint32) keyword {
	for slot := slotOf(hash); ; slot = (slot + 1) % keywordSlots {
		s := keywordTable[slot]
		if s == 0 {
			return 0
		}
		kw := keyword(s)
		if s != newSlot(kw, hash) {
			continue
		}
		if name := keywordNames[kw-1]; len(name) == len(word) && equalFold(word, name) {
			return kw
		}
	}
}

// equalFold compares a word with a name in small letters of the same length.
func equalFold(word []byte, name string) bool {
	for i := range len(name) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// String is the keyword in capitals, as messages show it.
func (k keyword) String() string { return upperNames[k] }

func (k keyword) upper() string { return upperNames[k] }

// wordSet is a set of keywords.
type wordSet [(keywordCount + 63) / 64]uint64

func (s *wordSet) has(k keyword) bool { return s[k/64]&(1<<(k%64)) != 0 }

// wordSetOf makes a set of the words in a list, all of which must be keywords.
func wordSetOf(list string) *wordSet {
	var s wordSet
	for name := range strings.FieldsSeq(list) {
		k := keywordIndex[name]
		s[k/64] |= 1 << (k % 64)
	}
	s[0] &^= 1
	return &s
}

// wordList is a set of words in small letters.
type wordList map[string]bool

func (l wordList) has(word string) bool { return l[word] }
