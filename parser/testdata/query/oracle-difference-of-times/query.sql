INSERT INTO d (waited, age) SELECT (shipped_at - ordered_at) DAY(9) TO SECOND, (SYSDATE - born) YEAR TO MONTH FROM orders
