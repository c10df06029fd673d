import fc from "fast-check";
import { expect, test } from "vitest";
import { compose, layoutInput } from "../../src/draw/picture.ts";
import { anchor, cardAt, sizeOf } from "../../src/draw/geometry.ts";
import { columnCounts, columnPath, defaultList, drawnColumnEdges, listColumns } from "../../src/model/columns.ts";
import { flinkBox, flinkEnds } from "../../src/model/flink.ts";
import { columnKey, edgeKey } from "../../src/model/key.ts";
import type { EdgeInfo, NodeInfo } from "../../src/model/types.ts";
import { layoutByHops } from "../../src/layout/hops.ts";
import { Driver, Server, edge, k, nameOf } from "./server.ts";

const columns = (...names: string[]) => names.map((name) => ({ name, type: "bigint" }));

const columnEdge = (from: string, to: string, more: Partial<EdgeInfo> = {}): EdgeInfo => {
  const [a, x] = from.split(".") as [string, string];
  const [b, y] = to.split(".") as [string, string | undefined];
  return edge(a, b, { level: "column", from_column: x, to_column: y, ...more });
};

test("canvas 47: column edges are drawn only between nodes that are joined on the canvas", () => {
  const server = new Server([edge("a", "t"), edge("b", "a"), columnEdge("a.x", "t.y"), columnEdge("b.z", "a.x")]);
  const driver = Driver.at(server, "t");
  const drawn = () => drawnColumnEdges(driver.state.edges, driver.view).map((e) => `${nameOf(e.from)}.${e.from_column}`);
  expect(drawn()).toEqual(["a.x"]);
  driver.toggle("a", "left");
  expect(drawn().sort()).toEqual(["a.x", "b.z"]);
});

test("canvas 48: a node lists ten columns, with search and the number of those left", () => {
  const node = { ...new Server([]).node(k("wide")), columns: columns(...Array.from({ length: 3000 }, (_, i) => `c${i}`)), column_count: 3000 };
  expect(listColumns(node, defaultList)).toMatchObject({ more: 2990 });
  expect(listColumns(node, defaultList).columns).toHaveLength(10);
  const found = listColumns(node, { query: "C299", limit: 10 });
  expect(found.columns.map((c) => c.name)).toEqual(["c299", "c2990", "c2991", "c2992", "c2993", "c2994", "c2995", "c2996", "c2997", "c2998"]);
  expect(found.more).toBe(1);
  expect(listColumns({ ...node, columns: columns("a"), column_count: 3000 }, defaultList).more).toBe(2999);
});

test("canvas 49: a column's path is everything up and down from it, and nothing beside", () => {
  const edges = [columnEdge("a.x", "b.y"), columnEdge("b.y", "c.z"), columnEdge("a.x", "d.w"), columnEdge("e.v", "c.z"), columnEdge("f.u", "b", { direct: false })];
  const names = (key: string) => (key === k("b") ? ["y", "other"] : []);
  const path = columnPath(columnKey(k("b"), "y"), edges, names);
  expect([...path.columns].sort()).toEqual([columnKey(k("a"), "x"), columnKey(k("b"), "y"), columnKey(k("c"), "z"), columnKey(k("f"), "u")].sort());
  expect(path.edges.size).toBe(3);
});

test("canvas 49: on any graph the path is what a plain search reaches, cycles included", () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 25, selector: ([a, b]) => `${a}>${b}` });
  fc.assert(
    fc.property(pairs, (list) => {
      const edges = list.map(([a, b]) => columnEdge(`n${a}.x`, `n${b}.x`));
      const reach = (step: ([a, b]: [number, number]) => [number, number]) => {
        const seen = new Set([0]);
        for (let i = 0; i < 10; i++) for (const pair of list) { const [from, to] = step(pair); if (seen.has(from)) seen.add(to); }
        return seen;
      };
      const expected = new Set([...reach(([a, b]) => [a, b]), ...reach(([a, b]) => [b, a])]);
      const path = columnPath(columnKey(k("n0"), "x"), edges, () => ["x"]);
      expect([...path.columns].sort()).toEqual([...expected].map((n) => columnKey(k(`n${n}`), "x")).sort());
    }),
  );
});

test("canvas 50: a column tells how many of its neighbours are drawn, of all", () => {
  const drawn = [columnEdge("a.x", "t.y"), columnEdge("t.y", "b.z"), columnEdge("t.y", "b.z", { direct: false })];
  expect(columnCounts(k("t"), { name: "y", upstream_count: 4, downstream_count: 1 }, drawn)).toEqual({ drawn: 2, total: 5 });
});

test("canvas 51: a real-time task with two result tables has two centres, both drawn and without buttons", () => {
  const driver = new Driver(Server.of("a>r1", "a>r2", "r2>z"));
  driver.send({ type: "open", node: "task|flink|job", depth: 1 });
  driver.pending = [];
  const answer = { ...driver.server.graph(k("r1")), centres: [{ key: k("r1"), task: "task|flink|job" }, { key: k("r2"), task: "task|flink|job" }] };
  answer.nodes = ["a", "r1", "r2", "z"].map((name) => driver.server.node(k(name), 1));
  answer.edges = driver.server.edges;
  driver.do({ type: "opened", epoch: driver.state.epoch, depth: 1, answer });
  expect(driver.nodes()).toEqual(["a", "r1", "r2", "z"]);
  for (const name of ["r1", "r2"]) {
    expect(driver.roles(name)).toContain("root");
    expect([driver.button(name, "left"), driver.button(name, "right")]).toEqual([null, null]);
  }
});

test("canvas 52: an indirect column edge stays apart from a direct one between the same columns", () => {
  expect(edgeKey(columnEdge("a.x", "t.y"))).not.toBe(edgeKey(columnEdge("a.x", "t.y", { direct: false })));
});

test("canvas 53: names that the server merged come as aliases of one node, from whichever answer", () => {
  const driver = Driver.at(new Server([edge("a", "t")], { a: { aliases: ["hive|a"] } }), "t");
  const again = { ...driver.server.node(k("a")), aliases: ["trino|a"] };
  const answer = { ...driver.server.graph(k("t")), nodes: [again] };
  driver.do({ type: "refined", epoch: driver.state.epoch, answer });
  expect(driver.view.nodes.get(k("a"))!.info.aliases).toEqual(["hive|a", "trino|a"]);
});

const job = "task|flink://jobs|enrich";
const flinkTask: NodeInfo = {
  ...new Server([]).node(job),
  family: "task",
  kind: "realtime",
  flink: { sources: [{ name: "src", physical: k("in1") }, { name: "dim", physical: k("in2") }], results: [{ name: "sink", physical: k("out") }] },
};
const taskEdge = (from: string, to: string): EdgeInfo => ({ ...edge("x", "y"), from, to, kind: "task", statements: [1] });
const flinkEdges = [taskEdge(k("in1"), job), taskEdge(k("in2"), job), taskEdge(job, k("out"))];

/** A canvas around one node of the Flink graph. */
function flinkCanvas(centre: string): Driver {
  const server = new Server([...flinkEdges, edge("out", "next")]);
  const driver = new Driver(server);
  driver.send({ type: "open", node: centre, depth: 1 });
  driver.pending = [];
  const keys = [k("in1"), k("in2"), k("out"), k("next")];
  const nodes = [...keys.map((key) => server.node(key, 1)), { ...flinkTask, upstream_count: 2, downstream_count: 1 }];
  driver.do({ type: "opened", epoch: driver.state.epoch, depth: 1, answer: { ...server.graph(centre), centres: [{ key: centre }], nodes, edges: server.edges } });
  return driver;
}

test("canvas 41: a FlinkSQL task is one box that holds its mapped sources, itself and its mapped results", () => {
  const box = flinkBox(flinkTask)!;
  expect(box.sources.map((s) => s.name)).toEqual(["src", "dim"]);
  expect(box.results.map((r) => r.name)).toEqual(["sink"]);
  expect(flinkBox({ ...flinkTask, flink: { sources: [], results: [] } })).toBeNull();
  expect(flinkBox(new Server([]).node(k("t")))).toBeNull();
});

const boxOf = (key: string) => (key === job ? flinkBox(flinkTask) : null);

test("canvas 42: edges between a mapping and its real table are dashed, all others solid", () => {
  expect(flinkEdges.map((e) => flinkEnds(e, boxOf).dashed)).toEqual([true, true, true]);
  expect(flinkEnds(edge("out", "next"), boxOf).dashed).toBe(false);
  // A table that no mapping names joins the task itself, solid.
  expect(flinkEnds(taskEdge(k("elsewhere"), job), boxOf)).toMatchObject({ to: { part: "task" }, dashed: false });
});

test("canvas 43: as the centre a box has its sources on the left and its results on the right", () => {
  const driver = flinkCanvas(job);
  expect(driver.nodes()).toEqual(["enrich", "in1", "in2", "out"]);
  const show = { view: driver.view, edges: driver.state.edges, columns: false, lists: new Map() };
  const picture = compose(show, layoutByHops(layoutInput(show, [job], {})), new Map());
  const [box, left, right] = [job, k("in1"), k("out")].map((key) => picture.cards.get(key)!);
  expect(left!.x + left!.width).toBeLessThan(box!.x);
  expect(right!.x).toBeGreaterThan(box!.x + box!.width);
  const card = cardAt(box!);
  expect(anchor(box!, { part: "sources", index: 0 }, "to").x).toBeLessThan(card.x);
  expect(anchor(box!, { part: "results", index: 0 }, "from").x).toBeGreaterThan(card.x);
});

test("canvas 44: upstream of X the result mapping joins X by a dashed edge", () => {
  const driver = flinkCanvas(k("out"));
  expect(driver.nodes()).toEqual(["enrich", "in1", "in2", "next", "out"]);
  const joining = [...driver.view.edges.values()].find((e) => e.to === k("out"))!;
  expect(flinkEnds(joining, boxOf)).toEqual({ from: { part: "results", index: 0 }, to: { part: "task", index: 0 }, dashed: true });
});

test("canvas 45: downstream of X the source mapping joins X by a dashed edge", () => {
  const driver = flinkCanvas(k("in2"));
  const joining = [...driver.view.edges.values()].find((e) => e.from === k("in2"))!;
  expect(flinkEnds(joining, boxOf)).toEqual({ from: { part: "task", index: 0 }, to: { part: "sources", index: 1 }, dashed: true });
});

test("canvas 46: the box folds, opens and is laid out as one node", () => {
  const driver = flinkCanvas(k("out"));
  driver.do({ type: "toggle", key: job, side: "left" });
  expect(driver.nodes()).toEqual(["enrich", "next", "out"]);
  driver.do({ type: "toggle", key: job, side: "left" });
  expect(driver.nodes()).toEqual(["enrich", "in1", "in2", "next", "out"]);
  const show = { view: driver.view, edges: driver.state.edges, columns: false, lists: new Map() };
  const input = layoutInput(show, [k("out")], {});
  expect(input.nodes.filter((n) => n.key.includes("enrich"))).toEqual([{ key: job, ...sizeOf(null, flinkBox(flinkTask)) }]);
});

test("canvas 18: neighbours beyond a task that was put in between are the ones counted", () => {
  const driver = flinkCanvas(k("out"));
  // in1 and in2 reach out through the task; closing it hides two, and each of them knows of one further side.
  expect(driver.button("in1", "right")).toBeNull();
  driver.do({ type: "toggle", key: job, side: "left" });
  expect(driver.view.nodes.get(job)!.left).toMatchObject({ shows: "plus", hidden: 2 });
});
