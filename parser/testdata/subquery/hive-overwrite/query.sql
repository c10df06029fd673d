INSERT OVERWRITE TABLE d SELECT a.x, b.y FROM (SELECT x, k FROM t1) a JOIN t2 b ON a.k = b.k JOIN (SELECT k FROM t3 GROUP BY k) c ON c.k = a.k;
