SET SCHEMA 'app'; INSERT INTO d SELECT a FROM s; SET search_path = "My S", public; INSERT INTO d SELECT a FROM s; RESET search_path;
