/**
 * What is drawn, as a pure function of the state: an edge is drawn exactly when
 * the right side of its source or the left side of its target is open, and a
 * node when it can be reached from a centre through drawn edges.
 */
import { edgesOnCycles } from "./cycle.ts";
import { sideOf, type CanvasState, type SideState } from "./state.ts";
import type { EdgeInfo, Fault, Key, NodeInfo, Role, Side } from "./types.ts";

/** A + or − on a drawn node. */
export interface Button {
  shows: "plus" | "minus" | "loading" | "retry";
  /** Neighbours that a + would bring. */
  hidden: number;
  /** Layers that it would load: three for an ordinary +, one for a reverse one. */
  ordinary: boolean;
  fault: Fault | null;
}

export interface DrawnNode {
  info: NodeInfo;
  roles: ReadonlySet<Role>;
  left: Button | null;
  right: Button | null;
}

/** Stands for the neighbours of a side that are not drawn. */
export interface MoreNode {
  key: string;
  of: Key;
  side: Side;
  count: number;
  loading: boolean;
}

export interface View {
  nodes: ReadonlyMap<Key, DrawnNode>;
  edges: ReadonlyMap<string, EdgeInfo>;
  more: readonly MoreNode[];
}

export interface Neighbour {
  other: Key;
  id: string;
  edge: EdgeInfo;
}

export interface Adjacency {
  left: ReadonlyMap<Key, readonly Neighbour[]>;
  right: ReadonlyMap<Key, readonly Neighbour[]>;
}

const adjacencies = new WeakMap<ReadonlyMap<string, EdgeInfo>, Adjacency>();

/** Table-level neighbours by node and side, in the order of their keys. */
export function adjacencyOf(edges: ReadonlyMap<string, EdgeInfo>): Adjacency {
  const known = adjacencies.get(edges);
  if (known !== undefined) return known;
  const left = new Map<Key, Neighbour[]>();
  const right = new Map<Key, Neighbour[]>();
  const put = (map: Map<Key, Neighbour[]>, key: Key, neighbour: Neighbour) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [neighbour]);
    else list.push(neighbour);
  };
  for (const [id, e] of edges) {
    if (e.level !== "table") continue;
    put(right, e.from, { other: e.to, id, edge: e });
    put(left, e.to, { other: e.from, id, edge: e });
  }
  const byKey = (a: Neighbour, b: Neighbour) => (a.other < b.other ? -1 : a.other > b.other ? 1 : a.id < b.id ? -1 : 1);
  for (const map of [left, right]) for (const list of map.values()) list.sort(byKey);
  const made = { left, right };
  adjacencies.set(edges, made);
  return made;
}

/** One side of a node, as far as this picture needs it. */
interface Half {
  state: SideState;
  /** Neighbours whose node is known; the others wait. */
  known: readonly Neighbour[];
  /** Ids of the edges that the open side draws, or null for all of the known: those of its first neighbours, up to its limit. */
  drawn: ReadonlySet<string> | null;
}

const nothing: ReadonlySet<string> = new Set();
const noNeighbours: readonly Neighbour[] = [];

/** Nodes that are worked out at a stretch. */
const stepNodes = 200;

/** Works out one picture; made anew for each state. */
class Deriver {
  private readonly adjacency: Adjacency;
  private readonly halves: Record<Side, Map<Key, Half>> = { left: new Map(), right: new Map() };
  private readonly drawnEdges = new Map<string, EdgeInfo>();
  private readonly reached = new Set<Key>();
  private readonly centres: ReadonlySet<Key>;

  constructor(private readonly state: CanvasState) {
    this.adjacency = adjacencyOf(state.edges);
    this.centres = new Set(state.centres);
  }

  *steps(): Generator<void, View> {
    yield* this.reach();
    this.markCycles();
    yield;
    const nodes = new Map<Key, DrawnNode>();
    for (const key of this.reached) {
      nodes.set(key, this.node(key));
      if (nodes.size % stepNodes === 0) yield;
    }
    return { nodes, edges: this.drawnEdges, more: this.moreNodes() };
  }

  private half(key: Key, side: Side): Half {
    const made = this.halves[side].get(key);
    if (made !== undefined) return made;
    const all = this.adjacency[side].get(key) ?? noNeighbours;
    const known = all.every(({ other }) => this.state.nodes.has(other)) ? all : all.filter(({ other }) => this.state.nodes.has(other));
    const state = sideOf(this.state, key, side);
    const half = { state, known, drawn: state.open ? firstEdges(known, state.limit) : nothing };
    this.halves[side].set(key, half);
    return half;
  }

  private isDrawn(id: string, e: EdgeInfo): boolean {
    const draws = ({ drawn }: Half) => drawn === null || drawn.has(id);
    return draws(this.half(e.from, "right")) || draws(this.half(e.to, "left")) || this.state.pinned.has(id);
  }

  private *reach(): Generator<void> {
    const queue = this.state.centres.filter((key) => this.state.nodes.has(key));
    queue.forEach((key) => this.reached.add(key));
    for (let i = 0; i < queue.length; i++) {
      if (i % stepNodes === stepNodes - 1) yield;
      for (const side of ["left", "right"] as const) {
        for (const { other, id, edge } of this.half(queue[i]!, side).known) {
          if (!this.isDrawn(id, edge)) continue;
          this.drawnEdges.set(id, edge);
          if (this.reached.has(other)) continue;
          this.reached.add(other);
          queue.push(other);
        }
      }
    }
  }

  private markCycles(): void {
    for (const id of edgesOnCycles(this.drawnEdges)) this.drawnEdges.set(id, { ...this.drawnEdges.get(id)!, cycle: true });
  }

  private roles(key: Key): Set<Role> {
    const roles = new Set<Role>();
    if (this.centres.has(key)) roles.add("root");
    const brought = (side: Side) =>
      this.half(key, side).known.some(({ other, id }) => {
        const far = this.half(other, side === "right" ? "left" : "right");
        return other !== key && far.state.ordinary && (far.drawn === null || far.drawn.has(id)) && this.reached.has(other);
      });
    if (brought("right")) roles.add("parent");
    if (brought("left")) roles.add("child");
    return roles;
  }

  private node(key: Key): DrawnNode {
    const info = this.state.nodes.get(key)!;
    const roles = this.roles(key);
    const centre = roles.has("root");
    return {
      info,
      roles,
      left: centre ? null : this.button(info, "left", roles.has("parent")),
      right: centre ? null : this.button(info, "right", roles.has("child")),
    };
  }

  /** Neighbours joined by a drawn edge, seen through tasks that were put in between. */
  private neighboursDrawn(key: Key, side: Side): number {
    const others = new Set<Key>();
    const self = this.state.nodes.get(key)!;
    for (const { other, id, edge } of this.half(key, side).known) {
      if (!this.drawnEdges.has(id)) continue;
      const info = this.state.nodes.get(other)!;
      if (self.family === "task" || info.family !== "task") others.add(other);
      else for (const beyond of this.beyondTask(edge, other, side)) others.add(beyond);
    }
    return others.size;
  }

  /** Datasets on the far side of a drawn task that its statements join to the near side. */
  private beyondTask({ statements: near }: EdgeInfo, task: Key, side: Side): Key[] {
    const found: Key[] = [];
    for (const { other, id, edge } of this.half(task, side).known) {
      if (!this.drawnEdges.has(id)) continue;
      const far = edge.statements;
      if (near === undefined || far === undefined || far.some((n) => near.includes(n))) found.push(other);
    }
    return found;
  }

  private hidden(info: NodeInfo, side: Side): number {
    const { state } = this.half(info.key, side);
    return state.open ? 0 : Math.max(0, this.total(info, side) - this.neighboursDrawn(info.key, side));
  }

  /**
   * Neighbours in all: the server's count, or what is known where that is more.
   * Tasks put in between two datasets are not neighbours of either.
   */
  private total(info: NodeInfo, side: Side): number {
    const counted = side === "left" ? info.upstream_count : info.downstream_count;
    const neighbours = new Set<Key>();
    for (const { other } of this.half(info.key, side).known) {
      if (info.family === "task" || this.state.nodes.get(other)!.family !== "task") neighbours.add(other);
    }
    return Math.max(counted, neighbours.size);
  }

  private button(info: NodeInfo, side: Side, ordinary: boolean): Button | null {
    const { state } = this.half(info.key, side);
    const hidden = this.hidden(info, side);
    // A side that was opened keeps its button after it is closed, even if other sides still draw all that it had.
    const used = state.fetched && this.total(info, side) > 0;
    if (hidden === 0 && !used && !state.loading && state.fault === null) return null;
    const shows = state.loading ? "loading" : state.fault !== null ? "retry" : state.open && used ? "minus" : "plus";
    return { shows, hidden, ordinary, fault: state.fault };
  }

  private moreNodes(): MoreNode[] {
    const found: MoreNode[] = [];
    for (const key of this.reached) {
      for (const side of ["left", "right"] as const) {
        const count = this.notDrawn(key, side);
        if (count === 0) continue;
        found.push({ key: `more ${side} ${key}`, of: key, side, count, loading: this.half(key, side).state.loading });
      }
    }
    return found;
  }

  /** Neighbours of an open side past its limit, unknown here, or left out by the server. */
  private notDrawn(key: Key, side: Side): number {
    const { state } = this.half(key, side);
    if (!state.open || !state.fetched) return 0;
    const others = new Set<Key>();
    for (const { other, id } of this.adjacency[side].get(key) ?? []) if (!this.drawnEdges.has(id)) others.add(other);
    return others.size + state.left;
  }
}

/** Ids of the edges to the first so many neighbours; null when that is all of them. */
function firstEdges(known: readonly Neighbour[], limit: number): ReadonlySet<string> | null {
  if (known.length <= limit) return null;
  const ids = new Set<string>();
  const others = new Set<Key>();
  for (const { other, id } of known) {
    if (others.size >= limit && !others.has(other)) return ids;
    others.add(other);
    ids.add(id);
  }
  return null;
}

const views = new WeakMap<CanvasState, View>();

/** What is drawn of a state, worked out with a yield after every so many nodes. */
export function* viewSteps(state: CanvasState): Generator<void, View> {
  const known = views.get(state);
  if (known !== undefined) return known;
  const made = yield* new Deriver(state).steps();
  views.set(state, made);
  return made;
}

/** What is drawn of a state. */
export function viewOf(state: CanvasState): View {
  const steps = viewSteps(state);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
