/*
id: finance_monthly_close
name: Monthly close
kind: batch
dialect: spark
source: warehouse
owner: finance
labels: {layer: ads}
*/
INSERT OVERWRITE TABLE ads.monthly_close
SELECT substr(dt, 1, 7) AS month, sum(net_eur) AS net_eur FROM ads.sales_report WHERE cut = 'region' GROUP BY substr(dt, 1, 7);
INSERT OVERWRITE TABLE ads.monthly_close_check
SELECT month, sum(net_eur FROM ads.monthly_close GROUP BY month;
