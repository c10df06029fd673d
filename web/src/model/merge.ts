/**
 * Merging of what several answers say about one node or one edge. Merging is
 * commutative, so that answers may be applied in any order.
 */
import type { ColumnInfo, EdgeInfo, ManualEdge, NodeInfo } from "./types.ts";

/** Sorted union of two lists of names. */
export function union(a: string[] | undefined, b: string[] | undefined): string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return [...new Set([...a, ...b])].sort();
}

function numberUnion(a: number[] | undefined, b: number[] | undefined): number[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return [...new Set([...a, ...b])].sort((x, y) => x - y);
}

function mergeColumns(a: ColumnInfo[] | undefined, b: ColumnInfo[] | undefined): ColumnInfo[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  // Answers list a table's columns in its own order; the longer list knows more of it.
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  const byName = new Map(longer.map((column) => [column.name, column]));
  for (const column of shorter) byName.set(column.name, mergeColumn(byName.get(column.name), column));
  return [...byName.values()];
}

function mergeColumn(a: ColumnInfo | undefined, b: ColumnInfo): ColumnInfo {
  if (a === undefined) return b;
  return {
    ...b,
    ...a,
    upstream_count: most(a.upstream_count, b.upstream_count),
    downstream_count: most(a.downstream_count, b.downstream_count),
    is_open: either(a.is_open, b.is_open),
    masked: either(a.masked, b.masked),
    with_masked: either(a.with_masked, b.with_masked),
    with_manual: either(a.with_manual, b.with_manual),
    centre: either(a.centre, b.centre),
  };
}

const most = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

const either = (a: boolean | undefined, b: boolean | undefined): boolean | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a || b;

/**
 * One node from what two answers say of it: counts by the greater, flags by
 * "or", lists by union. Distance and side are as seen from the asker, so they
 * are not the node's and the least one stands.
 */
export function mergeNode(a: NodeInfo | undefined, b: NodeInfo): NodeInfo {
  if (a === undefined) return b;
  return {
    ...b,
    ...a,
    distance: Math.min(a.distance, b.distance),
    upstream_count: Math.max(a.upstream_count, b.upstream_count),
    downstream_count: Math.max(a.downstream_count, b.downstream_count),
    is_open: a.is_open || b.is_open,
    centre: either(a.centre, b.centre),
    with_masked: either(a.with_masked, b.with_masked),
    has_job_spec: either(a.has_job_spec, b.has_job_spec),
    has_job_spec_on_master: either(a.has_job_spec_on_master, b.has_job_spec_on_master),
    from_fallback: either(a.from_fallback, b.from_fallback),
    can_edit: either(a.can_edit, b.can_edit),
    cycle: either(a.cycle, b.cycle),
    unparsed: most(a.unparsed, b.unparsed),
    column_count: most(a.column_count, b.column_count),
    aliases: union(a.aliases, b.aliases),
    columns: mergeColumns(a.columns, b.columns),
    flink: a.flink ?? b.flink,
  };
}

function mergeManual(a: ManualEdge[] | undefined, b: ManualEdge[] | undefined): ManualEdge[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const identity = (m: ManualEdge) => `${m.at ?? ""} ${m.who} ${m.branch ?? ""}`;
  const byIdentity = new Map([...a, ...b].map((m) => [identity(m), m]));
  return [...byIdentity.keys()].sort().map((key) => byIdentity.get(key)!);
}

/** One edge from what two answers say of it. */
export function mergeEdge(a: EdgeInfo | undefined, b: EdgeInfo): EdgeInfo {
  if (a === undefined) return b;
  return {
    ...b,
    ...a,
    direct: a.direct || b.direct,
    via: union(a.via, b.via),
    origins: union(a.origins, b.origins)!,
    with_manual: a.with_manual || b.with_manual,
    can_delete: a.can_delete || b.can_delete,
    manual: mergeManual(a.manual, b.manual),
    tasks: union(a.tasks, b.tasks),
    statements: numberUnion(a.statements, b.statements),
    branches: union(a.branches, b.branches),
    unexpanded: either(a.unexpanded, b.unexpanded),
    cycle: either(a.cycle, b.cycle),
  };
}
