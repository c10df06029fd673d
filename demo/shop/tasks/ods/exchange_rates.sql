/*
id: ods_exchange_rates
name: Load exchange rates
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.exchange_rates SELECT currency, rate_date, to_eur FROM shopdb.shop.exchange_rates;
