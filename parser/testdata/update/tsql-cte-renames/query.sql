WITH pair AS (SELECT t.Flag AS f, s.Wanted AS w FROM dbo.Source s JOIN dbo.Target t ON s.Id = t.Id) UPDATE pair SET f = w
