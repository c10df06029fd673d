/*
id: dwd_refund
name: Refunds with their items
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.refund PARTITION (dt = '${bizdate}')
SELECT f.refund_id, f.order_id, i.sku_id, i.user_id, f.amount AS refund_amount,
       f.amount / nullif(i.net_eur, 0) AS refund_share,
       CASE WHEN f.reason RLIKE 'late|delay' THEN 'delivery' WHEN f.reason RLIKE 'broken|damag' THEN 'quality' ELSE 'other' END AS reason_group,
       f.created_at
FROM ods.refunds f
LEFT JOIN dwd.order_item i ON i.item_id = f.item_id
WHERE f.dt = '${bizdate}';
