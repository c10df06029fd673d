/*
id: dws_supplier_month
name: Supplier by month
kind: batch
dialect: spark
source: warehouse
owner: purchasing
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.supplier_month PARTITION (month)
SELECT k.supplier_name, sum(i.net_eur) AS net_eur, sum(r.refund_amount) AS refund_amount,
       sum(r.refund_amount) / nullif(sum(i.net_eur), 0) AS refund_rate, substr(i.dt, 1, 7) AS month
FROM dwd.order_item i
JOIN dim.sku k ON k.sku_id = i.sku_id AND k.dt = i.dt
LEFT JOIN dwd.refund r ON r.order_id = i.order_id AND r.sku_id = i.sku_id
GROUP BY k.supplier_name, substr(i.dt, 1, 7);
