WITH d AS (SELECT k, ARRAY_AGG(t) AS rows_of_k FROM src AS t GROUP BY k) SELECT u.v, w, o FROM d, UNNEST(d.rows_of_k) AS u WITH OFFSET AS o
