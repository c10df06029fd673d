create or replace transient table analytics.dbt.fct_orders cluster by (order_date) copy grants as (
with orders as (select * from analytics.dbt.stg_orders), final as (
  select o.order_id, o.customer_id, o.order_date::date as order_date, coalesce(sum(p.amount), 0) as amount,
         array_agg(distinct p.method) within group (order by p.method) as methods,
         object_construct('a', o.a, 'b', o.b) as obj, o.raw:items[0].sku::string as sku, get_path(o.raw, 'x.y') as y, o.raw['a']['b']::variant v,
         iff(o.status = 'x', 1, 0) as is_x, div0(a, b), try_to_date(s, 'YYYY-MM-DD'), dateadd('day', -7, current_date()), dateadd(day, 1, d), datediff(minute, a, b), date_trunc(month, d), last_day(d, month), to_timestamp_ntz(1), parse_json('{}'), zeroifnull(x), seq8(), uuid_string(), ratio_to_report(x) over (partition by y), conditional_true_event(a) over (order by b), listagg(x, '|') within group (order by x), hash(*), hash(o.*), count_if(a), max_by(a, b), approx_percentile(x, 0.5)
  from orders o left join stg_payments p using (order_id)
  group by all
  having amount > 0
  qualify row_number() over (partition by o.customer_id order by o.order_date desc nulls last) = 1
)
select * from final)
----
merge into t as DBT_INTERNAL_DEST using (select * from s) as DBT_INTERNAL_SOURCE on (DBT_INTERNAL_SOURCE.id = DBT_INTERNAL_DEST.id) and (DBT_INTERNAL_SOURCE.dt >= '2024-01-01') when matched and s.deleted then delete when matched then update set "A" = DBT_INTERNAL_SOURCE."A", b = DBT_INTERNAL_SOURCE.b when not matched then insert ("A", "B") values ("A", "B")
----
select t.$1, $2:a.b::int, metadata$filename, metadata$file_row_number from @db.sch.stage/path/ (file_format => 'ff', pattern => '.*[.]csv') t; select $1 from @~/x.csv.gz; select * from @%t; select * from 's3://b/x' (file_format => ff)
----
copy into db.s.t (a, b) from (select $1:a::int, t.$2 from @stage/x t) file_format = (type = 'JSON' strip_outer_array = true null_if = ('', 'NULL')) pattern = '.*' on_error = 'skip_file' force = true purge = true match_by_column_name = case_insensitive; copy into @s/out/ from (select * from t) file_format = (type = parquet) header = true overwrite = true partition by ('d=' || to_varchar(d)); copy into 's3://b/x' from t storage_integration = si; copy into t from @s files = ('a.csv', 'b.csv') validation_mode = return_errors
----
select f.value:id::int, f.index, f.key, f.path, f.this from t, lateral flatten(input => t.v:items, outer => true, mode => 'ARRAY', path => 'a') f, table(flatten(parse_json('[]'))) g, table(f(t.a) over (partition by t.b order by t.c)) h, table(result_scan(last_query_id())), table(db.s.udtf(1::number, 'x'::varchar)), lateral (select * from u where u.id = t.id) l, lateral split_to_table(t.x, ',') as sp
----
select * from t at (timestamp => 'x'::timestamp) a join t before (statement => '8e5d0ca9') b on a.id = b.id, t at (offset => -60*5), t changes (information => append_only) at (timestamp => $ts) end (timestamp => current_timestamp()), t sample bernoulli (10.5) seed (3), t tablesample (100 rows), identifier($tbl) i, table($x), table('db.s.t') q
----
select * exclude (a, b) rename (c as d, e as f) replace (g + 1 as g) from t; select t.* exclude a, u.* rename x as y from t, u; select * ilike '%id%' exclude z from t
----
select * from t pivot (sum(a) for m in (any order by m)) p; select * from t pivot (max(a) for b in (select x from y) default on null (0)); select * from t unpivot include nulls (s for m in (jan as 'J', feb)) order by 1
----
select * from t match_recognize (partition by a order by b measures match_number() as mn, first(b) as f, count(*) as c, final last(x.y) as l all rows per match omit empty matches after match skip past last row pattern (^ s1 (s2|s3)+ permute(a, b) $) define s1 as x > lag(x), s2 as true)
----
select a from t connect by prior b = c start with d is null; select level, connect_by_root a, sys_connect_by_path(a, '/') from t start with a = 1 connect by nocycle prior a = b and prior c = d
----
select * from a asof join b match_condition (a.t >= b.t) on a.s = b.s; select * from a natural full outer join b cross join c, lateral (select 1) d left join e on e.x like any ('a%', 'b%') and e.y ilike 'q' and e.z rlike 'w' and e.v not regexp 'u' and e.w is not distinct from 3
----
select a, b from t group by grouping sets ((a), (b)), cube (c), rollup (d, e) order by all desc limit 10 offset 2; select top 5 a from t fetch next 3 rows only; (select 1) union all by name (select 2) minus select 3 intersect select 4
----
create or replace procedure p(a varchar, b number default 1) returns table (x int, y varchar) language sql execute as caller as
$$
declare
  res resultset;
  c1 cursor for select id from t where x > ?;
  total number(38, 0) default 0;
  v varchar := 'x';
  ex exception (-20001, 'bad');
begin
  let i int := 0;
  let c2 cursor for select a from b;
  let rs resultset := (select * from q where w = :a);
  res := (execute immediate :v using (a, b));
  open c1 using (:b);
  fetch c1 into i;
  close c1;
  for r in c1 do
    total := total + r.id;
    insert into log (id, n) values (:r.id, :total);
  end for;
  for k in 1 to 10 loop
    insert into log select :k;
  end loop;
  for j in reverse 1 to :b do null; end for;
  while (i < 10) do i := i + 1; end while;
  repeat i := i - 1; until (i = 0) end repeat;
  loop break; end loop;
  if (total > 10) then
    update t set a = :total where b = :b;
  elseif (i = 3) then
    delete from t where id in (select id from :a);
  else
    raise ex;
  end if;
  case (v) when 'x' then truncate table t; else call other(:v); end case;
  select count(*), max(a) into :total, :i from t;
  merge into identifier(:a) t using s on t.id = s.id when matched then update set t.x = s.x;
  create or replace temporary table tmp as select * from identifier(:v);
  async (insert into x select 1);
  await all;
  return table(res);
exception
  when ex then return object_construct('e', sqlerrm);
  when statement_error or other then rollback; raise;
end;
$$
----
create procedure p2() returns varchar language sql as 'begin insert into d select ''x'', a from s; return ''ok''; end'; create function f(a number) returns number as 'a * 2'; create function g(a number) returns table (x number) as $$ select x from t where y = a $$; create function h(a number) returns number as $$ select max(x) from t where y = a $$; create function j(s string) returns string language javascript as 'return S.length;'; create or replace function py(x int) returns int language python runtime_version = '3.11' packages = ('numpy') handler = 'f' as $$ def f(x): return x $$; create secure function q(a int) returns int memoizable as $$ a + 1 $$
----
begin
  let x int := 1;
  insert into t select :x;
end;
----
declare
  x int := 1;
begin
  insert into t select :x from s;
  return x;
end;
----
create or replace task t1 warehouse = w schedule = 'USING CRON 0 9 * * * UTC' after t0, t00 when system$stream_has_data('s') as merge into a using b on a.i = b.i when matched then update set a.x = b.x; create task t2 schedule = '1 minute' as begin insert into a select 1; end; create task t3 as call p(); alter task t1 resume; execute task t1; create or replace stream s on table db.s.t append_only = true; create stream s2 on view v; create pipe pp auto_ingest = true as copy into t from @s; create alert a warehouse = w schedule = '1 minute' if (exists (select 1 from t)) then insert into l select 1
----
create stage s url = 's3://b/p' storage_integration = si file_format = (type = csv field_delimiter = '|'); create file format ff type = csv; put file:///tmp/x*.csv @s auto_compress = true; get @s/x file:///tmp/; list @s; rm @s/x; ls @~; create sequence sq start = 1; create warehouse w with warehouse_size = 'X-SMALL'; create role r; grant usage on database d to role r; use role r; use warehouse w; use secondary roles all; create database d2 clone d at (offset => -1); create table c clone t before (timestamp => 'x'::timestamp); create table l like t; create external table e (a int as (value:c1::int), d date as to_date(metadata$filename)) partition by (d) location = @s/x auto_refresh = true file_format = (type = parquet); create dynamic table dt target_lag = downstream warehouse = w as select 1 as a; create materialized view mv as select a from t; create hybrid table ht (id int primary key, index ix (a)); create iceberg table it external_volume = 'v' catalog = 'SNOWFLAKE' base_location = 'x' as select 1 a; create table tt using template (select array_agg(object_construct(*)) from table(infer_schema(location => '@s', file_format => 'ff')))
----
alter table t swap with u; alter table t rename to u; alter table t add column a int, b varchar; alter table t drop column a, b; alter table t cluster by (a); alter session set timezone = 'UTC', query_tag = 'x'; alter table t alter column a set data type number(10,2); alter view v set secure; alter table t set tag x = 'y'; alter dynamic table dt refresh; alter warehouse w suspend; undrop table t; show tables like 'x' in schema s; desc table t; describe view v; drop table if exists t cascade; truncate table if exists t; comment on table t is 'x'; explain using text select 1; set (a, b) = (1, 'x'); set v = (select max(a) from t); unset v; begin transaction; commit; rollback; call p(1, 'x', a => 2); insert into t select parse_json($$ {"a": 1} $$); insert into t values (1, 'x'), (2, default); insert overwrite into t select 1; delete from t using u where t.a = u.a; update t set a = u.b from u where t.i = u.i; select system$typeof(a), $var, $1 from t; select {'a': 1, 'b': {'c': [1, 2]}}, [1, 2][0], {}, { 'x': a, * }; select a::number(10, 2), b::timestamp_ntz, try_cast(c as int), cast(d as array), e:f::variant:g, filter(x, y -> y > 1), transform(a, x int -> x * 2), reduce(a, 0, (acc, x) -> acc + x) from t
----
execute immediate 'select 1'; execute immediate $x using (a); execute immediate from @s/x.sql; select * from values (1, 'a'), (2, 'b') as v (x, y); select * from (values (1)) v(a); insert all when a > 1 then into x when a > 2 then into y (p) values (q) else into z select a, q from t; insert first when a then into b select * from c; create view v (a comment 'x', b with tag (t = 'v')) comment = 'c' as select 1, 2; create or replace view v change_tracking = true as select * from t; select * from t where a = 'it\'s' or b = '\\' or c = 'x''y'; select 1 // comment ' quote
 + 2
----
select a from t fetch 2 rows only
