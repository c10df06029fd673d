/*
id: dim_user
name: User dimension
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dim}
*/
INSERT OVERWRITE TABLE dim.user PARTITION (dt = '${bizdate}')
SELECT u.user_id,
       concat(substr(u.email, 1, 2), '***') AS email_masked,
       CASE u.gender WHEN 1 THEN 'f' WHEN 2 THEN 'm' ELSE 'x' END AS gender,
       floor(datediff('${bizdate}', u.birthday) / 365) AS age,
       coalesce(ac.city_name, uc.city_name)            AS city_name,
       coalesce(ac.region, uc.region)                  AS region,
       coalesce(ac.country, uc.country)                AS country,
       r.full_name                                     AS referrer_name,
       to_date(u.created_at)                           AS registered_on
FROM ods.users u
LEFT JOIN ods.cities uc ON uc.city_id = u.city_id
LEFT JOIN (SELECT user_id, city_id FROM ods.addresses WHERE is_default = 1 AND dt = '${bizdate}') a ON a.user_id = u.user_id
LEFT JOIN ods.cities ac ON ac.city_id = a.city_id
LEFT JOIN ods.users r ON r.user_id = u.referrer_id AND r.dt = '${bizdate}'
WHERE u.dt = '${bizdate}';
