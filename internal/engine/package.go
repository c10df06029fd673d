package engine

import "fmt"

// npmPackage is where a platform's library comes from.
type npmPackage struct {
	name    string
	version string
	// integrity is the package file's SHA-512 in npm's notation. Where it is
	// empty the checksum that the registry announces is used, which guards
	// against damage but not against a package that was replaced.
	integrity string
	// size is the package file's length in bytes, 0 where unknown.
	size int64
}

// engineVersion is pinned, since the store's code relies on how this one
// behaves. 26.5.3, the registry's newest by tag, has no streaming insert.
const engineVersion = "26.7.3-stable.1"

// packages are the library's packages by GOOS/GOARCH.
var packages = map[string]npmPackage{
	"linux/amd64": {
		name:      "@chdb/lib-linux-x64-gnu",
		version:   engineVersion,
		integrity: "sha512-XP97mMqnc5tZpKQywR8N7cLTsHNiTmHr30pC5mzo3jWmukjKn2IBa60c2B/gWUNcuFjOMjWoorQICCqBVj5wpw==",
		size:      177817999,
	},
	"linux/arm64":  {name: "@chdb/lib-linux-arm64-gnu", version: engineVersion},
	"darwin/amd64": {name: "@chdb/lib-darwin-x64", version: engineVersion},
	"darwin/arm64": {name: "@chdb/lib-darwin-arm64", version: engineVersion},
}

// packageFor finds the platform's package.
func packageFor(goos, goarch string) (npmPackage, error) {
	p, ok := packages[goos+"/"+goarch]
	if !ok {
		return npmPackage{}, fmt.Errorf("there is no ClickHouse engine for %s/%s: use a ClickHouse server, or name a library with --engine-lib", goos, goarch)
	}
	return p, nil
}
