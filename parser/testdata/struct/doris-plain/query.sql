SWITCH hive_ctl; USE db2; INSERT INTO internal.d1.t SELECT a FROM s; USE ctl3.db3; SELECT b FROM u;
