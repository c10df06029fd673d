import fc from "fast-check";
import { expect, test } from "vitest";
import { csvCell } from "../../src/draw/export.ts";
import { describeEdge } from "../../src/draw/line.ts";
import { facets, filterView, nearest, noFilters, platformOf, type Filters } from "../../src/model/filter.ts";
import { closedSides, emptyPicture, readPicture, writePicture, type Picture } from "../../src/model/url.ts";
import { sideKey } from "../../src/model/state.ts";
import { viewOf } from "../../src/model/view.ts";
import { unionView } from "../../src/pages/diff.ts";
import { marksOfLine, related } from "../../src/pages/sql.ts";
import { Driver, Server, edge, k, manual, nameOf } from "./server.ts";

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const pictures: fc.Arbitrary<Picture> = fc.record({
  node: text,
  branch: text,
  asOf: text,
  depth: fc.constantFrom(-1, 1, 2, 50),
  tasks: fc.boolean(),
  columns: fc.boolean(),
  list: fc.boolean(),
  expansions: fc.array(fc.record({ key: text.filter((s) => s !== ""), side: fc.constantFrom("left" as const, "right" as const), layers: fc.constantFrom(0, 1, 3) }), { maxLength: 5 }),
  closed: fc.array(fc.tuple(text.filter((s) => s !== ""), fc.constantFrom("left" as const, "right" as const)).map(([key, side]) => sideKey(key, side)), { maxLength: 4 }),
  ways: fc.array(text.filter((s) => s !== ""), { maxLength: 3 }),
  filters: fc.record({ kinds: fc.array(text), namespaces: fc.array(text), platforms: fc.array(text), origin: fc.constantFrom("all" as const, "manual" as const, "parsed" as const) }),
  selected: text,
  column: text,
  moved: fc.array(fc.record({ key: text.filter((s) => s !== ""), x: fc.integer({ min: -9_999_999, max: 9_999_999 }), y: fc.integer({ min: -9_999_999, max: 9_999_999 }) }), { maxLength: 3 }),
});

test("canvas 55: a URL gives back the picture that it was written from", () => {
  fc.assert(fc.property(pictures, (picture) => void expect(readPicture(writePicture(picture))).toEqual(picture)));
});

test("canvas 55: unknown and malformed parameters are ignored", () => {
  expect(readPicture("node=a&colour=red&depth=many&origin=odd&open=x9:q&open=l3&shut=zz&tasks=1")).toEqual({ ...emptyPicture, node: "a" });
  fc.assert(fc.property(fc.string(), (query) => void expect(() => readPicture(query)).not.toThrow()));
});

test("canvas 55: replaying what the URL holds gives the same picture", () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 25, selector: ([a, b]) => `${a}>${b}` });
  const clicks = fc.array(fc.tuple(fc.nat(8), fc.constantFrom("left" as const, "right" as const)), { maxLength: 10 });
  fc.assert(
    fc.property(pairs, clicks, (list, steps) => {
      const server = Server.of(...list.map(([a, b]) => `n${a}>n${b}`));
      const first = Driver.at(server, "n0");
      for (const [n, side] of steps) first.toggle(`n${n}`, side);
      const picture = readPicture(writePicture({ ...emptyPicture, node: k("n0"), expansions: first.state.expansions, closed: closedSides(first.state) }));
      const second = new Driver(server);
      second.do({ type: "open", node: picture.node, depth: picture.depth, closed: picture.closed });
      for (const { key, side, layers } of picture.expansions) second.do({ type: "expand", key, side, layers });
      expect({ nodes: second.nodes(), edges: second.edges() }).toEqual({ nodes: first.nodes(), edges: first.edges() });
    }),
  );
});

test("canvas 57: a difference is drawn as one union, each part once", () => {
  const nodes = ["a", "b", "c"].map((name) => ({ ...new Server([]).node(k(name)), change: name === "a" ? ("added" as const) : ("unchanged" as const) }));
  const edges = [edge("a", "b", { change: "added" }), edge("b", "c", { change: "removed" }), edge("b", "c", { change: "removed" }), edge("c", "gone")];
  const view = unionView(nodes, edges);
  expect([...view.nodes.keys()].map(nameOf)).toEqual(["a", "b", "c"]);
  expect([...view.edges.values()].map((e) => e.change)).toEqual(["added", "removed"]);
  expect([...view.nodes.values()].every((n) => n.left === null && n.right === null)).toBe(true);
});

const filtered = (driver: Driver, filters: Partial<Filters>) => {
  const view = filterView(driver.view, { ...noFilters, ...filters }, driver.state.centres);
  return { nodes: [...view.nodes.keys()].map(nameOf).sort(), edges: [...view.edges.values()].map((e) => `${nameOf(e.from)}>${nameOf(e.to)}${e.kind === "bridge" ? `:${e.hidden}` : ""}`).sort() };
};

test("canvas 59: hidden nodes are bridged by an edge that counts them", () => {
  const server = new Server([edge("t", "v1"), edge("v1", "v2"), edge("v2", "z"), edge("t", "z")], { v1: { kind: "view" }, v2: { kind: "view" } });
  const driver = Driver.at(server, "t");
  driver.toggle("v1", "right");
  expect(filtered(driver, { kinds: ["view"] })).toEqual({ nodes: ["t", "z"], edges: ["t>z", "t>z:2"] });
  expect(filtered(driver, { kinds: ["table"] }).nodes).toEqual(["t", "v1", "v2"]);
  expect(facets(driver.view).kinds.get("view")).toBe(2);
});

test("canvas 59: a namespace or a platform is hidden and bridged; the platform is the server's word, or else the namespace's scheme", () => {
  const bus = { key: "dataset|kafka://bus:9092|topic", namespace: "kafka://bus:9092" };
  const extra = { lake: { namespace: "s3://lake", platform: "iceberg" }, other: { namespace: "mysql://other:3306" } };
  const driver = Driver.at(new Server([edge("lake", "t"), edge("other", "t"), edge("t", "z")], extra), "t");
  expect(filtered(driver, { namespaces: ["s3://lake"] }).nodes).toEqual(["other", "t", "z"]);
  expect(filtered(driver, { namespaces: ["s3://lake", "mysql://other:3306"] }).nodes).toEqual(["t", "z"]);
  expect(filtered(driver, { platforms: ["iceberg"] }).nodes).toEqual(["other", "t", "z"]);
  expect(platformOf({ ...driver.server.node(k("t")), ...bus })).toBe("kafka");
  const counts = facets(driver.view);
  expect([...counts.platforms].sort()).toEqual([["iceberg", 1], ["mysql", 3]]);
  expect([...counts.namespaces].sort()).toEqual([["mysql://other:3306", 1], ["mysql://shop:3306", 2], ["s3://lake", 1]]);
});

test("canvas 59: a centre is never hidden, and what a hidden platform joined is bridged", () => {
  const driver = Driver.at(new Server([edge("a", "lake"), edge("lake", "t")], { lake: { platform: "iceberg" }, t: { platform: "iceberg" } }), "t");
  driver.toggle("lake", "left");
  expect(filtered(driver, { platforms: ["iceberg"] })).toEqual({ nodes: ["a", "t"], edges: ["a>t:1"] });
});

test("canvas 59: edges are told apart by whether a person added them", () => {
  const driver = Driver.at(new Server([edge("a", "t"), manual("b", "t")]), "t");
  expect(filtered(driver, { origin: "manual" }).edges).toEqual(["b>t"]);
  expect(filtered(driver, { origin: "parsed" }).edges).toEqual(["a>t"]);
});

test("canvas 59: whatever is hidden, what was reachable stays reachable", () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 25, selector: ([a, b]) => `${a}>${b}` });
  fc.assert(
    fc.property(pairs, fc.array(fc.integer({ min: 1, max: 8 })), (list, hide) => {
      const extra = Object.fromEntries(hide.map((n) => [`n${n}`, { kind: "view" }]));
      const driver = Driver.at(new Server(list.map(([a, b]) => edge(`n${a}`, `n${b}`)), extra), "n0");
      for (const name of driver.nodes()) driver.toggle(name, "right").toggle(name, "left");
      const reach = (edges: Iterable<{ from: string; to: string }>, from: string) => {
        const all = [...edges];
        const seen = new Set([from]);
        for (let before = 0; before !== seen.size; ) {
          before = seen.size;
          for (const e of all) if (seen.has(e.from)) seen.add(e.to);
        }
        return seen;
      };
      const view = filterView(driver.view, { ...noFilters, kinds: ["view"] }, driver.state.centres);
      for (const from of view.nodes.keys()) {
        const before = reach(driver.view.edges.values(), from);
        const after = reach(view.edges.values(), from);
        expect([...after].sort()).toEqual([...before].filter((key) => view.nodes.has(key)).sort());
      }
    }),
  );
});

test("canvas 66: above the limit the nearest nodes are drawn", () => {
  const server = new Server(Array.from({ length: 40 }, (_, i) => edge(i === 0 ? "t" : `n${String(i - 1).padStart(2, "0")}`, `n${String(i).padStart(2, "0")}`)));
  const driver = new Driver(server);
  driver.send({ type: "open", node: k("t"), depth: -1 });
  driver.pending = [];
  const answer = { ...server.graph(k("t")), nodes: [k("t"), ...server.edges.map((e) => e.to)].map((key, i) => server.node(key, i)), edges: server.edges };
  driver.do({ type: "opened", epoch: driver.state.epoch, depth: -1, answer });
  expect(viewOf(driver.state).nodes.size).toBe(41);
  const near = nearest(viewOf(driver.state), 5);
  expect([...near.nodes.keys()].map(nameOf)).toEqual(["t", "n00", "n01", "n02", "n03"]);
  expect(near.edges.size).toBe(4);
});

test("canvas 61: a cell of CSV is never a formula, and quotes what must be quoted", () => {
  expect(["=1+1", "+x", "-x", "@x", 'a"b', "a,b", "plain"].map(csvCell)).toEqual(["'=1+1", "'+x", "'-x", "'@x", '"a""b"', '"a,b"', "plain"]);
  expect(csvCell(-3)).toBe("-3");
});

test("canvas 64: steps and errors are marked where they stand in the SQL", () => {
  const line = "SELECT sum(d.amount) AS gmv";
  const steps = [{ n: 1, kind: "column", line: 3, at: 12, text: "d.amount" }, { n: 2, kind: "aggregation", line: 3, at: 8, text: "sum" }, { n: 3, kind: "column", line: 9, at: 1 }];
  const marks = marksOfLine(line, 3, steps, []);
  expect(marks.map((m) => line.slice(m.from, m.to))).toEqual(["sum", "d.amount"]);
  const [wrong] = marksOfLine(line, 3, [], [{ kind: "syntax", message: "expected )", line: 3, column: 25 }]);
  expect(line.slice(wrong!.from, wrong!.to)).toBe("gmv");
  expect(marksOfLine("", 3, [], [{ kind: "syntax", message: "", line: 3, column: 99 }])).toHaveLength(1);
});

test("canvas 64: a step lights what leads to it and what it leads to", () => {
  const steps = { nodes: [], edges: [[1, 2], [2, 3], [4, 3], [3, 1]] as [number, number][] };
  expect([...related({ ...steps, edges: [[1, 2], [2, 3], [4, 3]] }, 2)].sort()).toEqual([1, 2, 3]);
  expect([...related(steps, 2)].sort()).toEqual([1, 2, 3, 4]);
});

test("canvas 34: an edge added by hand says by whom and when, in words", () => {
  expect(describeEdge(manual("a", "t"), "a", "t")).toContain("added by ann, 2 Jan 2026");
});

test("canvas 71: a node that the server leaves out is not drawn, and an edge to it waits without its name", () => {
  const driver = Driver.at(Server.of("a>t"), "t");
  const answer = { ...driver.server.graph(k("t")), nodes: [], edges: [edge("secret", "t")] };
  driver.do({ type: "refined", epoch: driver.state.epoch, answer });
  expect(driver.nodes()).toEqual(["a", "t"]);
  expect(driver.edges()).toEqual(["a>t"]);
});
