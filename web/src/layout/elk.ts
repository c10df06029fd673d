/**
 * The finer layout for graphs of up to 300 nodes: elkjs, in its own worker,
 * starts from the places that the hop layout gives and keeps their layers and
 * order, so that a node does not jump when others come.
 */
import type { ELK, ElkNode } from "elkjs/lib/elk-api.js";
import { layerGap, rowGap, type Layout, type LayoutInput, type Point } from "./types.ts";

/** Most nodes that ELK is given. */
export const elkNodes = 300;

const options: Record<string, string> = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "POLYLINE",
  "elk.spacing.nodeNode": String(rowGap),
  "elk.spacing.edgeNode": "14",
  "elk.spacing.edgeEdge": "10",
  "elk.layered.spacing.nodeNodeBetweenLayers": String(layerGap),
  "elk.layered.spacing.edgeNodeBetweenLayers": "24",
  "elk.layered.cycleBreaking.strategy": "INTERACTIVE",
  "elk.layered.layering.strategy": "INTERACTIVE",
  "elk.layered.crossingMinimization.strategy": "INTERACTIVE",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.separateConnectedComponents": "false",
};

/** The graph as ELK takes it, each node where the hop layout put it. */
export function elkGraph(input: LayoutInput, seed: Layout): ElkNode {
  return {
    id: "root",
    layoutOptions: options,
    children: input.nodes.map((node) => ({ id: node.key, width: node.width, height: node.height, ...seed.at[node.key]! })),
    edges: input.edges
      .filter((e) => e.from !== e.to)
      .map((e) => ({ id: e.id, sources: [e.from], targets: [e.to] })),
  };
}

/** ELK's answer as a layout. */
export function fromElk(graph: ElkNode): Layout {
  const at: Record<string, Point> = {};
  for (const node of graph.children ?? []) at[node.id] = { x: node.x ?? 0, y: node.y ?? 0 };
  const bends: Record<string, Point[]> = {};
  for (const e of graph.edges ?? []) {
    const points = e.sections?.[0]?.bendPoints ?? [];
    if (points.length > 0) bends[e.id] = points.map(({ x, y }) => ({ x, y }));
  }
  return { at, bends, engine: "elk" };
}

/** Refines a hop layout. */
export async function layoutByElk(elk: ELK, input: LayoutInput, seed: Layout): Promise<Layout> {
  return fromElk(await elk.layout(elkGraph(input, seed)));
}
