/*
id: dim_category
name: Category dimension
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dim}
*/
INSERT OVERWRITE TABLE dim.category
SELECT c3.category_id, c3.category_name, c2.category_name AS parent_name, c1.category_name AS root_name
FROM ods.categories c3
LEFT JOIN ods.categories c2 ON c3.parent_id = c2.category_id
LEFT JOIN ods.categories c1 ON c2.parent_id = c1.category_id
WHERE c3.level = 3;
