create or replace table `proj-1.ds.t`
partition by date_trunc(ts, month)
cluster by a, b
options (description = "x", labels = [('a', 'b')], partition_expiration_days = 30, require_partition_filter = true)
as
select
  * except (x, y),
  t.* replace (z + 1 as z, if(a, b, c) as a),
  safe_cast(a as int64) as a,
  cast(b as string format 'YYYY'),
  array_agg(distinct c ignore nulls order by d desc limit 10)[safe_offset(0)].e,
  array(select as struct x, y from unnest(arr) as x with offset y where x > 1),
  (select as value struct(1 as a, 2 as b)).a,
  struct<a int64, b array<string>>(1, ['x']).b[ordinal(1)],
  [1, 2, 3], array<int64>[1, 2], array<struct<a int64, b string>>[(1, 'x'), (2, 'y')],
  date '2024-01-01', timestamp "2024-01-01 00:00:00+00", numeric '1.5', json '{"a": 1}', interval 1 day, interval '1-2 3 4:5:6' year to second, b'abc', rb"\x00", """triple "quoted" string""", r'\d+',
  date_add(d, interval 1 month), date_diff(a, b, day), date_trunc(d, week(monday)), timestamp_trunc(ts, hour, 'UTC'), extract(isoweek from d), extract(date from ts at time zone 'Europe/Berlin'), last_day(d, year), format_date('%Y', d), generate_date_array('2024-01-01', '2024-12-31', interval 1 month), datetime_diff(a, b, microsecond),
  regexp_extract(a, r'(\d+)'), net.host(url), safe.parse_date('%Y', x), ml.predict_proba, keys.new_keyset('x'), count(distinct if(a, b, null)), countif(a > 1), approx_top_count(a, 3), any_value(a having min b), string_agg(a, ',' order by b limit 3), percentile_cont(a, 0.5) over (partition by b), lag(a, 1, 0) over w, first_value(a ignore nulls) over (w rows between unbounded preceding and current row), row_number() over (),
  @param, @@session.x, ?, a.b.c[offset(1)].d['k'], j.a.b[0], lax_string(j.x), `proj`.ds.fn(a), to_json_string(t), t, current_date, current_timestamp(), a is true, b not in unnest([1, 2]), c in unnest(@arr), d like any ('a', 'b'), e between 1 and 2, (a, b) in ((1, 2)), exists (select 1), case a when 1 then 2 end, a || b, a << 1, ~a, not a, a <> b, a != b
from `proj-1`.ds.t as t, t.arr as el, unnest(t.arr2) as e with offset as o, proj-1.ds.u for system_time as of timestamp_sub(current_timestamp(), interval 1 hour) u tablesample system (10 percent)
left join unnest(generate_array(1, 10)) n on true cross join unnest([struct(1 as a)]) inner join ds.v using (id, k) right outer join (ds.w join ds.x on w.a = x.a) on w.id = t.id full join `ds.y_*` on _table_suffix between '20240101' and '20240131'
where a = 1 and _partitiontime >= '2024-01-01'
group by 1, rollup (a, b), grouping sets ((a), ())
having count(*) > 1
qualify rank() over (partition by a order by b) = 1
window w as (partition by a order by b desc), w2 as w
order by 1 desc nulls last, b collate 'und:ci' asc
limit 10 offset 5
----
with a as (select 1 as x), b as (select * from a union distinct select 2 intersect distinct select 3), recursive_ as (select 1) select x, from b where true
----
select * from ds.t pivot (sum(a) as s, count(*) c for b in ('x' as xx, 'y', 3)) as p; select * from ds.t unpivot exclude nulls (v for k in (a, b as 'bb')); select * from ds.t unpivot ((a, b) for q in ((a1, b1) as 'q1', (a2, b2))); select * from ds.f(1, table ds.t), ml.predict(model ds.m, table ds.t, struct(0.5 as threshold)), ml.forecast(model `ds.m`, struct(30 as horizon)), external_query("conn", "select 1"), appends(table ds.t, null), vector_search(table ds.a, 'emb', (select 1), top_k => 3), ds.tvf(a => 1) as z
----
merge ds.t as T using (select * from ds.s where d = current_date()) as S on T.id = S.id and T.d >= '2024-01-01' when matched and S.x is null then delete when matched then update set T.a = S.a, b.c = S.b when not matched by target then insert (id, a) values (S.id, default) when not matched by source and T.y then update set z = 1 when not matched then insert row
----
insert into ds.t (a, b) values (1, [struct(1 as x)]), (2, null); insert ds.t select * from ds.s; update ds.t t set t.a = s.a, t.b.c = 3 from ds.s s where t.id = s.id; delete from ds.t where true; delete ds.t t where t.a in (select b from ds.u); truncate table ds.t
----
declare d date default current_date(); declare x, y int64; declare arr array<string>; declare s struct<a int64, b string> default (1, 'x');
set d = date_sub(d, interval 1 day); set (x, y) = (1, 2); set (x, y) = (select as struct 1, 2); set @@time_zone = 'UTC';
begin
  declare z int64 default 0;
  begin transaction;
  while z < 10 do
    set z = z + 1;
    if z = 3 then continue; elseif z = 5 then break; else insert into ds.l values (z); end if;
  end while;
  loop leave; end loop;
  repeat set z = z - 1; until z = 0 end repeat;
  for rec in (select a, b from ds.t) do
    insert into ds.q (a) values (rec.a);
  end for;
  case when z = 1 then select 1; else select 2; end case;
  case z when 1 then select 1; end case;
  execute immediate 'select @a + ?' into x using 1 as a;
  execute immediate format("create table %s as select 1", 'x');
  call ds.p(1, x);
  raise using message = 'bad';
  commit transaction;
exception when error then
  select @@error.message, @@error.stack_trace;
  rollback transaction;
  raise;
end;
----
create function ds.f(x int64, y any type) returns float64 as (x + y); create or replace temp function g(a string) returns string language js options (library = ['gs://x']) as """ return a; """; create table function ds.tvf(n int64) returns table<a int64, b string> as (select a, b from ds.t where c = n); create table function ds.tvf2() as select 1 as a; create function ds.r(x float64) returns float64 remote with connection us.c options (endpoint = 'https://x'); create aggregate function ds.agg(x float64) returns float64 as (sum(x)); create procedure ds.spark() with connection `us.c` options (engine = 'SPARK') language python as r"""print(1)"""; create procedure ds.p(in a int64, out b string, inout c array<int64>) begin set b = (select max(x) from ds.t); end
----
create view ds.v (a options (description = 'x'), b) options (expiration_timestamp = timestamp '2025-01-01') as select 1, 2; create materialized view ds.mv partition by d options (enable_refresh = true) as select d, sum(a) s from ds.t group by d; create materialized view replica x as replica of y; create external table ds.e (a int64) with partition columns (d date) options (format = 'PARQUET', uris = ['gs://b/x/*'], hive_partition_uri_prefix = 'gs://b/x'); create snapshot table ds.s clone ds.t for system_time as of timestamp '2024-01-01'; create table ds.c clone ds.t; create table ds.d copy ds.t; create table ds.l like ds.t; create table ds.n (a int64 not null options (description = 'x'), b struct<c string, d array<struct<e date>>>, f numeric(10, 2) default 1, primary key (a) not enforced) partition by range_bucket(a, generate_array(0, 100, 10)); create model ds.m options (model_type = 'logistic_reg', input_label_cols = ['y']) as select * from ds.t; create or replace model ds.m2 transform (ml.standard_scaler(a) over () as a, y) options (x = 1) as select a, y from ds.t; create schema ds options (location = 'eu'); create search index i on ds.t (all columns); create row access policy p on ds.t grant to ('user:x') filter using (a = 1); create assignment x options (y = 1); create vector index vi on ds.t (e) options (index_type = 'IVF')
----
alter table ds.t add column if not exists a int64, drop column b, rename column c to d, alter column e set data type numeric, rename to u; alter table ds.t set options (x = 1); alter view ds.v set options (y = 2); alter materialized view ds.mv set options (z = 3); alter schema ds set options (a = 1); drop table if exists ds.t; drop view ds.v; drop materialized view ds.m; drop function ds.f; drop table function ds.tf; drop snapshot table ds.s; drop external table ds.e; drop model ds.m; drop schema ds cascade; export data options (uri = 'gs://b/x-*.csv', format = 'CSV', overwrite = true) as select a from ds.t; export data with connection c options (uri = 'x') as select 1; load data into ds.t (a int64) from files (format = 'CSV', uris = ['gs://b/x.csv']) with partition columns (d date); load data overwrite ds.t partition by d from files (uris = ['gs://x'], format = 'AVRO'); grant `roles/x` on table ds.t to 'user:a'; assert exists (select 1 from ds.t) as 'm'; explain select 1; begin; commit
----
from ds.t |> where a > 1 |> extend a + 1 as b, c as d |> set a = 2, c = upper(c) |> drop x, y |> rename a as aa |> as q |> join ds.u using (id) |> left join ds.v v on v.id = q.id |> aggregate sum(b) as s, count(*) group by c as cc, d desc |> order by s desc |> limit 10 offset 2 |> union all (select 1, 2), (select 3, 4) |> tablesample system (10 percent) |> call ds.tvf(1) as z |> pivot (sum(a) for b in ('x')) |> select distinct a, b |> window sum(a) over (partition by b) as w |> distinct
----
select a from ds.t # comment ' with quote
where b = "x\"y" -- other
/* block */ and c = 'it\'s' and d = '''a'b c''' and e = "'"
----
(select a from ds.t) union all select b from ds.u except distinct (select c from ds.v) order by 1; select * from (select 1) left join (select 2) on true; select x.*, from (select 1 as a) x; select count(*) from `proj.ds`.INFORMATION_SCHEMA.TABLES; select * from region-us.INFORMATION_SCHEMA.JOBS; select if((select count(*) from ds.t) > 0, 1, 0) as r; select t.a.b.c from ds.t; select * from ds.`t$20240101`; select array_length(split(a, ',')), a[0], a['x'], date(ts), time(1,2,3), left(a, 3), right(b, 2), replace(a, 'x', 'y'), format('%d', x), row, rows_, offset, value, end_, date, timestamp, day from t
