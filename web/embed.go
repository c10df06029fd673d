// Package web holds the lineage page and serves it from the binary.
//
// The page is written in TypeScript under src and bundled into dist by
// `npm run build`. dist is embedded as it stands; a binary that was built
// without it still answers, with a sentence that says what to run.
package web

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var embedded embed.FS

// contentSecurityPolicy lets the page load and call only its own server. Pictures
// may also be blobs, because a PNG export draws the page's own SVG through one.
const contentSecurityPolicy = "default-src 'self'; img-src 'self' blob:; object-src 'none'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tributary</title>
<h1>The page is not in this binary</h1>
<p>This binary was built without its web page. Run <code>npm ci &amp;&amp; npm run build</code> in
<code>web/</code> and build the binary again (<code>make</code> does both). The HTTP API works without it.</p>`

// Page serves the single page and its assets.
type Page struct {
	files fs.FS
	index []byte
}

// New returns the page that is embedded in this binary.
func New() *Page {
	files, err := fs.Sub(embedded, "dist")
	if err != nil { // "dist" is a constant valid path, so this cannot happen
		files = embedded
	}
	return newPage(files)
}

func newPage(files fs.FS) *Page {
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		index = nil
	}
	return &Page{files: files, index: index}
}

// Built tells whether the binary holds the page.
func (p *Page) Built() bool { return p.index != nil }

// Register mounts the page on every GET path that no API claims.
func (p *Page) Register(mux *http.ServeMux) { mux.Handle("GET /", p) }

// ServeHTTP answers an asset by its hashed name, cached for ever, and any
// other path outside /api/ with the page itself, which routes by the URL.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", contentSecurityPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		serveUnknown(w)
	case strings.HasPrefix(r.URL.Path, "/assets/"):
		p.serveAsset(w, r)
	default:
		p.serveIndex(w)
	}
}

// serveUnknown answers a program in the form of the API's other refusals.
func serveUnknown(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"code":"NotFound","message":"nothing answers GET at this path here: schemas/api lists what does"}` + "\n")) // the client went away: nobody to tell
}

func (p *Page) serveIndex(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	if !p.Built() {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(notBuilt)) // the client went away: nobody to tell
		return
	}
	_, _ = w.Write(p.index)
}

// contentTypes are the kinds of file that a build makes; the system's own MIME
// table is not asked, because it differs between machines.
var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

func (p *Page) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	contentType, known := contentTypes[path.Ext(name)]
	if !known {
		http.NotFound(w, r)
		return
	}
	body, encoding, err := p.readAsset(name, r.Header.Get("Accept-Encoding"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	if encoding != "" {
		header.Set("Content-Encoding", encoding)
	}
	_, _ = w.Write(body) //nolint:gosec // a file of the page's own build
}

// readAsset prefers the copy that the build compressed.
func (p *Page) readAsset(name, accept string) (body []byte, encoding string, err error) {
	if strings.Contains(accept, "gzip") {
		if body, err = fs.ReadFile(p.files, name+".gz"); err == nil {
			return body, "gzip", nil
		}
	}
	body, err = fs.ReadFile(p.files, name)
	return body, "", err
}
