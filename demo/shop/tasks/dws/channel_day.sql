/*
id: dws_channel_day
name: Channel by day
kind: batch
dialect: spark
source: warehouse
owner: marketing-data
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.channel_day PARTITION (dt = '${bizdate}')
SELECT * FROM (
  SELECT channel, date_format(created_at, 'HH') AS hour, net_eur FROM dwd.order_item WHERE dt = '${bizdate}'
) PIVOT (sum(net_eur) FOR hour IN ('09' AS morning, '14' AS afternoon, '20' AS evening));
