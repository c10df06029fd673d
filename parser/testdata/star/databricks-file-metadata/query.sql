INSERT INTO d SELECT *, _metadata.file_name AS f FROM t;
INSERT INTO e SELECT x, _metadata.file_path AS p FROM read_files('/landing', format => 'json');
INSERT INTO g SELECT * FROM t@v3;
