with source as (
    select * from {{ source('shop', 'orders') }}
),
renamed as (
    select
        id as order_id,
        user_id as customer_id,
        order_date,
        status,
        date_trunc('month', order_date) as order_month,
        cast(amount / 100 as decimal(16, 2)) as amount,
        count(*) over (partition by user_id order by order_date rows between unbounded preceding and current row) as n
    from source
    where not _fivetran_deleted
)
select * from renamed
----
create or replace table `main`.`silver`.`stg_payments`
using delta
partitioned by (event_date)
location 's3://lake/silver/stg_payments'
tblproperties ('delta.autoOptimize.optimizeWrite' = 'true')
comment 'staged payments'
as
select payment_id, order_id, payment_method, amount / 100 as amount, to_date(created_at) as event_date
from main.bronze.payments
----
merge into silver.customers as DBT_INTERNAL_DEST
using customers__dbt_tmp as DBT_INTERNAL_SOURCE
on DBT_INTERNAL_SOURCE.customer_id = DBT_INTERNAL_DEST.customer_id
when matched then update set *
when not matched then insert *
----
insert overwrite table dw.dws_user_1d partition (dt = '2024-01-01', hour)
select /*+ MAPJOIN(d), REPARTITION(10) */ u.user_id, d.name, count(1) as cnt, collect_list(struct(u.ts, u.page)) as trail, u.hour
from dwd.user_log u left join dim.users d on u.user_id = d.user_id
where u.dt = '2024-01-01' and u.user_id is not null and u.page rlike '^/item/[0-9]+$'
group by u.user_id, d.name, u.hour
having count(1) > 3
distribute by user_id sort by cnt desc
----
select user_id, explode(map_from_arrays(array('a', 'b'), array(1, 2))) as (k, v) from t lateral view outer posexplode(split(tags, ',')) tt as pos, tag where x between 1 and 3 or y not in ('a') and z is not distinct from w
----
select transform(xs, x -> x + 1), aggregate(xs, 0, (acc, x) -> acc + x, acc -> acc * 10), filter(xs, x -> x > 1 and x < y), exists(xs, x -> x is null), map_filter(m, (k, v) -> v > 0), array_sort(xs, (l, r) -> case when l < r then -1 else 1 end) from t
----
select transform(a, b) using 'python3 script.py' as (x string, y int) from t
----
from (select k, v from src) s select transform(s.k, s.v) row format delimited fields terminated by '\t' using '/bin/cat' as (a, b) row format delimited fields terminated by ','
----
select * from t1 left semi join t2 on t1.id = t2.id left anti join t3 using (id) cross join t4 full outer join t5 on true natural join t6
----
select * from values (1, 'a'), (2, 'b') as t(id, name)
----
values (1, 2), (3, 4)
----
select a, b, sum(c) from t group by a, b with rollup
----
select a, b, grouping_id(a, b), sum(c) filter (where d > 1) from t group by grouping sets ((a, b), a, ()) order by all
----
select a, sum(b) from t group by cube(a, c), rollup(d)
----
select * from (select year, course, earnings from sales) pivot (sum(earnings) for course in ('dotNET', 'Java'))
----
select * from sales pivot (sum(e) as s, avg(e) as a for (c, t) in (('x', 1) as x1, ('y', 2) as y2)) p
----
select * from sales unpivot include nulls ((a, b) for q in ((a1, b1) as q1, (a2, b2) as q2)) as u(id, q, x, y)
----
select * from t timestamp as of '2024-01-01' where a = 1
----
select * from t version as of 12 v join u for system_time as of timestamp '2024-01-01 00:00:00' uu on v.a = uu.a
----
select * from delta.`/mnt/lake/t` join parquet.`s3a://b/p/*.parquet` p on true
----
create temporary view tv (a comment 'x', b) using csv options (path '/in/a.csv', header 'true', 'sep' '|')
----
create or replace global temporary view g as select 1 as one
----
cache lazy table c options ('storageLevel' = 'DISK_ONLY') as select * from t
----
uncache table if exists c; clear cache; refresh table t; refresh '/path'; msck repair table t; analyze table t compute statistics for columns a, b; describe extended t; show partitions t; add jar /x/y.jar; list jars
----
set spark.sql.shuffle.partitions=200; set spark.sql.legacy.timeParserPolicy = LEGACY; reset; set -v; set time zone 'UTC'
----
alter table t add columns (x int comment 'c', y string); alter table t rename to u; alter table t rename column a to b; alter table t drop columns (a, b); alter table t set tblproperties ('a'='b'); alter table t add if not exists partition (dt='2024-01-01') location '/x'; alter table t drop partition (dt='1'); alter table t partition (dt='1') rename to partition (dt='2'); alter table t alter column a type bigint; alter table t change column a b int
----
insert into t (a, b) values (1, 'x'), (2, current_date()), (3, default)
----
insert into t by name select 1 as a, 2 as b
----
insert overwrite local directory '/tmp/x' row format delimited fields terminated by ',' stored as textfile select * from t
----
insert into t replace where dt = '2024-01-01' select * from s
----
insert overwrite directory using parquet options ('path' '/out', compression 'snappy') select a from t
----
create table t like s using parquet; create table t (a int not null, b struct<x: int, y: array<map<string, struct<z: double>>>>, c int generated always as (a + 1)) using delta cluster by (a)
----
create function f as 'com.x.F' using jar '/x.jar'
----
create or replace temporary function area(x double, y double) returns double return x * y
----
create function t_fn(p int) returns table (a int, b string) return select a, b from t where c = p
----
delete from t where a in (select b from u) ; update t set a = 1, b = b + 1 where c like 'x%' escape '!'
----
truncate table t partition (dt='1'); drop table if exists t purge; drop view v; drop temporary function f; drop database d cascade
----
select interval 3 days + d, d - interval '1' month, interval '2-3' year to month, date '2024-01-01', timestamp '2024-01-01 00:00:00', X'1F', r'\d+', "dq string", 10L, 1.5BD, 3S, 1e10, .5, 5 div 2, 5 % 2, ~a, a & b | c ^ d, !x, not y, a <=> b, a == b, a != b
----
select a.b.c[0].d['k'].e, m['x'], arr[size(arr) - 1], struct(1 as a, b).a, named_struct('x', 1).x, (a, b) in ((1, 2), (3, 4)), (select max(x) from u).y from t
----
select first(a ignore nulls), first_value(a) ignore nulls over w, last(a) over (partition by b order by c desc nulls last range between interval 7 days preceding and current row), percentile_cont(0.5) within group (order by x), listagg(distinct a, ',') within group (order by a) from t window w as (partition by b), w2 as (w order by c)
----
select * except (a, b), t.* except (c) from t
----
select extract(year from d), substring(s from 2 for 3), trim(both 'x' from s), trim(leading from s), position('a' in s), overlay(s placing 'x' from 1 for 2), cast(a as struct<x:int,y:array<int>>), try_cast(b as int), a::int, date_add(month, 1, d), datediff(day, a, b), timestampadd(HOUR, 1, ts), dateadd(DAY, -1, current_date), ceil(x, 2), floor(d to day) from t
----
(select a from t) union all (select b from u order by c limit 3) intersect select d from v minus select e from w order by 1 limit 10 offset 5
----
with a as (select 1), b(x, y) as (select 1, 2), c as (with d as (select 3) select * from d) select * from a, b, c tablesample (10 percent) repeatable (3), t tablesample (bucket 1 out of 4 on id) tt
----
explain extended select * from t
----
use catalog main; use schema silver; use main.silver; use silver
----
select /*+ broadcast(a) */ * from a join b on a.id = b.id where a.dt = '${dt}' and b.x = ${hivevar:x} and c = :param and d = ?
----
select `a b`.`c``d`, `x`.* from `a b`
----
select * from range(10), explode(array(1, 2)) as e(x), lateral (select * from u where u.a = range.id), lateral inline(array(struct(1, 2))) as l(p, q)
----
select case when a then 1 end, case a when 1 then 'x' when 2 then 'y' else null end, if(a, b, c), nvl(a, b), coalesce(a, b), decode(a, 1, 'x', 'y'), nullif(a, b), a between symmetric 1 and 2, a like any ('x', 'y'), a not like all ('z'), a ilike 'q', a is true, a is not false, a is unknown from t
----
declare variable v int default 5; set var v = (select max(a) from t); set variable (a, b) = (select 1, 2); execute immediate 'select 1' using 1 as a
----
begin
  declare i int default 0;
  while i < 10 do
    insert into t values (i);
    set i = i + 1;
  end while;
  for r as select a, b from s do
    insert into t2 values (r.a, r.b);
  end for;
  if i > 3 then delete from t; elseif i = 2 then update t set a = 1; else truncate table t; end if;
end
----
select * from t |> where a > 1 |> aggregate sum(b) as s group by c |> order by s desc |> limit 3
----
select a, b from t order by a, b desc nulls last, c asc limit all
----
create materialized view mv schedule every 1 hour as select a from t; create streaming table st as select * from stream(src); create or refresh live table lt comment 'x' as select * from live.src
----
copy into t from 's3://b/p' fileformat = parquet files = ('a', 'b') pattern = '*.x' format_options ('mergeSchema' = 'true') copy_options ('force' = 'true'); copy into t from (select a, b from 's3://x') fileformat = csv
----
select * from read_files('s3://x', format => 'csv', header => true), table(f(1, table(t))) , stream t2
----
optimize t where dt > '1' zorder by (a, b); vacuum t retain 168 hours; describe history t; restore table t to version as of 3; convert to delta parquet.`/x`; create table c shallow clone t; create or replace table c deep clone t version as of 3
