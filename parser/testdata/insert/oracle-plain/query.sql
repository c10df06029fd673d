DEFINE src = stage_tab
INSERT INTO d (a) SELECT a FROM &src;
