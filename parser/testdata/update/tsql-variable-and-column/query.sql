UPDATE t SET @v = t.b = s.b, x += s.y FROM tgt t JOIN src s ON s.id = t.id
