DO $$ BEGIN EXECUTE 'INSERT INTO ' || quote_ident('d') || ' (a) SELECT a FROM t WHERE k = ' || quote_literal('x'); END $$;
