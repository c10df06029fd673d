import fc from "fast-check";
import ELK from "elkjs";
import { describe, expect, it, test } from "vitest";
import { elkGraph, fromElk } from "../../src/layout/elk.ts";
import { layoutByHops, spread } from "../../src/layout/hops.ts";
import { rowGap, type Layout, type LayoutInput } from "../../src/layout/types.ts";
import { largeGraph } from "./large.ts";

const node = (key: string, width = 200, height = 48) => ({ key, width, height });

function graphOf(pairs: [string, string][], centre: string, previous: LayoutInput["previous"] = {}): LayoutInput {
  const keys = [...new Set(pairs.flat().concat(centre))];
  return { nodes: keys.map((k) => node(k)), edges: pairs.map(([from, to], i) => ({ id: `e${i}`, from, to })), centres: [centre], previous };
}

/** Pairs of nodes whose boxes overlap. */
function overlaps(input: LayoutInput, layout: Layout): string[] {
  const found: string[] = [];
  for (const a of input.nodes) {
    for (const b of input.nodes) {
      if (a.key >= b.key) continue;
      const p = layout.at[a.key]!;
      const q = layout.at[b.key]!;
      const apart = p.x + a.width <= q.x + 0.01 || q.x + b.width <= p.x + 0.01 || p.y + a.height <= q.y + 0.01 || q.y + b.height <= p.y + 0.01;
      if (!apart) found.push(`${a.key} ${b.key}`);
    }
  }
  return found;
}

const someGraph = fc
  .record({
    size: fc.integer({ min: 1, max: 24 }),
    pairs: fc.array(fc.tuple(fc.nat(23), fc.nat(23)), { maxLength: 60 }),
    heights: fc.array(fc.integer({ min: 20, max: 300 }), { minLength: 24, maxLength: 24 }),
  })
  .map(({ size, pairs, heights }): LayoutInput => ({
    nodes: Array.from({ length: size }, (_, i) => node(`n${i}`, 200, heights[i]!)),
    edges: pairs.map(([a, b], i) => ({ id: `e${i}`, from: `n${a % size}`, to: `n${b % size}` })),
    centres: ["n0"],
    previous: {},
  }));

test("canvas 03: upstream is left of the centre, downstream right of it", () => {
  const { at } = layoutByHops(graphOf([["a", "t"], ["b", "a"], ["t", "c"], ["c", "d"]], "t"));
  expect(["b", "a", "t", "c", "d"].map((k) => at[k]!.x)).toEqual([...["b", "a", "t", "c", "d"].map((k) => at[k]!.x)].sort((x, y) => x - y));
});

describe("the hop layout", () => {
  it("never puts one node over another, whatever the graph", () => {
    fc.assert(
      fc.property(someGraph, (input) => {
        expect(overlaps(input, layoutByHops(input))).toEqual([]);
      }),
    );
  });

  it("draws every edge that closes no cycle from left to right on one side of the centre", () => {
    const { at } = layoutByHops(graphOf([["a", "t"], ["b", "t"], ["a", "b"]], "t"));
    expect(at.a!.x).toBeLessThan(at.b!.x);
  });

  it("places by the flow what the flow reaches, even where a way against it is as short", () => {
    const { at } = layoutByHops(graphOf([["t", "total"], ["t", "churn"], ["total", "segment"], ["segment", "churn"]], "t"));
    expect(["t", "total", "segment", "churn"].map((k) => at[k]!.x)).toEqual(["t", "total", "segment", "churn"].map((k) => at[k]!.x).sort((a, b) => a - b));
  });

  it("stacks what cannot stand where it wishes, in order", () => {
    const tops = spread([0, 0, 100, -50], [10, 10, 10, 10], 5);
    tops.slice(1).forEach((top, i) => expect(top - tops[i]!).toBeGreaterThanOrEqual(15 - 1e-9));
    expect(spread([0, 40], [10, 10], 5)).toEqual([0, 40]);
  });

  it("terminates on cycles and self-loops (canvas 10)", () => {
    const { at } = layoutByHops(graphOf([["t", "t"], ["t", "a"], ["a", "b"], ["b", "t"], ["b", "b"]], "t"));
    expect(Object.keys(at).sort()).toEqual(["a", "b", "t"]);
  });

  it("gives each of 5,000 nodes a place of its own", () => {
    const input = largeGraph(5000);
    const { at } = layoutByHops(input);
    const places = input.nodes.map((n) => at[n.key]!).sort((a, b) => a.x - b.x || a.y - b.y);
    const crowded = places.slice(1).filter((place, i) => {
      const before = places[i]!;
      return place.x === before.x ? place.y - before.y < 48 : place.x - before.x < 200;
    });
    expect(crowded).toEqual([]);
  });
});

test("canvas 25: nodes that stood before keep their relative order when others come", () => {
  fc.assert(
    fc.property(someGraph, fc.integer({ min: 1, max: 24 }), (input, first) => {
      const before: LayoutInput = { ...input, nodes: input.nodes.slice(0, Math.max(1, first % (input.nodes.length + 1))) };
      const keys = new Set(before.nodes.map((n) => n.key));
      before.edges = input.edges.filter((e) => keys.has(e.from) && keys.has(e.to));
      const old = layoutByHops(before);
      const now = layoutByHops({ ...input, previous: old.at });
      for (const a of before.nodes) {
        for (const b of before.nodes) {
          const sameLayer = Math.abs(now.at[a.key]!.x - now.at[b.key]!.x) < 1;
          if (sameLayer && old.at[a.key]!.y < old.at[b.key]!.y) expect(now.at[a.key]!.y).toBeLessThan(now.at[b.key]!.y);
        }
      }
    }),
  );
});

describe("ELK", () => {
  const elk = new ELK();

  it("keeps the layers and the order that it starts from, and overlaps nothing", async () => {
    const input = graphOf([["a", "t"], ["b", "t"], ["c", "a"], ["c", "t"], ["t", "d"], ["t", "e"], ["d", "f"], ["e", "f"], ["t", "f"]], "t");
    const seed = layoutByHops(input);
    const layout = fromElk(await elk.layout(elkGraph(input, seed)));
    expect(overlaps(input, layout)).toEqual([]);
    const order = (at: Layout["at"], keys: string[]) => [...keys].sort((p, q) => at[p]!.y - at[q]!.y);
    for (const layer of [["a", "b"], ["d", "e"]]) expect(order(layout.at, layer)).toEqual(order(seed.at, layer));
    expect(layout.at.c!.x).toBeLessThan(layout.at.a!.x);
    expect(layout.at.t!.x).toBeLessThan(layout.at.d!.x);
  });

  it("takes cycles, self-loops and a lone node", async () => {
    for (const pairs of [[["t", "a"], ["a", "t"], ["a", "a"]], []] as [string, string][][]) {
      const input = graphOf(pairs, "t");
      const layout = fromElk(await elk.layout(elkGraph(input, layoutByHops(input))));
      expect(overlaps(input, layout)).toEqual([]);
      expect(rowGap).toBeGreaterThan(0);
    }
  });
});
