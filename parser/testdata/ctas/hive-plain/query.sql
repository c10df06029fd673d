create table default.x as select a.* , b.nm from db1.t a join db1.u b on a.id=b.id
