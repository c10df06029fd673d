/** The canvas's state: what the server has said, and which sides are open. */
import type { EdgeInfo, Fault, Key, NodeInfo, Side, SqlError, Truncated } from "./types.ts";

/** At most this many children of a node are drawn before a "show more" node stands for the rest. */
export const childrenPerStep = 50;
/** At most this many nodes come with one expand. */
export const nodesPerExpand = 300;
/** What stands for layers in an expansion that only drew more children. */
export const moreStep = 0;
/** Layers of an ordinary +; a reverse + has one. */
export const ordinaryLayers = 3;

/** One side of one node. */
export interface SideState {
  open: boolean;
  /** The server has answered for this side, so opening it again asks nothing. */
  fetched: boolean;
  /** Opened by an ordinary expand, so what it brings gets a role. */
  ordinary: boolean;
  loading: boolean;
  fault: Fault | null;
  /** Children drawn at most. */
  limit: number;
  /** Neighbours that the server left out, and where to go on. */
  left: number;
  cursor: string | undefined;
}

/** An edge to add, waiting for its side to be fetched. */
export interface PendingInsert {
  node: Key;
  side: Side;
  other: NodeInfo;
}

/** An expand that a person asked for; the list of them rebuilds the picture. */
export interface Expansion {
  key: Key;
  side: Side;
  layers: number;
}

export type Phase = "idle" | "loading" | "ready" | "empty" | "failed";

export interface CanvasState {
  /** Counts centrings; an answer of an earlier one is dropped. */
  epoch: number;
  phase: Phase;
  fault: Fault | null;
  /** What was asked for; the centres may be others, such as a task's result tables. */
  asked: Key;
  centres: readonly Key[];
  nodes: ReadonlyMap<Key, NodeInfo>;
  edges: ReadonlyMap<string, EdgeInfo>;
  sides: ReadonlyMap<string, SideState>;
  /** Edges of a way that was searched for, drawn whatever their sides say. */
  pinned: ReadonlySet<string>;
  expansions: readonly Expansion[];
  /** Sides that a restored picture has closed, before their answer came. */
  closedBefore: ReadonlySet<string>;
  inserting: PendingInsert | null;
  errors: readonly SqlError[];
  truncated: Truncated | null;
  position: string;
  branch: string;
  chain: readonly string[];
}

export const emptyState: CanvasState = {
  epoch: 0,
  phase: "idle",
  fault: null,
  asked: "",
  centres: [],
  nodes: new Map(),
  edges: new Map(),
  sides: new Map(),
  pinned: new Set(),
  expansions: [],
  closedBefore: new Set(),
  inserting: null,
  errors: [],
  truncated: null,
  position: "",
  branch: "",
  chain: [],
};

const closedSide: SideState = {
  open: false,
  fetched: false,
  ordinary: false,
  loading: false,
  fault: null,
  limit: childrenPerStep,
  left: 0,
  cursor: undefined,
};

export const sideKey = (key: Key, side: Side): string => `${side}\u0001${key}`;

/** The node and side that sideKey was made of. */
export function sideParts(k: string): { key: Key; side: Side } {
  const at = k.indexOf("\u0001");
  return { side: k.slice(0, at) as Side, key: k.slice(at + 1) };
}

export const sideOf = (state: CanvasState, key: Key, side: Side): SideState =>
  state.sides.get(sideKey(key, side)) ?? closedSide;

/** The state with one side changed. */
export function withSide(state: CanvasState, key: Key, side: Side, change: Partial<SideState>): CanvasState {
  const sides = new Map(state.sides);
  sides.set(sideKey(key, side), { ...sideOf(state, key, side), ...change });
  return { ...state, sides };
}
