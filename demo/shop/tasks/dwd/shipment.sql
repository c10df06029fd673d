/*
id: dwd_shipment
name: Shipments with lead times
kind: batch
dialect: hive
source: warehouse
owner: logistics-data
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.shipment PARTITION (dt = '${bizdate}')
SELECT s.shipment_id, s.order_id, s.carrier, s.warehouse_id, c.region,
       (unix_timestamp(s.shipped_at) - unix_timestamp(o.paid_at)) / 3600      AS hours_to_ship,
       (unix_timestamp(s.delivered_at) - unix_timestamp(s.shipped_at)) / 3600 AS hours_to_deliver
FROM ods.shipments s
JOIN ods.orders o ON o.order_id = s.order_id
LEFT JOIN ods.addresses a ON a.address_id = o.address_id
LEFT JOIN ods.cities c ON c.city_id = a.city_id
WHERE s.dt = '${bizdate}';
