/*
id: metric_net_revenue
name: Net revenue
kind: metric
dialect: trino
source: warehouse
owner: finance
*/
SELECT r.dt, sum(r.net_eur) - coalesce(max(f.refunds), 0) AS net_revenue
FROM dws.region_day r
LEFT JOIN (SELECT dt, sum(refund_amount) AS refunds FROM dwd.refund GROUP BY dt) f ON f.dt = r.dt
GROUP BY r.dt;
