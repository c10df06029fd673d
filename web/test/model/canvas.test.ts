import fc from "fast-check";
import { expect, test } from "vitest";
import { reduce, type Action } from "../../src/model/canvas.ts";
import { edgeKey } from "../../src/model/key.ts";
import { emptyState, type CanvasState } from "../../src/model/state.ts";
import type { Answer, EdgeInfo, Side } from "../../src/model/types.ts";
import { viewOf } from "../../src/model/view.ts";
import { Driver, Server, edge, k, manual, nameOf } from "./server.ts";

/** Random graphs, cycles and self-loops among them. */
const pairs = fc.uniqueArray(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30, selector: ([a, b]) => `${a}>${b}` });
const serverOf = (list: [number, number][]) => Server.of(...list.map(([a, b]) => `n${a}>n${b}`));
const clicks = fc.array(fc.tuple(fc.nat(9), fc.constantFrom<Side>("left", "right")), { maxLength: 14 });

/** Keys reachable from the centre through drawn edges, computed plainly. */
function plainlyReached(state: CanvasState): string[] {
  const edges = [...viewOf(state).edges.values()];
  const reached = new Set(state.centres);
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const e of edges) if (reached.has(e.from) || reached.has(e.to)) reached.add(e.from).add(e.to);
  }
  return [...reached].sort();
}

test("canvas 01: opening a node sends one request and draws exactly three layers", () => {
  const server = Server.of("a>b", "b>t", "x>t", "t>c", "c>d");
  const driver = Driver.at(server, "t");
  expect(server.requests).toBe(1);
  expect(driver.nodes()).toEqual(["b", "c", "t", "x"]);
  expect(driver.edges()).toEqual(["b>t", "t>c", "x>t"]);
});

test("canvas 02: the asked node is the centre, and only it", () => {
  const driver = Driver.at(Server.of("a>t", "t>b"), "t");
  expect(driver.state.centres).toEqual([k("t")]);
  expect(driver.roles("t")).toEqual(["root"]);
});

test("canvas 03: upstream nodes are parents, downstream ones children", () => {
  const driver = Driver.at(Server.of("a>t", "t>b"), "t");
  expect(driver.roles("a")).toEqual(["parent"]);
  expect(driver.roles("b")).toEqual(["child"]);
});

test("canvas 04: loading, empty and failed are three states", () => {
  const driver = new Driver(Server.of("a>b"));
  driver.send({ type: "open", node: k("lonely"), depth: 1 });
  expect(driver.state.phase).toBe("loading");
  driver.do(driver.pending.shift()!);
  expect(driver.state.phase).toBe("empty");
  driver.failing = true;
  driver.do({ type: "open", node: k("a"), depth: 1 });
  expect(driver.state.phase).toBe("failed");
  expect(driver.state.fault?.message).toBe("broken");
  driver.failing = false;
  driver.do({ type: "open", node: k("a"), depth: 1 });
  expect(driver.state.phase).toBe("ready");
});

test("canvas 05: a node is never drawn twice, whatever is opened", () => {
  fc.assert(
    fc.property(pairs, clicks, (list, steps) => {
      const driver = Driver.at(serverOf(list), "n0");
      for (const [n, side] of steps) driver.toggle(`n${n}`, side);
      const keys = [...driver.view.nodes.values()].map((node) => node.info.key);
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

test("canvas 06: a response that names a drawn node adds only the missing edge", () => {
  const driver = Driver.at(Server.of("a>t", "b>t", "a>b"), "t");
  expect(driver.edges()).toEqual(["a>t", "b>t"]);
  driver.toggle("b", "left");
  expect(driver.nodes()).toEqual(["a", "b", "t"]);
  expect(driver.edges()).toEqual(["a>b", "a>t", "b>t"]);
});

test("canvas 07: an edge of one source, target and kind is drawn once", () => {
  const driver = Driver.at(new Server([edge("a", "t"), edge("a", "t", { origins: ["observed"] }), edge("a", "t", { direct: false })]), "t");
  expect(driver.edges()).toEqual(["a>t"]);
  expect([...driver.view.edges.values()][0]!.origins).toEqual(["observed", "parsed"]);
});

test("canvas 08: roles are a union, and a reverse + gives none", () => {
  const driver = Driver.at(Server.of("a>t", "t>c", "u>c", "c>a", "u>a"), "t");
  expect(driver.roles("c")).toEqual(["child"]);
  driver.toggle("c", "left");
  expect(driver.roles("u")).toEqual([]);
  driver.toggle("a", "left");
  expect(driver.roles("u")).toEqual(["parent"]);
  expect(driver.roles("c")).toEqual(["child", "parent"]);
});

test("canvas 09: C and D both feeding E give one E with two edges", () => {
  const driver = Driver.at(Server.of("t>c", "t>d", "c>e", "d>e"), "t");
  driver.toggle("c", "right").toggle("d", "right");
  expect(driver.nodes()).toEqual(["c", "d", "e", "t"]);
  expect(driver.edges()).toEqual(["c>e", "d>e", "t>c", "t>d"]);
});

test("canvas 10: cycles and self-loops draw, terminate and are marked", () => {
  const driver = Driver.at(new Server([edge("t", "t", { cycle: true }), edge("t", "a", { cycle: true }), edge("a", "t", { cycle: true })]), "t");
  expect(driver.edges()).toEqual(["a>t", "t>a", "t>t"]);
  expect([...driver.view.edges.values()].every((e) => e.cycle)).toBe(true);
  expect(driver.roles("a")).toEqual(["child", "parent"]);
});

test("canvas 11: responses applied in any order give the same graph", () => {
  fc.assert(
    fc.property(pairs, clicks, fc.infiniteStream(fc.nat()), (list, steps, choice) => {
      const inOrder = Driver.at(serverOf(list), "n0");
      const shuffled = Driver.at(serverOf(list), "n0");
      // The same expands of nodes that are drawn at the start; answers are held back and delivered in two orders.
      const drawn = inOrder.nodes().filter((name) => name !== "n0");
      for (const [n, side] of steps) {
        const name = drawn[n % Math.max(1, drawn.length)];
        if (name === undefined) continue;
        for (const driver of [inOrder, shuffled]) driver.send({ type: "expand", key: k(name), side, layers: n % 2 === 0 ? 3 : 1 });
      }
      while (inOrder.pending.length > 0) inOrder.send(inOrder.pending.shift()!);
      const picks = choice[Symbol.iterator]();
      while (shuffled.pending.length > 0) {
        const at = Number(picks.next().value) % shuffled.pending.length;
        shuffled.send(shuffled.pending.splice(at, 1)[0]!);
      }
      expect(shuffled.picture()).toEqual(inOrder.picture());
    }),
    { numRuns: 300 },
  );
});

test("canvas 11: an edge whose other end is not drawn yet waits for it", () => {
  const driver = Driver.at(Server.of("a>t"), "t");
  const answer: Answer = { centres: [], nodes: [], edges: [edge("z", "a")], position: "2", branch: "master", chain: ["master"] };
  driver.do({ type: "expanded", epoch: driver.state.epoch, key: k("a"), side: "left", layers: 1, ordinary: true, more: false, answer });
  expect(driver.edges()).toEqual(["a>t"]);
  driver.do({ type: "refined", epoch: driver.state.epoch, answer: { ...answer, edges: [], nodes: [driver.server.node(k("z"), 2)] } });
  expect(driver.edges()).toEqual(["a>t", "z>a"]);
});

test("canvas 12: the centre has no buttons", () => {
  const driver = Driver.at(Server.of("a>t", "t>b", "b>t"), "t");
  expect([driver.button("t", "left"), driver.button("t", "right")]).toEqual([null, null]);
  const before = driver.state;
  driver.toggle("t", "right");
  expect(driver.state).toBe(before);
});

test("canvas 13: a downstream node has a right button iff something is hidden there or the side was opened", () => {
  const driver = Driver.at(Server.of("t>c", "t>leaf", "c>d"), "t");
  expect(driver.button("leaf", "right")).toBeNull();
  expect(driver.button("c", "right")).toMatchObject({ shows: "plus", hidden: 1, ordinary: true });
  driver.toggle("c", "right");
  expect(driver.button("c", "right")).toMatchObject({ shows: "minus", hidden: 0 });
});

test("canvas 14: a left button counts the server's total less those drawn, and a − is there after a reverse +", () => {
  const driver = Driver.at(Server.of("t>c", "t>d", "u>c", "v>c"), "t");
  expect(driver.button("d", "left")).toBeNull();
  expect(driver.button("c", "left")).toMatchObject({ shows: "plus", hidden: 2, ordinary: false });
  driver.toggle("c", "left");
  expect(driver.button("c", "left")).toMatchObject({ shows: "minus" });
});

test("canvas 15: upstream nodes are the mirror of downstream ones", () => {
  const flipped = Driver.at(Server.of("c>t", "leaf>t", "d>c", "c>u"), "t");
  expect(flipped.button("leaf", "left")).toBeNull();
  expect(flipped.button("c", "left")).toMatchObject({ shows: "plus", hidden: 1, ordinary: true });
  expect(flipped.button("c", "right")).toMatchObject({ shows: "plus", hidden: 1, ordinary: false });
});

test("canvas 16: a node of both roles has both buttons, and both are ordinary", () => {
  const driver = Driver.at(Server.of("a>t", "t>a", "p>a", "a>q"), "t");
  expect(driver.roles("a")).toEqual(["child", "parent"]);
  expect(driver.button("a", "left")).toMatchObject({ shows: "plus", ordinary: true });
  expect(driver.button("a", "right")).toMatchObject({ shows: "plus", ordinary: true });
});

test("canvas 17: + when closed, − when open, a spinner while loading; a double click sends one request", () => {
  const driver = Driver.at(Server.of("t>c", "c>d"), "t");
  expect(driver.button("c", "right")!.shows).toBe("plus");
  const requests = driver.server.requests;
  driver.send({ type: "toggle", key: k("c"), side: "right" });
  driver.send({ type: "toggle", key: k("c"), side: "right" });
  expect(driver.button("c", "right")!.shows).toBe("loading");
  expect(driver.server.requests).toBe(requests + 1);
  driver.do(driver.pending.shift()!);
  expect(driver.button("c", "right")!.shows).toBe("minus");
});

test("canvas 18: + shows the hidden count", () => {
  const driver = Driver.at(Server.of("t>c", "c>d", "c>e", "c>f", "t>d"), "t");
  // d is drawn, but its edge from c is not: it is among the three that a + would bring.
  expect(driver.button("c", "right")!.hidden).toBe(3);
});

test("canvas 19: an ordinary + loads three layers in one request, on either side", () => {
  const driver = Driver.at(Server.of("a>t", "b>a", "c>b", "d>c", "e>d", "t>p", "p>q", "q>r", "r>s", "s>z"), "t");
  const requests = driver.server.requests;
  driver.toggle("a", "left");
  expect(driver.nodes()).toEqual(["a", "b", "c", "d", "p", "t"]);
  driver.toggle("p", "right");
  expect(driver.nodes()).toEqual(["a", "b", "c", "d", "p", "q", "r", "s", "t"]);
  expect(driver.server.requests).toBe(requests + 2);
  expect(driver.button("d", "left")).toMatchObject({ shows: "plus", hidden: 1 });
  expect(driver.roles("d")).toEqual(["parent"]);
});

test("canvas 20: a reverse + loads exactly one layer", () => {
  const driver = Driver.at(Server.of("t>c", "u>c", "v>u", "w>v"), "t");
  driver.toggle("c", "left");
  expect(driver.nodes()).toEqual(["c", "t", "u"]);
});

test("canvas 21: + on a side that was fetched sends nothing", () => {
  const driver = Driver.at(Server.of("t>c", "c>d", "d>e"), "t");
  driver.toggle("c", "right");
  const requests = driver.server.requests;
  driver.toggle("c", "right").toggle("c", "right").toggle("d", "right").toggle("d", "right");
  expect(driver.server.requests).toBe(requests);
});

test("canvas 22: an edge is drawn exactly when a side of it is open, and every drawn node is reachable", () => {
  fc.assert(
    fc.property(pairs, clicks, (list, steps) => {
      const driver = Driver.at(serverOf(list), "n0");
      for (const [n, side] of steps) driver.toggle(`n${n}`, side);
      const view = driver.view;
      expect(plainlyReached(driver.state)).toEqual([...view.nodes.keys()].sort());
      for (const [id, e] of driver.state.edges) {
        if (!view.nodes.has(e.from) || !view.nodes.has(e.to)) continue;
        const open = driver.state.sides.get(`right\u0001${e.from}`)?.open || driver.state.sides.get(`left\u0001${e.to}`)?.open;
        expect(view.edges.has(id)).toBe(open ?? false);
      }
    }),
  );
});

test("canvas 22: − hides what is no longer reachable", () => {
  const driver = Driver.at(Server.of("t>c", "c>d", "d>e"), "t");
  driver.toggle("c", "right");
  expect(driver.nodes()).toEqual(["c", "d", "e", "t"]);
  driver.toggle("c", "right");
  expect(driver.nodes()).toEqual(["c", "t"]);
});

test("canvas 23: a node that another path reaches stays and loses only the cut edge", () => {
  const driver = Driver.at(Server.of("t>c", "t>d", "c>e", "d>e"), "t");
  driver.toggle("c", "right").toggle("d", "right").toggle("c", "right");
  expect(driver.nodes()).toEqual(["c", "d", "e", "t"]);
  expect(driver.edges()).toEqual(["d>e", "t>c", "t>d"]);
});

test("canvas 24: − and + again restore the same picture, for any graph and any clicks before", () => {
  fc.assert(
    fc.property(pairs, clicks, fc.nat(9), fc.constantFrom<Side>("left", "right"), (list, steps, n, side) => {
      const driver = Driver.at(serverOf(list), "n0");
      for (const [m, s] of steps) driver.toggle(`n${m}`, s);
      const name = `n${n}`;
      if (driver.view.nodes.get(k(name))?.[side]?.shows !== "minus") return;
      const before = driver.picture();
      driver.toggle(name, side);
      // Closing a side may leave its node reached by nothing (it was brought from there); then there is no button to press.
      if (!driver.view.nodes.has(k(name))) return;
      expect(driver.button(name, side)?.shows).toBe("plus");
      driver.toggle(name, side);
      expect(driver.picture()).toEqual(before);
    }),
    { numRuns: 500 },
  );
});

test("canvas 26: a failed expand leaves the graph unchanged, with Retry on the node", () => {
  const driver = Driver.at(Server.of("t>c", "c>d"), "t");
  const before = { nodes: driver.nodes(), edges: driver.edges() };
  driver.failing = true;
  driver.toggle("c", "right");
  expect({ nodes: driver.nodes(), edges: driver.edges() }).toEqual(before);
  expect(driver.button("c", "right")).toMatchObject({ shows: "retry", fault: { message: "broken" } });
  driver.failing = false;
  driver.toggle("c", "right");
  expect(driver.nodes()).toEqual(["c", "d", "t"]);
});

test("canvas 27: a late response after re-centring is dropped", () => {
  const driver = Driver.at(Server.of("t>c", "c>d", "x>y"), "t");
  driver.send({ type: "toggle", key: k("c"), side: "right" });
  const late = driver.pending.shift()!;
  driver.do({ type: "open", node: k("x"), depth: 1 });
  const before = driver.state;
  driver.do(late);
  expect(driver.state).toBe(before);
  expect(driver.nodes()).toEqual(["x", "y"]);
});

test("canvas 29: re-centring starts a picture of the new centre", () => {
  const driver = Driver.at(Server.of("a>t", "t>c", "c>d"), "t");
  driver.do({ type: "open", node: k("c"), depth: 1 });
  expect(driver.state.centres).toEqual([k("c")]);
  expect(driver.nodes()).toEqual(["c", "d", "t"]);
  expect(driver.roles("t")).toEqual(["parent"]);
});

const insert = (node: string, side: Side, other: string, driver: Driver): Action => ({ type: "insert", node: k(node), side, other: driver.server.node(k(other)) });

test("canvas 32: inserting on a loaded side asks nothing more; otherwise the side is fetched first", () => {
  const driver = Driver.at(Server.of("t>c", "c>d", "p>q"), "t");
  let requests = driver.server.requests;
  driver.do(insert("t", "left", "p", driver));
  expect(driver.server.requests).toBe(requests);
  expect(driver.edges()).toEqual(["p>t", "t>c"]);
  requests = driver.server.requests;
  driver.do(insert("c", "right", "q", driver));
  expect(driver.server.requests).toBe(requests + 1);
  expect(driver.edges()).toEqual(["c>d", "c>q", "p>t", "t>c"]);
});

test("canvas 33: an edge that exists, also one that only the fetch reveals, and a self-edge are refused with a reason", () => {
  const driver = Driver.at(Server.of("t>c", "c>d"), "t");
  driver.do(insert("t", "right", "c", driver)).do(insert("t", "right", "t", driver)).do(insert("c", "right", "d", driver));
  expect(driver.refusals.map((effect) => effect.type === "refuse" && effect.reason)).toEqual(["exists", "self", "exists"]);
});

test("canvas 34: a manual edge names its author and time", () => {
  const driver = Driver.at(new Server([manual("a", "t")]), "t");
  const drawn = [...driver.view.edges.values()][0]!;
  expect(drawn.with_manual).toBe(true);
  expect(drawn.manual).toEqual([{ who: "ann", at: "2026-01-02T03:04:05Z" }]);
});

const idOf = (driver: Driver, from: string, to: string): string => [...driver.state.edges.values()].filter((e) => nameOf(e.from) === from && nameOf(e.to) === to).map(edgeKey)[0]!;

test("canvas 35: a manual edge can be deleted, a parsed one cannot", () => {
  const driver = Driver.at(new Server([manual("a", "t"), edge("b", "t")]), "t");
  driver.do({ type: "delete", id: idOf(driver, "b", "t") });
  expect(driver.refusals).toMatchObject([{ reason: "parsed" }]);
  driver.do({ type: "delete", id: idOf(driver, "a", "t") });
  expect(driver.edges()).toEqual(["b>t"]);
});

test("canvas 36: deleting the manual part of an edge that is parsed too leaves the parsed one", () => {
  const driver = Driver.at(new Server([manual("a", "t", ["manual", "parsed"])]), "t");
  driver.do({ type: "delete", id: idOf(driver, "a", "t") });
  expect(driver.edges()).toEqual(["a>t"]);
  expect([...driver.view.edges.values()][0]).toMatchObject({ with_manual: false, can_delete: false, origins: ["parsed"] });
});

test("canvas 37: a node that manual and parsed edges share stays", () => {
  const driver = Driver.at(new Server([manual("a", "t"), edge("t", "a")]), "t");
  driver.do({ type: "delete", id: idOf(driver, "a", "t") });
  expect(driver.nodes()).toEqual(["a", "t"]);
  expect(driver.edges()).toEqual(["t>a"]);
});

test("canvas 38: deleting removes exactly the nodes that nothing reaches any more", () => {
  const driver = Driver.at(new Server([manual("t", "c"), edge("c", "d"), edge("t", "e"), edge("c", "e")]), "t");
  driver.toggle("c", "right");
  expect(driver.nodes()).toEqual(["c", "d", "e", "t"]);
  driver.toggle("c", "right");
  driver.do({ type: "delete", id: idOf(driver, "t", "c") });
  expect(driver.nodes()).toEqual(["e", "t"]);
});

test("canvas 40: without edit rights on both ends an insert is refused and nothing is sent", () => {
  const driver = Driver.at(new Server([edge("a", "t"), edge("p", "q")], { p: { can_edit: false } }), "t");
  driver.do(insert("t", "left", "p", driver));
  expect(driver.refusals).toMatchObject([{ reason: "forbidden" }]);
  const reader = Driver.at(new Server([edge("a", "t"), edge("p", "q")], { t: { can_edit: false } }), "t");
  reader.do(insert("t", "left", "p", reader));
  expect(reader.refusals).toMatchObject([{ reason: "forbidden" }]);
});

test("canvas 65: an expand draws at most 50 children of a node; the rest is one node with the count", () => {
  const server = new Server([edge("t", "hub"), ...Array.from({ length: 130 }, (_, i) => edge("hub", `c${String(i).padStart(3, "0")}`))]);
  const driver = Driver.at(server, "t");
  driver.toggle("hub", "right");
  expect(driver.nodes().length).toBe(2 + 50);
  expect(driver.view.more).toMatchObject([{ of: k("hub"), side: "right", count: 80 }]);
  driver.do({ type: "showMore", key: k("hub"), side: "right" });
  expect(driver.nodes().length).toBe(2 + 100);
  expect(driver.view.more).toMatchObject([{ count: 30 }]);
  driver.do({ type: "showMore", key: k("hub"), side: "right" });
  expect(driver.nodes().length).toBe(2 + 130);
  expect(driver.view.more).toEqual([]);
});

test("canvas 65: an answer of more than 300 nodes is cut, nearest first", () => {
  const edges: EdgeInfo[] = [edge("t", "h")];
  for (let i = 0; i < 40; i++) {
    edges.push(edge("h", `a${i}`));
    for (let j = 0; j < 10; j++) edges.push(edge(`a${i}`, `b${i}x${j}`));
  }
  const driver = Driver.at(new Server(edges, {}, { nodes: 5000, perNode: 5000 }), "t");
  driver.toggle("h", "right");
  expect(driver.nodes().filter((name) => name.startsWith("a")).length).toBe(40);
  expect(driver.nodes().length).toBeLessThanOrEqual(2 + 300);
});

test("canvas 68: an expand is one request, and so is opening", () => {
  fc.assert(
    fc.property(pairs, clicks, (list, steps) => {
      const driver = Driver.at(serverOf(list), "n0");
      for (const [n, side] of steps) {
        const before = driver.server.requests;
        driver.toggle(`n${n}`, side);
        expect(driver.server.requests - before).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test("an answer to nothing changes nothing", () => {
  const answer: Answer = { centres: [{ key: k("t") }], nodes: [], edges: [], position: "", branch: "", chain: [] };
  expect(reduce(emptyState, { type: "opened", epoch: 3, depth: 1, answer }).state).toBe(emptyState);
});
