/*
id: dws_stock_cover
name: Days of stock cover
kind: batch
dialect: hive
source: warehouse
owner: logistics-data
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.stock_cover PARTITION (dt = '${bizdate}')
SELECT st.sku_id, st.title, sum(st.available) AS available, avg(sd.units) AS units_a_day,
       sum(st.available) / nullif(avg(sd.units), 0) AS days_of_cover
FROM dwd.stock st LEFT JOIN dws.sku_day sd ON sd.sku_id = st.sku_id AND sd.dt >= date_sub('${bizdate}', 28)
WHERE st.dt = '${bizdate}'
GROUP BY st.sku_id, st.title;
