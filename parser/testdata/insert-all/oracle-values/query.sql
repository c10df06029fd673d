INSERT ALL INTO a (x) VALUES (id) INTO b (y, z) VALUES (id, nm) SELECT id, nm FROM s;
