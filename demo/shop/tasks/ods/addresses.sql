/*
id: ods_addresses
name: Load addresses
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.addresses PARTITION (dt = '${bizdate}')
SELECT address_id, user_id, city_id, street, postcode, is_default
FROM shopdb.shop.addresses;
