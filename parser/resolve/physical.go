package resolve

import (
	"net/url"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// physicalOf finds the places that a definition's connector or engine names.
func (r *resolver) physicalOf(t *Table, n *ir.CreateTable) {
	switch r.d.name {
	case "flink":
		if t.options["connector"] != "" || len(n.Like) > 0 {
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

// connectorPlaces maps a Flink connector to the physical tables or topics.
func connectorPlaces(o map[string]string) []string {
	connector := strings.ToLower(o["connector"])
	if connector == "" {
		connector = strings.ToLower(o["connector.type"])
	}
	base, cdc := strings.CutSuffix(connector, "-cdc")
	switch {
	case cdc:
		return cdcPlace(base, o)
	case strings.Contains(connector, "kafka"):
		return kafkaPlaces(o["properties.bootstrap.servers"], o["topic"], ";")
	case connector == "jdbc":
		return one(jdbcPlace(o["url"], o["table-name"]))
	case connector == "filesystem":
		return one(o["path"])
	case strings.HasPrefix(connector, "elasticsearch"), strings.HasPrefix(connector, "opensearch"):
		return one(joinPlace(strings.TrimSuffix(firstOf(o["hosts"], ";"), "/"), o["index"], "elasticsearch"))
	case strings.HasPrefix(connector, "hbase"):
		return one(joinPlace(o["zookeeper.quorum"], o["table-name"], "hbase"))
	case connector == "mongodb":
		return one(joinPlace(hostOf(o["uri"]), dotted(o["database"], o["collection"]), "mongodb"))
	case connector == "pulsar":
		return kafkaPlacesAs("pulsar", hostOf(o["service-url"]), firstSet(o["topics"], o["topic"]), ";")
	case connector == "kinesis":
		return one(joinPlace(o["aws.region"], firstSet(o["stream"], o["stream.arn"]), "kinesis"))
	case connector == "rocketmq":
		return one(joinPlace(firstSet(o["nameserveraddress"], o["endpoint"]), o["topic"], "rocketmq"))
	}
	return storePlace(connector, o)
}

// storePlace maps the connectors of analytic stores and lake formats.
func storePlace(connector string, o map[string]string) []string {
	switch connector {
	case "doris":
		return one(joinPlace(firstOf(o["fenodes"], ","), o["table.identifier"], "doris"))
	case "starrocks":
		host := hostOf(strings.TrimPrefix(o["jdbc-url"], "jdbc:"))
		return one(joinPlace(host, dotted(o["database-name"], o["table-name"]), "starrocks"))
	case "clickhouse":
		return one(joinPlace(hostOf(o["url"]), dotted(o["database-name"], o["table-name"]), "clickhouse"))
	case "redis":
		return one(joinPlace(firstSet(o["host"], o["cluster-nodes"]), firstSet(o["key"], o["command"]), "redis"))
	case "hudi", "paimon", "delta", "iceberg":
		if p := firstSet(o["path"], o["table-path"]); p != "" {
			return one(p)
		}
		if w := o["warehouse"]; w != "" {
			return one(strings.TrimSuffix(w, "/") + "/" + dotted(o["catalog-database"], o["catalog-table"]))
		}
	case "hive":
		return nil
	case "maxcompute", "odps":
		return one(joinPlace(o["project"], o["tablename"], connector))
	}
	return nil
}

func one(p string) []string {
	if p == "" {
		return nil
	}
	return []string{p}
}

func firstSet(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func firstOf(list, sep string) string {
	first, _, _ := strings.Cut(list, sep)
	return strings.TrimSpace(first)
}

func dotted(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ".")
}

// hostOf takes scheme, credentials and path off a URL.
func hostOf(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	if i := strings.LastIndexByte(u, '@'); i >= 0 {
		u = u[i+1:]
	}
	if i := strings.IndexAny(u, "/?"); i >= 0 {
		u = u[:i]
	}
	return u
}

func joinPlace(host, name, scheme string) string {
	if name == "" || host == "" {
		return ""
	}
	return scheme + "://" + hostOf(host) + "/" + name
}

func kafkaPlaces(servers, topics, sep string) []string {
	return kafkaPlacesAs("kafka", servers, topics, sep)
}

// kafkaPlacesAs lists one place for each topic.
func kafkaPlacesAs(scheme, servers, topics, sep string) []string {
	var out []string
	for _, t := range strings.FieldsFunc(topics, func(c rune) bool { return strings.ContainsRune(sep, c) }) {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, scheme+"://"+strings.ReplaceAll(servers, " ", "")+"/"+t)
		}
	}
	return out
}

// cdcPlace is the table that a change-data connector watches.
func cdcPlace(engine string, o map[string]string) []string {
	host := firstSet(o["hostname"], o["hosts"])
	port, schema := o["port"], ""
	def := ""
	switch engine {
	case "mysql", "polardbx", "oceanbase":
		engine, def = "mysql", "3306"
	case "postgres":
		def, schema = "5432", firstSet(o["schema-name"], "public")
	case "oracle":
		def, schema = "1521", o["schema-name"]
	case "sqlserver":
		def, schema = "1433", o["schema-name"]
	case "db2":
		def, schema = "50000", o["schema-name"]
	case "mongodb":
		return one(joinPlace(host, dotted(o["database"], o["collection"]), "mongodb"))
	case "tidb":
		return one(joinPlace(firstSet(o["pd-addresses"], host), dotted(o["database-name"], o["table-name"]), "tidb"))
	}
	if !strings.Contains(host, ":") {
		host += ":" + firstSet(port, def)
	}
	table := o["table-name"]
	if schema != "" && strings.HasPrefix(table, schema+".") {
		schema = ""
	}
	return one(joinPlace(host, dotted(o["database-name"], schema, table), engine))
}

// jdbcPlace reads a JDBC URL and a table's name.
func jdbcPlace(raw, table string) string {
	if raw == "" || table == "" {
		return ""
	}
	u := strings.TrimPrefix(raw, "jdbc:")
	scheme, rest, ok := strings.Cut(u, ":")
	if !ok {
		return ""
	}
	table = strings.NewReplacer("`", "", `"`, "", "[", "", "]", "").Replace(table)
	switch scheme {
	case "oracle":
		return oracleJDBC(rest, table)
	case "sqlserver":
		return sqlserverJDBC(rest, table)
	case "postgresql":
		scheme = "postgres"
	case "mariadb":
		scheme = "mysql"
	case "ch":
		scheme = "clickhouse"
	}
	rest = strings.TrimPrefix(rest, "//")
	path, query, _ := strings.Cut(rest, "?")
	host, db, _ := strings.Cut(path, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	switch scheme {
	case "postgres", "redshift":
		if !strings.Contains(table, ".") {
			values, _ := url.ParseQuery(query)
			table = firstSet(values.Get("currentSchema"), "public") + "." + table
		}
		table = dotted(db, table)
	default:
		if !strings.Contains(table, ".") {
			table = dotted(db, table)
		}
	}
	return scheme + "://" + host + "/" + table
}

func oracleJDBC(rest, table string) string {
	at := strings.LastIndexByte(rest, '@')
	addr := strings.TrimPrefix(rest[at+1:], "//")
	if !strings.Contains(addr, "/") && strings.Count(addr, ":") == 2 {
		i := strings.LastIndexByte(addr, ':')
		addr = addr[:i] + "/" + addr[i+1:]
	}
	host, service, _ := strings.Cut(addr, "/")
	return "oracle://" + host + "/" + dotted(service, table)
}

func sqlserverJDBC(rest, table string) string {
	parts := strings.Split(strings.TrimPrefix(rest, "//"), ";")
	db := ""
	for _, p := range parts[1:] {
		k, v, _ := strings.Cut(p, "=")
		if strings.EqualFold(k, "databaseName") || strings.EqualFold(k, "database") {
			db = v
		}
	}
	if !strings.Contains(table, ".") {
		table = "dbo." + table
	}
	return "sqlserver://" + parts[0] + "/" + dotted(db, table)
}

// optionsPlace is the place named by a Spark or lake table's options.
func optionsPlace(t *Table) []string {
	o := t.options
	if o == nil {
		return nil
	}
	if u := o["url"]; strings.HasPrefix(u, "jdbc:") {
		return one(jdbcPlace(u, firstSet(o["dbtable"], o["table"])))
	}
	if servers := o["kafka.bootstrap.servers"]; servers != "" {
		return kafkaPlaces(servers, firstSet(o["subscribe"], o["topic"]), ",")
	}
	return one(firstSet(o["path"], o["location"]))
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
		key, v := "", ""
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
		if a.Kind != ir.ExprNamedArg && !(a.Kind == ir.ExprOp && a.Text == "=") {
			out = append(out, a)
		}
	}
	return out
}

// foreignPlace is the place outside that a table function reads or writes. It
// reports false for functions that name none; an empty place is a generator.
func (r *resolver) foreignPlace(e *ir.Expr, name string, s *scope) (string, bool) {
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
		return r.filePlace(e, arg(0), name)
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
func (r *resolver) filePlace(e *ir.Expr, first, name string) (string, bool) {
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
		for _, part := range strings.Split(a.Text, ",") {
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
	r.fail(ir.ErrorUnresolved, e.Start, "%s sends a query to another system, whose tables are not known here", strings.ToLower(name))
	return r.outputs(&ir.Expr{Kind: ir.ExprCall, Span: e.Span, Name: e.Name, More: e.More}, s, f, nil)
}

// createDictionary is a ClickHouse dictionary: it loads the same-named columns of
// its source.
func (r *resolver) createDictionary(n *ir.CreateTable) {
	t := r.catalog.lookupParts(r.catalog.path(n.Name))
	t.created = true
	r.describe(t, n)
	r.declareColumns(t, &ir.CreateTable{Name: n.Name, Columns: plainColumns(n.Columns)})
	from := r.dictionarySource(t)
	if from == nil {
		return
	}
	rel := &relation{deps: []*relation{from}}
	in := &scope{rel: rel}
	in.addSource(&source{rel: from, alias: "\x00"})
	var pairs []pair
	for i := range n.Columns {
		d := &n.Columns[i]
		shown := r.shown(d.Name)
		p := pair{shown: shown, key: r.columnKey(shown), at: d.Name.Start}
		if d.Computed != nil {
			p.v = r.expression(d.Computed, in, shown, p.key)
		} else {
			p.v = r.columnOf(from, d.Name, p.key)
		}
		pairs = append(pairs, p)
	}
	r.emit(t, pairs, rel, false)
}

// plainColumns are columns without their expressions, which belong to the source.
func plainColumns(defs []ir.ColumnDef) []ir.ColumnDef {
	out := make([]ir.ColumnDef, len(defs))
	copy(out, defs)
	for i := range out {
		out[i].Computed = nil
	}
	return out
}

// dictionarySource finds what a dictionary loads from.
func (r *resolver) dictionarySource(t *Table) *relation {
	get := func(engine string, names ...string) string {
		for _, n := range names {
			if v := t.options["source."+engine+"."+n]; v != "" {
				return v
			}
		}
		return ""
	}
	has := func(engine string) bool {
		for k := range t.options {
			if strings.HasPrefix(k, "source."+engine) {
				return true
			}
		}
		return false
	}
	switch {
	case has("clickhouse"):
		if q := get("clickhouse", "query"); q != "" {
			return r.dictionaryQuery(q)
		}
		host := get("clickhouse", "host")
		table := dotted(firstSet(get("clickhouse", "db", "database"), r.schemaName), get("clickhouse", "table"))
		if host == "" || isLocal(host) {
			return r.byText(table)
		}
		return r.catalog.place(joinPlace(host+":"+firstSet(get("clickhouse", "port"), "9000"), table, "clickhouse")).rel
	case has("mysql"):
		host := firstSet(get("mysql", "host", "replica.host"), "localhost") + ":" + firstSet(get("mysql", "port"), "3306")
		return r.catalog.place(joinPlace(host, dotted(get("mysql", "db", "database"), get("mysql", "table")), "mysql")).rel
	case has("postgresql"):
		host := firstSet(get("postgresql", "host"), "localhost") + ":" + firstSet(get("postgresql", "port"), "5432")
		name := dotted(get("postgresql", "db", "database"), firstSet(get("postgresql", "schema"), "public"), get("postgresql", "table"))
		return r.catalog.place(joinPlace(host, name, "postgres")).rel
	case has("mongodb"):
		host := firstSet(get("mongodb", "host"), "localhost") + ":" + firstSet(get("mongodb", "port"), "27017")
		return r.catalog.place(joinPlace(host, dotted(get("mongodb", "db"), get("mongodb", "collection")), "mongodb")).rel
	}
	if p := firstSet(get("http", "url"), get("file", "path"), get("executable", "command")); p != "" {
		return r.catalog.place(p).rel
	}
	return nil
}

func (r *resolver) dictionaryQuery(q string) *relation {
	rel, ok := r.dynamicRows(&ir.Expr{Kind: ir.ExprLiteral, IsString: true, Text: q})
	if !ok {
		return nil
	}
	return rel
}

func isLocal(host string) bool {
	switch strings.ToLower(host) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// dictionaryValue is the attribute that a dictGet hands on.
func (r *resolver) dictionaryValue(e *ir.Expr, s *scope, f flow) {
	if len(e.Args) < 2 {
		return
	}
	dict := textArgs(e.Args[:1])[0]
	if dict == "" {
		return
	}
	rel := r.byText(dict)
	r.depend(s, rel)
	names := e.Args[1:2]
	if names[0].Kind == ir.ExprTuple {
		names = names[0].Args
	}
	for _, n := range names {
		if n.Kind != ir.ExprLiteral || !n.IsString {
			continue
		}
		f.take(r.columnOf(rel, ir.Ident{Name: n.Text, Start: n.Start}, r.columnKey(n.Text)))
	}
}
