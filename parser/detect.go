package parser

import (
	"bytes"
	"regexp"
	"sort"
	"sync"

	"github.com/tributary-data/tributary/parser/grammar"
	"github.com/tributary-data/tributary/parser/ir"
)

// sign is a piece of text that speaks for some dialects.
type sign struct {
	pattern *regexp.Regexp
	weights map[string]float64
}

func signOf(pattern string, weights map[string]float64) sign {
	return sign{regexp.MustCompile(`(?i)` + pattern), weights}
}

// signs are what dialects are told by. A weight of 4 is a sign that hardly any other
// dialect has.
var signs = sync.OnceValue(func() []sign {
	return []sign{
		signOf(`'connector(\.type)?'\s*=|\bwatermark\s+for\b|\bexecute\s+statement\s+set\b|\bproctime\s*\(`, map[string]float64{"flink": 6}),
		signOf(`\btable\s*\(\s*(tumble|hop|cumulate)\s*\(|\bdescriptor\s*\(`, map[string]float64{"flink": 4}),
		signOf(`\bengine\s*=\s*(\w*mergetree|distributed|kafka|buffer|log\b)|\barray\s+join\b|\bglobal\s+(any\s+)?(join|in)\b|\bto(date|datetime|uint\d+|string|startof\w+)\s*\(|\bprewhere\b|\bformat\s+jsoneachrow\b|\bargmax\s*\(`, map[string]float64{"clickhouse": 4}),
		signOf(`\binsert\s+overwrite\b`, map[string]float64{"hive": 2, "spark": 2, "impala": 1, "databricks": 1, "doris": 0.5, "starrocks": 0.5}),
		signOf(`\blateral\s+view\b`, map[string]float64{"hive": 2, "spark": 2, "databricks": 1}),
		signOf(`\bstored\s+as\b|\brow\s+format\b|\btblproperties\b|\bhivevar\b|\bhive\.exec\b|\badd\s+jar\b|\bmsck\b`, map[string]float64{"hive": 3, "impala": 1, "spark": 1}),
		signOf(`^\s*from\s+\S+[\s\S]*?\binsert\s+(overwrite|into)\b`, map[string]float64{"hive": 3, "spark": 1}),
		signOf(`\bcache\s+table\b|\btemporary\s+view\b|\bspark\.\w+|\bcreate\s+or\s+replace\s+temp\w*\s+view\b|\busing\s+(delta|parquet|iceberg|csv|json)\b`, map[string]float64{"spark": 4, "databricks": 3}),
		signOf(`\bliquid\b|\bcluster\s+by\s+auto\b|\boptimize\s+\w+(\.\w+)*\s+zorder\b|\bcopy\s+into\b[\s\S]*\bfileformat\s*=|\blive\s+table\b`, map[string]float64{"databricks": 5}),
		signOf(`\bcompute\s+(incremental\s+)?stats\b|\binvalidate\s+metadata\b|\[shuffle\]|\[broadcast\]|\bstraight_join\b`, map[string]float64{"impala": 4, "mysql": 0.5}),
		signOf(`\bdistributed\s+by\s+hash\b`, map[string]float64{"doris": 3, "starrocks": 3, "greenplum": 0.5}),
		signOf(`\bwith\s+broker\b|\binsert\s+into[\s\S]{1,80}\bwith\s+label\b|\benable_unique_key_merge_on_write\b|\bexplode_split\b`, map[string]float64{"doris": 4}),
		signOf(`\bprimary\s+key\s*\([^)]*\)\s*distributed\b|\benable_persistent_index\b|\brefresh\s+async\b|\barray_map\s*\(`, map[string]float64{"starrocks": 4, "doris": 1}),
		signOf(`\bqualify\b`, map[string]float64{"snowflake": 2, "bigquery": 1.5, "databricks": 1, "duckdb": 1}),
		signOf(`\bcopy\s+into\b[\s\S]*@|\bflatten\s*\(|\bvariant\b|\b\w+:\w+(\.\w+)*::|\bcreate\s+(or\s+replace\s+)?(stage|stream|task|warehouse|dynamic\s+table|file\s+format)\b|\blanguage\s+javascript\b|\btarget_lag\b|\biff\s*\(`, map[string]float64{"snowflake": 4}),
		signOf("`[\\w-]+\\.[\\w-]+(\\.[\\w*-]+)?`|\\bsafe_cast\\b|\\bint64\\b|\\bstruct<|\\bunnest\\s*\\([^)]*\\)\\s*(as\\s+)?\\w+\\s+with\\s+offset|\\|>\\s*(select|where|aggregate|join|extend)", map[string]float64{"bigquery": 4}),
		signOf(`\[[A-Za-z_][\w ]*\]\s*\.|\bnolock\b|^\s*go\s*$|\bselect\s+top\b|\b(cross|outer)\s+apply\b|\bdbo\.|\bnvarchar\b|\bdeclare\s+@|\bexec\s+sp_|\bgetdate\s*\(|\bset\s+nocount\b|#\w+\b\s*\(`, map[string]float64{"tsql": 4}),
		signOf(`\bvarchar2\b|\bnumber\s*\(|\bconnect\s+by\b|\bnvl2?\s*\(|\bsysdate\b|\brownum\b|\bfrom\s+dual\b|\bnextval\b|\bexecute\s+immediate\b|\bpackage\s+body\b|\(\+\)|^\s*/\s*$|\bq'[\[({<!]`, map[string]float64{"oracle": 3}),
		signOf(`\$\$|::\w+|\bplpgsql\b|\breturning\b|\bilike\b|\bon\s+conflict\b|\bserial\b|\bjsonb\b|->>|\bgenerate_series\b|\bdistinct\s+on\b|\bsearch_path\b`, map[string]float64{"postgres": 2, "redshift": 0.5, "duckdb": 0.5}),
		signOf(`\bdistkey\b|\bsortkey\b|\bdiststyle\b|\bunload\s*\(\s*'|\bencode\s+(zstd|lzo|az64)\b`, map[string]float64{"redshift": 6}),
		signOf(`\bdistributed\s+(by\s*\(|randomly)|\bappendonly\b|\bgp_\w+`, map[string]float64{"greenplum": 5}),
		signOf(`\bon\s+duplicate\s+key\s+update\b|\breplace\s+into\b|\bauto_increment\b|\bengine\s*=\s*innodb\b|\bstraight_join\b|\bdelimiter\s+\S|\bifnull\s*\(|/\*!\d*|\bgroup_concat\s*\(`, map[string]float64{"mysql": 3, "tidb": 1}),
		signOf("`\\w+`", map[string]float64{"mysql": 1, "hive": 0.8, "spark": 0.8, "bigquery": 0.5, "clickhouse": 0.3, "doris": 0.3}),
		signOf(`/\*t!\[|\bauto_random\b|\btiflash\b|\badmin\s+(check|show)\b|\bflashback\s+table\b|\bsplit\s+table\b`, map[string]float64{"tidb": 6}),
		signOf(`\btry_cast\b|\bapprox_distinct\b|\bcross\s+join\s+unnest\b|\bmatch_recognize\b|\bcardinality\s*\(|\bwith\s+ordinality\b|\bfor\s+(timestamp|version)\s+as\s+of\b`, map[string]float64{"trino": 2, "postgres": 0.3, "snowflake": 0.3}),
		signOf(`\bread_(csv|parquet|json)\w*\s*\(|\bselect\s+\*\s+exclude\b|\bpivot\s+\w+\s+on\b|\bby\s+name\b|\battach\s+'`, map[string]float64{"duckdb": 4, "snowflake": 0.5}),
	}
})

// Detect guesses a script's dialect and says how sure the guess is, from 0 (nothing
// speaks for any dialect: ansi) to 1. It looks for what only some dialects write, and
// between those that are as likely it takes the one whose grammar refuses least.
func Detect(sql []byte) (dialect string, confidence float64) {
	text := sql[:min(len(sql), 64<<10)]
	text = bytes.ToValidUTF8(text, []byte(" "))
	ranked, scores := rank(text)
	best, refused := ranked[0], refusals(text, ranked[0])
	tried := 1
	for _, d := range ranked[1:] {
		if refused == 0 || tried == maxTries || scores[d]+2 < scores[ranked[0]] {
			break
		}
		tried++
		if n := refusals(text, d); n < refused {
			best, refused = d, n
		}
	}
	second := 0.0
	for _, d := range ranked {
		if d != best {
			second = max(second, scores[d])
		}
	}
	if scores[best] == 0 {
		if tried > 1 && refused == 0 {
			return best, 0.2
		}
		return best, 0
	}
	return best, scores[best] / (scores[best] + second + 2)
}

// maxTries bounds how many grammars a guess asks.
const maxTries = 8

// rank orders the dialects by the signs in a text.
func rank(text []byte) ([]string, map[string]float64) {
	scores := map[string]float64{}
	for _, s := range signs() {
		if !s.pattern.Match(text) {
			continue
		}
		for d, w := range s.weights {
			scores[d] += w
		}
	}
	// Among equals the more common dialects come first, after ansi.
	ranked := []string{
		"ansi", "mysql", "postgres", "hive", "spark", "bigquery", "snowflake", "tsql", "oracle", "clickhouse", "trino", "flink",
		"duckdb", "doris", "starrocks", "impala", "databricks", "redshift", "greenplum", "tidb", "presto",
	}
	sort.SliceStable(ranked, func(i, j int) bool { return scores[ranked[i]] > scores[ranked[j]] })
	return ranked, scores
}

// refusals counts the statements that a dialect's grammar refuses.
func refusals(text []byte, dialect string) int {
	d, ok := grammar.DialectByName(dialect)
	if !ok {
		return 1 << 20
	}
	script := grammar.NewReader(text, d, grammar.Limits{})
	defer script.Release()
	n := 0
	for s := script.Next(); s != nil; s = script.Next() {
		if _, bad := s.Node.(*ir.Bad); bad {
			n++
		}
	}
	return n
}
