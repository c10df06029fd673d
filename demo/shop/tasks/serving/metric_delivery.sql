/*
id: metric_delivery_p95
name: Delivery time, 95th percentile
kind: metric
dialect: trino
source: warehouse
owner: logistics-data
*/
SELECT carrier, max(p95_hours_to_deliver) AS p95 FROM ads.carrier_scorecard GROUP BY carrier;
