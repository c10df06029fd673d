package engine

import (
	"fmt"
	"os"
	"path/filepath"
)

// defaultMemory bounds what all statements together may use.
const defaultMemory = 1 << 30

// serverConfig is the engine's own configuration: what a statement's settings
// cannot say.
//
// Inserts are synced with their folder, so that a position never outlives the
// rows that it covers when the power goes; it costs about a millisecond each.
// A part that cannot be read stops the engine: set aside, its rows would be
// missing from every answer, unsaid.
// Statistics of columns serve the planner of queries, which here go by sorting
// key; making them took more of the writers' time than sorting did.
// Under a load each insert and merge makes files, and making one costs about as
// much as sorting a thousand rows. So parts have few of them: columns stand in
// one file up to a size that one small machine seldom has, and neither their
// sparse forms nor the marks of their parts are told in files of their own.
// Merges took as much time as inserts. They wait until there are more parts of
// like size than by default, so that each row is merged about half as often.
// Caches and merge threads are those of one small machine.
const serverConfig = `<clickhouse>
    <max_server_memory_usage>%d</max_server_memory_usage>
    <mark_cache_size>67108864</mark_cache_size>
    <index_mark_cache_size>16777216</index_mark_cache_size>
    <uncompressed_cache_size>0</uncompressed_cache_size>
    <mmap_cache_size>100</mmap_cache_size>
    <background_pool_size>4</background_pool_size>
    <merge_tree>
        <fsync_after_insert>1</fsync_after_insert>
        <fsync_part_directory>1</fsync_part_directory>
        <max_suspicious_broken_parts>0</max_suspicious_broken_parts>
        <auto_statistics_types></auto_statistics_types>
        <min_bytes_for_wide_part>134217728</min_bytes_for_wide_part>
        <ratio_of_defaults_for_sparse_serialization>1</ratio_of_defaults_for_sparse_serialization>
        <write_marks_for_substreams_in_compact_parts>0</write_marks_for_substreams_in_compact_parts>
        <merge_selector_base>10</merge_selector_base>
        <number_of_free_entries_in_pool_to_lower_max_size_of_merge>4</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
        <number_of_free_entries_in_pool_to_execute_mutation>4</number_of_free_entries_in_pool_to_execute_mutation>
        <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>4</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
    </merge_tree>
</clickhouse>
`

// writeConfig leaves the engine's configuration in the data folder and returns
// its path.
func writeConfig(dir string, memory int64) (string, error) {
	path := filepath.Join(dir, "engine.xml")
	if err := os.WriteFile(path, fmt.Appendf(nil, serverConfig, memory), 0o600); err != nil {
		return "", fmt.Errorf("writing the engine's configuration: %w", err)
	}
	return path, nil
}
