SELECT a, a + 1 AS b, b * 2 AS c FROM u
