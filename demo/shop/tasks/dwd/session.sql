/*
id: dwd_session
name: Browsing sessions
kind: batch
dialect: spark
source: warehouse
owner: web-analytics
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.session PARTITION (dt)
SELECT session_id,
       max(user_id)                                             AS user_id,
       min(event_time)                                          AS started_at,
       max(event_time)                                          AS ended_at,
       count(*)                                                 AS events,
       count(DISTINCT CASE WHEN event_type = 'view' THEN sku_id END) AS skus_viewed,
       max(IF(event_type = 'add_to_cart', 1, 0))                AS added_to_cart,
       max(IF(event_type = 'checkout', 1, 0))                   AS checked_out,
       first(page)                                              AS landing_page,
       first(parse_url(referrer, 'HOST'))                       AS referrer_host,
       dt
FROM ods.clicks
WHERE dt = '${bizdate}'
GROUP BY session_id, dt;
