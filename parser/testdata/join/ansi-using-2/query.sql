SELECT id, a.v FROM a JOIN b USING (id, k)
