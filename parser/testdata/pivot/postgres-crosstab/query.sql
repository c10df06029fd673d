INSERT INTO wide SELECT * FROM crosstab('SELECT name, day, amount FROM long ORDER BY 1, 2', 'SELECT DISTINCT day FROM long') AS c (name text, mon int, tue int)
