use db2; insert into d select a from s; USE `a.b`; select x from t
