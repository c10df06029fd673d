INSERT INTO d SELECT get_json_object(j, '$.a'), reflect('x', 'y', k), row_number() over (distribute by a sort by b), lag(c) over w from t window w as (partition by p order by o);
