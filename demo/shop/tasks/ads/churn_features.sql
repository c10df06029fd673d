/*
id: ads_churn_features
name: Features of the churn model
kind: batch
dialect: spark
source: warehouse
owner: data-science
labels: {layer: ads}
*/
INSERT OVERWRITE TABLE ads.churn_features
SELECT d.user_id, seg.segment, x.metric, x.value
FROM dws.user_day d
JOIN ads.user_segment seg ON seg.user_id = d.user_id
LATERAL VIEW explode(map('sessions', d.sessions, 'skus_viewed', d.skus_viewed, 'orders', d.orders)) x AS metric, value
WHERE d.dt >= date_sub('${bizdate}', 90);
