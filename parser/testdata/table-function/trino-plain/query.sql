INSERT INTO d SELECT a, b FROM TABLE(exclude_columns(input => TABLE(t), columns => DESCRIPTOR(x)));
