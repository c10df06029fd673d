/*
id: dws_carrier_day
name: Carrier by day
kind: batch
dialect: hive
source: warehouse
owner: logistics-data
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.carrier_day PARTITION (dt = '${bizdate}')
SELECT carrier, region, count(*) AS shipments, avg(hours_to_ship) AS hours_to_ship,
       percentile_approx(hours_to_deliver, 0.95) AS p95_hours_to_deliver
FROM dwd.shipment WHERE dt = '${bizdate}' GROUP BY carrier, region;
