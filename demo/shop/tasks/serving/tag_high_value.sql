/*
id: tag_high_value
name: High-value customer
kind: tag
dialect: spark
source: warehouse
owner: growth
*/
SELECT user_id FROM ads.user_segment WHERE segment = 'champion' AND lifetime_eur > 1000;
