/*
id: dwd_stock
name: Stock snapshot
kind: batch
dialect: hive
source: warehouse
owner: logistics-data
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.stock PARTITION (dt = '${bizdate}')
SELECT i.warehouse_id, i.sku_id, k.title, k.category_name, i.on_hand, i.reserved, i.on_hand - i.reserved AS available,
       (i.on_hand - i.reserved) * k.cost_price AS stock_value
FROM ods.inventory i JOIN dim.sku k ON k.sku_id = i.sku_id AND k.dt = '${bizdate}'
WHERE i.dt = '${bizdate}';
