INSERT INTO dbo.d (a) SELECT r.x FROM OPENROWSET('MSDASQL', 'srv'; 'reader'; 'word', db.dbo.t) AS r; SELECT f.x FROM OPENROWSET(BULK '/in/x.csv', FORMAT = 'CSV') AS f WHERE f.k <> 0x
