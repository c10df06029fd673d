/** Carries out the model's effects against the server, and keeps the picture's settings beside its state. */
import { del, faultOf, get, post } from "../../api/client.ts";
import { reduce, type Action, type Effect, type Refusal } from "../../model/canvas.ts";
import { keyParts } from "../../model/key.ts";
import { defaultList, type ColumnList } from "../../model/columns.ts";
import { emptyState, moreStep, type CanvasState, type Expansion } from "../../model/state.ts";
import { wireSide, type Answer, type EdgeInfo, type Fault, type Key } from "../../model/types.ts";
import { closedSides, emptyPicture, type Picture } from "../../model/url.ts";
import { viewOf } from "../../model/view.ts";
import { nextTask } from "../../ui/slices.ts";

/** Nodes that a first answer may hold. */
const openLimit = 300;
/** The same when everything is asked for at once. */
const wholeLimit = 1000;

export const isTask = (key: Key): boolean => keyParts(key).family === "task";

/** Asks once more when the server was too slow: columns of wide tables are long answers. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (faultOf(error).status !== 504) throw error;
    return await ask();
  }
}

/** A question for columns that failed. */
interface Missed {
  fault: Fault;
  ask: () => Promise<Answer>;
}

export interface ControllerEvents {
  changed(anchor: Key | null): void;
  refused(reason: Refusal, edge: EdgeInfo | undefined): void;
  failed(error: unknown): void;
}

export class Controller {
  state: CanvasState = emptyState;
  settings: Picture = emptyPicture;
  lists = new Map<Key, ColumnList>();
  /** Questions on their way, for tests and for the busy mark. */
  running = 0;
  /** Questions for columns that failed; they can be asked again. */
  missed: readonly Missed[] = [];
  private waiting: Promise<unknown>[] = [];

  constructor(private readonly events: ControllerEvents) {}

  dispatch(action: Action): void {
    const step = reduce(this.state, action);
    this.state = step.state;
    for (const effect of step.effects) this.waiting.push(this.carryOut(effect));
    this.events.changed("key" in action ? action.key : null);
  }

  /** Draws what an address says: opens the centre, then repeats the expands in their order. */
  async load(settings: Picture): Promise<void> {
    this.settings = settings;
    this.missed = [];
    this.dispatch({ type: "open", node: settings.node, depth: settings.depth, closed: settings.closed });
    const { epoch } = this.state;
    await this.settled();
    for (const { key, side, layers } of settings.expansions) {
      if (this.state.epoch !== epoch) return;
      if (layers === moreStep) this.dispatch({ type: "showMore", key, side });
      else this.dispatch({ type: "expand", key, side, layers });
      await this.settled();
    }
    for (const key of settings.ways) if (this.state.epoch === epoch) await this.addWay(key);
  }

  /** Takes over a state that was kept, so that answers still on their way to the present one are dropped. */
  restore(state: CanvasState, settings: Picture): void {
    const sides = new Map([...state.sides].map(([key, side]) => [key, { ...side, loading: false }]));
    this.state = { ...state, sides, epoch: this.state.epoch + 1 };
    this.settings = settings;
    this.missed = [];
    this.events.changed(null);
    if (this.state.phase === "loading") void this.load(settings);
  }

  /** The present picture, as the URL holds it. */
  picture(): Picture {
    const kept = this.state.phase === "loading" ? this.settings : { ...this.settings, expansions: this.state.expansions, closed: closedSides(this.state) };
    return kept;
  }

  private async settled(): Promise<void> {
    while (this.waiting.length > 0) await Promise.all(this.waiting.splice(0));
  }

  private context() {
    const { branch, asOf, tasks } = this.settings;
    return {
      branch: branch === "" ? undefined : branch,
      as_of: asOf === "" ? undefined : asOf,
      tasks: tasks ? ("all" as const) : undefined,
    };
  }

  private async carryOut(effect: Effect): Promise<void> {
    this.running++;
    try {
      switch (effect.type) {
        case "graph":
          return await this.graph(effect);
        case "expand":
          return await this.expand(effect);
        case "addEdge":
          return await this.addEdge(effect);
        case "removeEdge":
          return await this.removeEdge(effect);
        case "refuse":
          return this.events.refused(effect.reason, effect.edge);
      }
    } finally {
      this.running--;
    }
  }

  private async graph({ epoch, node, depth }: Extract<Effect, { type: "graph" }>): Promise<void> {
    try {
      // A task's columns have its result tables as their centres, so there the columns decide what is drawn.
      const byColumn = this.settings.columns && isTask(node);
      const answer = await this.askGraph(node, depth, byColumn ? "column" : "table");
      await nextTask(); // reading a long answer was a task of its own
      this.dispatch({ type: "opened", epoch, depth, answer });
      if (this.settings.columns) await this.refine(epoch, () => this.askGraph(node, depth, byColumn ? "table" : "column"));
    } catch (error) {
      this.dispatch({ type: "openFailed", epoch, fault: faultOf(error) });
    }
  }

  private askGraph(node: Key, depth: number, level: "table" | "column" | undefined): Promise<Answer> {
    const limit = depth === 1 ? openLimit : wholeLimit;
    return get("/api/v1/graph", { query: { ...this.context(), level, node, depth, limit } });
  }

  private async expand({ epoch, key, side, layers, ordinary, more, shown, cursor }: Extract<Effect, { type: "expand" }>): Promise<void> {
    try {
      const body = { ...this.context(), node: key, side: wireSide(side), layers, shown, cursor, centre: this.state.centres[0], with_columns: this.settings.columns };
      const answer = await post("/api/v1/graph/expand", { body });
      await nextTask();
      this.dispatch({ type: "expanded", epoch, key, side, layers, ordinary, more, answer });
    } catch (error) {
      this.dispatch({ type: "expandFailed", epoch, key, side, fault: faultOf(error) });
    }
  }

  private async addEdge({ epoch, from, to, other }: Extract<Effect, { type: "addEdge" }>): Promise<void> {
    try {
      const { branch } = this.context();
      const answer = await post("/api/v1/edges", { body: { from, to, branch: branch ?? "master" } });
      const edge: EdgeInfo = answer.edge ?? { from, to, level: "table", direct: true, kind: "data", origins: ["manual"], with_manual: true, can_delete: true, manual: [] };
      this.dispatch({ type: "inserted", epoch, edge, other });
    } catch (error) {
      this.events.failed(error);
    }
  }

  private async removeEdge({ epoch, id, edge }: Extract<Effect, { type: "removeEdge" }>): Promise<void> {
    try {
      const { branch } = this.context();
      const { from, to, from_column, to_column } = edge;
      await del("/api/v1/edges", { query: { from, to, from_column, to_column, branch: edge.manual?.[0]?.branch ?? branch ?? "master" } });
      this.dispatch({ type: "deleted", epoch, id });
    } catch (error) {
      this.events.failed(error);
    }
  }

  /** Column mode on or off. What is drawn stays; its columns are fetched, one question for each that drew it. */
  async setColumns(on: boolean): Promise<void> {
    this.settings = { ...this.settings, columns: on, column: "" };
    this.missed = [];
    this.events.changed(this.state.centres[0] ?? null);
    if (on) await this.fetchColumns();
  }

  private async fetchColumns(): Promise<void> {
    const { epoch, asked, expansions } = this.state;
    const asks = [() => this.askGraph(asked, this.settings.depth, "column"), ...expansions.map((e) => () => this.askColumns(e))];
    await Promise.all(asks.map((ask) => this.refine(epoch, ask)));
  }

  /** What an expansion drew, column by column. */
  private askColumns({ key, side, layers }: Expansion): Promise<Answer> {
    return post("/api/v1/graph/expand", { body: { ...this.context(), level: "column", node: key, side: wireSide(side), layers: Math.max(1, layers), shown: [] } });
  }

  /** Adds facts of what is drawn already; the picture stays when they do not come. */
  private async refine(epoch: number, ask: () => Promise<Answer>): Promise<void> {
    try {
      const answer = await patiently(ask);
      await nextTask();
      this.dispatch({ type: "refined", epoch, answer });
    } catch (error) {
      if (epoch !== this.state.epoch) return;
      this.missed = [...this.missed, { fault: faultOf(error), ask }];
      this.events.changed(null);
    }
  }

  /** Asks again for the columns that did not come. */
  retryMissed(): void {
    const asks = this.missed;
    this.missed = [];
    this.events.changed(null);
    for (const { ask } of asks) void this.refine(this.state.epoch, ask);
  }

  /** All columns of a node: its list on the canvas holds those that edges need, until someone asks for the others. */
  async fetchNodeColumns(key: Key): Promise<void> {
    const info = this.state.nodes.get(key);
    if (info === undefined || (info.columns?.length ?? 0) >= (info.column_count ?? 0)) return;
    const { branch, as_of } = this.context();
    const { epoch } = this.state;
    await this.refine(epoch, async () => {
      const { node, position } = await get("/api/v1/node", { query: { node: key, branch, as_of } });
      return { centres: [], nodes: [{ ...info, columns: node.columns }], edges: [], position, branch: "", chain: [] };
    });
  }

  setList(key: Key, change: Partial<ColumnList>): void {
    this.lists.set(key, { ...(this.lists.get(key) ?? defaultList), ...change });
    this.events.changed(key);
  }

  /** Adds the shortest way between the centre and a node that is not drawn; false when there is none. */
  async addWay(key: Key): Promise<boolean> {
    const { epoch, centres } = this.state;
    const { branch, as_of, tasks } = this.context();
    for (const centre of centres) {
      for (const [from, to] of [[centre, key], [key, centre]] as const) {
        const found = await get("/api/v1/paths", { query: { from, to, branch, as_of, tasks } });
        if (!found.found) continue;
        this.dispatch({ type: "wayFound", epoch, answer: found.graph });
        if (!this.settings.ways.includes(key)) this.settings = { ...this.settings, ways: [...this.settings.ways, key] };
        this.events.changed(key);
        return viewOf(this.state).nodes.has(key);
      }
    }
    return false;
  }

  /** Nodes that "expand all" would draw. */
  async countAll(): Promise<number> {
    const { branch, as_of } = this.context();
    const counts = await Promise.all(
      (["up", "down"] as const).map((direction) => get("/api/v1/closure", { query: { node: this.state.asked, direction, branch, as_of, limit: 0, depth: -1 } })),
    );
    return counts.reduce((sum, closure) => sum + closure.total, 0) + this.state.centres.length;
  }
}
