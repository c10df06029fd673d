create or replace package body etl.pkg_load as
  gc_name constant varchar2(30 char) := 'PKG';
  type t_rec is record (id number, name varchar2(100));
  type t_tab is table of t_rec index by pls_integer;
  type t_ids is table of emp.id%type;
  type t_cur is ref cursor return emp%rowtype;
  subtype t_name is varchar2(10);
  e_bad exception;
  pragma exception_init(e_bad, -20001);
  g_cnt number not null default 0;
  cursor c_emp (p_dept number) return emp%rowtype is select * from emp where dept = p_dept for update of sal nowait;

  procedure log_it (p_msg in varchar2, p_lvl in out nocopy number) is
    pragma autonomous_transaction;
  begin
    insert into log_tab (id, msg, ts) values (log_seq.nextval, substr(p_msg, 1, 4000), systimestamp);
    commit;
  end log_it;

  function get_rate (p_cur in varchar2 default 'EUR') return number result_cache deterministic is
    l_rate number;
  begin
    select r.rate into l_rate from rates r where r.cur = p_cur and rownum = 1;
    return l_rate;
  exception
    when no_data_found then return 1;
    when too_many_rows or e_bad then raise_application_error(-20002, 'x' || sqlerrm);
    when others then raise;
  end;

  procedure run (p_date date := trunc(sysdate)) is
    l_tab t_tab;
    l_ids t_ids := t_ids();
    l_sql varchar2(32767);
    l_row emp%rowtype;
    rc sys_refcursor;
  begin
    g_cnt := 0;
    l_sql := q'[insert into x select 'a' from dual]';
    execute immediate l_sql;
    execute immediate 'update t set a = :1 where b = :2 returning c into :3' using l_row.id, in p_date returning into g_cnt;
    execute immediate 'select count(*) from t' into g_cnt;
    for r in (select id, sal from emp where hired < p_date order by 1) loop
      update emp e set e.sal = r.sal * get_rate('USD') where e.id = r.id;
      exit when sql%rowcount = 0;
    end loop;
    for r in c_emp(10) loop
      l_tab(r.id).name := r.name;
      continue when r.id = 5;
    end loop;
    <<outer>>
    for i in reverse 1 .. l_tab.count loop
      null;
    end loop outer;
    while g_cnt < 10 loop
      g_cnt := g_cnt + 1;
    end loop;
    loop
      fetch rc bulk collect into l_ids limit 1000;
      exit when l_ids.count = 0;
      forall i in 1 .. l_ids.count save exceptions
        insert into archive (id) values (l_ids(i));
      forall i in indices of l_ids delete from emp where id = l_ids(i) returning id bulk collect into l_ids;
    end loop;
    open rc for select * from emp where dept = p_date;
    open rc for l_sql using 1;
    close rc;
    open c_emp(1);
    fetch c_emp into l_row;
    if c_emp%notfound then
      goto done;
    elsif g_cnt between 1 and 2 then
      pkg_other.do_it(p_a => 1, p_b => l_row);
      log_it('x', g_cnt);
    else
      dbms_output.put_line('x');
    end if;
    case g_cnt when 1 then null; else log_it(sqlerrm, g_cnt); end case;
    case when g_cnt > 1 then delete from a; end case;
    select id bulk collect into l_ids from emp;
    insert into emp values l_row;
    update emp set row = l_row where id = 1;
    merge into tgt t using (select :x as a from dual) s on (t.a = s.a) when matched then update set t.b = 1 delete where t.c = 2 when not matched then insert (a) values (s.a) where s.a > 1;
    declare
      v number;
    begin
      select count(*) into v from dual;
    end;
    <<done>>
    commit work;
    pipe row (l_row);
    return;
  end run;
begin
  g_cnt := 1;
end pkg_load;
/
create or replace package etl.pkg_load as
  procedure run (p_date date := trunc(sysdate));
  function get_rate (p_cur in varchar2 default 'EUR') return number;
end pkg_load;
/
----
select /*+ parallel(8) */ e.ename, d.dname "Dept", e.sal * 12 annual, nvl2(e.comm, 1, 0), decode(d.id, 1, 'x', 2, 'y', 'z'), to_char(e.hired, 'YYYY-MM-DD'), e.rowid, rownum, level, sysdate - interval '1' day, interval '1-2' year to month, interval '3 4:5:6' day(2) to second(3), timestamp '2024-01-01 00:00:00 UTC', date '2024-01-01', extract(year from hired), trim(leading '0' from x), cast(multiset(select 1 from dual) as t_tab), cast(x as varchar2(10 char)), treat(o as t_sub).attr, o.obj.method(1), xmltype(x).getclobval(), x.extract('/a/b/text()').getstringval(), listagg(a, ',' on overflow truncate) within group (order by b) over (partition by c), max(sal) keep (dense_rank last order by hired nulls first) over (partition by d), count(*) over (order by a range between interval '7' day preceding and current row), lag(x ignore nulls, 1) over (order by y), first_value(x) ignore nulls over (order by y), ratio_to_report(sal) over (), cursor(select 1 from dual), :bind, &sub, &&sub2, user, uid, q'{it's}', n'x', 'a' || chr(10) || 'b', x ** 2, mod(a, b), a != b, a ^= b, a <> b, case when a = 1 then 2 end, json_value(j, '$.a' returning number default 0 on error), json_object('a' value b, key 'c' is d absent on null), j.a.b[0].string(), xmlelement("x", xmlattributes(a as "b"), xmlagg(xmlelement("y", c) order by d)), column_value, table_name
from emp e, dept d, (select deptno, avg(sal) a from emp group by deptno) v, table(pkg.f(1)) t, table(cast(x as t_tab)) t2, the_table@dblink.world r, lateral (select 1 from dual) l, xmltable('/r/i' passing x.doc columns a number path '@a', b varchar2(10) path 'b', seq for ordinality) xt, json_table(j.doc, '$.a[*]' columns (id number path '$.id', nested path '$.b[*]' columns (c varchar2(10) path '$')) ) jt, t partition (p1) tp, t subpartition for ('x') ts, t sample block (10) tsb, t as of scn 123 ta, t versions between timestamp minvalue and maxvalue tv
where e.deptno = d.deptno(+) and e.mgr(+) = 5 and d.loc (+) is not null and v.deptno = e.deptno and (e.a, e.b) in (select x, y from z) and e.name like 'A\_%' escape '\' and regexp_like(x, 'y', 'i') and e.sal >= any (1, 2) and not exists (select null from q) and x member of y and a is not a set and b is json and e.d between sysdate - 1 and sysdate
start with e.mgr is null connect by nocycle prior e.empno = e.mgr and level < 5
group by rollup (a, (b, c)), grouping sets (d, e), cube (f)
having count(*) > 1
order siblings by e.ename desc nulls last
offset 5 rows fetch first 10 percent rows with ties
----
select a from t union all select b from u minus select c from v intersect select d from w order by 1 for update of a skip locked
----
with function f(x number) return number is begin return x; end; q as (select 1 a from dual), r (n, p) as (select 1, 2 from dual union all select n + 1, p from r where n < 5) search depth first by n set ord cycle n set is_c to 'Y' default 'N' select * from q, r
----
select * from (select a, b, c from t) pivot xml (sum(c) as s, count(*) as n for (a, b) in ((1, 2) as x, (3, 4))) ; select * from t unpivot exclude nulls ((a, b) for k in ((a1, b1) as 'x', (a2, b2) as 'y'))
----
select * from t match_recognize (partition by s order by d measures strt.d as sd, final last(dn.p) as b one row per match after match skip to last up pattern (strt dn+ up+) define dn as dn.p < prev(dn.p), up as up.p > prev(up.p)) mr; select c, y, s from v model return updated rows partition by (c) dimension by (y) measures (s sale) rules (s[2002] = s[2001] * 1.1) order by c
----
insert /*+ append */ into t (a, b) select /*+ x */ 1, 2 from dual log errors into err$_t ('tag') reject limit unlimited; insert all into a (x) values (y) into b values (z) select y, z from t; insert all when y > 1 then into a (x) values (y) into c else into b select y, z from t; insert into (select a, b from t where c = 1 with check option) values (1, 2); insert into t values (1, default, seq.nextval) returning id, a into :x, :y; insert into t partition (p1) select * from u; insert into t select * from u where rownum < 10
----
update (select e.sal, d.x from emp e join dept d on e.d = d.d) set sal = x; update emp e set (a, b) = (select x, y from t where t.i = e.i), c = null where exists (select 1 from t where t.i = e.i) returning a into :v; delete emp where a = 1; delete from (select * from emp) where x = 1; delete from emp e where e.rowid > (select min(rowid) from emp f where f.a = e.a)
----
create table t (id number(10) generated always as identity, a varchar2(10 byte) default 'x' not null enable, b clob, c number invisible, d as (a || 'x') virtual, e date default on null sysdate, constraint pk primary key (id) using index tablespace x, constraint fk foreign key (a) references u (a) on delete set null) tablespace users pctfree 10 storage (initial 64k) partition by range (e) interval (numtoyminterval(1, 'MONTH')) subpartition by hash (id) subpartitions 4 (partition p0 values less than (date '2024-01-01') tablespace y, partition pm values less than (maxvalue)) compress for query high parallel 4 nologging lob (b) store as securefile; create table c as select * from t; create global temporary table g (a number) on commit preserve rows; create table e (a number) organization external (type oracle_loader default directory d access parameters (records delimited by newline fields terminated by ',') location ('x.csv')) reject limit unlimited; create table n compress nologging parallel 8 as select /*+ x */ a from b where 1 = 0; create table iot (a number primary key) organization index; create private temporary table ora$ptt_x as select 1 a from dual
----
create or replace force view v (a, b) as select 1, 2 from dual with check option constraint c; create materialized view mv (a, b) tablespace x build deferred refresh complete start with sysdate next sysdate + 1 with rowid enable query rewrite as select a, b from t; create materialized view log on t with primary key, rowid (a) including new values; create or replace editionable synonym s for u.t@l; create public synonym s for t; create database link l connect to u identified by "p" using 'tns'; create sequence s start with 1 increment by 1 nocache; create index i on t (upper(a)) local online; create bitmap index bi on t (a); create or replace type ty as object (a number, member function f return number); 
/
create or replace type tt as table of ty;
/
create or replace directory d as '/x'; alter table t add (a number, b varchar2(10)); alter table t modify a not null; alter table t drop column a cascade constraints; alter table t rename column a to b; alter table t rename to u; rename a to b; alter table t exchange partition p with table u including indexes without validation; alter table t truncate partition p; alter table t add partition p values less than (1); alter session set nls_date_format = 'x'; alter session enable parallel dml; alter index i rebuild; alter package p compile body; alter trigger t disable; alter user u identified by p; grant select on t to u with grant option; comment on table t is 'x'; comment on column t.a is 'y'; analyze table t compute statistics; truncate table t drop storage; drop table t cascade constraints purge; drop package p; purge recyclebin; flashback table t to before drop; lock table t in exclusive mode nowait; savepoint a; rollback to a; commit; set transaction read only; set role all; explain plan set statement_id = 'x' for select 1 from dual; call p(1); audit select on t; noaudit all; begin null; end;
/
----
create or replace trigger trg before insert or update of a, b or delete on t referencing new as n old as o for each row follows x when (n.a > 1) declare v number; begin if inserting then :n.id := seq.nextval; elsif updating('A') then :n.b := :o.b + 1; end if; insert into h select :n.id, d.x from d where d.id = :o.id; end;
/
create or replace trigger ct for update on t compound trigger before statement is begin null; end before statement; after each row is begin insert into h values (:new.id); end after each row; end ct;
/
create trigger lt after logon on database begin null; end;
/
----
create or replace function f (p in number, q out varchar2) return varchar2 pipelined parallel_enable authid current_user as language java name 'X.f(int) return java.lang.String'; 
/
create or replace procedure p authid definer as begin null; end;
/
create or replace function tf return t_tab pipelined is begin for r in (select 1 a from dual) loop pipe row (r.a); end loop; return; end tf;
/
----
SET ECHO OFF FEEDBACK OFF
COLUMN a FORMAT a10 HEADING 'It''s'
PROMPT it's running
@scripts/run.sql arg1
@@other
WHENEVER OSERROR EXIT FAILURE ROLLBACK
VARIABLE x NUMBER
EXEC :x := 5;
EXECUTE pkg.run(-
  1)
DEFINE schema = app
INSERT INTO &schema..t SELECT a FROM &&schema..s;
SHOW ERRORS
SPOOL off
DECLARE
  l_x NUMBER;
BEGIN
  EXECUTE IMMEDIATE 'truncate table t';
  EXIT;
END;
/
SELECT 1 FROM dual
/
EXIT SQL.SQLCODE
----
select xmlelement("row", xmlattributes(id as "id", first || last full_name), xmlforest(a b, c)) from t
