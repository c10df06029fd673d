SELECT * FROM t ASOF JOIN q MATCH_CONDITION (t.ts >= q.ts) ON t.s = q.s
