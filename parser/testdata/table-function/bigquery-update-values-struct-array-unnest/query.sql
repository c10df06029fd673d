UPDATE ds.t SET a = s.b, st.x = s.c FROM ds.s s WHERE s.id = t.id; INSERT INTO ds.d VALUES (1, STRUCT(2)); UPDATE ds.t SET arr = ARRAY(SELECT x FROM UNNEST(arr) x WHERE x > 1) WHERE TRUE;
