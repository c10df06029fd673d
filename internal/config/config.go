// Package config reads the settings of every role: built-in defaults, then a
// YAML file, then environment variables, then flags. An unknown key fails, and
// all faults are reported together.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// EnvPrefix starts the name of every environment variable that is a setting:
// log.brokers is TRIBUTARY_LOG_BROKERS.
const EnvPrefix = "TRIBUTARY_"

// Config holds the settings of a process, checked by Load.
type Config struct {
	Listen    string          `koanf:"listen"`
	Data      string          `koanf:"data"`
	Log       LogConfig       `koanf:"log"`
	Store     StoreConfig     `koanf:"store"`
	Auth      AuthConfig      `koanf:"auth"`
	Telemetry TelemetryConfig `koanf:"telemetry"`
	Builder   BuilderConfig   `koanf:"builder"`
}

// LogConfig says where the event log is. With no brokers an embedded broker
// keeps it below the data folder.
type LogConfig struct {
	Brokers    []string `koanf:"brokers"`
	Listen     string   `koanf:"listen"`
	Partitions int      `koanf:"partitions"`
	// Replication is how many brokers keep a copy of topics that are created.
	Replication int  `koanf:"replication"`
	TLS         bool `koanf:"tls"`
	// User and Password sign in by SCRAM-SHA-512; none signs in.
	User     string `koanf:"user"`
	Password string `koanf:"password"`
}

// StoreConfig says where the projections are. With no DSN the ClickHouse engine
// runs in the process, below the data folder.
type StoreConfig struct {
	DSN    string `koanf:"dsn"`
	Listen string `koanf:"listen"`
	// Token is the password of the full user of Listen; one is made and kept
	// in the data folder where none is set.
	Token string `koanf:"token"`
	// ReaderToken is the password of readers; empty lets any program of this
	// machine read.
	ReaderToken string `koanf:"reader_token"`
	EngineLib   string `koanf:"engine_lib"`
}

// AuthConfig names the file of access tokens; without one only loopback
// addresses may be listened on.
type AuthConfig struct {
	Tokens string `koanf:"tokens"`
	// Rate is how many requests a second a token may make over time; 0 for any
	// number. Concurrent is how many requests of one caller are answered at
	// once, and how many a token may make beyond its rate.
	Rate       float64 `koanf:"rate"`
	Concurrent int     `koanf:"concurrent"`
}

// TelemetryConfig sets what the process tells of itself.
type TelemetryConfig struct {
	Level  string `koanf:"level"`
	Format string `koanf:"format"`
	Traces string `koanf:"traces"`
}

// BuilderConfig bounds how jobs are handed to runners.
type BuilderConfig struct {
	Lease time.Duration `koanf:"lease"`
}

// setting is one key with its default, flag and help; the table of them is the
// only place where a setting is named. Secrets have no flag, since the flags of
// a process can be seen by others.
type setting struct {
	key, flag string
	value     any
	help      string
}

func settings() []setting {
	return []setting{
		{"listen", "listen", "127.0.0.1:7070", "address of the HTTP API and the page"},
		{"data", "data", DefaultDataDir(), "folder of the embedded log and store"},
		{"log.brokers", "log-brokers", []string{}, "Kafka brokers, host:port; none starts the embedded broker"},
		{"log.listen", "log-listen", "127.0.0.1:0", "loopback address of the embedded broker; port 0 picks a free one"},
		{"log.partitions", "log-partitions", 0, "partitions of topics that are created; 0 means 4 embedded, 24 on Kafka"},
		{"log.replication", "log-replication", 1, "copies of topics that are created"},
		{"log.tls", "log-tls", false, "speak TLS with the brokers"},
		{"log.user", "log-user", "", "user to sign in to the brokers as, by SCRAM-SHA-512"},
		{"log.password", "", "", "password of log.user"},
		{"store.dsn", "store-dsn", "", "ClickHouse DSN; none starts the embedded engine"},
		{"store.listen", "store-listen", "", "address where the embedded engine answers ClickHouse's HTTP interface, such as 127.0.0.1:8123"},
		{"store.token", "", "", "password of the user tributary of store.listen"},
		{"store.reader_token", "", "", "password of the readers of store.listen"},
		{"store.engine_lib", "engine-lib", "", "file of the embedded engine's library instead of the fetched one"},
		{"auth.tokens", "auth-tokens", "", "file of access tokens; needed to listen beyond loopback"},
		{"auth.rate", "auth-rate", 200.0, "requests a second that a token may make over time; 0 for any number"},
		{"auth.concurrent", "auth-concurrent", 256, "requests of one caller that are answered at once"},
		{"telemetry.level", "log-level", "info", "least level of log lines: debug, info, warn, error"},
		{"telemetry.format", "log-format", "text", "form of log lines: text or json"},
		{"telemetry.traces", "traces-endpoint", "", "OTLP/HTTP endpoint that gets traces, such as http://127.0.0.1:4318; none sends none"},
		{"builder.lease", "builder-lease", 30 * time.Second, "time after which a silent runner loses its attempt"},
	}
}

// checkForm says what is wrong with a value that has not the form of its
// setting: files and the environment give texts.
func (s setting) checkForm(value any) error {
	text := fmt.Sprint(value)
	var err error
	var form string
	switch s.value.(type) {
	case int:
		_, err = strconv.Atoi(text)
		form = "a whole number"
	case bool:
		_, err = strconv.ParseBool(text)
		form = "true or false"
	case time.Duration:
		_, err = time.ParseDuration(text)
		form = "a time such as 30s"
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not %s", s.key, text, form)
	}
	return nil
}

// DefaultDataDir is the folder of the embedded parts when none is named: below
// XDG_DATA_HOME, else below the user's home.
func DefaultDataDir() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "tributary")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "tributary-data"
	}
	return filepath.Join(home, ".local", "share", "tributary")
}

// AddFlags defines the flags of every setting, and --config, on f.
func AddFlags(f *pflag.FlagSet) {
	f.String("config", "", "YAML file of settings")
	f.Bool("check-config", false, "check the settings, print them and stop")
	for _, s := range settings() {
		if s.flag == "" {
			continue
		}
		switch v := s.value.(type) {
		case string:
			f.String(s.flag, v, s.help)
		case int:
			f.Int(s.flag, v, s.help)
		case float64:
			f.Float64(s.flag, v, s.help)
		case bool:
			f.Bool(s.flag, v, s.help)
		case []string:
			f.StringSlice(s.flag, v, s.help)
		case time.Duration:
			f.Duration(s.flag, v, s.help)
		}
	}
}

// Load merges defaults, the file named by --config, the environment and the
// flags that were set, in this order, and checks the result. The error joins
// every fault that was found.
func Load(f *pflag.FlagSet) (Config, error) {
	k := koanf.New(".")
	known := map[string]setting{}
	defaults := map[string]any{}
	for _, s := range settings() {
		known[s.key] = s
		defaults[s.key] = s.value
	}
	if err := k.Load(confmap.Provider(defaults, "."), nil); err != nil {
		return Config{}, fmt.Errorf("setting defaults: %w", err)
	}
	var faults []error
	if path, _ := f.GetString("config"); path != "" {
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			faults = append(faults, fmt.Errorf("reading settings from %s: %w", path, err))
		}
	}
	if err := k.Load(env.Provider(".", env.Opt{Prefix: EnvPrefix, TransformFunc: fromEnv(known, &faults)}), nil); err != nil {
		return Config{}, fmt.Errorf("reading settings from the environment: %w", err)
	}
	if err := k.Load(confmap.Provider(setFlags(f), "."), nil); err != nil {
		return Config{}, fmt.Errorf("reading settings from flags: %w", err)
	}
	for _, key := range k.Keys() {
		if s, ok := known[key]; !ok {
			faults = append(faults, fmt.Errorf("unknown setting %q", key))
		} else if err := s.checkForm(k.Get(key)); err != nil {
			faults = append(faults, err)
		}
	}
	var c Config
	decode := &mapstructure.DecoderConfig{
		Result: &c, TagName: "koanf", WeaklyTypedInput: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	}
	if err := k.UnmarshalWithConf("", &c, koanf.UnmarshalConf{Tag: "koanf", DecoderConfig: decode}); err != nil && len(faults) == 0 {
		faults = append(faults, err) // else it repeats in worse words what was said
	}
	return c, errors.Join(append(faults, c.check()...)...)
}

// hidden stands for a secret that is set.
const hidden = "(hidden)"

// YAML writes the settings in the form of a file of them, without secrets.
func (c Config) YAML() ([]byte, error) {
	for _, secret := range []*string{&c.Log.Password, &c.Store.Token, &c.Store.ReaderToken} {
		if *secret != "" {
			*secret = hidden
		}
	}
	if u, err := url.Parse(c.Store.DSN); err == nil {
		c.Store.DSN = u.Redacted()
	} else {
		c.Store.DSN = hidden
	}
	var settings map[string]any
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{Result: &settings, TagName: "koanf"})
	if err == nil {
		err = decoder.Decode(c)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the settings: %w", err)
	}
	return yaml.Parser().Marshal(settings)
}

// notSetting says whether an environment variable shares the prefix with the
// settings of roles but is of the command line, or of the tests.
func notSetting(name string) bool {
	switch name {
	case "TRIBUTARY_SERVER", "TRIBUTARY_TOKEN", "TRIBUTARY_SPACE", "TRIBUTARY_NAMESPACE", "TRIBUTARY_RUN_CLICKHOUSE":
		return true
	}
	return strings.HasPrefix(name, "TRIBUTARY_TEST_")
}

// fromEnv maps TRIBUTARY_STORE_ENGINE_LIB to store.engine_lib: names hold both
// kinds of underscore, so the known keys decide.
func fromEnv(known map[string]setting, faults *[]error) func(k, v string) (string, any) {
	byEnv := map[string]string{}
	for key := range known {
		byEnv[EnvPrefix+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = key
	}
	return func(name, value string) (string, any) {
		key, ok := byEnv[name]
		if !ok {
			if !notSetting(name) {
				*faults = append(*faults, fmt.Errorf("unknown setting in environment variable %s", name))
			}
			return "", nil
		}
		return key, value
	}
}

func setFlags(f *pflag.FlagSet) map[string]any {
	set := map[string]any{}
	for _, s := range settings() {
		if flag := f.Lookup(s.flag); flag != nil && flag.Changed {
			switch s.value.(type) {
			case []string:
				v, _ := f.GetStringSlice(s.flag)
				set[s.key] = v
			default:
				set[s.key] = flag.Value.String()
			}
		}
	}
	return set
}

func (c Config) check() []error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !isLoopback(c.Listen) && c.Auth.Tokens == "" {
		bad("listen: %s is reachable from other machines, which needs auth.tokens; listen on 127.0.0.1, or create a token with 'tributary token create'", c.Listen)
	}
	if c.Store.Listen != "" && !isLoopback(c.Store.Listen) {
		bad("store.listen: %s is not a loopback address; the embedded engine answers this machine only", c.Store.Listen)
	}
	if c.Log.Listen != "" && !isLoopback(c.Log.Listen) {
		bad("log.listen: %s is not a loopback address; the embedded broker serves this machine only", c.Log.Listen)
	}
	if c.Log.Partitions < 0 || c.Log.Partitions > 10000 {
		bad("log.partitions: %d is not between 0 and 10000", c.Log.Partitions)
	}
	if c.Log.Replication < 1 {
		bad("log.replication: %d is less than 1", c.Log.Replication)
	}
	if (c.Log.User == "") != (c.Log.Password == "") {
		bad("log.user and log.password: one is set without the other (the password comes from a file or TRIBUTARY_LOG_PASSWORD)")
	}
	if c.Auth.Rate < 0 {
		bad("auth.rate: %g is less than 0", c.Auth.Rate)
	}
	if c.Auth.Concurrent < 1 {
		bad("auth.concurrent: %d is less than 1", c.Auth.Concurrent)
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, c.Telemetry.Level) {
		bad("telemetry.level: %q is not one of debug, info, warn, error", c.Telemetry.Level)
	}
	if !slices.Contains([]string{"text", "json"}, c.Telemetry.Format) {
		bad("telemetry.format: %q is neither text nor json", c.Telemetry.Format)
	}
	if c.Builder.Lease < time.Second {
		bad("builder.lease: %s is shorter than 1s", c.Builder.Lease)
	}
	return faults
}

// isLoopback says whether an address to listen on is reachable from this
// machine alone. A host name is not trusted to stay what it is, but localhost.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
