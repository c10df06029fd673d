INSERT INTO db.d SELECT id, inline(arrays_zip(codes, names)) FROM db.s
