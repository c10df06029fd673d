/*
id: dwd_payment
name: Successful payments
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.payment PARTITION (dt = '${bizdate}')
SELECT p.payment_id, p.order_id, o.user_id, p.method, p.amount * r.to_eur AS amount_eur, p.paid_at
FROM ods.payments p
JOIN ods.orders o ON p.order_id = o.order_id
LEFT JOIN ods.exchange_rates r ON r.currency = o.currency AND r.rate_date = to_date(p.paid_at)
WHERE p.status = 1 AND p.dt = '${bizdate}';
