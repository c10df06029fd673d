/** A plain reference of the server's graph answers, and a driver that carries a reducer's effects out against it. */
import { reduce, type Action, type Effect } from "../../src/model/canvas.ts";
import { emptyState, sideKey, type CanvasState } from "../../src/model/state.ts";
import { pageSide, type Answer, type EdgeInfo, type Key, type NodeInfo, type Side } from "../../src/model/types.ts";
import { viewOf, type View } from "../../src/model/view.ts";

/** The key of a test's table. */
export const k = (name: string): Key => `dataset|mysql://shop:3306|${name}`;
export const nameOf = (key: Key): string => key.slice(key.lastIndexOf("|") + 1);

export function edge(from: string, to: string, more: Partial<EdgeInfo> = {}): EdgeInfo {
  return {
    from: k(from),
    to: k(to),
    level: "table",
    direct: true,
    kind: "data",
    origins: ["parsed"],
    with_manual: false,
    can_delete: false,
    ...more,
  };
}

export const manual = (from: string, to: string, origins = ["manual"]): EdgeInfo =>
  edge(from, to, { origins, with_manual: true, can_delete: true, manual: [{ who: "ann", at: "2026-01-02T03:04:05Z" }] });

export class Server {
  requests = 0;
  constructor(
    public edges: EdgeInfo[],
    private readonly extra: Record<string, Partial<NodeInfo>> = {},
    private readonly limits = { nodes: 300, perNode: 50 },
  ) {}

  static of(...pairs: string[]): Server {
    return new Server(pairs.map((pair) => edge(pair.split(">")[0]!, pair.split(">")[1]!)));
  }

  private neighbours(key: Key, side: Side): Key[] {
    const of = this.edges.filter((e) => (side === "right" ? e.from : e.to) === key);
    return [...new Set(of.map((e) => (side === "right" ? e.to : e.from)))];
  }

  node(key: Key, distance = 0): NodeInfo {
    return {
      key,
      family: "dataset",
      kind: "table",
      name: nameOf(key),
      namespace: "mysql://shop:3306",
      display: `shop.${nameOf(key)}`,
      distance,
      side: 0,
      upstream_count: this.neighbours(key, "left").length,
      downstream_count: this.neighbours(key, "right").length,
      is_open: false,
      can_edit: true,
      ...this.extra[nameOf(key)],
    };
  }

  private answer(found: Map<Key, number>, centres: Key[], shown: Set<Key>, more: Answer["more"]): Answer {
    const ends = new Set([...found.keys(), ...shown]);
    return {
      centres: centres.map((key) => ({ key })),
      nodes: [...found].filter(([key]) => !shown.has(key) || centres.includes(key)).map(([key, distance]) => this.node(key, distance)),
      edges: this.edges.filter((e) => ends.has(e.from) && ends.has(e.to)),
      more,
      position: "1",
      branch: "master",
      chain: ["master"],
    };
  }

  graph(key: Key): Answer {
    this.requests++;
    const found = new Map<Key, number>([[key, 0]]);
    for (const side of ["left", "right"] as const) for (const other of this.neighbours(key, side)) if (!found.has(other)) found.set(other, 1);
    return this.answer(found, [key], new Set(), []);
  }

  /** As lineage.md section 5: layers on one side, nearest first, at most so many children of a node and nodes in all. */
  expand(key: Key, side: Side, layers: number, shown: Key[]): Answer {
    this.requests++;
    const known = new Set(shown);
    const found = new Map<Key, number>([[key, 0]]);
    const more: NonNullable<Answer["more"]> = [];
    let ring = [key];
    for (let layer = 1; layer <= layers; layer++) {
      const next: Key[] = [];
      for (const at of ring) {
        const fresh = this.neighbours(at, side).filter((other) => !found.has(other));
        let added = 0;
        let left = 0;
        for (const other of fresh) {
          const isNew = !known.has(other);
          if (isNew && (added >= this.limits.perNode || found.size > this.limits.nodes)) {
            left++;
            continue;
          }
          if (isNew) added++;
          found.set(other, layer);
          next.push(other);
        }
        if (left > 0) more.push({ node: at, side: side === "left" ? "up" : "down", count: left });
      }
      ring = next;
    }
    const answer = this.answer(found, [], known, more);
    answer.edges = answer.edges.filter((e) => found.has(e.from) && found.has(e.to));
    return answer;
  }
}

/** Runs the reducer against a server. Answers wait in `pending` until they are delivered. */
export class Driver {
  state: CanvasState = emptyState;
  pending: Action[] = [];
  refusals: Effect[] = [];
  removed: EdgeInfo[] = [];
  /** The next requests fail. */
  failing = false;

  constructor(readonly server: Server) {}

  /** Opens a node and takes its answer. */
  static at(server: Server, name: string): Driver {
    const driver = new Driver(server);
    driver.do({ type: "open", node: k(name), depth: 1 });
    return driver;
  }

  send(action: Action): void {
    const step = reduce(this.state, action);
    this.state = step.state;
    step.effects.forEach((effect) => this.carryOut(effect));
  }

  /** Sends an action and delivers every answer. */
  do(action: Action): this {
    this.send(action);
    while (this.pending.length > 0) this.send(this.pending.shift()!);
    return this;
  }

  toggle(name: string, side: Side): this {
    return this.do({ type: "toggle", key: k(name), side });
  }

  private carryOut(effect: Effect): void {
    const fault = { status: 500, code: "Internal", message: "broken" };
    switch (effect.type) {
      case "graph":
        if (this.failing) this.pending.push({ type: "openFailed", epoch: effect.epoch, fault });
        else this.pending.push({ type: "opened", epoch: effect.epoch, depth: effect.depth, answer: this.server.graph(effect.node) });
        break;
      case "expand": {
        const { epoch, key, side, layers, ordinary, more } = effect;
        if (this.failing) this.pending.push({ type: "expandFailed", epoch, key, side, fault });
        else this.pending.push({ type: "expanded", epoch, key, side, layers, ordinary, more, answer: this.server.expand(key, side, layers, effect.shown) });
        break;
      }
      case "addEdge": {
        const made = manual(nameOf(effect.from), nameOf(effect.to));
        this.server.edges.push(made);
        this.pending.push({ type: "inserted", epoch: effect.epoch, edge: made, other: effect.other });
        break;
      }
      case "removeEdge":
        this.removed.push(effect.edge);
        this.pending.push({ type: "deleted", epoch: effect.epoch, id: effect.id });
        break;
      case "refuse":
        this.refusals.push(effect);
    }
  }

  get view(): View {
    return viewOf(this.state);
  }

  nodes(): string[] {
    return [...this.view.nodes.keys()].map(nameOf).sort();
  }

  edges(): string[] {
    return [...this.view.edges.values()].map((e) => `${nameOf(e.from)}>${nameOf(e.to)}`).sort();
  }

  roles(name: string): string[] {
    return [...(this.view.nodes.get(k(name))?.roles ?? [])].sort();
  }

  button(name: string, side: Side) {
    return this.view.nodes.get(k(name))![side];
  }

  /** What a person sees: nodes, edges, buttons and "show more". */
  picture(): unknown {
    const buttons = [...this.view.nodes].map(([key, node]) => [nameOf(key), [...node.roles].sort(), node.left, node.right]).sort();
    return { nodes: this.nodes(), edges: this.edges(), buttons, more: [...this.view.more].sort((a, b) => (a.key < b.key ? -1 : 1)) };
  }
}

export const sideId = (name: string, side: Side): string => sideKey(k(name), side);
export { pageSide };
