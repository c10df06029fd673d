/*
id: ads_replenishment
name: Replenishment proposal
kind: batch
dialect: spark
source: warehouse
owner: purchasing
labels: {layer: ads}
*/
MERGE INTO ads.replenishment t
USING (
  SELECT c.sku_id, c.title, c.days_of_cover, greatest(0, c.units_a_day * 30 - c.available) AS proposed_units
  FROM dws.stock_cover c WHERE c.dt = '${bizdate}' AND c.days_of_cover < 14
) s ON t.sku_id = s.sku_id
WHEN MATCHED THEN UPDATE SET t.proposed_units = s.proposed_units, t.days_of_cover = s.days_of_cover
WHEN NOT MATCHED THEN INSERT (sku_id, title, days_of_cover, proposed_units) VALUES (s.sku_id, s.title, s.days_of_cover, s.proposed_units);
