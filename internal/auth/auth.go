// Package auth says who calls and what they may do. Tokens stand in a file as
// hashes; without a file everything comes from this machine, whose user may do
// everything.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Scope is a kind of permission; each one includes those before it.
type Scope int

// Scopes, from the weakest to the strongest.
const (
	ScopeNone Scope = iota
	ScopeRead
	ScopeWrite
	ScopeAdmin
)

// ParseScope reads "read", "write" or "admin".
func ParseScope(s string) (Scope, error) {
	switch s {
	case "read":
		return ScopeRead, nil
	case "write":
		return ScopeWrite, nil
	case "admin":
		return ScopeAdmin, nil
	}
	return ScopeNone, fmt.Errorf("scope %q is not one of read, write, admin", s)
}

// Identity is the caller of a request.
type Identity struct {
	Name  string
	Scope Scope
	// Writes and Sees are patterns of namespaces; see Token.
	Writes, Sees []string
}

// MayWrite says whether the caller may send something about a namespace: of
// tasks, of datasets, or a space of the catalog.
func (id Identity) MayWrite(namespace string) bool { return matches(id.Writes, namespace) }

// MaySee says whether the caller may know what is in a namespace.
func (id Identity) MaySee(namespace string) bool { return matches(id.Sees, namespace) }

// matches says whether one of the patterns is the name, or its beginning with
// a star behind. No patterns match every name.
func matches(patterns []string, name string) bool {
	if len(patterns) == 0 {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, star := strings.CutSuffix(p, "*")
		return p == name || star && strings.HasPrefix(name, prefix)
	})
}

type identityKey struct{}

// WithIdentity returns a context that carries the caller.
func WithIdentity(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// IdentityFrom returns the caller put there by Guard, or one without name or
// permission.
func IdentityFrom(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}

// Token is an entry of the token file. The token itself is never stored.
type Token struct {
	Name    string    `yaml:"name"`
	Hash    string    `yaml:"sha256"`
	Scope   string    `yaml:"scope"`
	Expires time.Time `yaml:"expires"`
	// Writes are the namespaces and spaces that the token may send something
	// about, Sees those that it is shown; a star at the end stands for any
	// rest. None means all.
	Writes []string `yaml:"writes,omitempty"`
	Sees   []string `yaml:"sees,omitempty"`
}

// NewToken makes a random token and the entry that admits it.
func NewToken(name, scope string, expires time.Time) (secret string, entry Token, err error) {
	if _, err := ParseScope(scope); err != nil {
		return "", Token{}, err
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return "", Token{}, fmt.Errorf("reading random bytes: %w", err)
	}
	secret = "trb_" + base64.RawURLEncoding.EncodeToString(raw)
	return secret, Token{Name: name, Hash: hash(secret), Scope: scope, Expires: expires.UTC()}, nil
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// LoadTokens reads a token file: a YAML list of entries.
func LoadTokens(path string) ([]Token, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading tokens: %w", err)
	}
	var tokens []Token
	if err := yaml.Unmarshal(raw, &tokens); err != nil {
		return nil, fmt.Errorf("reading tokens from %s: %w", path, err)
	}
	var faults []error
	for i, t := range tokens {
		if _, err := ParseScope(t.Scope); err != nil {
			faults = append(faults, fmt.Errorf("token %d (%s): %w", i+1, t.Name, err))
		}
		if raw, err := hex.DecodeString(t.Hash); err != nil || len(raw) != sha256.Size {
			faults = append(faults, fmt.Errorf("token %d (%s): sha256 is not 64 hex digits", i+1, t.Name))
		}
		if t.Expires.IsZero() {
			faults = append(faults, fmt.Errorf("token %d (%s): expires is missing", i+1, t.Name))
		}
	}
	return tokens, errors.Join(faults...)
}

// Guard lets a request through only if its caller may make it. Every path is
// denied to callers without a token, but those that Open names.
type Guard struct {
	// Tokens gives those admitted now; nil means that only this machine can
	// reach the server.
	Tokens func() []Token
	// Open says which paths need no token: liveness and the page's own files.
	Open func(path string) bool
	// Needed is the scope that a request needs.
	Needed func(r *http.Request) Scope
	// Hidden says that a caller must not learn whether what a request is about
	// exists; nil hides nothing.
	Hidden func(r *http.Request, id Identity) bool
	// Limits bound what a caller may ask for.
	Limits Limits
	// Now is the clock by which tokens expire.
	Now func() time.Time
}

// Wrap returns next behind the guard: 401 without a valid token, 403 with one
// of too small a scope or from a foreign page, 404 for what is hidden, 429
// beyond the limits, and 421 for a foreign host name where no token protects
// the server.
func (g Guard) Wrap(next http.Handler) http.Handler {
	local := Identity{Name: localUser(), Scope: ScopeAdmin}
	limits := newLimiter(g.Limits)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !sameOrigin(r) {
			refuse(w, http.StatusForbidden, "ForeignOrigin", "the request comes from a page of another server")
			return
		}
		id := local
		switch {
		case g.Tokens == nil && !loopbackHost(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "ForeignHost", "this server answers to loopback names only; set up tokens to use it by another name")
			return
		case g.Open(r.URL.Path):
			next.ServeHTTP(w, r)
			return
		case g.Tokens != nil:
			var ok bool
			if id, ok = g.admit(w, r); !ok {
				return
			}
		}
		done, why := limits.of(id).admit(g.Tokens != nil)
		defer done()
		if why != "" {
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, "TooManyRequests", why+"; send again later")
			return
		}
		next.ServeHTTP(w, r.WithContext(WithIdentity(r.Context(), id)))
	})
}

// admit finds the token's identity, or refuses the request.
func (g Guard) admit(w http.ResponseWriter, r *http.Request) (Identity, bool) {
	id, ok := g.identify(r)
	switch {
	case !ok:
		w.Header().Set("WWW-Authenticate", `Bearer realm="tributary"`)
		refuse(w, http.StatusUnauthorized, "Unauthorized", "send a valid token as 'Authorization: Bearer ...'")
	case id.Scope < g.Needed(r):
		refuse(w, http.StatusForbidden, "Forbidden", "the token's scope does not allow this")
	case g.Hidden != nil && g.Hidden(r, id):
		refuse(w, http.StatusNotFound, "NotFound", "there is nothing here that this token may see")
	default:
		return id, true
	}
	return Identity{}, false
}

func (g Guard) identify(r *http.Request) (Identity, bool) {
	secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return Identity{}, false
	}
	sum := hash(secret)
	for _, t := range g.Tokens() {
		if subtle.ConstantTimeCompare([]byte(t.Hash), []byte(sum)) == 1 && g.Now().Before(t.Expires) {
			scope, err := ParseScope(t.Scope)
			return Identity{Name: t.Name, Scope: scope, Writes: t.Writes, Sees: t.Sees}, err == nil
		}
	}
	return Identity{}, false
}

// sameOrigin refuses what a foreign page makes a browser send.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// loopbackHost stops a foreign name that was made to point to this machine.
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

func localUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "local"
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, _ := json.Marshal(map[string]string{"code": code, "message": message}) //nolint:errchkjson // strings always encode
	_, _ = w.Write(body)
}
