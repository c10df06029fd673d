SELECT p.* FROM (SELECT yr, amt, q FROM dbo.s) s PIVOT (SUM(amt) FOR q IN ([1], [2])) p; SELECT u.id, u.k, u.v FROM dbo.w UNPIVOT (v FOR k IN (c1, c2)) u
