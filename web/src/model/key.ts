/** Node keys and edge keys: the one place that takes them apart or puts them together. */
import type { EdgeInfo, Key } from "./types.ts";

const separator = "\u0001";

/** The parts of `family|namespace|name`; a name may itself hold bars. */
export function keyParts(key: Key): { family: string; namespace: string; name: string } {
  const first = key.indexOf("|");
  const second = key.indexOf("|", first + 1);
  if (first < 0 || second < 0) return { family: "", namespace: "", name: key };
  return { family: key.slice(0, first), namespace: key.slice(first + 1, second), name: key.slice(second + 1) };
}

/**
 * Identity of an edge: at table level its ends and kind, at column level also
 * the columns and whether a value flows. Two edges of one identity are one.
 */
export function edgeKey(e: EdgeInfo): string {
  const common = [e.from, e.to, e.level, e.kind];
  if (e.level === "table") return common.join(separator);
  return [...common, e.from_column ?? "", e.to_column ?? "", e.direct ? "d" : "i"].join(separator);
}

/** Identity of a column on the canvas. */
export const columnKey = (key: Key, column: string): string => key + separator + column;

/** The node and the name behind a column's identity. */
export function columnParts(column: string): { key: Key; name: string } {
  const at = column.indexOf(separator);
  return { key: column.slice(0, at), name: column.slice(at + 1) };
}
