/** Filters: nodes that are filtered out are bridged by edges that count them. */
import { edgeKey, keyParts } from "./key.ts";
import type { EdgeInfo, Key, NodeInfo } from "./types.ts";
import type { View, MoreNode, DrawnNode } from "./view.ts";

/** What to hide. An empty list hides nothing. */
export interface Filters {
  kinds: readonly string[];
  namespaces: readonly string[];
  platforms: readonly string[];
  /** "manual" or "parsed" leaves only edges of that origin. */
  origin: "all" | "manual" | "parsed";
}

export const noFilters: Filters = { kinds: [], namespaces: [], platforms: [], origin: "all" };

export const filtersAreOn = (f: Filters): boolean =>
  f.kinds.length > 0 || f.namespaces.length > 0 || f.platforms.length > 0 || f.origin !== "all";

/** The platform of a node: as the server says, else the scheme of its namespace. */
export const platformOf = (node: NodeInfo): string => node.platform ?? keyParts(node.key).namespace.split("://")[0] ?? "";

const passes = (node: NodeInfo, f: Filters): boolean =>
  !f.kinds.includes(node.kind) && !f.namespaces.includes(node.namespace) && !f.platforms.includes(platformOf(node));

const edgePasses = (e: EdgeInfo, f: Filters): boolean =>
  f.origin === "all" || (f.origin === "manual" ? e.with_manual : e.origins.some((origin) => origin !== "manual"));

/** The drawn graph without what the filters hide, and bridges over it. Centres are never hidden. */
export function filterView(view: View, filters: Filters, centres: readonly Key[]): View {
  if (!filtersAreOn(filters)) return view;
  const nodes = new Map<Key, DrawnNode>();
  for (const [key, node] of view.nodes) if (centres.includes(key) || passes(node.info, filters)) nodes.set(key, node);
  const edges = new Map<string, EdgeInfo>();
  const allowed = [...view.edges.values()].filter((e) => edgePasses(e, filters));
  for (const e of allowed) if (nodes.has(e.from) && nodes.has(e.to)) edges.set(edgeKey(e), e);
  for (const bridge of bridges(allowed, nodes)) edges.set(edgeKey(bridge), bridge);
  const more: MoreNode[] = view.more.filter((m) => nodes.has(m.of));
  return { nodes, edges, more };
}

/** Edges from each shown node to each shown node that it reaches through hidden ones only. */
function bridges(edges: readonly EdgeInfo[], shown: ReadonlyMap<Key, DrawnNode>): EdgeInfo[] {
  const next = neighbours(edges, (e) => [e.from, e.to]);
  const previous = neighbours(edges, (e) => [e.to, e.from]);
  const made: EdgeInfo[] = [];
  for (const from of shown.keys()) {
    const starts = (next.get(from) ?? []).filter((key) => !shown.has(key));
    if (starts.length === 0) continue;
    const forward = throughHidden(starts, next, shown);
    for (const to of forward.ends) {
      const back = throughHidden((previous.get(to) ?? []).filter((key) => !shown.has(key)), previous, shown);
      const hidden = [...forward.hidden].filter((key) => back.hidden.has(key)).length;
      made.push(bridge(from, to, hidden));
    }
  }
  return made;
}

function neighbours(edges: readonly EdgeInfo[], ends: (e: EdgeInfo) => [Key, Key]): Map<Key, Key[]> {
  const map = new Map<Key, Key[]>();
  for (const e of edges) {
    const [a, b] = ends(e);
    const list = map.get(a);
    if (list === undefined) map.set(a, [b]);
    else list.push(b);
  }
  return map;
}

function throughHidden(starts: Key[], next: ReadonlyMap<Key, Key[]>, shown: ReadonlyMap<Key, DrawnNode>) {
  const hidden = new Set(starts);
  const ends = new Set<Key>();
  const stack = [...hidden];
  while (stack.length > 0) {
    for (const key of next.get(stack.pop()!) ?? []) {
      if (shown.has(key)) ends.add(key);
      else if (!hidden.has(key)) hidden.add(key), stack.push(key);
    }
  }
  return { hidden, ends };
}

const bridge = (from: Key, to: Key, hidden: number): EdgeInfo => ({
  from,
  to,
  level: "table",
  direct: true,
  kind: "bridge",
  hidden,
  origins: [],
  with_manual: false,
  can_delete: false,
});

/** Most nodes that are drawn before the page asks to filter. */
export const drawnWithoutAsking = 1000;

/** The nodes nearest to the centres, and the edges between them. */
export function nearest(view: View, count: number): View {
  if (view.nodes.size <= count) return view;
  const nodes = new Map([...view.nodes].slice(0, count)); // the view lists nodes in the order of their distance
  const edges = new Map([...view.edges].filter(([, e]) => nodes.has(e.from) && nodes.has(e.to)));
  return { nodes, edges, more: view.more.filter((m) => nodes.has(m.of)) };
}

/** What the drawn nodes have of kinds, namespaces and platforms, each with a count. */
export function facets(view: View): Record<"kinds" | "namespaces" | "platforms", Map<string, number>> {
  const made = { kinds: new Map<string, number>(), namespaces: new Map<string, number>(), platforms: new Map<string, number>() };
  const add = (map: Map<string, number>, value: string) => map.set(value, (map.get(value) ?? 0) + 1);
  for (const { info } of view.nodes.values()) {
    add(made.kinds, info.kind);
    add(made.namespaces, info.namespace);
    add(made.platforms, platformOf(info));
  }
  return made;
}
