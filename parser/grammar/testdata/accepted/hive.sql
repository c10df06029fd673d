SET hive.exec.parallel=true; set hive.auto.convert.join = false;
INSERT OVERWRITE TABLE ads.rpt_daily PARTITION(dt='${hiveconf:dt}')
SELECT
  t1.shop_id
 ,t1.shop_name
 ,NVL(t2.pv, 0) AS pv
 ,CASE WHEN t2.uv > 0 THEN ROUND(t2.pv / t2.uv, 2) ELSE 0 END AS depth
 ,CONCAT_WS(',', COLLECT_SET(CAST(t3.tag AS STRING))) tags
 ,from_unixtime(unix_timestamp(t1.ct, 'yyyyMMdd'), 'yyyy-MM-dd')
FROM dim.shop t1
LEFT OUTER JOIN (
  SELECT shop_id, COUNT(1) AS pv, COUNT(DISTINCT uid) AS uv FROM dwd.visit WHERE dt = '${hiveconf:dt}' GROUP BY shop_id
) t2 ON (t1.shop_id = t2.shop_id)
LEFT JOIN dwd.tag t3 ON t1.shop_id = t3.shop_id AND t3.dt >= date_sub('${hiveconf:dt}', 7)
GROUP BY t1.shop_id, t1.shop_name, t2.pv, t2.uv, t1.ct
;
----
create external table if not exists ods.log_json (
  `id` bigint comment '编号',
  `ext` map<string,array<struct<k:string,v:int>>>,
  `u` uniontype<int,string>,
  `timestamp` timestamp
)
comment 'log; raw'
partitioned by (dt string comment 'day', hr string)
clustered by (id) sorted by (id desc) into 16 buckets
row format delimited fields terminated by '\001' collection items terminated by ',' map keys terminated by ':' lines terminated by '\n' null defined as ''
stored as inputformat 'org.apache.hadoop.mapred.TextInputFormat' outputformat 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat'
location 'hdfs://nn/ods/log_json'
tblproperties ('skip.header.line.count'='1', "orc.compress"="SNAPPY")
----
create table t stored as orc tblproperties ('x'='y') as select * from s
----
create table hb (k string, v string) stored by 'org.apache.hadoop.hive.hbase.HBaseStorageHandler' with serdeproperties ('hbase.columns.mapping' = ':key,cf:v') tblproperties ('hbase.table.name' = 'x')
----
load data local inpath '/data/a.txt' overwrite into table t partition (dt='1')
----
from src a join dim b on a.k = b.k insert overwrite table t1 partition (dt) select a.x, b.y, a.dt where a.z = 1 insert into table t2 select a.x, count(1) group by a.x having count(1) > 1 insert overwrite directory '/out' select a.*
----
select a.*, b.c from a sort by x cluster by y
----
select `(dt|hr)?+.+` from t
----
select stack(2, 'a', x, 'b', y) as (k, v) from t
----
select * from t lateral view explode(a) x lateral view outer explode(b) y as c
----
select key, value from (select transform (a, b) using 'x' from t) q
----
from t map a, b using 'm.py' as k, v cluster by k
----
select reduce(a, b) from t
----
alter table t partition (dt='1') set location '/x'; alter table t add partition (dt='2') location '/a' partition (dt='3') location '/b'; alter table t exchange partition (dt='1') with table u; alter table t replace columns (a int); alter table t touch; alter table t partition (dt='1') concatenate; alter view v as select 1; alter table t clustered by (a) into 3 buckets
----
merge into t using (select * from s) s on t.id = s.id when matched and s.d = 1 then delete when matched then update set a = s.a when not matched then insert values (s.id, s.a)
----
with q as (select 1 a) from q insert overwrite table t select a
----
select if(a is null or a = '', 'x', a), a[0], m["k"], s.f.g, a rlike 'x', a regexp 'y', !b, a <> b, a <=> b, 1 div 2, cast('2024-01-01' as date), date '2024-01-01', interval '1' day, interval 1 day, (interval (1+dt) day), current_date, current_timestamp() from t
----
show tables like 'x*'; show create table t; describe formatted t partition (dt='1'); msck repair table t; analyze table t partition(dt) compute statistics; dfs -ls /x; reload function; create temporary macro m(x int) x + 1; drop macro m; lock table t shared; unlock table t; grant select on table t to user u; explain select 1; create role r; abort transactions 1
----
select a, count(*) over (partition by b order by c rows between 1 preceding and 1 following), row_number() over (distribute by b sort by c) from t
----
select count(distinct a, b), percentile(a, array(0.1, 0.5)), histogram_numeric(a, 3) from t tablesample(100 rows) s where (a, b) in (select x, y from u)
----
select 1 union all select 2 union distinct select 3 order by 1 limit 5, 10
----
select * from a, b where a.id = b.id and exists (select 1 from c where c.id = a.id) and a.x not in (select y from d) and a.dt between '1' and '2'
----
insert into t partition (dt='1') (a, b) select 1, 2
----
insert into table t values (1, array(1,2)), (2, null)
----
delete from t where a = 1; update t set a = b where c = 2; truncate table t; drop table if exists a.b; drop view if exists v; use db; use `db`;
----
create view v (a comment 'x', b) tblproperties ('p'='q') as select a, b from t
----
create materialized view mv disable rewrite stored as orc as select * from t
----
export table t partition (dt='1') to '/x'; import external table t from '/x' location '/y'
----
select t.1col, t.`2col` from db.3tab t
----
select get_json_object(a, '$.b'), regexp_extract(c, '(\\d+)\\.\\w;', 1), split(d, '\\|')[1], "it's", 'say "x"' from t -- comment; with 'quote
----
select a from t1 full join t2 on t1.a=t2.a left semi join t3 on t3.a = t1.a
