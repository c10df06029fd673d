CREATE TABLE ds.d AS FROM ds.t |> WHERE x > 1 |> AGGREGATE SUM(v) AS s, COUNT(*) AS c GROUP BY k |> EXTEND s * 2 AS s2 |> DROP c |> SET s = s + 1 |> ORDER BY s DESC |> LIMIT 3
