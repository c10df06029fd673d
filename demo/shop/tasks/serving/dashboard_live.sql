/*
id: dashboard_live
name: Live operations dashboard
kind: dashboard
dialect: mysql
source: shop
default_schema: monitor
owner: streaming
*/
SELECT window_start, orders, buyers, revenue FROM monitor.orders_by_minute ORDER BY window_start DESC LIMIT 60;
