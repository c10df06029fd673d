SELECT TOP 10 PERCENT a, b = c + 1, 'x' AS [lit col], [d e] FROM dbo.t WITH (NOLOCK) WHERE f = @p ORDER BY 1 FOR JSON PATH
