FROM 'f.parquet' SELECT {'a': 1, b: x}, [y FOR y IN z IF y > 1], list_filter(l, lambda v, i: v > i), struct_pack(q := 2).q, COLUMNS(* EXCLUDE (w)) ORDER BY ALL;
PIVOT t ON k USING sum(v) AS s GROUP BY g;
INSERT INTO t BY NAME SELECT 1 AS a;
