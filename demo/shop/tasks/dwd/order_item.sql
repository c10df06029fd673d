/*
id: dwd_order_item
name: Order items, in euro
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dwd}
*/
WITH o AS (
  SELECT order_id, user_id, address_id, status, channel, currency, total_amount, discount_amount AS order_discount,
         freight_amount, created_at, paid_at
  FROM ods.orders WHERE dt = '${bizdate}'
),
share AS (
  SELECT i.item_id, i.order_id, i.sku_id, i.quantity, i.unit_price, i.discount_amount,
         i.quantity * i.unit_price / sum(i.quantity * i.unit_price) OVER (PARTITION BY i.order_id) AS weight
  FROM ods.order_items i WHERE i.dt = '${bizdate}'
)
INSERT OVERWRITE TABLE dwd.order_item PARTITION (dt = '${bizdate}')
SELECT s.item_id, o.order_id, o.user_id, s.sku_id, o.channel, s.quantity,
       s.quantity * s.unit_price * r.to_eur                               AS gross_eur,
       (s.discount_amount + o.order_discount * s.weight) * r.to_eur       AS discount_eur,
       o.freight_amount * s.weight * r.to_eur                             AS freight_eur,
       (s.quantity * s.unit_price - s.discount_amount - o.order_discount * s.weight) * r.to_eur AS net_eur,
       o.status, o.created_at, o.paid_at
FROM share s
JOIN o ON o.order_id = s.order_id
LEFT JOIN ods.exchange_rates r ON r.currency = o.currency AND r.rate_date = to_date(o.created_at);
