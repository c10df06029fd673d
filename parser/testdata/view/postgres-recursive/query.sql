CREATE RECURSIVE VIEW reach (id, root) AS
SELECT id, name FROM node WHERE parent IS NULL
UNION ALL
SELECT n.id, r.root FROM reach r JOIN node n ON n.parent = r.id;
