/** The lineage that the browser tests draw, as events. */
import type { CloudEvent } from "./server.ts";

export const home = "mysql://db.test:3306";
export const key = (name: string): string => `dataset|${home}|${name}`;
export const taskKey = (id: string): string => `task|default|${id}`;

let made = 0;

export const event = (type: string, data: unknown): CloudEvent => ({ specversion: "1.0", id: `test-${++made}`, source: "tributary/web/test", type: `tributary.${type}.v1`, data });

const ref = (name: string) => ({ namespace: home, name });

/** A task that declares edges, written `from>to`, or as a pair where a name holds a >. */
export function declared(id: string, pairs: (string | [string, string])[], branch?: string): CloudEvent {
  const outputs = new Map<string, string[]>();
  for (const pair of pairs) {
    const [from, to] = typeof pair === "string" ? (pair.split(">") as [string, string]) : pair;
    outputs.set(to, [...(outputs.get(to) ?? []), from]);
  }
  const inputs = [...new Set([...outputs.values()].flat())].map((name) => ref(name));
  return event("task.defined", { id, branch, inputs, outputs: [...outputs].map(([name, from]) => ({ ...ref(name), from: from.map(ref) })) });
}

export const table = (name: string, columns: object[]): CloudEvent => event("table.defined", { namespace: home, name, columns });

/** Names that a page must survive. */
export const odd = {
  long: `odd.${"very_long_name_".repeat(33)}end`,
  rtl: "odd.مبيعات_اليوم",
  emoji: "odd.sales_📈_👩‍👩‍👧‍👦_2026",
  html: `odd.<img src=x onerror="window.pwned=1"><script>window.pwned=2</script>`,
};

/** A layered graph of so many nodes: each after the first has one or two sources before it. */
export function layered(prefix: string, count: number): string[] {
  let seed = 11;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  const pairs: string[] = [];
  for (let i = 1; i < count; i++) {
    pairs.push(`${prefix}.n${Math.max(0, Math.floor((i - 1) / 3))}>${prefix}.n${i}`);
    if (i > 10 && random(10) < 4) pairs.push(`${prefix}.n${Math.floor(i / 3) - 1 - random(2)}>${prefix}.n${i}`);
  }
  return pairs;
}

const flinkSql = `CREATE TABLE clicks (id BIGINT, user_id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'bus.test:9092');
CREATE TABLE users (id BIGINT, name STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db.test:3306/fl', 'table-name' = 'users');
CREATE TABLE enriched (id BIGINT, name STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db.test:3306/fl', 'table-name' = 'enriched');
CREATE TABLE counted (user_id BIGINT, n BIGINT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db.test:3306/fl', 'table-name' = 'counted');
INSERT INTO enriched SELECT c.id, u.name FROM clicks c JOIN users u ON c.user_id = u.id;
INSERT INTO counted SELECT user_id, COUNT(*) FROM clicks GROUP BY user_id;`;

export const columnSql = `INSERT INTO col.totals (day, buyer, gmv)
SELECT o.day,
       u.email,
       SUM(o.amount)
FROM col.orders o
JOIN col.users u ON o.user_id = u.id
WHERE o.status = 'paid'
GROUP BY o.day, u.email`;

/** All that most tests need. */
export function basics(): CloudEvent[] {
  const wide = Array.from({ length: 3000 }, (_, i) => ({ name: `c${String(i).padStart(4, "0")}`, type: "bigint" }));
  return [
    declared("chain", ["c.a5>c.a4", "c.a4>c.a3", "c.a3>c.a2", "c.a2>c.a1", "c.a1>c.t", "c.x>c.t", "c.t>c.d1", "c.t>c.e", "c.d1>c.d2", "c.d2>c.d3", "c.d3>c.d4", "c.d4>c.d5", "c.u>c.d1", "c.w>c.u"]),
    declared("loops", ["k.a>k.b", "k.b>k.a", "k.b>k.b", "k.b>k.c"]),
    declared("hub", Array.from({ length: 130 }, (_, i) => `h.hub>h.leaf${String(i).padStart(3, "0")}`).concat(["h.top>h.hub"])),
    table("lonely.t", [{ name: "id", type: "bigint" }]),
    declared("odd", Object.values(odd).flatMap((name): [string, string][] => [[name, "odd.centre"], ["odd.centre", `${name}2`]])),
    declared("edit", ["m.a>m.t", "m.t>m.b", "m.b>m.c", "m.p>m.q"]),
    declared("filters", ["f.a>f.t", "f.t>f.v", "f.v>f.z"]),
    event("table.defined", { namespace: home, name: "f.v", kind: "view", columns: [{ name: "id", type: "bigint" }] }),
    table("col.orders", [{ name: "id", type: "bigint" }, { name: "day", type: "date" }, { name: "amount", type: "decimal(12,2)" }, { name: "user_id", type: "bigint" }, { name: "status", type: "varchar(16)" }]),
    table("col.users", [{ name: "id", type: "bigint" }, { name: "email", type: "varchar(255)", masked: true }]),
    table("col.totals", [{ name: "day", type: "date" }, { name: "buyer", type: "varchar(255)" }, { name: "gmv", type: "decimal(18,2)" }]),
    table("col.report", [{ name: "day", type: "date" }, { name: "gmv", type: "decimal(18,2)" }]),
    event("task.defined", { id: "totals", owner: "sales", sql: columnSql, dialect: "mysql", default_source: home }),
    event("task.defined", { id: "report", sql: "INSERT INTO col.report SELECT day, gmv FROM col.totals", dialect: "mysql", default_source: home }),
    table("wide.src", wide),
    table("wide.dst", wide),
    event("task.defined", { id: "wide", sql: "INSERT INTO wide.dst SELECT * FROM wide.src", dialect: "mysql", default_source: home }),
    event("task.defined", { id: "flink", kind: "realtime", name: "enrich_clicks", sql: flinkSql, dialect: "flink", default_source: home }),
    event("task.defined", { id: "broken", sql: "INSERT INTO br.good SELECT id FROM br.src;\nSELEKT broken FROM nothing WHERE (;", dialect: "mysql", default_source: home }),
    event("task.defined", { id: "gmv_api", kind: "api", name: "GET /gmv", inputs: [{ ...ref("col.totals"), columns: [{ name: "gmv" }] }] }),
    event("run.completed", { run_id: "run-1", task: { id: "totals" }, started: "2026-01-02T03:04:05Z", ended: "2026-01-02T03:05:05Z" }),
    declared("branchy", ["b.src>b.dst"]),
    declared("branchy", ["b.src>b.dst", "b.extra>b.dst"], "feature"),
    event("source.registered", { id: "one", name: "One", engine: "mysql", addresses: ["mysql://one.test:3306", "mysql://alias.test:3306"] }),
    event("task.defined", { id: "aliased", inputs: [{ namespace: "mysql://one.test:3306", name: "al.t" }, { namespace: "mysql://alias.test:3306", name: "al.t" }], outputs: [{ ...ref("al.out") }] }),
  ];
}

/** Declares edges by several tasks of so many edges each. */
export function split(id: string, pairs: string[], size: number): CloudEvent[] {
  const events: CloudEvent[] = [];
  for (let at = 0; at < pairs.length; at += size) events.push(declared(`${id}-${at}`, pairs.slice(at, at + size)));
  return events;
}

/** Graphs that are large; sent apart because they take longer. */
export const large = (): CloudEvent[] => [...split("five-hundred", layered("l5", 500), 200), ...split("many", layered("l12", 1200), 200)];

/** A hub with 100,000 neighbours. */
export function greatHub(): CloudEvent[] {
  return Array.from({ length: 20 }, (_, part) => declared(`great-${part}`, Array.from({ length: 5000 }, (_unused, i) => `g.hub>g.n${part * 5000 + i}`)));
}
