create table s.t (a bigint encode zstd distkey, b varchar(10) encode lzo, c timestamp sortkey) diststyle key compound sortkey (a, b) backup no
----
create table t distkey (a) sortkey (b) as select a, b from s
----
copy s.t (a, b) from 's3://b/p/' iam_role 'arn:aws:iam::1:role/x' format as parquet; copy t from 's3://x/manifest' credentials 'aws_access_key_id=x;aws_secret_access_key=y' delimiter '|' gzip manifest ignoreheader 1 dateformat 'auto' region as 'us-east-1'
----
unload ('select a, b from t where c = \'x\' and d = ''y''') to 's3://b/out_' iam_role default parquet partition by (a) allowoverwrite; unload ($$ select * from t $$) to 's3://x' iam_role 'r'
----
select top 10 a, listagg(b, ',') within group (order by c) over (partition by d), dateadd(month, 1, e), datediff(day, a, b), date_part(dow, x), getdate(), nvl(a, b), decode(a, 1, 'x'), a::super, b.c[0].d, approximate count(distinct e), median(f), convert(int, g), json_parse(h), ratio_to_report(x) over () from t qualify row_number() over (partition by a order by b) = 1
----
create external table spectrum.t (a int, b struct<c:int>) partitioned by (d date) row format serde 'x' with serdeproperties ('a'='b') stored as parquet location 's3://b/p' table properties ('numRows'='1')
----
create external schema s from data catalog database 'd' iam_role 'r' create external database if not exists; alter table t append from s fillextra; create view v as select 1 with no schema binding; create materialized view mv auto refresh yes as select a from t; insert into t (select * from s); analyze compression t; vacuum reindex t; set query_group to 'x'; create temp table #x as select 1; delete from t using s where t.a = s.a; merge into t using s on t.a = s.a remove duplicates; grant usage on schema s to group g; call p(1); alter table t alter distkey a
----
select a from t, t.arr as x, unpivot t.obj as v at k where x.b = 1; select * from (select a, b from t) pivot (sum(a) for b in ('x', 'y'))
----
create or replace procedure p(a int, b in out varchar(max)) nonatomic as $$ declare x int; begin execute 'create temp table ' || b || ' as select 1'; insert into t select a from s; exception when others then raise info 'x'; end; $$ language plpgsql
----
create function f(a float) returns float stable as $$ return a + 1 $$ language plpythonu; create function g(int) returns int stable as $$ select $1 + 1 $$ language sql; create external function h(varchar) returns varchar volatile lambda 'x' iam_role 'y'
