INSERT INTO d (a, m) SELECT deptno, MAX(sal) KEEP (DENSE_RANK FIRST ORDER BY hired) FROM emp GROUP BY deptno;
