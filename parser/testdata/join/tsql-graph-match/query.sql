INSERT INTO dbo.pair (a, b) SELECT p.name, q.name FROM dbo.person p, dbo.likes l, dbo.person q WHERE MATCH(p-(l)->q) AND l.since > '2020'
