SELECT set_config('search_path', 'app', false); INSERT INTO d SELECT a FROM s;
