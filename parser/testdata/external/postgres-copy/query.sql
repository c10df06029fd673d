COPY (SELECT a, b FROM t WHERE c > 1) TO '/tmp/x.csv' WITH CSV;
COPY u (a, b) FROM '/tmp/y.csv';
