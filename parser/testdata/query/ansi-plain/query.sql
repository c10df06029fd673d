SELECT "A b", "select" FROM "my table" AS "T x" WHERE "T x"."c.d" = 1
