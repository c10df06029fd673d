package name

import (
	"net"
	"slices"
	"strings"
)

// aliasOf gives the scheme that OpenLineage's naming uses for one of its
// other spellings.
func aliasOf(scheme string) string {
	switch scheme {
	case "postgresql", "pgsql":
		return "postgres"
	case "s3a", "s3n":
		return "s3"
	case "gcs":
		return "gs"
	case "thrift":
		return "hive"
	}
	return scheme
}

// Namespace gives the canonical form of a namespace: scheme in lower case and
// without aliases, user and password left out, host in lower case, default
// port filled in, no slash at the end. What is not an address (a registered
// source's id, bigquery, arn:aws:glue:…) stays as it is. It is idempotent.
func Namespace(s string) string {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, "jdbc:") {
		s = strings.TrimSpace(s[len("jdbc:"):])
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/|. ") {
		return s
	}
	scheme = aliasOf(strings.ToLower(scheme))
	authority, path, _ := strings.Cut(rest, "/")
	p := PlatformFor(scheme)
	authority = withoutUser(scheme, authority)
	hosts := strings.Split(authority, ",")
	for i, h := range hosts {
		hosts[i] = host(p, h)
	}
	out := scheme + "://" + strings.Join(hosts, ",")
	if path = strings.TrimRight(path, "/"); path != "" {
		out += "/" + path
	}
	return out
}

// WithoutUser gives a namespace, or any address, without user and password. It
// changes nothing else.
func WithoutUser(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	end := len(rest)
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		end = slash
	}
	return scheme + "://" + withoutUser(strings.ToLower(scheme), rest[:end]) + rest[end:]
}

func withoutUser(scheme, authority string) string {
	if containerInUser(scheme) {
		return authority
	}
	return authority[strings.LastIndexByte(authority, '@')+1:]
}

// containerInUser tells the schemes whose part before @ names a container and
// is no user.
func containerInUser(scheme string) bool {
	return slices.Contains([]string{"abfss", "abfs", "wasbs", "wasb"}, scheme)
}

// host puts one host:port into canonical form.
func host(p Platform, s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" {
		return s
	}
	h, port, err := net.SplitHostPort(s)
	if err != nil {
		bare := strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
		bracketed := len(s) == len(bare)+2
		if p.DefaultPort == "" || strings.ContainsAny(bare, "[]") ||
			len(bare) != len(s) && !bracketed || strings.Contains(bare, ":") != bracketed {
			return s // an address we cannot read; a guess would join strangers
		}
		return s + ":" + p.DefaultPort
	}
	if slices.Contains(p.OtherPorts, port) {
		port = p.DefaultPort
	}
	if strings.Contains(h, ":") {
		h = "[" + h + "]"
	}
	return h + ":" + port
}
