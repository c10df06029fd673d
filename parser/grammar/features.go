package grammar

// Words that no dialect takes as the name of a column or an alias without quotes.
const reservedEverywhere = `select from where group having order union intersect on join inner cross natural
	and or not in is like between case when then else as into by with distinct except using
	left right full`

// Sets of reserved words of dialects, beside those.
const (
	reservedANSI = `limit fetch create table insert update delete drop alter all any some end null true false
		set values grant primary foreign references unique check constraint default cast exists for to
		desc asc both leading trailing outer`
	reservedPostgres = `limit offset fetch create table all any some end null true false
		grant primary foreign references unique check constraint default cast for to window
		desc asc both leading trailing outer array returning lateral only symmetric asymmetric placing
		analyse analyze collate column deferrable do initially variadic ilike similar
		isnull notnull overlaps tablesample freeze verbose`
	reservedMySQL = `limit create table insert update delete drop alter all any end null true false set
		grant primary foreign references unique check constraint default for to desc asc both leading
		trailing outer straight_join rlike regexp div mod xor interval lateral use force ignore load lock replace
		values window key index`
	reservedDoris = `limit create table insert update delete drop alter all any end null true false set
		grant primary foreign references unique check for to desc asc both leading trailing outer
		rlike regexp lateral load lock values`
	reservedHive = `create table insert update delete drop alter all null true false set grant for to outer
		lateral values window interval exchange import export using`
	reservedSpark      = `lateral semi anti minus`
	reservedFlink      = `create table insert update delete drop all any end null true false set grant primary for to outer array row value values fetch limit offset window lateral cast`
	reservedOracle     = `create table insert update delete drop alter all any null set grant unique check default for to desc asc minus values`
	reservedTSQL       = `create table insert update delete drop alter all any some end null set grant primary foreign references unique check constraint default for to desc asc outer top exec execute declare begin if while print return truncate merge option pivot unpivot tablesample values waitfor raiserror use go open close deallocate commit rollback save column convert proc procedure function trigger view exists goto over percent plan schema user identity index key backup restore restrict revoke within`
	reservedSnow       = `create table insert update delete drop alter all any null true false set grant unique check constraint for to minus lateral qualify rlike regexp ilike tablesample values cast try_cast`
	reservedBigQuery   = `all any array asc assert_rows_modified at cast collate contains create cube default define desc end enum escape exclude exists extract false fetch following for grouping groups hash if ignore interval lateral limit lookup merge new no null nulls of outer over partition preceding proto qualify range recursive respect rollup rows set some struct tablesample to treat true unbounded unnest window within`
	reservedClickHouse = `null prewhere`
	reservedTrino      = `create table insert delete drop alter end null true false for to outer cast cube deallocate escape execute exists extract grouping prepare recursive rollup unnest values constraint uescape`
	reservedDuckDB     = `limit offset fetch create table all any some end null true false grant primary foreign references unique check constraint default cast for to window desc asc outer lateral only symmetric asymmetric placing collate column qualify returning pivot unpivot describe show summarize variadic`
	reservedImpala     = `create table insert update delete drop alter all any end null true false set for to outer straight_join values semi anti limit offset tablesample lateral desc asc`
)

// Words that start a statement in T-SQL and so end the one before; as aliases of
// tables they need AS.
const tsqlStops = `select insert update delete merge set declare exec execute if while begin end print return
	truncate create alter drop commit rollback waitfor raiserror throw grant revoke deny use open close
	deallocate fetch goto save backup restore with option for where go break continue bulk dbcc kill checkpoint
	reconfigure else output try catch disable enable`

// blockStops are words that go on with the statement around a query, and start
// the next one in scripts whose statements follow each other closely.
const joinStops = `outer`

var (
	plainChars    = newCharTable("", "$")
	strictChars   = newCharTable("", "")
	dollarChars   = newCharTable("$", "$")
	oracleChars   = newCharTable("", "$#")
	tsqlChars     = newCharTable("#", "$#@")
	bigqueryChars = newCharTable("", "")
)

func reservedSet(more string) *wordSet { return wordSetOf(reservedEverywhere + " " + more) }

var noStops = wordSetOf(joinStops)

// dialects are the feature tables. They are read only.
var dialects = map[string]*features{
	"ansi": {
		name: "ansi", chars: plainChars, reserved: reservedSet(reservedANSI), tableStops: noStops,
		dollarBodies: true, atVariables: true, delimiterLines: true, arrowBoth: true, declareBlocks: true,
		hashComment: true, bareCTEs: true,
	},
	"hive": {
		name: "hive", chars: strictChars, reserved: reservedSet(reservedHive), tableStops: noStops,
		doubleQuoteStrings: true, backslash: true, digitWords: true, bangLine: true,
		rawSettings: true, regexColumns: true, stringAliases: true,
	},
	"spark":      sparkFeatures("spark"),
	"databricks": sparkFeatures("databricks"),
	"flink": {
		name: "flink", chars: plainChars, reserved: reservedSet(reservedFlink), tableStops: noStops,
		rawSettings: true,
	},
	"clickhouse": {
		name: "clickhouse", chars: strictChars, reserved: reservedSet(reservedClickHouse), tableStops: noStops,
		backslash: true, backslashNames: true, hashSpaceComment: true, typedBinds: true, formatData: true,
		trailingCommas: true, ternary: true, withExpressions: true, dollarBodies: true,
	},
	"trino": {
		name: "trino", chars: strictChars, reserved: reservedSet(reservedTrino), tableStops: noStops,
		dollarBodies: true,
	},
	"postgres":  postgresFeatures("postgres"),
	"redshift":  redshiftFeatures(),
	"greenplum": postgresFeatures("greenplum"),
	"snowflake": snowflakeFeatures(),
	"bigquery":  bigqueryFeatures(),
	"tsql":      tsqlFeatures(),
	"oracle":    oracleFeatures(),
	"mysql":     mysqlFeatures("mysql"),
	"tidb":      mysqlFeatures("tidb"),
	"doris":     dorisFeatures("doris"),
	"starrocks": dorisFeatures("starrocks"),
	"impala":    impalaFeatures(),
	"duckdb":    duckdbFeatures(),
}

func sparkFeatures(name string) *features {
	return &features{
		name: name, chars: strictChars, reserved: reservedSet(reservedSpark), tableStops: noStops,
		doubleQuoteStrings: true, backslash: true, digitWords: true, rawStrings: true,
		nestedComments: true, dollarBodies: true, rawSettings: true, regexColumns: true,
		colonPaths: true, notebooks: true, trailingCommas: name == "databricks", pathTables: true,
		intoVariables: true, stringAliases: true, bareCTEs: true, namedValues: true,
	}
}

func postgresFeatures(name string) *features {
	return &features{
		name: name, chars: plainChars, reserved: reservedSet(reservedPostgres), tableStops: noStops,
		escapeStrings: true, nestedComments: true, dollarBodies: true, operatorRuns: true, copyData: true,
		backslashLines: true, questionOps: true, typedStrings: true,
		arrowIsJSON: true, intoVariables: true, declareBlocks: true, textBodies: true,
	}
}

// redshiftFeatures are those of Postgres, with names of temporary tables that start
// with a number sign.
func redshiftFeatures() *features {
	f := postgresFeatures("redshift")
	f.chars, f.backslash, f.elementPaths = newCharTable("#", "$#"), true, true
	return f
}

func snowflakeFeatures() *features {
	return &features{
		name: "snowflake", chars: plainChars, reserved: reservedSet(reservedSnow), tableStops: noStops,
		backslash: true, slashComment: true, hashComment: true, dollarBodies: true, stages: true, bangLine: true,
		bareCTEs: true, namedValues: true,
		trailingCommas: true, colonPaths: true, intoVariables: true, declareBlocks: true, textBodies: true,
	}
}

func bigqueryFeatures() *features {
	return &features{
		name: "bigquery", chars: bigqueryChars, reserved: reservedSet(reservedBigQuery), tableStops: noStops,
		doubleQuoteStrings: true, backslash: true, backslashNames: true, tripleQuotes: true, rawStrings: true, rawBackslash: true,
		hashComment: true, atVariables: true, trailingCommas: true, dashNames: true,
	}
}

func tsqlFeatures() *features {
	return &features{
		name: "tsql", chars: tsqlChars, reserved: reservedSet(reservedTSQL), tableStops: wordSetOf(tsqlStops + " apply " + joinStops),
		bracketNames: true, nestedComments: true, atVariables: true, parenTemplates: true, goLines: true,
		noSemicolons: true, stringAliases: true, equalsAlias: true, arrowIsJSON: true, convertTypeFirst: true, keyColumns: true,
		methods: wordList(wordsOf("value query nodes exist modify")),
	}
}

func oracleFeatures() *features {
	return &features{
		name: "oracle", chars: oracleChars, reserved: reservedSet(reservedOracle), tableStops: noStops,
		qStrings: true, ampersand: true, slashLine: true, sqlPlus: true, atLine: true, arrowIsJSON: true,
		plsql: true, intoVariables: true, declareBlocks: true,
		methods: wordList(wordsOf("getclobval getstringval getnumberval getblobval existsnode extractvalue transform")),
	}
}

func mysqlFeatures(name string) *features {
	return &features{
		name: name, chars: dollarChars, reserved: reservedSet(reservedMySQL), tableStops: noStops,
		doubleQuoteStrings: true, backslash: true, execComments: true, hashComment: true, dashSpace: true,
		atVariables: true, digitWords: true, delimiterLines: true, stringAliases: true, arrowIsJSON: true,
		intoVariables: true, valuesFunction: true, keyColumns: true,
	}
}

func dorisFeatures(name string) *features {
	return &features{
		name: name, chars: strictChars, reserved: reservedSet(reservedDoris), tableStops: noStops,
		doubleQuoteStrings: true, backslash: true, hashComment: true, atVariables: true, digitWords: true,
		delimiterLines: true, arrowBoth: true, bracketHints: true, dollarBodies: true,
	}
}

func impalaFeatures() *features {
	return &features{
		name: "impala", chars: strictChars, reserved: reservedSet(reservedImpala), tableStops: noStops,
		doubleQuoteStrings: true, backslash: true, digitWords: true, rawSettings: true, bracketHints: true,
	}
}

func duckdbFeatures() *features {
	return &features{
		name: "duckdb", chars: plainChars, reserved: reservedSet(reservedDuckDB), tableStops: noStops,
		escapeStrings: true, nestedComments: true, dollarBodies: true, trailingCommas: true, arrowBoth: true,
		fromFirst: true, typedStrings: true, questionOps: false,
		methods: wordList(wordsOf("upper lower trim replace substring split string_split list_transform list_filter list_contains regexp_replace length reverse array_extract")),
	}
}

// targetFunctions are the functions that can stand as the target of an insert or a
// copy.
var targetFunctions = wordsOf(`openquery openrowset opendatasource files file s3 s3cluster remote remotesecure url hdfs
	cluster mysql postgresql mongodb redis sqlite azureblobstorage gcs iceberg deltalake hudi jdbc odbc`)

// Sets of words that decide how a statement goes on.
var (
	// startWords start a statement.
	startWords = wordSetOf(`select with insert update delete merge create alter drop truncate set declare exec execute
		if while begin print return commit rollback waitfor raiserror throw grant revoke deny use open close
		deallocate fetch goto save backup restore rename exchange copy call from values go break continue
		bulk dbcc kill checkpoint replace upsert enable disable reconfigure`)
	// resumeWords start a statement at the start of a line, after an error.
	resumeWords = wordSetOf(`insert update delete merge create alter drop truncate declare exec execute if while begin
		print return commit rollback waitfor raiserror throw grant use deallocate end`)
	// otherVerbs start statements without lineage.
	otherVerbs = wordSetOf(`grant revoke deny show list ls remove rm analyze analyse vacuum comment refresh invalidate compute
		uncache clear reset msck repair optimize optimise system kill flush purge split flashback admin recover
		pause resume cancel stop start commit rollback savepoint release abort end checkpoint discard listen notify
		unlisten reindex cluster security reassign deallocate close lock unlock shutdown install backup restore
		change purge handler check checksum handle help describe desc pragma attach detach summarize
		undo reorg rebuild print raise raiserror throw signal resignal exit quit leave iterate continue break goto assert
		waitfor null pipe add remove delete_files import put get cluster bulk dbcc reconfigure enable disable
		save explain dfs source vacuum unset sync watch trace track truncate noaudit audit associate disassociate
		move force await warm compile generate submit summary profile unload reload restart switch deploy undrop exists replicate evaluate sh connect disconnect define undefine
		report rollup clean trigger transaction spool set prompt comment`)
	// createWords are objects of CREATE, ALTER and DROP without lineage.
	createWords = wordSetOf(`namespace aggregate cortex dbt dcm mcp rls widget security flow text index user role login schema database sequence extension type domain cast collation conversion
		operator language server foreign publication subscription policy statistics tablespace unique fulltext
		spatial nonclustered clustered columnstore bitmap resource workload certificate credential secret share warehouse
		file network storage notification integration tag masking row session password authentication access aggregation
		projection reservation capacity assignment search vector connection external queue service message
		contract route endpoint partition assembly xml symmetric asymmetric master encrypt key application cluster
		compute image git api outbound failover replication account managed repository profile context directory
		library outline dimension flashback rollback edition materialized hierarchy attribute analytic operator
		indextype java datashare rule event volume location metastore recipient provider clean stream
		quota settings named job inmemory restore pluggable controlfile diskgroup lockdown disk spfile pfile
		placement bindings binding global group encryptkey sql_block_rule routine alias
		scheduler throttle remote dataset data snapshot notebook streamlit gateway organization
		listing package system class scope variable option catalog stage task pipe alert model dictionary function macro`)
	// createModifiers stand between CREATE and the kind of object.
	createModifiers = wordSetOf(`replace transient global local unlogged managed hybrid iceberg interactive secure force noforce
		editionable noneditionable recursive sharded immutable blockchain private alias system tables constraint temporal
		multiset duplicated no public editioning readable writable web shared`)
	// alterWords are further objects of ALTER and DROP.
	alterWords = wordSetOf(`project organization bi_capacity public shared synonym foreign system session table stats sequence user role default large text instance dynamic materialized
		view authorization pluggable tablespace backend frontend colocate broker pool owned workload`)
	// alterActions start an action of ALTER TABLE.
	alterActions = wordSetOf(`add drop alter modify change rename set attach detach exchange move replace enable disable
		validate owner comment cluster swap switch rebuild`)
	// notColumns stand behind ALTER TABLE .. DROP for something other than a column.
	notColumns = wordSetOf(`partition partitions constraint index primary foreign key check default unique projection rollup
		feature tag row masking search statistics storage clustering aggregation detached part subpartition`)
	// labelled are the words that a label may stand before.
	labelled = wordSetOf(`begin loop while repeat for`)
	// joinSides are words of joins that may name a value too.
	joinSides = wordSetOf(`left right full`)
	// clauseStarts start a clause behind a table.
	clauseStarts = wordSetOf(`window qualify prewhere limit settings format final offset fetch sample`)
	// sampleWords stand behind SAMPLE, fetchWords behind FETCH.
	sampleWords = wordSetOf(`block row bernoulli system`)
	fetchWords  = wordSetOf(`first next into`)
	// columnWords start a clause behind a column's name, where it has no type.
	columnWords = wordSetOf(`as generated default materialized alias comment with constraint not null primary metadata masking
		masked codec options tag unique references check collate expression ephemeral encode virtual hidden
		invisible visible ttl sortkey distkey project policy rely autoincrement identity statistics`)
	// typeWords are types that a column named KEY or INDEX may have.
	typeWords = wordSetOf(`varchar char decimal numeric number string int integer bigint smallint tinyint nvarchar nchar
		varchar2 nvarchar2 varbinary binary datetime timestamp time date text float double real boolean bool fixedstring`)
	// neverOperand are words that cannot stand for a value, whatever follows.
	neverOperand = wordSetOf(`from where group having order union intersect on join and or between when then else by select`)
	// sqlPlusWords start a line that SQL*Plus itself understands.
	sqlPlusWords = wordSetOf(`set prompt rem remark whenever spool exit quit exec execute define def undefine column col ttitle btitle
		break compute clear connect conn disconnect host start show variable var print accept acc pause timing store
		startup shutdown password help desc describe archive repheader repfooter append change edit get input list run save`)
)
