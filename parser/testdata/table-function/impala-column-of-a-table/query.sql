INSERT INTO d SELECT a.item, a.pos FROM db.t.arr a;
