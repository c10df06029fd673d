package parser

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// decode turns a script into UTF-8 without a byte order mark, and names the
// encoding that it was in. A named encoding is believed; otherwise UTF-8, UTF-16 by
// its marks or by its zero bytes, GBK by its byte pairs, and Latin-1 (Windows-1252)
// are told apart.
func decode(src []byte, named string) (text []byte, name string, err error) {
	if named != "" {
		return decodeNamed(src, named)
	}
	switch {
	case bytes.HasPrefix(src, []byte("\xef\xbb\xbf")):
		src = src[3:]
		if utf8.Valid(src) {
			return src, "utf-8", nil
		}
	case bytes.HasPrefix(src, []byte("\xff\xfe")):
		return decodeAs(src, "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM))
	case bytes.HasPrefix(src, []byte("\xfe\xff")):
		return decodeAs(src, "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM))
	case utf8.Valid(src):
		return src, "utf-8", nil
	}
	if even, odd := zeroBytes(src); even+odd > len(src)/4 {
		if odd > even {
			return decodeAs(src, "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM))
		}
		return decodeAs(src, "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))
	}
	if looksGBK(src) {
		return decodeAs(src, "gbk", simplifiedchinese.GB18030)
	}
	return decodeAs(src, "windows-1252", charmap.Windows1252)
}

func decodeNamed(src []byte, named string) ([]byte, string, error) {
	enc, err := htmlindex.Get(named)
	if err != nil {
		return nil, "", fmt.Errorf("the encoding %q is not known", named)
	}
	name, err := htmlindex.Name(enc)
	if err != nil {
		name = named
	}
	if name == "utf-8" {
		return bytes.ToValidUTF8(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), []byte("\uFFFD")), name, nil
	}
	return decodeAs(src, name, enc)
}

func decodeAs(src []byte, name string, enc encoding.Encoding) ([]byte, string, error) {
	out, err := enc.NewDecoder().Bytes(src)
	if err != nil {
		return nil, "", fmt.Errorf("reading the text as %s: %w", name, err)
	}
	return bytes.TrimPrefix(out, []byte("\xef\xbb\xbf")), name, nil
}

// zeroBytes counts zero bytes at even and at odd offsets of the beginning.
func zeroBytes(src []byte) (even, odd int) {
	for i, b := range src[:min(len(src), 4096)] {
		if b != 0 {
			continue
		}
		if i%2 == 0 {
			even++
		} else {
			odd++
		}
	}
	return even, odd
}

// looksGBK reports whether all bytes beyond ASCII come in pairs that GBK has, with
// most of them in the area of its common characters.
func looksGBK(src []byte) bool {
	pairs, common := 0, 0
	for i := 0; i < len(src); i++ {
		c := src[i]
		if c < 0x80 {
			continue
		}
		if c == 0x80 || c == 0xff || i+1 >= len(src) {
			return false
		}
		d := src[i+1]
		if d < 0x40 || d == 0x7f || d == 0xff {
			return false
		}
		pairs++
		if c >= 0xb0 && c <= 0xf7 && d >= 0xa1 || c >= 0xa1 && c <= 0xa9 && d >= 0xa1 {
			common++
		}
		i++
	}
	return pairs > 0 && common*2 >= pairs
}
