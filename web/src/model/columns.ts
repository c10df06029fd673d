/** Column mode: which columns a node lists, and the path of a column. */
import { columnKey } from "./key.ts";
import type { ColumnInfo, EdgeInfo, Key, NodeInfo } from "./types.ts";
import type { View } from "./view.ts";

/** Columns that a node lists before "n more". */
export const columnsListed = 10;

/** What a person chose for one node's list. */
export interface ColumnList {
  query: string;
  /** Columns listed at most. */
  limit: number;
}

export const defaultList: ColumnList = { query: "", limit: columnsListed };

/** The listed columns of a node, and how many match beyond them. */
export function listColumns(node: NodeInfo, list: ColumnList): { columns: ColumnInfo[]; more: number } {
  const query = list.query.trim().toLowerCase();
  const matching = (node.columns ?? []).filter((column) => query === "" || column.name.toLowerCase().includes(query));
  const unsent = query === "" ? Math.max(0, (node.column_count ?? 0) - (node.columns?.length ?? 0)) : 0;
  return { columns: matching.slice(0, list.limit), more: Math.max(0, matching.length - list.limit) + unsent };
}

const drawnOf = new WeakMap<View, { of: ReadonlyMap<string, EdgeInfo>; edges: readonly EdgeInfo[] }>();

/** Column edges between nodes that are drawn and joined there. */
export function drawnColumnEdges(edges: ReadonlyMap<string, EdgeInfo>, view: View): readonly EdgeInfo[] {
  const known = drawnOf.get(view);
  if (known?.of === edges) return known.edges;
  const made = findDrawnColumnEdges(edges, view);
  drawnOf.set(view, { of: edges, edges: made });
  return made;
}

function findDrawnColumnEdges(edges: ReadonlyMap<string, EdgeInfo>, view: View): EdgeInfo[] {
  const pairs = new Set([...view.edges.values()].map((e) => `${e.from}\u0001${e.to}`));
  const viaTask = pairsThroughTasks(view);
  return [...edges.values()].filter((e) => {
    if (e.level !== "column") return false;
    const pair = `${e.from}\u0001${e.to}`;
    return pairs.has(pair) || viaTask.has(pair);
  });
}

/** Pairs of datasets that a drawn task joins: their column edges pass beside it. */
function pairsThroughTasks(view: View): Set<string> {
  const into = new Map<Key, Key[]>();
  const outOf = new Map<Key, Key[]>();
  const add = (map: Map<Key, Key[]>, key: Key, value: Key) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  };
  for (const e of view.edges.values()) {
    if (view.nodes.get(e.to)?.info.family === "task") add(into, e.to, e.from);
    if (view.nodes.get(e.from)?.info.family === "task") add(outOf, e.from, e.to);
  }
  const pairs = new Set<string>();
  for (const [task, from] of into) for (const a of from) for (const b of outOf.get(task) ?? []) pairs.add(`${a}\u0001${b}`);
  return pairs;
}

/** Columns at the ends of an edge; an indirect edge without a target column reaches all of the target's columns. */
function ends(e: EdgeInfo, columnsOf: (key: Key) => readonly string[]): { from: string; to: string[] } {
  const from = columnKey(e.from, e.from_column ?? "");
  const names = e.to_column === undefined ? columnsOf(e.to) : [e.to_column];
  return { from, to: names.map((name) => columnKey(e.to, name)) };
}

export interface ColumnPath {
  columns: ReadonlySet<string>;
  edges: ReadonlySet<EdgeInfo>;
}

/** The full up- and downstream path of a column: against the flow and with it, never sideways. */
export function columnPath(start: string, edges: readonly EdgeInfo[], columnsOf: (key: Key) => readonly string[]): ColumnPath {
  const forward = new Map<string, [string, EdgeInfo][]>();
  const backward = new Map<string, [string, EdgeInfo][]>();
  const add = (map: Map<string, [string, EdgeInfo][]>, key: string, value: [string, EdgeInfo]) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  };
  for (const e of edges) {
    const { from, to } = ends(e, columnsOf);
    for (const target of to) {
      add(forward, from, [target, e]);
      add(backward, target, [from, e]);
    }
  }
  const columns = new Set([start]);
  const lit = new Set<EdgeInfo>();
  for (const map of [forward, backward]) {
    const seen = new Set([start]);
    const stack = [start];
    while (stack.length > 0) {
      for (const [column, e] of map.get(stack.pop()!) ?? []) {
        lit.add(e);
        columns.add(column);
        if (!seen.has(column)) seen.add(column), stack.push(column);
      }
    }
  }
  return { columns, edges: lit };
}

/** "drawn k of n": the column's neighbours that drawn edges reach, and all that it has. */
export function columnCounts(key: Key, column: ColumnInfo, drawn: readonly EdgeInfo[]): { drawn: number; total: number } {
  const others = new Set<string>();
  for (const e of drawn) {
    if (e.from === key && e.from_column === column.name) others.add(`> ${columnKey(e.to, e.to_column ?? "*")}`);
    if (e.to === key && e.to_column === column.name) others.add(`< ${columnKey(e.from, e.from_column ?? "*")}`);
  }
  const counted = (column.upstream_count ?? 0) + (column.downstream_count ?? 0);
  return { drawn: others.size, total: Math.max(others.size, counted) };
}
