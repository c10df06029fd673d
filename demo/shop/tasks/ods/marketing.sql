/*
id: ods_marketing
name: Load coupons and campaigns
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.coupons SELECT coupon_id, campaign_id, face_value, min_amount, starts_at, ends_at FROM shopdb.shop.coupons;
INSERT OVERWRITE TABLE ods.coupon_uses PARTITION (dt = '${bizdate}') SELECT use_id, coupon_id, user_id, order_id, used_at FROM shopdb.shop.coupon_uses;
INSERT OVERWRITE TABLE ods.campaigns SELECT campaign_id, campaign_name, channel, budget FROM shopdb.shop.campaigns;
