/*
id: dws_user_total
name: User, all time
kind: batch
dialect: spark
source: warehouse
owner: core-model
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.user_total
SELECT d.user_id, sum(d.orders) AS orders, sum(d.net_eur) AS net_eur, max(d.dt) AS last_active,
       sum(d.net_eur) / nullif(sum(d.orders), 0) AS average_order_eur
FROM dws.user_day d GROUP BY d.user_id;
