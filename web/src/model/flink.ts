/**
 * A FlinkSQL task is drawn as one box that holds its mapping tables and itself.
 * Solid edges run inside the box; dashed ones join a mapping table to its
 * physical table outside.
 */
import type { EdgeInfo, FlinkTable, Key, NodeInfo } from "./types.ts";

export interface FlinkBox {
  task: Key;
  /** Mapping tables read (left) and written (right). */
  sources: readonly FlinkTable[];
  results: readonly FlinkTable[];
}

/** The box of a node, or null for a node that is drawn plainly. */
export function flinkBox(node: NodeInfo): FlinkBox | null {
  const flink = node.flink;
  if (node.family !== "task" || flink === undefined) return null;
  if (flink.sources.length === 0 && flink.results.length === 0) return null;
  return { task: node.key, sources: flink.sources, results: flink.results };
}

/** How an edge meets a box: at which mapping table, or at the task itself. */
export interface Port {
  part: "sources" | "results" | "task";
  /** Index of the mapping table within its part. */
  index: number;
}

const taskPort: Port = { part: "task", index: 0 };

/** Where an edge starts and ends, and whether it is dashed because it joins a mapping to its table. */
export function flinkEnds(e: EdgeInfo, boxOf: (key: Key) => FlinkBox | null): { from: Port; to: Port; dashed: boolean } {
  const from = port(boxOf(e.from)?.results, "results", e.to);
  const to = port(boxOf(e.to)?.sources, "sources", e.from);
  return { from, to, dashed: from.part !== "task" || to.part !== "task" };
}

function port(tables: readonly FlinkTable[] | undefined, part: "sources" | "results", physical: Key): Port {
  const index = tables?.findIndex((table) => table.physical === physical) ?? -1;
  return index < 0 ? taskPort : { part, index };
}
