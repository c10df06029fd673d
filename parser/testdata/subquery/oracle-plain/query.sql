SELECT d.dname, e.ename FROM dept d, emp e WHERE d.deptno = e.deptno(+) AND e.sal > (SELECT AVG(x.sal) FROM emp x);
