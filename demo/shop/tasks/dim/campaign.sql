/*
id: dim_campaign
name: Campaign dimension
kind: batch
dialect: hive
source: warehouse
owner: marketing-data
labels: {layer: dim}
*/
INSERT OVERWRITE TABLE dim.campaign
SELECT cp.coupon_id, ca.campaign_id, ca.campaign_name, ca.channel, ca.budget, cp.face_value, cp.min_amount
FROM ods.coupons cp JOIN ods.campaigns ca ON cp.campaign_id = ca.campaign_id;
