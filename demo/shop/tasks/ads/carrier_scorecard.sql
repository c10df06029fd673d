/*
id: ads_carrier_scorecard
name: Carrier scorecard
kind: batch
dialect: hive
source: warehouse
owner: logistics-data
labels: {layer: ads}
*/
INSERT OVERWRITE TABLE ads.carrier_scorecard
SELECT c.carrier, avg(c.p95_hours_to_deliver) AS p95_hours_to_deliver, sum(c.shipments) AS shipments,
       sum(CASE WHEN r.reason_group = 'delivery' THEN r.refund_amount ELSE 0 END) AS delivery_refunds
FROM dws.carrier_day c
JOIN dwd.shipment s ON s.carrier = c.carrier
LEFT JOIN dwd.refund r ON r.order_id = s.order_id
GROUP BY c.carrier;
