/*
id: dws_user_day
name: User by day
kind: batch
dialect: spark
source: warehouse
owner: core-model
labels: {layer: dws}
*/
WITH buying AS (
  SELECT user_id, count(DISTINCT order_id) AS orders, sum(net_eur) AS net_eur, sum(discount_eur) AS discount_eur
  FROM dwd.order_item WHERE dt = '${bizdate}' GROUP BY user_id
),
paying AS (
  SELECT user_id, sum(amount_eur) AS paid_eur, max_by(method, amount_eur) AS main_method FROM dwd.payment WHERE dt = '${bizdate}' GROUP BY user_id
),
browsing AS (
  SELECT user_id, count(*) AS sessions, sum(skus_viewed) AS skus_viewed FROM dwd.session WHERE dt = '${bizdate}' GROUP BY user_id
),
returning_goods AS (
  SELECT user_id, sum(refund_amount) AS refund_amount FROM dwd.refund WHERE dt = '${bizdate}' GROUP BY user_id
)
INSERT OVERWRITE TABLE dws.user_day PARTITION (dt = '${bizdate}')
SELECT coalesce(b.user_id, w.user_id) AS user_id, b.orders, b.net_eur, b.discount_eur, p.paid_eur, p.main_method,
       w.sessions, w.skus_viewed, r.refund_amount
FROM buying b
FULL OUTER JOIN browsing w ON w.user_id = b.user_id
LEFT JOIN paying p ON p.user_id = b.user_id
LEFT JOIN returning_goods r ON r.user_id = b.user_id;
