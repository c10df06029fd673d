/*
id: dim_date
name: Calendar
kind: batch
dialect: spark
source: warehouse
owner: core-model
labels: {layer: dim}
*/
CREATE TABLE IF NOT EXISTS dim.calendar USING parquet AS
SELECT d AS day, year(d) AS year, month(d) AS month, weekofyear(d) AS week, dayofweek(d) IN (1, 7) AS is_weekend
FROM (SELECT explode(sequence(DATE '2020-01-01', DATE '2030-12-31', INTERVAL 1 DAY)) AS d) days;
