FROM (FROM src MAP k, v USING 'm.py' AS mk, mv CLUSTER BY mk) m INSERT OVERWRITE TABLE o REDUCE m.mk, m.mv USING 'r.py' AS a, b INSERT INTO TABLE o2 SELECT m.mk WHERE m.mv > 2;
