UPDATE k SET v = s.v FROM k JOIN s ON k.id = s.id
