DO $$ BEGIN EXECUTE format('INSERT INTO %I.%I (a) SELECT c FROM zz WHERE k = %L', 'sch', 'Tt', 'x''y'); END $$;
