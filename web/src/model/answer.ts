/** How an answer of the server changes the state. */
import { edgeKey } from "./key.ts";
import { mergeEdge, mergeNode } from "./merge.ts";
import { nodesPerExpand, sideKey, sideOf, type CanvasState, type SideState } from "./state.ts";
import { pageSide, type Answer, type EdgeInfo, type Key, type NodeInfo, type Side, type SqlError } from "./types.ts";

/** What an answer was asked for. */
export interface Asked {
  from: readonly Key[];
  sides: readonly Side[];
  /** Layers asked for on each side; -1 is all. */
  layers: number;
  /** Brought by an ordinary + (or by opening a centre) and not by a reverse one. */
  ordinary: boolean;
  /** Most nodes to take over. */
  limit: number;
}

/** The nodes of an answer, nearest first, cut to what one expand may add. */
function cut(answer: Answer, limit: number): NodeInfo[] {
  if (answer.nodes.length <= limit) return answer.nodes;
  return answer.nodes
    .map((node, index) => ({ node, index }))
    .sort((a, b) => a.node.distance - b.node.distance || a.index - b.index)
    .slice(0, limit)
    .map(({ node }) => node);
}

/** A column edge implies its table edge, which is what is drawn when columns are not. */
function tableEdgeOf(e: EdgeInfo): EdgeInfo {
  const { from_column: _from, to_column: _to, ...rest } = e;
  return { ...rest, level: "table", can_delete: false };
}

const tableEdgesOf = new WeakMap<Answer, readonly EdgeInfo[]>();

/** Table-level edges that an answer speaks of, implied ones included. */
export function tableEdges(answer: Answer): readonly EdgeInfo[] {
  let edges = tableEdgesOf.get(answer);
  if (edges === undefined) tableEdgesOf.set(answer, (edges = findTableEdges(answer)));
  return edges;
}

function findTableEdges(answer: Answer): EdgeInfo[] {
  const table = answer.edges.filter((e) => e.level === "table");
  // An answer at table level names all of its table edges; its column edges may pass beside a task that is drawn between.
  if (answer.level !== "column") return table;
  const named = new Set(table.map((e) => `${e.from}\u0001${e.to}`));
  const implied = answer.edges.filter((e) => e.level === "column" && !named.has(`${e.from}\u0001${e.to}`));
  return [...table, ...implied.map(tableEdgeOf)];
}

/** Adds nodes and edges; an edge whose other end is unknown waits in the map. */
export function addFacts(state: CanvasState, answer: Answer, limit = nodesPerExpand): CanvasState {
  const nodes = new Map(state.nodes);
  for (const node of cut(answer, limit)) nodes.set(node.key, mergeNode(nodes.get(node.key), node));
  const edges = new Map(state.edges);
  const add = (e: EdgeInfo) => {
    const key = edgeKey(e);
    edges.set(key, mergeEdge(edges.get(key), e));
  };
  tableEdges(answer).forEach(add);
  const columnEdges = answer.edges.filter((e) => e.level === "column");
  columnEdges.forEach(add);
  listColumns(nodes, columnEdges);
  return {
    ...state,
    nodes,
    edges,
    errors: mergeErrors(state.errors, answer.errors ?? []),
    truncated: answer.truncated?.reason ? answer.truncated : state.truncated,
    position: answer.position || state.position,
    branch: answer.branch || state.branch,
    chain: answer.chain?.length > 0 ? answer.chain : state.chain,
  };
}

/** A column that an edge names is listed, whether its node's own list came or not. */
function listColumns(nodes: Map<Key, NodeInfo>, edges: readonly EdgeInfo[]): void {
  const named = new Map<Key, Set<string>>();
  const name = (key: Key, column: string | undefined) => {
    if (column === undefined || !nodes.has(key)) return;
    const columns = named.get(key);
    if (columns === undefined) named.set(key, new Set([column]));
    else columns.add(column);
  };
  for (const e of edges) name(e.from, e.from_column), name(e.to, e.to_column);
  for (const [key, columns] of named) {
    const node = nodes.get(key)!;
    node.columns?.forEach((c) => columns.delete(c.name));
    if (columns.size > 0) nodes.set(key, { ...node, columns: [...(node.columns ?? []), ...[...columns].map((column) => ({ name: column }))] });
  }
}

function mergeErrors(a: readonly SqlError[], b: readonly SqlError[]): SqlError[] {
  const identity = (e: SqlError) => JSON.stringify([e.task, e.branch, e.statement, e.line, e.column, e.kind]);
  const byIdentity = new Map([...a, ...b].map((e) => [identity(e), e]));
  return [...byIdentity.keys()].sort().map((key) => byIdentity.get(key)!);
}

/**
 * A task that was put in between two datasets counts no hop, so the layer
 * behind it belongs to the layer in front of it.
 */
const passedThrough = (node: NodeInfo | undefined): boolean => node?.family === "task" && !node.centre;

/** Least hops from the asked nodes to each node of the answer, along one side. */
function hops(answer: Answer, from: readonly Key[], side: Side, known: ReadonlyMap<Key, NodeInfo>): Map<Key, number> {
  const next = new Map<Key, Key[]>();
  for (const e of tableEdges(answer)) {
    const [near, far] = side === "right" ? [e.from, e.to] : [e.to, e.from];
    const list = next.get(near);
    if (list === undefined) next.set(near, [far]);
    else list.push(far);
  }
  const found = new Map<Key, number>(from.map((key) => [key, 0]));
  // Deque by distance: a step into a task costs nothing and is taken at once.
  let ring = [...from];
  for (let distance = 0; ring.length > 0; distance++) {
    const following: Key[] = [];
    for (let i = 0; i < ring.length; i++) {
      for (const far of next.get(ring[i]!) ?? []) {
        const cost = passedThrough(known.get(far)) ? 0 : 1;
        if ((found.get(far) ?? Infinity) <= distance + cost) continue;
        found.set(far, distance + cost);
        (cost === 0 ? ring : following).push(far);
      }
    }
    ring = following.filter((key) => found.get(key) === distance + 1);
  }
  return found;
}

/** Opens the sides that an answer filled: of the asked nodes and of every layer but the last. */
export function openSides(state: CanvasState, answer: Answer, asked: Asked): CanvasState {
  const sides = new Map(state.sides);
  for (const side of asked.sides) {
    for (const [key, distance] of hops(answer, asked.from, side, state.nodes)) {
      if (asked.layers >= 0 && distance >= asked.layers) continue;
      sides.set(sideKey(key, side), openedSide(state, key, side, asked, distance));
    }
  }
  for (const more of answer.more ?? []) {
    const key = sideKey(more.node, pageSide(more.side));
    const before = sides.get(key);
    if (before !== undefined) sides.set(key, { ...before, left: more.count, cursor: more.cursor });
  }
  return { ...state, sides };
}

function openedSide(state: CanvasState, key: Key, side: Side, asked: Asked, distance: number): SideState {
  const before = sideOf(state, key, side);
  const closed = distance > 0 && before.fetched && !before.open;
  const first = distance === 0 || !before.fetched;
  return {
    ...before,
    open: !closed && !state.closedBefore.has(sideKey(key, side)),
    fetched: true,
    ordinary: before.ordinary || asked.ordinary,
    loading: distance === 0 ? false : before.loading,
    fault: distance === 0 ? null : before.fault,
    left: first ? 0 : before.left,
    cursor: first ? undefined : before.cursor,
  };
}

/** Adds what an answer says and opens the sides that it filled. */
export function applyAnswer(state: CanvasState, answer: Answer, asked: Asked): CanvasState {
  return openSides(addFacts(state, answer, asked.limit), answer, asked);
}
