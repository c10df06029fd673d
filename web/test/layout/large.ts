import type { LayoutInput } from "../../src/layout/types.ts";

/** A graph of n nodes whose edges span up to 400 of them; the same for the same n. */
export function largeGraph(n: number): LayoutInput {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  const edges = Array.from({ length: Math.round(n * 1.4) }, (_, i) => {
    const to = 1 + random(n - 1);
    return { id: `e${i}`, from: `n${Math.max(0, to - 1 - random(400))}`, to: `n${to}` };
  });
  const nodes = Array.from({ length: n }, (_, i) => ({ key: `n${i}`, width: 200, height: 48 }));
  return { nodes, edges, centres: ["n0"], previous: {} };
}
