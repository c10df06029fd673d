SET @@dataset_id = 'ds2'; SELECT a FROM t; SET @@dataset_project_id = 'p2'; SELECT a FROM t
