/**
 * The canvas as a reducer: an action changes the state and may ask for effects,
 * which the page carries out and answers with further actions. No DOM, no clock,
 * no network.
 */
import { addFacts, applyAnswer, tableEdges, type Asked } from "./answer.ts";
import { edgeKey } from "./key.ts";
import { mergeEdge, mergeNode } from "./merge.ts";
import {
  childrenPerStep,
  emptyState,
  moreStep,
  nodesPerExpand,
  ordinaryLayers,
  sideOf,
  withSide,
  type CanvasState,
  type Expansion,
} from "./state.ts";
import { otherSide, type Answer, type EdgeInfo, type Fault, type Key, type NodeInfo, type Side } from "./types.ts";
import { viewOf } from "./view.ts";

export type Action =
  | { type: "open"; node: Key; depth: number; closed?: readonly string[] }
  | { type: "opened"; epoch: number; depth: number; answer: Answer }
  | { type: "openFailed"; epoch: number; fault: Fault }
  | { type: "toggle"; key: Key; side: Side }
  | { type: "expand"; key: Key; side: Side; layers: number }
  | { type: "expanded"; epoch: number; key: Key; side: Side; layers: number; ordinary: boolean; more: boolean; answer: Answer }
  | { type: "expandFailed"; epoch: number; key: Key; side: Side; fault: Fault }
  | { type: "showMore"; key: Key; side: Side }
  | { type: "wayFound"; epoch: number; answer: Answer }
  | { type: "refined"; epoch: number; answer: Answer }
  | { type: "insert"; node: Key; side: Side; other: NodeInfo }
  | { type: "inserted"; epoch: number; edge: EdgeInfo; other: NodeInfo }
  | { type: "delete"; id: string }
  | { type: "deleted"; epoch: number; id: string };

export type Effect =
  | { type: "graph"; epoch: number; node: Key; depth: number }
  | {
      type: "expand";
      epoch: number;
      key: Key;
      side: Side;
      layers: number;
      ordinary: boolean;
      more: boolean;
      shown: Key[];
      cursor: string | undefined;
    }
  | { type: "addEdge"; epoch: number; from: Key; to: Key; other: NodeInfo }
  | { type: "removeEdge"; epoch: number; id: string; edge: EdgeInfo }
  | { type: "refuse"; reason: Refusal; edge?: EdgeInfo };

/** Why an edge cannot be added or removed. */
export type Refusal = "self" | "exists" | "parsed" | "forbidden";

export interface Step {
  state: CanvasState;
  effects: Effect[];
}

const only = (state: CanvasState): Step => ({ state, effects: [] });

/** The next state and what is to be done. */
export function reduce(state: CanvasState, action: Action): Step {
  if ("epoch" in action && action.epoch !== state.epoch) return only(state);
  switch (action.type) {
    case "open":
      return open(state, action.node, action.depth, action.closed ?? []);
    case "opened":
      return opened(state, action.depth, action.answer);
    case "openFailed":
      return only({ ...state, phase: "failed", fault: action.fault });
    case "toggle":
      return toggle(state, action.key, action.side);
    case "expand":
      return request(state, action.key, action.side, action.layers, action.layers !== 1, false);
    case "expanded":
      return expanded(state, action);
    case "expandFailed":
      return only(expandFailed(state, action.key, action.side, action.fault));
    case "showMore":
      return showMore(state, action.key, action.side);
    case "wayFound":
      return only(wayFound(state, action.answer));
    case "refined":
      return only(addFacts(state, action.answer, Infinity));
    case "insert":
      return insert(state, action.node, action.side, action.other);
    case "inserted":
      return only(inserted(state, action.edge, action.other));
    case "delete":
      return remove(state, action.id);
    case "deleted":
      return only(deleted(state, action.id));
  }
}

function open(state: CanvasState, node: Key, depth: number, closed: readonly string[]): Step {
  const epoch = state.epoch + 1;
  const next: CanvasState = { ...emptyState, epoch, phase: "loading", asked: node, closedBefore: new Set(closed) };
  return { state: next, effects: [{ type: "graph", epoch, node, depth }] };
}

function opened(state: CanvasState, depth: number, answer: Answer): Step {
  const centres = answer.centres.map((centre) => centre.key);
  const asked: Asked = { from: centres, sides: ["left", "right"], layers: depth, ordinary: true, limit: Infinity };
  const filled = applyAnswer({ ...state, centres }, answer, asked);
  const alone = answer.edges.length === 0;
  return only({ ...leaveOut(filled, answer), phase: alone ? "empty" : "ready", fault: null });
}

/** A first answer that was cut leaves the rest of the centre's neighbours out. */
function leaveOut(state: CanvasState, answer: Answer): CanvasState {
  if (!answer.truncated?.reason) return state;
  let next = state;
  for (const key of state.centres) {
    const info = state.nodes.get(key);
    if (info === undefined) continue;
    for (const side of ["left", "right"] as const) {
      const total = side === "left" ? info.upstream_count : info.downstream_count;
      const come = new Set(tableEdges(answer).filter((e) => (side === "left" ? e.to : e.from) === key).map((e) => (side === "left" ? e.from : e.to)));
      const left = Math.max(sideOf(next, key, side).left, total - come.size);
      if (left > 0) next = withSide(next, key, side, { left });
    }
  }
  return next;
}

/** A click on + or −. While a side loads, further clicks are the same click. */
function toggle(state: CanvasState, key: Key, side: Side): Step {
  const now = sideOf(state, key, side);
  const drawn = viewOf(state).nodes.get(key);
  if (drawn === undefined || drawn[side] === null || now.loading) return only(state);
  if (now.open) return only(withSide(state, key, side, { open: false, fault: null }));
  const ordinary = drawn.roles.has(side === "left" ? "parent" : "child");
  if (now.fetched && now.fault === null) {
    return only(withSide(state, key, side, { open: true, ordinary: now.ordinary || ordinary }));
  }
  return request(state, key, side, ordinary ? ordinaryLayers : 1, ordinary, false);
}

function request(state: CanvasState, key: Key, side: Side, layers: number, ordinary: boolean, more: boolean): Step {
  const now = sideOf(state, key, side);
  if (now.loading) return only(state);
  const next = withSide(state, key, side, { loading: true, fault: null });
  const shown = more ? [...state.nodes.keys()] : [...viewOf(state).nodes.keys()];
  const cursor = more ? now.cursor : undefined;
  return { state: next, effects: [{ type: "expand", epoch: state.epoch, key, side, layers, ordinary, more, shown, cursor }] };
}

function expanded(state: CanvasState, action: Extract<Action, { type: "expanded" }>): Step {
  const { key, side, layers, ordinary, answer } = action;
  const before = sideOf(state, key, side);
  const asked: Asked = { from: [key], sides: [side], layers, ordinary, limit: nodesPerExpand };
  let next = applyAnswer(state, answer, asked);
  if (action.more) next = drawMore(next, key, side, before.limit);
  else next = { ...next, expansions: remember(next.expansions, { key, side, layers }) };
  if (next.phase === "empty" && answer.edges.length > 0) next = { ...next, phase: "ready" };
  return resumeInsert(next, key, side);
}

/** Each side is listed once; a step of "show more" is listed each time, with no layers. */
function remember(expansions: readonly Expansion[], made: Expansion): Expansion[] {
  const others = expansions.filter((e) => made.layers === moreStep || e.layers === moreStep || e.key !== made.key || e.side !== made.side);
  return [...others, made];
}

/** One more step of children of a side is drawn. */
function drawMore(state: CanvasState, key: Key, side: Side, limit: number): CanvasState {
  const expansions = remember(state.expansions, { key, side, layers: moreStep });
  return withSide({ ...state, expansions }, key, side, { limit: limit + childrenPerStep });
}

function expandFailed(state: CanvasState, key: Key, side: Side, fault: Fault): CanvasState {
  const waiting = state.inserting?.node === key && state.inserting.side === side;
  const next = waiting ? { ...state, inserting: null } : state;
  return withSide(next, key, side, { loading: false, fault });
}

/** Draws the next children: from what is known, else from the server. */
function showMore(state: CanvasState, key: Key, side: Side): Step {
  const now = sideOf(state, key, side);
  if (now.loading) return only(state);
  const known = [...state.edges.values()].filter((e) => e.level === "table" && (side === "right" ? e.from : e.to) === key);
  const others = new Set(known.map((e) => (side === "right" ? e.to : e.from)).filter((other) => state.nodes.has(other)));
  if (others.size > now.limit) {
    return only(drawMore(state, key, side, now.limit));
  }
  return request(state, key, side, 1, now.ordinary, true);
}

/** A way that was searched for is drawn whether its sides are open or not. */
function wayFound(state: CanvasState, answer: Answer): CanvasState {
  const next = addFacts(state, answer, Infinity);
  const ids = tableEdges(answer).map(edgeKey);
  return { ...next, pinned: new Set([...state.pinned, ...ids]), phase: "ready" };
}

const pairOf = (node: Key, side: Side, other: Key): [Key, Key] => (side === "left" ? [other, node] : [node, other]);

function edgesOfPair(state: CanvasState, from: Key, to: Key): EdgeInfo[] {
  return [...state.edges.values()].filter((e) => e.level === "table" && e.from === from && e.to === to && e.kind !== "bridge");
}

/** Adding an edge by hand: refused at once where it cannot be, else after its side is known. */
function insert(state: CanvasState, node: Key, side: Side, other: NodeInfo): Step {
  const refuse = (reason: Refusal, edge?: EdgeInfo): Step => ({ state, effects: [{ type: "refuse", reason, edge }] });
  if (node === other.key) return refuse("self");
  if (!state.nodes.get(node)?.can_edit || !other.can_edit) return refuse("forbidden");
  const [from, to] = pairOf(node, side, other.key);
  const existing = edgesOfPair(state, from, to)[0];
  if (existing !== undefined) return refuse("exists", existing);
  if (sideOf(state, node, side).fetched) {
    return { state, effects: [{ type: "addEdge", epoch: state.epoch, from, to, other }] };
  }
  return request({ ...state, inserting: { node, side, other } }, node, side, 1, false, false);
}

function resumeInsert(state: CanvasState, key: Key, side: Side): Step {
  const waiting = state.inserting;
  if (waiting === null || waiting.node !== key || waiting.side !== side) return only(state);
  return insert({ ...state, inserting: null }, key, side, waiting.other);
}

/** The new edge is drawn without asking again: both of its sides that were fetched know it now. */
function inserted(state: CanvasState, edge: EdgeInfo, other: NodeInfo): CanvasState {
  const nodes = new Map(state.nodes);
  nodes.set(other.key, mergeNode(nodes.get(other.key), other));
  const edges = new Map(state.edges);
  const isNew = !edges.has(edgeKey(edge));
  edges.set(edgeKey(edge), mergeEdge(edges.get(edgeKey(edge)), edge));
  const near = edge.from === other.key ? edge.to : edge.from;
  const side: Side = edge.from === other.key ? "left" : "right";
  if (isNew) count(nodes, near, side), count(nodes, other.key, otherSide(side));
  const next = { ...state, nodes, edges, phase: "ready" as const };
  return withSide(next, near, side, { open: true });
}

function count(nodes: Map<Key, NodeInfo>, key: Key, side: Side, by = 1): void {
  const info = nodes.get(key);
  if (info === undefined) return;
  const field = side === "left" ? "upstream_count" : "downstream_count";
  nodes.set(key, { ...info, [field]: Math.max(0, info[field] + by) });
}

const isManualOnly = (e: EdgeInfo): boolean => e.origins.every((origin) => origin === "manual");

function remove(state: CanvasState, id: string): Step {
  const edge = state.edges.get(id);
  if (edge === undefined) return only(state);
  if (!edge.can_delete) return { state, effects: [{ type: "refuse", reason: edge.with_manual ? "forbidden" : "parsed", edge }] };
  return { state, effects: [{ type: "removeEdge", epoch: state.epoch, id, edge }] };
}

/** The manual part goes; what the SQL makes stays, and nodes go only when nothing reaches them. */
function deleted(state: CanvasState, id: string): CanvasState {
  const edge = state.edges.get(id);
  if (edge === undefined) return state;
  const edges = new Map(state.edges);
  if (!isManualOnly(edge)) {
    const origins = edge.origins.filter((origin) => origin !== "manual");
    edges.set(id, { ...edge, origins, with_manual: false, can_delete: false, manual: undefined });
    return { ...state, edges };
  }
  edges.delete(id);
  if (edge.level === "column") return deletedColumn({ ...state, edges }, edge);
  const nodes = new Map(state.nodes);
  if (edgesOfPair({ ...state, edges }, edge.from, edge.to).length === 0) {
    count(nodes, edge.from, "right", -1);
    count(nodes, edge.to, "left", -1);
  }
  return { ...state, nodes, edges };
}

/** The columns of a deleted edge have one neighbour less; a table edge that was made only by column edges added by hand goes with the last of them. */
function deletedColumn(before: CanvasState, edge: EdgeInfo): CanvasState {
  const nodes = new Map(before.nodes);
  uncountColumn(before, nodes, edge.from, edge.from_column, "downstream_count");
  uncountColumn(before, nodes, edge.to, edge.to_column, "upstream_count");
  const state = { ...before, nodes };
  const others = [...state.edges.values()].some((e) => e.level === "column" && e.from === edge.from && e.to === edge.to);
  const table = edgesOfPair(state, edge.from, edge.to)[0];
  return others || table === undefined || !isManualOnly(table) ? state : deleted(state, edgeKey(table));
}

function uncountColumn(state: CanvasState, nodes: Map<Key, NodeInfo>, key: Key, column: string | undefined, field: "upstream_count" | "downstream_count"): void {
  const info = nodes.get(key);
  if (info?.columns === undefined) return;
  const touches = (e: EdgeInfo) => e.with_manual && ((e.from === key && e.from_column === column) || (e.to === key && e.to_column === column));
  const with_manual = [...state.edges.values()].some((e) => e.level === "column" && touches(e));
  const columns = info.columns.map((c) => (c.name === column ? { ...c, with_manual, [field]: Math.max(0, (c[field] ?? 0) - 1) } : c));
  nodes.set(key, { ...info, columns });
}
