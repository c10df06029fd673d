package resolve

import "strings"

// role says what an argument of a function does.
type role uint8

const (
	// flows: the argument's value goes into the result.
	flows role = iota
	// steers: the argument only decides what the result is.
	steers
	// sorts: the argument only picks by its order.
	sorts
	// silent: the argument is a name, a unit or a path.
	silent
)

// shape describes a function: how its arguments act and what it does to them.
type shape struct {
	pass pass
	// roles gives the role of an argument by its position among n; nil: all flow.
	roles func(i, n int) role
	// lambda is the role of a lambda argument's body.
	lambda role
	// ordered: the argument of WITHIN GROUP (ORDER BY …) flows.
	ordered bool
}

func only(at int, r role) func(i, n int) role {
	return func(i, _ int) role {
		if i == at {
			return r
		}
		return flows
	}
}

func after(at int, r role) func(i, n int) role {
	return func(i, _ int) role {
		if i > at {
			return r
		}
		return flows
	}
}

// decode: the tested value and the searched ones steer, the results flow.
func decode(i, n int) role {
	if i == 0 {
		return steers
	}
	if i%2 == 1 && i < n-1 {
		return steers
	}
	return flows
}

// pairs: condition, result, condition, result, …, else.
func pairs(i, n int) role {
	if i%2 == 0 && i < n-1 {
		return steers
	}
	return flows
}

func allSteer(int, int) role { return steers }

func allGroup(int, int) role { return steers }

var (
	ifShape     = shape{pass: passIdentity, roles: only(0, steers)}
	pickShape   = shape{pass: passAggregate, roles: after(0, sorts)}
	filterShape = shape{pass: passTransform, roles: flowFirst, lambda: steers}
	sortShape   = shape{pass: passTransform, roles: flowFirst, lambda: sorts}
)

// flowFirst is for functions of lambdas that hand on elements of their first
// array: the other arrays only decide. Positions count arrays, not lambdas.
func flowFirst(i, _ int) role {
	if i == 0 {
		return flows
	}
	return steers
}

// shapeOf describes a function by its name in upper case.
func shapeOf(name string) shape {
	switch name {
	case "IF", "IIF", "IFF", "NVL2", "IFNOTNULL":
		return ifShape
	case "DECODE":
		return shape{roles: decode}
	case "CHOOSE":
		return ifShape
	case "ELT", "CASEWITHEXPRESSION", "FIELD":
		return shape{pass: passTransform, roles: only(0, steers)}
	case "MULTIIF", "CASE_WHEN":
		return shape{roles: pairs}
	case "NULLIF", "NULLIFZERO":
		return shape{roles: only(1, steers)}
	case "COALESCE", "NVL", "IFNULL", "ISNULL", "ZEROIFNULL", "GREATEST", "LEAST",
		"PRIOR", "CONNECT_BY_ROOT", "ANY_VALUE", "IDENTITY", "MATERIALIZE", "TRY":
		return shape{pass: passIdentity}
	case "MAX_BY", "MIN_BY", "ARGMAX", "ARGMIN", "ARG_MAX", "ARG_MIN", "ARG_MAX_NULL", "ARG_MIN_NULL":
		return pickShape
	case "COUNT_IF", "COUNTIF":
		return shape{pass: passAggregate, roles: allSteer}
	case "GROUPING", "GROUPING_ID":
		return shape{pass: passTransform, roles: allGroup}
	case "FILTER", "LIST_FILTER", "ARRAY_FILTER", "MAP_FILTER", "ARRAYFILTER", "MAPFILTER", "ARRAYFIRST", "ARRAYLAST",
		"ARRAY_FIRST", "ARRAYFILL", "ARRAYREVERSEFILL", "ARRAYSPLIT", "ARRAYREVERSESPLIT", "MAP_FILTER_VALUES":
		return filterShape
	case "ARRAYSORT", "ARRAYREVERSESORT", "ARRAY_SORTBY", "ARRAYPARTIALSORT", "ARRAY_SORT":
		return sortShape
	case "DICTGET", "DICTGETORNULL", "DICTHAS", "DICTGETHIERARCHY", "DICTGETORDEFAULT":
		return shape{pass: passTransform, roles: dictRole}
	case "JOINGET", "JOINGETORNULL":
		return shape{pass: passTransform, roles: joinRole}
	case "PERCENTILE_CONT", "PERCENTILE_DISC", "MODE", "APPROX_PERCENTILE_CONT", "APPROX_PERCENTILE_DISC", "MEDIAN":
		return shape{pass: passAggregate, ordered: true}
	case "XMLELEMENT":
		return shape{pass: passTransform, roles: only(0, silent)}
	case "NORMALIZE":
		return shape{pass: passTransform, roles: after(0, silent)}
	}
	if isMask(name) {
		return shape{pass: passMask | passTransform}
	}
	if !isAggregate(name) {
		return shape{pass: passTransform}
	}
	if sh, ok := combined(name); ok {
		return sh
	}
	return shape{pass: passAggregate}
}

// combined describes an aggregate with ClickHouse's -If, whose last argument is a
// condition, perhaps behind other combinators (sumIfState, argMaxIf).
func combined(name string) (shape, bool) {
	for _, suffix := range [...]string{"STATE", "MERGE", "ORNULL", "ORDEFAULT", "ARRAY", "DISTINCT", "SIMPLESTATE"} {
		if base, ok := strings.CutSuffix(name, suffix); ok && isAggregate(base) {
			return shapeOf(base), true
		}
	}
	base, ok := strings.CutSuffix(name, "IF")
	if !ok || !isAggregate(base) {
		return shape{}, false
	}
	inner := shapeOf(base)
	return shape{pass: passAggregate, roles: func(i, n int) role {
		if i == n-1 {
			return steers
		}
		if inner.roles != nil {
			return inner.roles(i, n-1)
		}
		return flows
	}}, true
}

// dictRole is for ClickHouse's dictGet(dictionary, attribute, key, default): the
// dictionary's column comes in beside; the key steers.
func dictRole(i, _ int) role {
	switch i {
	case 0, 1:
		return silent
	case 2:
		return steers
	}
	return flows
}

// joinRole is for ClickHouse's joinGet(table, column, key, …).
func joinRole(i, _ int) role {
	if i < 2 {
		return silent
	}
	return steers
}

// isAggregate reports whether a function of that upper-case name aggregates rows.
func isAggregate(name string) bool {
	switch name {
	case "SUM", "AVG", "MIN", "MAX", "COUNT", "COUNT_BIG", "TOTAL", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "STDEV", "STDEVP",
		"VAR", "VARP", "VARIANCE", "VAR_POP", "VAR_SAMP", "COVAR_POP", "COVAR_SAMP", "CORR", "MEDIAN", "MEAN", "PRODUCT",
		"ARRAY_AGG", "STRING_AGG", "LISTAGG", "GROUP_CONCAT", "WM_CONCAT", "COLLECT_LIST", "COLLECT_SET", "COLLECT",
		"LIST", "GROUPARRAY", "GROUPUNIQARRAY", "GROUPBITMAP", "JSON_AGG", "JSONB_AGG", "JSON_OBJECT_AGG", "JSONB_OBJECT_AGG",
		"JSON_ARRAYAGG", "JSON_OBJECTAGG", "OBJECT_AGG", "MAP_AGG", "MULTIMAP_AGG", "HISTOGRAM", "ARRAY_UNION_AGG",
		"BOOL_AND", "BOOL_OR", "EVERY", "LOGICAL_AND", "LOGICAL_OR", "BIT_AND", "BIT_OR", "BIT_XOR", "SOME",
		"APPROX_COUNT_DISTINCT", "APPROX_DISTINCT", "APPROX_PERCENTILE", "APPROX_QUANTILES", "APPROX_TOP_COUNT", "APPROX_SET",
		"HLL", "NDV", "PERCENTILE", "PERCENTILE_APPROX", "PERCENTILE_CONT", "PERCENTILE_DISC", "QUANTILE", "QUANTILES",
		"QUANTILEGK", "QUANTILETDIGEST", "QUANTILEEXACT", "QUANTILETIMING", "UNIQ", "UNIQEXACT", "UNIQCOMBINED", "UNIQHLL12",
		"ANYLAST", "ANYHEAVY", "FIRST_VALUE_AGG", "ANY_VALUE", "ANY", "FIRST", "LAST", "ARBITRARY", "CHECKSUM", "CHECKSUM_AGG",
		"REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2", "REGR_COUNT", "SKEWNESS", "KURTOSIS", "ENTROPY", "GEOMETRIC_MEAN",
		"XMLAGG", "SUMMAP", "AVGWEIGHTED", "TOPK", "BITMAP_UNION", "HLL_UNION", "BITMAP_UNION_COUNT", "HLL_UNION_AGG", "MODE",
		"MIN_BY", "MAX_BY", "ARGMIN", "ARGMAX", "ARG_MIN", "ARG_MAX", "COUNT_IF", "COUNTIF", "RETENTION", "WINDOW_FUNNEL",
		"WINDOWFUNNEL", "SEQUENCEMATCH", "MULTI_DISTINCT_COUNT", "INTERSECT_COUNT", "APPROX_COUNT", "ANYVALUE", "SUMWITHOVERFLOW",
		"DELTASUM", "STATE", "MERGE", "BITWISE_AND_AGG", "BITWISE_OR_AGG", "REDUCE_AGG", "GROUPING", "SUM0", "LIST_AGG":
		return true
	}
	for _, suffix := range [...]string{"IF", "STATE", "MERGE", "ARRAY", "DISTINCT", "ORNULL", "ORDEFAULT", "SIMPLESTATE", "FOREACH", "MAP", "RESAMPLE"} {
		if base, ok := strings.CutSuffix(name, suffix); ok && len(base) > 2 && isAggregate(base) {
			return true
		}
	}
	return false
}

// isMask reports whether a function hides its argument's value.
func isMask(name string) bool {
	switch name {
	case "MD5", "SHA", "SHA1", "SHA2", "SHA224", "SHA256", "SHA384", "SHA512", "HASHBYTES", "STANDARD_HASH", "MASK", "MASK_FIRST_N",
		"MASK_LAST_N", "MASK_SHOW_FIRST_N", "MASK_SHOW_LAST_N", "MASK_HASH", "XXHASH64", "MURMUR_HASH3_32", "FARM_FINGERPRINT",
		"HMAC_SHA256", "HMAC", "AES_ENCRYPT", "ENCRYPT", "SM3", "SM4_ENCRYPT", "SIPHASH64", "CITYHASH64", "CRC32", "HASH", "FNV_HASH":
		return true
	}
	return false
}

// lambdaOver reports how many arguments before (or after) a lambda are what its
// parameters run over: all of them are taken.
func quietFunction(name string) bool {
	switch name {
	case "NEXTVAL", "CURRVAL", "LASTVAL", "SETVAL", "LAST_INSERT_ID", "OBJECT_ID", "COL_LENGTH", "DB_ID", "SCHEMA_ID",
		"DESCRIPTOR", "SYSTEM$STREAM_HAS_DATA", "CURRENT_SETTING", "IDENT_CURRENT":
		return true
	}
	return false
}

// pseudo reports whether an unquoted name is a value of the system rather than a
// column of any table. Names here are in upper case.
func pseudo(dialect, name string) bool {
	switch name {
	case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER",
		"SYSTEM_USER", "CURRENT_ROLE", "CURRENT_CATALOG", "CURRENT_SCHEMA", "CURRENT_DATABASE", "TRUE", "FALSE", "NULL", "DEFAULT":
		return true
	}
	switch dialect {
	case "oracle":
		switch name {
		case "SYSDATE", "SYSTIMESTAMP", "USER", "UID", "ROWNUM", "LEVEL", "ROWID", "CONNECT_BY_ISLEAF", "CONNECT_BY_ISCYCLE",
			"SQLCODE", "SQLERRM", "ORA_ROWSCN", "SESSIONTIMEZONE", "DBTIMEZONE", "VERSIONS_STARTTIME", "VERSIONS_ENDTIME":
			return true
		}
	case "postgres", "greenplum", "redshift":
		switch name {
		case "USER", "CTID", "XMIN", "XMAX", "TABLEOID", "SQLERRM", "SQLSTATE", "FOUND", "SYSDATE", "TG_OP", "TG_TABLE_NAME",
			"TG_WHEN", "TG_LEVEL", "TG_NAME", "TG_TABLE_SCHEMA", "GETDATE":
			return true
		}
	case "snowflake":
		switch name {
		case "METADATA$FILENAME", "METADATA$FILE_ROW_NUMBER", "METADATA$ACTION", "METADATA$ISUPDATE", "METADATA$ROW_ID",
			"SQLROWCOUNT", "SQLCODE", "SQLERRM", "SQLSTATE", "SYSDATE", "LEVEL":
			return true
		}
	case "bigquery":
		switch name {
		case "_PARTITIONTIME", "_PARTITIONDATE", "_TABLE_SUFFIX", "_FILE_NAME":
			return true
		}
	case "hive", "spark", "impala", "databricks":
		switch name {
		case "INPUT__FILE__NAME", "BLOCK__OFFSET__INSIDE__FILE", "ROW__ID", "GROUPING__ID", "_METADATA":
			return true
		}
	case "clickhouse":
		switch name {
		case "_PART", "_PARTITION_ID", "_PART_INDEX", "_PATH", "_FILE", "_TOPIC", "_OFFSET", "_PARTITION", "_KEY", "_TIMESTAMP",
			"_TABLE", "_SHARD_NUM", "_SAMPLE_FACTOR", "_DATABASE", "_BLOCK_NUMBER", "_HEADERS", "_SIZE", "_TIME", "_ROW_EXISTS":
			return true
		}
	case "mysql", "tidb":
		switch name {
		case "_TIDB_ROWID", "CURRENT_TIMESTAMP", "UTC_TIMESTAMP", "UTC_DATE", "UTC_TIME":
			return true
		}
	case "tsql":
		switch name {
		case "$ACTION", "$ROWGUID", "$IDENTITY", "USER":
			return true
		}
	case "trino", "presto":
		switch name {
		case "$PATH", "$FILE_MODIFIED_TIME", "$FILE_SIZE", "$PARTITION":
			return true
		}
	case "duckdb":
		return name == "ROWID"
	}
	return false
}
