// Package samples holds golden events: one folder a type, each file a whole
// event that must be read for ever, and refused/, whose files name the code
// that they are refused with. A sample is never changed once released; a new
// field gets a new sample.
package samples

import "embed"

//go:embed all:tributary.*.v* refused
var files embed.FS

// FS holds the samples as files: <type>/<name>.json and refused/<Code>.<name>.json.
func FS() embed.FS { return files }
