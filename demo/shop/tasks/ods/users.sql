/*
id: ods_users
name: Load users
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.users PARTITION (dt = '${bizdate}')
SELECT u.user_id, u.email, u.phone, u.full_name, u.gender, u.birthday, u.city_id, u.referrer_id, u.created_at, u.updated_at
FROM shopdb.shop.users u
WHERE u.updated_at < date_add('${bizdate}', 1);
