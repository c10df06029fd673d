/*
id: tag_churn_risk
name: Churn risk
kind: tag
dialect: spark
source: warehouse
owner: data-science
*/
SELECT f.user_id, avg(f.value) AS activity FROM ads.churn_features f WHERE f.metric = 'sessions' GROUP BY f.user_id;
