package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// physicalOf finds the places that a definition's connector or engine names.
func (r *resolver) physicalOf(t *Table, n *ir.CreateTable) {
	switch r.d.name {
	case "flink":
		if firstSet(t.options["connector"], t.options["connector.type"]) != "" || len(n.Like) > 0 {
			t.mapping = true
			r.mappings = append(r.mappings, t)
		}
		t.physical = connectorPlaces(t.options)
	case "clickhouse":
		t.physical = r.enginePlaces(t, n)
	default:
		t.physical = optionsPlace(t)
	}
}

// enginePlaces maps a ClickHouse table engine to what it stands for.
func (r *resolver) enginePlaces(t *Table, n *ir.CreateTable) []string {
	args := textArgs(n.EngineArgs)
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	local := func(db, table string) []string {
		if table == "" {
			return nil
		}
		if db == "" || strings.EqualFold(db, "currentDatabase()") {
			return one(dotted(r.schemaName, table))
		}
		return one(db + "." + table)
	}
	switch strings.ToLower(n.Engine) {
	case "kafka":
		servers := firstSet(t.options["kafka_broker_list"], arg(0))
		return kafkaPlaces(servers, firstSet(t.options["kafka_topic_list"], arg(1)), ",")
	case "distributed":
		return local(arg(1), arg(2))
	case "buffer":
		return local(arg(0), arg(1))
	case "alias":
		if len(args) == 1 {
			return local("", arg(0))
		}
		return local(arg(0), arg(1))
	case "dictionary":
		return one(arg(0))
	case "mysql":
		return one(joinPlace(arg(0), dotted(arg(1), arg(2)), "mysql"))
	case "postgresql", "materializedpostgresql":
		return one(joinPlace(arg(0), dotted(arg(1), firstSet(arg(5), "public"), arg(2)), "postgres"))
	case "mongodb":
		return one(joinPlace(arg(0), dotted(arg(1), arg(2)), "mongodb"))
	case "hive":
		return one(joinPlace(arg(0), dotted(arg(1), arg(2)), "hive"))
	case "rabbitmq":
		return one(joinPlace(firstSet(t.options["rabbitmq_host_port"], arg(0)), firstSet(t.options["rabbitmq_exchange_name"], arg(1)), "rabbitmq"))
	case "nats":
		return one(joinPlace(firstSet(t.options["nats_url"], arg(0)), firstSet(t.options["nats_subjects"], arg(1)), "nats"))
	case "file":
		return one(arg(1))
	case "s3", "s3queue", "url", "hdfs", "deltalake", "iceberg", "hudi", "cosn", "oss", "gcs", "azureblobstorage", "sqlite":
		return one(arg(0))
	}
	return nil
}

// textArgs are arguments as texts: literals, names, dotted names.
func textArgs(args []*ir.Expr) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == nil {
			continue
		}
		switch a.Kind {
		case ir.ExprLiteral:
			out[i] = a.Text
		case ir.ExprColumn:
			out[i] = ir.Name{Parts: a.Name}.String()
		case ir.ExprCall:
			out[i] = ir.Name{Parts: a.Name}.String() + "()"
		}
	}
	return out
}

// namedText finds a text argument by one of its names: uri => '…' or "uri" = '…'.
func namedText(args []*ir.Expr, names ...string) string {
	for _, a := range args {
		var key, v string
		switch {
		case a == nil:
			continue
		case a.Kind == ir.ExprNamedArg:
			key, v = a.Name[0].Name, textArgs(a.Args[:1])[0]
		case a.Kind == ir.ExprOp && a.Text == "=" && len(a.Args) == 2:
			both := textArgs(a.Args)
			key, v = both[0], both[1]
		default:
			continue
		}
		for _, n := range names {
			if strings.EqualFold(strings.TrimLeft(key, "@"), n) {
				return v
			}
		}
	}
	return ""
}

// positional are the arguments without a name.
func positional(args []*ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for _, a := range args {
		if a.Kind != ir.ExprNamedArg && (a.Kind != ir.ExprOp || a.Text != "=") {
			out = append(out, a)
		}
	}
	return out
}

// foreignPlace is the place outside that a table function reads or writes. It
// reports false for functions that name none; an empty place is a generator.
func (r *resolver) foreignPlace(e *ir.Expr, name string) (string, bool) {
	args := textArgs(positional(e.Args))
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	ch := r.d.name == "clickhouse"
	switch name {
	case "S3", "GCS", "OSS", "COSN", "AZUREBLOBSTORAGE", "HDFS", "URL", "FILE", "ICEBERG", "ICEBERGS3", "ICEBERGLOCAL", "DELTALAKE",
		"HUDI", "FILES", "READ_FILES", "READ_CSV", "READ_CSV_AUTO", "READ_PARQUET", "PARQUET_SCAN", "READ_JSON", "READ_JSON_AUTO",
		"READ_NDJSON", "READ_JSON_OBJECTS", "READ_NDJSON_AUTO", "ICEBERG_SCAN", "DELTA_SCAN", "READ_XLSX", "READ_TEXT", "READ_BLOB",
		"CLOUD_FILES", "LOCAL", "READ_AVRO", "HTTP", "S3QUEUE", "OPENROWSET", "SNIFF_CSV", "LOAD_FILE":
		return filePlace(e, arg(0), name)
	case "S3CLUSTER", "HDFSCLUSTER", "URLCLUSTER", "FILECLUSTER", "ICEBERGS3CLUSTER", "AZUREBLOBSTORAGECLUSTER":
		return arg(1), arg(1) != ""
	case "MYSQL":
		if ch {
			return joinPlace(arg(0), dotted(arg(1), arg(2)), "mysql"), true
		}
	case "POSTGRESQL":
		return joinPlace(arg(0), dotted(arg(1), firstSet(arg(5), "public"), arg(2)), "postgres"), true
	case "MONGODB":
		return joinPlace(arg(0), dotted(arg(1), arg(2)), "mongodb"), true
	case "REMOTE", "REMOTESECURE":
		table := arg(1)
		if len(args) > 2 && !strings.Contains(table, ".") {
			table = dotted(arg(1), arg(2))
		}
		return joinPlace(arg(0), table, "clickhouse"), ch
	case "SQLITE", "SQLITE_SCAN":
		return dotted(arg(0), arg(1)), true
	case "GENERATERANDOM", "NULL", "ZEROS_MT", "GENERATOR", "INPUT", "FAKER":
		return "", true
	}
	return "", false
}

// filePlace is a file function's path, by name or as the first argument.
func filePlace(e *ir.Expr, first, name string) (string, bool) {
	p := namedText(e.Args, "uri", "path", "file_path", "location", "url", "bulk", "s3.path", "filename")
	if p == "" {
		p = first
	}
	if p == "" && len(e.Args) > 0 && e.Args[0].Kind == ir.ExprArray {
		list := textArgs(e.Args[0].Args)
		if len(list) > 0 {
			p = list[0]
		}
	}
	if p == "" && name == "LOCAL" {
		return "", false
	}
	return p, p != ""
}

// clusterTable is ClickHouse's cluster(c, db, t), dictionary('d') and merge: tables
// of this server.
func (r *resolver) clusterTable(e *ir.Expr, name string) *relation {
	args := textArgs(e.Args)
	switch name {
	case "CLUSTER", "CLUSTERALLREPLICAS":
		if len(args) == 2 {
			return r.byText(args[1])
		}
		if len(args) > 2 {
			return r.byText(args[1] + "." + args[2])
		}
	case "DICTIONARY":
		if len(args) == 1 {
			return r.byText(args[0])
		}
	case "LOOP":
		if len(args) > 0 {
			return r.byText(dotted(args...))
		}
	}
	return nil
}

// structureColumns reads the columns out of ClickHouse's structure argument:
// 'a String, b UInt32'.
func structureColumns(e *ir.Expr) []string {
	for i, a := range e.Args {
		if i == 0 || a.Kind != ir.ExprLiteral || !a.IsString || !strings.ContainsAny(a.Text, " ") || strings.ContainsAny(a.Text, "/") {
			continue
		}
		var out []string
		for part := range strings.SplitSeq(a.Text, ",") {
			f := strings.Fields(part)
			if len(f) < 2 {
				return nil
			}
			out = append(out, strings.Trim(f[0], "`\""))
		}
		return out
	}
	return nil
}

// placeName is a path as printed; a Snowflake stage is named in full.
func (r *resolver) placeName(path string) string {
	if r.d.name != "snowflake" || !strings.HasPrefix(path, "@") || strings.HasPrefix(path, "@~") {
		return path
	}
	stage, rest, found := strings.Cut(path[1:], "/")
	if found {
		rest = "/" + rest
	}
	table := ""
	n := nameFromText(stage)
	if last := len(n.Parts) - 1; last >= 0 && strings.HasPrefix(n.Parts[last].Name, "%") {
		table = "%"
		n.Parts[last].Name = n.Parts[last].Name[1:]
	}
	parts := r.catalog.path(n)
	parts[len(parts)-1] = table + parts[len(parts)-1]
	return "@" + dotted(parts...) + rest
}

// remoteQuery is SQL sent to another system as text: its tables are there, its
// inside is not read.
func (r *resolver) remoteQuery(e *ir.Expr, name string, s *scope, f *ir.From) *relation {
	r.failf(ir.ErrorUnresolved, e.Start, "%s sends a query to another system, whose tables are not known here", strings.ToLower(name))
	return r.outputs(&ir.Expr{Kind: ir.ExprCall, Span: e.Span, Name: e.Name, More: e.More}, s, f, nil)
}
