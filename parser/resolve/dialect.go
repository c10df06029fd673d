package resolve

// rules are a dialect's decisions that matter to resolution, beyond the folding of
// names (package name) and syntax (the front ends).
type rules struct {
	name string
	// catalogs: names may have three parts, and a default catalog is filled in.
	catalogs bool
	// splitQuoted: a backtick-quoted name may hold several parts.
	splitQuoted bool
	// lateralAlias: a select item sees the aliases of those before it.
	lateralAlias bool
	// aliasAnywhere: aliases are seen in every clause, before columns (ClickHouse).
	aliasAnywhere bool
	// aliasInWhere: WHERE and ON see aliases where no column has the name.
	aliasInWhere bool
	// aliasInGroup: GROUP BY and HAVING see aliases.
	aliasInGroup bool
	// implicitRecursion: a CTE may use itself without RECURSIVE.
	implicitRecursion bool
	// aliasIsRow: the alias of a table is a value, its whole row.
	aliasIsRow bool
	// correlatedPath: FROM t, t.arr unnests a column.
	correlatedPath bool
	// variablesFirst: a variable hides a column of its name.
	variablesFirst bool
	// byNameCreate: CREATE TABLE … SELECT matches listed columns by name.
	byNameCreate bool
	// tempInSchema: a session table is also found under the default schema's name;
	// tempQualified: it is printed with it.
	tempInSchema, tempQualified bool
	// hashTemp: names that begin with # (or @) are session tables.
	hashTemp bool
	// setLeftToRight: UPDATE's assignments see those before them.
	setLeftToRight bool
	// fromHasTarget: a table that UPDATE's FROM names like the target is the target.
	fromHasTarget bool
	// useIsCatalog: USE x names the catalog (T-SQL's and Snowflake's database).
	useIsCatalog bool
	// quotedUse: USE 'catalog.db' names both in one text.
	quotedUse bool
	// nestedPath: FROM db.t.arr names the elements of a column.
	nestedPath bool
	// partitionSuffix: t$20240101 is a partition of t.
	partitionSuffix bool
	// pathTables: format.`/path` is the data at a path.
	pathTables bool
	// liveSchema: LIVE.t is t of the same pipeline.
	liveSchema bool
	// hiddenNames: a table is also found under its own name where an alias hides it, as
	// no column has parts there.
	hiddenNames bool
	// dottedColumns: a known column's name may hold dots (ClickHouse's Nested).
	dottedColumns bool
	// partitionNames: PARTITION (p) behind an insert's target names partitions, elsewhere
	// columns that the last select items fill.
	partitionNames bool
	// pseudoStructs: a pseudo column has fields (_metadata.file_path).
	pseudoStructs bool
}

// rulesFor returns a dialect's rules; an unknown one gets those of ANSI SQL.
func rulesFor(dialect string) rules {
	d := rules{name: dialect, aliasInGroup: true, catalogs: true, tempInSchema: false}
	switch dialect {
	case "mysql", "tidb":
		d.catalogs = false
		d.variablesFirst, d.byNameCreate = true, true
		d.tempInSchema, d.tempQualified = true, true
		d.setLeftToRight = true
	case "hive", "impala":
		d.fromHasTarget = dialect == "impala"
		d.correlatedPath, d.nestedPath = dialect == "impala", dialect == "impala"
		d.tempInSchema, d.tempQualified = true, true
	case "spark", "databricks":
		d.lateralAlias, d.pathTables, d.pseudoStructs = true, true, true
		d.liveSchema = dialect == "databricks"
	case "flink", "ansi":
	case "clickhouse":
		d.catalogs = false
		d.lateralAlias, d.aliasAnywhere, d.aliasInWhere = true, true, true
		d.dottedColumns = true
	case "trino", "presto":
		d.aliasInGroup = false
	case "postgres", "greenplum":
		d.aliasIsRow = true
	case "redshift":
		d.aliasIsRow, d.lateralAlias, d.correlatedPath, d.hashTemp = true, true, true, true
	case "snowflake":
		d.lateralAlias, d.aliasInWhere, d.implicitRecursion, d.useIsCatalog = true, true, true, true
		d.tempInSchema, d.tempQualified = true, true
	case "bigquery":
		d.splitQuoted, d.aliasIsRow, d.correlatedPath, d.partitionSuffix = true, true, true, true
	case "tsql":
		d.aliasInGroup = false
		d.fromHasTarget = true
		d.implicitRecursion, d.hashTemp, d.useIsCatalog = true, true, true
	case "oracle":
		d.aliasInGroup = false
		d.implicitRecursion = true
		d.tempInSchema, d.tempQualified = true, true
	case "doris", "starrocks":
		d.quotedUse = true
	case "duckdb":
		d.lateralAlias, d.aliasInWhere, d.aliasIsRow = true, true, true
	}
	switch dialect {
	case "mysql", "tidb", "doris", "starrocks", "oracle":
		d.partitionNames = true
	}
	switch dialect {
	case "ansi", "mysql", "tidb", "postgres", "greenplum", "tsql", "oracle", "clickhouse":
		d.hiddenNames = true
	}
	return d
}
