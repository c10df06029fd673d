UPDATE t SET a = b + 1, c = a WHERE id > 3;
