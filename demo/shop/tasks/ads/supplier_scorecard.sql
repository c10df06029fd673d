/*
id: ads_supplier_scorecard
name: Supplier scorecard
kind: batch
dialect: spark
source: warehouse
owner: purchasing
labels: {layer: ads}
*/
INSERT OVERWRITE TABLE ads.supplier_scorecard
SELECT m.supplier_name, m.month, m.refund_rate, avg(pr.stars) AS stars
FROM dws.supplier_month m
LEFT JOIN dim.sku k ON k.supplier_name = m.supplier_name
LEFT JOIN dws.product_rating pr ON pr.product_id = k.product_id
GROUP BY m.supplier_name, m.month, m.refund_rate;
