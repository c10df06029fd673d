/*
id: ads_user_segment
name: User segments
kind: batch
dialect: spark
source: warehouse
owner: growth
labels: {layer: ads}
*/
CREATE OR REPLACE TEMPORARY VIEW rfm AS
SELECT t.user_id,
       ntile(5) OVER (ORDER BY t.last_active)       AS recency,
       ntile(5) OVER (ORDER BY t.orders)            AS frequency,
       ntile(5) OVER (ORDER BY t.net_eur)           AS monetary,
       t.net_eur
FROM dws.user_total t;
INSERT OVERWRITE TABLE ads.user_segment
SELECT r.user_id, u.region, r.recency * 100 + r.frequency * 10 + r.monetary AS rfm_score,
       CASE WHEN r.recency >= 4 AND r.monetary >= 4 THEN 'champion'
            WHEN r.recency <= 2 AND r.monetary >= 4 THEN 'at risk'
            ELSE 'other' END AS segment,
       r.net_eur AS lifetime_eur
FROM rfm r JOIN dim.user u ON u.user_id = r.user_id AND u.dt = '${bizdate}';
