/*
id: dwd_coupon_use
name: Coupon uses
kind: batch
dialect: hive
source: warehouse
owner: marketing-data
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.coupon_use PARTITION (dt = '${bizdate}')
SELECT cu.use_id, cu.user_id, cu.order_id, c.campaign_id, c.campaign_name, c.channel, c.face_value, cu.used_at
FROM ods.coupon_uses cu LEFT JOIN dim.campaign c ON c.coupon_id = cu.coupon_id
WHERE cu.dt = '${bizdate}';
