package resolve

import (
	"net/url"
	"strings"
)

// connectorPlaces maps a Flink connector to the physical tables or topics.
func connectorPlaces(o map[string]string) []string {
	connector := strings.ToLower(o["connector"])
	if connector == "" {
		return oldConnector(o)
	}
	base, cdc := strings.CutSuffix(connector, "-cdc")
	switch {
	case cdc:
		return cdcPlace(base, o)
	case strings.Contains(connector, "kafka"):
		return kafkaPlaces(o["properties.bootstrap.servers"], firstSet(o["topic"], o["topic-pattern"]), ";")
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

// oldConnector reads the properties of Flink's connectors before 1.11.
func oldConnector(o map[string]string) []string {
	switch strings.ToLower(o["connector.type"]) {
	case "kafka":
		return kafkaPlaces(o["connector.properties.bootstrap.servers"], o["connector.topic"], ";")
	case "jdbc":
		return one(jdbcPlace(o["connector.url"], o["connector.table"]))
	case "filesystem":
		return one(o["connector.path"])
	case "hbase":
		return one(joinPlace(o["connector.zookeeper.quorum"], o["connector.table-name"], "hbase"))
	case "elasticsearch":
		return one(joinPlace(firstOf(o["connector.hosts"], ";"), o["connector.index"], "elasticsearch"))
	}
	return nil
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
	case "kudu":
		return one(joinPlace(o["kudu.masters"], firstSet(o["kudu.table"], o["table-name"]), "kudu"))
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
	if raw == "" || table == "" || table[0] == '(' { // a query, whose tables are not read
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
	if u := o["hive.sql.jdbc.url"]; u != "" { // Hive's storage handlers
		return one(jdbcPlace(u, dotted(o["hive.sql.schema"], o["hive.sql.table"])))
	}
	if h := o["hbase.table.name"]; h != "" {
		return one(joinPlace(o["hbase.zookeeper.quorum"], h, "hbase"))
	}
	if servers := o["kafka.bootstrap.servers"]; servers != "" {
		return kafkaPlaces(servers, firstSet(o["subscribe"], o["topic"], o["kafka.topic"]), ",")
	}
	if e := strings.ToLower(t.engine); (e == "mysql" || e == "jdbc" || e == "odbc") && o["table"] != "" { // Doris, StarRocks
		return one(externalPlace(o))
	}
	if list := o["uris"]; list != "" { // BigQuery
		return strings.Split(list, listSeparator)
	}
	return one(firstSet(o["path"], o["location"]))
}

// externalPlace is the table of another system that Doris or StarRocks reads.
func externalPlace(o map[string]string) string {
	if u := o["jdbc_uri"]; strings.HasPrefix(u, "jdbc:") {
		return jdbcPlace(u, o["table"])
	}
	host := o["host"]
	if host == "" {
		return ""
	}
	if port := o["port"]; port != "" {
		host += ":" + port
	}
	return joinPlace(host, dotted(o["database"], o["table"]), firstSet(o["odbc_type"], "mysql"))
}

// listSeparator stands between the texts of an option that is a list.
const listSeparator = "\n"
