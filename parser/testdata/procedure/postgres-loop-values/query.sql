DO $$ DECLARE r record; BEGIN FOR r IN SELECT id, nm FROM a LOOP INSERT INTO b (x, y) VALUES (r.id, r.nm); END LOOP; END $$;
