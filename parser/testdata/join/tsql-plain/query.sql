SELECT p.Id, STRING_AGG(c.Nm, ',') WITHIN GROUP (ORDER BY c.Ord) AS Names INTO dbo.R FROM dbo.P p LEFT JOIN dbo.C c ON c.PId = p.Id GROUP BY p.Id
