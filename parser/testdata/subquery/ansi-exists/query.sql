SELECT x, z FROM a, b WHERE a.y = b.y AND EXISTS (SELECT 1 FROM b b2 WHERE b2.z = x)
