USE default; SELECT a FROM t; USE `my db`; SELECT b FROM t
