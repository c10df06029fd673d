insert into table d select * from (select a, b from t1 union all select c, d from t2) x;
