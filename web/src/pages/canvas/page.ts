/** The lineage page: the canvas with its bar, panel and list. */
import { faultOf } from "../../api/client.ts";
import { compose, extent, layoutInput, type Show } from "../../draw/picture.ts";
import { Minimap } from "../../draw/minimap.ts";
import { middleOfCards, Scene, type Lights } from "../../draw/scene.ts";
import type { LayoutClient } from "../../layout/client.ts";
import type { Layout, LayoutInput, Point } from "../../layout/types.ts";
import type { Refusal } from "../../model/canvas.ts";
import { columnPath, columnsListed, defaultList, drawnColumnEdges } from "../../model/columns.ts";
import { drawnWithoutAsking, filterView, nearest } from "../../model/filter.ts";
import { columnKey, columnParts, edgeKey } from "../../model/key.ts";
import type { CanvasState } from "../../model/state.ts";
import type { EdgeInfo, Key, Side } from "../../model/types.ts";
import { emptyPicture, readPicture, writePicture, type Picture } from "../../model/url.ts";
import { viewOf, viewSteps, type View } from "../../model/view.ts";
import { eachFrame, h, replace } from "../../ui/dom.ts";
import { inSlices, nextTask } from "../../ui/slices.ts";
import { number, t } from "../../ui/i18n.ts";
import { showDialog, showMenu, type MenuItem } from "../../ui/menu.ts";
import { announce, button, emptyState, failedState, faultText, loadingState, nodeHref } from "../../ui/parts.ts";
import { go, push, rewrite, type Location, type PageView } from "../../ui/router.ts";
import { makeBar, type Bar } from "./bar.ts";
import { Controller, isTask } from "./controller.ts";
import { listenKeys } from "./keys.ts";
import { listView } from "./list.ts";
import { Panel } from "./panel.ts";
import { confirm, pickNode } from "./tools.ts";

/** What was shown at a history entry, so that Back shows it again at once. */
interface Kept {
  state: CanvasState;
  settings: Picture;
  transform: { x: number; y: number; k: number };
  at: Record<string, Point>;
}

const smallestStartZoom = 0.55;

export class CanvasPage implements PageView {
  readonly controller: Controller;
  readonly scene: Scene;
  private readonly stage = h("div", { class: "stage" });
  private readonly list = h("div", { class: "list-host", hidden: true });
  private readonly state = h("div", { class: "stage-state" });
  private readonly banners = h("div", { class: "banners", "aria-live": "polite" });
  private readonly columnSearch = h("div", { class: "column-search", hidden: true });
  private readonly panel: Panel;
  private readonly minimap: Minimap;
  private bar: Bar | null = null;
  private readonly barHost = h("div", { class: "bar", role: "toolbar", "aria-label": t("canvas.tools") });
  private readonly kept = new Map<number, Kept>();
  private readonly leaving = new AbortController();
  private entry = 0;
  private view: View = { nodes: new Map(), edges: new Map(), more: [] };
  private layout: Layout = { at: {}, bends: {}, engine: "hops" };
  /** What the layout at hand was asked with, and the one that is on its way, if one is. */
  private laidOut = "";
  private askedLayout = "";
  private fresh = true;
  /** The node that keeps its place on the screen when the next picture is drawn. */
  private anchor: Key | null = null;
  private refreshes = 0;
  private refreshing: Promise<void> = Promise.resolve();
  private returning: Kept["transform"] | null = null;
  private selectedEdge = "";
  private hovered: { key: Key; column: string } | null = null;
  private drawAll = false;
  private dismissed = new Set<string>();

  constructor(
    host: HTMLElement,
    private readonly layouts: LayoutClient,
    from: Location,
  ) {
    this.controller = new Controller({
      changed: (anchor) => this.changed(anchor),
      refused: (reason, edge) => this.refused(reason, edge),
      failed: (error) => announce(faultText(faultOf(error)), "bad"),
    });
    this.scene = new Scene(this.stage, this.handlers());
    this.minimap = new Minimap(() => this.scene, this.leaving.signal);
    this.panel = new Panel(this.controller, this.panelActions());
    const zooms = h(
      "div",
      { class: "zoom-buttons", role: "group", "aria-label": t("zoom.label") },
      h("button", { type: "button", class: "icon-button", "aria-label": t("zoom.in"), title: `${t("zoom.in")} (PageUp)`, onclick: () => this.scene.zoomBy(1.25) }, "+"),
      h("button", { type: "button", class: "icon-button", "aria-label": t("zoom.out"), title: `${t("zoom.out")} (PageDown)`, onclick: () => this.scene.zoomBy(0.8) }, "−"),
      h("button", { type: "button", class: "icon-button", "aria-label": t("zoom.fit"), title: `${t("zoom.fit")} (F)`, onclick: () => this.scene.fit() }, "⤢"),
      h("button", { type: "button", class: "icon-button", "aria-label": t("zoom.centre"), title: `${t("zoom.centre")} (Home)`, onclick: () => this.scene.centreOn(this.controller.state.centres) }, "◎"),
    );
    this.stage.append(this.columnSearch, zooms, this.minimap.element);
    replace(host, h("div", { class: "canvas-page" }, this.barHost, this.banners, h("div", { class: "canvas-body" }, this.stage, this.list, this.state, this.panel.element)));
    listenKeys(this.stage, {
      view: () => this.view,
      scene: () => this.scene,
      open: (key) => this.select(key, true),
      toggle: (key, side) => this.controller.dispatch({ type: "toggle", key, side }),
      escape: () => this.escape(),
      menu: (key) => this.nodeMenu(key, this.scene.placeOf(key)),
      find: () => this.bar?.find(),
    }, this.leaving.signal);
    this.entry = from.entry;
    this.start(readPicture(from.query.toString()));
  }

  /** Back or Forward: what was shown there, or else what its address says. */
  moveTo(to: Location): void {
    this.keep();
    this.entry = to.entry;
    const kept = this.kept.get(to.entry);
    const picture = readPicture(to.query.toString());
    if (kept === undefined) return this.start(picture);
    this.begin();
    this.layout = { at: kept.at, bends: {}, engine: "hops" };
    this.fresh = false;
    this.returning = kept.transform;
    this.controller.restore(kept.state, kept.settings);
    this.drawBar();
  }

  leave(): void {
    this.leaving.abort();
    this.keep();
    document.querySelectorAll(".menu").forEach((menu) => menu.remove());
  }

  private keep(): void {
    const { x, y, k } = this.scene.transform;
    this.kept.set(this.entry, { state: this.controller.state, settings: this.controller.picture(), transform: { x, y, k }, at: this.layout.at });
  }

  /** Forgets what belonged to the picture before. */
  private begin(): void {
    this.laidOut = this.askedLayout = "";
    this.fresh = true;
    this.returning = null;
    this.selectedEdge = "";
    this.drawAll = false;
    this.dismissed.clear();
    this.layout = { at: {}, bends: {}, engine: "hops" };
  }

  private start(picture: Picture): void {
    this.begin();
    if (picture.node === "") this.controller.settings = picture;
    else void this.controller.load(picture);
    this.drawState();
    this.drawBar();
    document.title = `${picture.node === "" ? t("app.lineage") : picture.node.slice(picture.node.lastIndexOf("|") + 1)} · Tributary`;
  }

  private drawBar(): void {
    this.bar = makeBar(this.barHost, this);
  }

  /** A new centre is a new history entry. */
  recentre(key: Key): void {
    const { branch, asOf, tasks, columns, list, filters } = this.controller.settings;
    this.open({ ...emptyPicture, node: key, branch, asOf, tasks, columns, list, filters, selected: "" });
  }

  /** Shows another picture under a new history entry. */
  open(picture: Picture): void {
    this.keep();
    this.entry = push(`/lineage?${writePicture(picture)}`);
    this.start(picture);
  }

  /** Shows the same centre with other settings, fetched anew. */
  change(change: Partial<Picture>): void {
    this.open({ ...this.controller.picture(), ...change });
  }

  /** Changes settings that need nothing from the server. */
  adjust(change: Partial<Picture>): void {
    this.controller.settings = { ...this.controller.settings, ...change };
    this.changed(null);
  }

  setColumns(on: boolean): void {
    if (isTask(this.controller.state.asked)) return this.change({ columns: on });
    void this.controller.setColumns(on);
    this.bar?.update();
  }

  get drawn(): View {
    return this.view;
  }

  /** All that the filters would let through, for their counts. */
  get unfiltered(): View {
    return viewOf(this.controller.state);
  }

  private show(): Show {
    const { state, settings, lists } = this.controller;
    return { view: this.view, edges: state.edges, columns: settings.columns, lists };
  }

  /** The state or the settings changed: it is drawn soon, once for all that changes until then. */
  private changed(anchor: Key | null): void {
    this.anchor = anchor ?? this.anchor;
    this.drawState();
    this.bar?.update();
    this.refreshing = this.refresh();
  }

  /** Works out what is drawn and draws it, each step in a task of its own, so that the page answers between them. */
  private async refresh(): Promise<void> {
    const run = ++this.refreshes;
    await nextTask();
    if (run !== this.refreshes) return;
    const whole = await inSlices(viewSteps(this.controller.state));
    if (run !== this.refreshes) return;
    const { state, settings } = this.controller;
    const filtered = filterView(whole, settings.filters, state.centres);
    this.view = this.drawAll ? filtered : nearest(filtered, drawnWithoutAsking);
    this.drawBanners(filtered.nodes.size);
    this.list.hidden = !settings.list;
    this.stage.hidden = settings.list;
    this.writeUrl();
    this.panel.show(settings.selected, this.selectedEdge);
    await nextTask();
    if (run !== this.refreshes) return;
    if (settings.list) this.drawList();
    else await this.redraw();
  }

  private readonly drawList = eachFrame(() => {
    const focused = document.activeElement?.getAttribute("aria-label") ?? "";
    const columns = this.controller.settings.columns ? drawnColumnEdges(this.controller.state.edges, this.view) : [];
    replace(this.list, listView(this.controller, this.view, columns, (key) => this.select(key, false)));
    [...this.list.querySelectorAll<HTMLElement>("button[aria-label]")].find((b) => focused !== "" && b.getAttribute("aria-label") === focused)?.focus();
  });

  private async redraw(): Promise<void> {
    if (this.view.nodes.size === 0) {
      this.laidOut = this.askedLayout = "";
      this.anchor = null;
      return this.scene.show(compose(this.show(), this.layout, this.moved), this.lights(), null);
    }
    const input = layoutInput(this.show(), this.controller.state.centres, this.fresh ? {} : this.layout.at);
    const signature = signatureOf(input);
    const underWay = signature === this.askedLayout && signature !== this.laidOut;
    this.askedLayout = signature;
    if (signature === this.laidOut) return this.paint(this.anchor);
    if (underWay) return; // what is drawn when it comes is worked out then
    const { epoch } = this.controller.state;
    const layout = await this.layouts.layout(input);
    await nextTask();
    if (layout === null || signature !== this.askedLayout || epoch !== this.controller.state.epoch) return;
    this.layout = layout;
    this.laidOut = signature;
    this.paint(this.anchor ?? this.controller.state.centres[0] ?? null);
  }

  private paint(anchor: Key | null): void {
    const first = this.fresh && this.returning === null;
    this.fresh = false;
    this.anchor = null;
    this.scene.show(compose(this.show(), this.layout, this.moved), this.lights(), first ? null : anchor);
    if (first) this.firstView();
    if (this.returning !== null) this.scene.setView(this.returning.x, this.returning.y, this.returning.k);
    this.returning = null;
    this.minimap.update();
    this.stage.dataset["painted"] = `${this.controller.state.epoch}`;
    this.stage.dataset["nodes"] = `${this.view.nodes.size}`;
  }

  /** The centre in the middle, as large as lets the rest be seen on either side of it. */
  private firstView(): void {
    const { drawing, size } = this.scene;
    const { centres } = this.controller.state;
    const all = extent(drawing);
    const middle = middleOfCards(centres.flatMap((key) => drawing.cards.get(key) ?? []));
    const across = Math.max(all.right - middle.x, middle.x - all.left);
    const down = Math.max(all.bottom - middle.y, middle.y - all.top);
    const zoomed = Math.min(1, Math.max(smallestStartZoom, Math.min((size.width / 2 - 40) / across, (size.height / 2 - 40) / down)));
    this.scene.centreOn(centres, zoomed);
  }

  private lights(): Lights {
    const { state, settings } = this.controller;
    const pinned = settings.column === "" ? null : { key: columnParts(settings.column).key, column: columnParts(settings.column).name };
    const lit = this.hovered ?? pinned;
    const base = { centres: state.centres, selected: settings.selected, selectedEdge: this.selectedEdge, pinned, diff: false };
    if (lit === null || !settings.columns) return { ...base, columns: null, edges: null };
    const edges = drawnColumnEdges(state.edges, this.view);
    const names = (key: Key) => (state.nodes.get(key)?.columns ?? []).map((c) => c.name);
    const path = columnPath(columnKey(lit.key, lit.column), edges, names);
    const columns = new Map<Key, Set<string>>();
    for (const column of path.columns) {
      const { key, name } = columnParts(column);
      columns.set(key, (columns.get(key) ?? new Set()).add(name));
    }
    return { ...base, columns, edges: new Set([...path.edges].map(edgeKey)) };
  }

  private drawState(): void {
    const { phase, fault, asked } = this.controller.state;
    if (phase === "loading") replace(this.state, loadingState());
    else if (phase === "failed") replace(this.state, failedState(fault!, () => this.start(this.controller.settings)));
    else if (phase === "empty") replace(this.state, emptyState(t("canvas.empty"), t("canvas.emptyHint")));
    else if (asked === "") replace(this.state, emptyState(t("canvas.start"), t("canvas.startHint")));
    else replace(this.state);
    this.stage.dataset["phase"] = phase;
    this.state.dataset["phase"] = phase;
  }

  private drawBanners(all: number): void {
    const { truncated, errors } = this.controller.state;
    const [missed] = this.controller.missed;
    const banner = (id: string, text: string, ...actions: Node[]) => (this.dismissed.has(id) ? null : h("div", { class: `banner ${id}` }, h("span", {}, text), ...actions, h("button", { type: "button", class: "icon-button", "aria-label": t("action.close"), onclick: () => (this.dismissed.add(id), this.drawBanners(all)) }, "×")));
    const drawAll = button(t("canvas.drawAll"), () => {
      this.drawAll = true;
      this.changed(null);
    });
    replace(
      this.banners,
      truncated === null ? null : banner("truncated", truncated.nodes_left === undefined ? t("canvas.truncatedSome") : t("canvas.truncated", { n: number(truncated.nodes_left) })),
      all > drawnWithoutAsking && !this.drawAll ? banner("too-many", t("canvas.tooMany", { n: number(all), shown: number(drawnWithoutAsking) }), button(t("filter.label"), () => this.bar?.openFilters()), drawAll) : null,
      missed === undefined ? null : banner("missed", t("canvas.columnsMissed", { reason: faultText(missed.fault) }), button(t("action.retry"), () => this.controller.retryMissed())),
      errors.length === 0 ? null : banner("unparsed", t("canvas.unparsed", { n: number(errors.length) }), button(t("canvas.unparsedShow"), () => this.showErrors())),
    );
  }

  private showErrors(): void {
    const { errors } = this.controller.state;
    showDialog(t("unparsed.title"), () => [
      h("ul", { class: "error-list" }, ...errors.slice(0, 200).map((e) => h("li", {}, h("a", { href: nodeHref(e.task ?? "") }, e.task === undefined ? "" : e.task.slice(e.task.lastIndexOf("|") + 1)), ` ${t("unparsed.place", { statement: e.statement ?? 0, line: e.line ?? 0, column: e.column ?? 0 })} `, h("span", {}, e.message)))),
    ]);
  }

  private writeUrl(): void {
    const picture = this.controller.picture();
    const before = new URLSearchParams(location.search).toString();
    const now = writePicture(picture);
    if (location.pathname === "/lineage" && before !== now) rewrite(`/lineage?${now}`);
  }

  private select(key: Key, intoPanel: boolean): void {
    this.selectedEdge = "";
    this.controller.settings = { ...this.controller.settings, selected: key };
    const hadPanel = !this.panel.element.hidden;
    this.panel.show(key, "");
    if (!hadPanel) this.scene.whenResized(() => this.scene.reveal(key));
    this.scene.light(this.lights());
    this.writeUrl();
    if (intoPanel) this.panel.element.querySelector<HTMLElement>("button")?.focus();
  }

  private selectEdge(id: string): void {
    this.selectedEdge = id;
    this.controller.settings = { ...this.controller.settings, selected: "" };
    this.panel.show("", id);
    this.scene.light(this.lights());
    this.writeUrl();
  }

  private escape(): void {
    this.columnSearch.hidden = true;
    this.hovered = null;
    this.selectedEdge = "";
    this.controller.settings = { ...this.controller.settings, selected: "", column: "" };
    this.panel.show("", "");
    this.scene.light(this.lights());
    this.writeUrl();
  }

  private handlers() {
    return {
      select: (key: Key) => this.select(key, false),
      open: (key: Key) => go(nodeHref(key, this.controller.settings.branch)),
      menu: (key: Key, at: Point) => this.nodeMenu(key, at),
      toggle: (key: Key, side: Side) => this.controller.dispatch({ type: "toggle", key, side }),
      showMore: (key: Key, side: Side) => this.controller.dispatch({ type: "showMore", key, side }),
      edge: (id: string) => this.selectEdge(id),
      edgeMenu: (id: string, at: Point) => this.edgeMenu(id, at),
      hoverColumn: (key: Key, column: string | null) => this.hoverColumn(key, column),
      pinColumn: (key: Key, column: string) => this.pinColumn(key, column),
      moreColumns: (key: Key) => this.moreColumns(key),
      searchColumns: (key: Key, at: Point) => this.searchColumns(key, at),
      background: () => this.escape(),
      moved: (key: Key, to: Point) => this.move(key, to),
      viewChanged: () => this.minimap?.update(),
    };
  }

  private move(key: Key, to: Point): void {
    const origin = this.origin();
    const { settings } = this.controller;
    const moved = { key, x: Math.round(to.x - origin.x), y: Math.round(to.y - origin.y) };
    this.controller.settings = { ...settings, moved: [...settings.moved.filter((m) => m.key !== key), moved] };
    this.repaint();
  }

  /** Where the layout puts the first centre; dragged nodes keep their distance from it when everything else moves. */
  private origin(): Point {
    return this.layout.at[this.controller.state.centres[0] ?? ""] ?? { x: 0, y: 0 };
  }

  private get moved(): Map<Key, Point> {
    const { x, y } = this.origin();
    return new Map(this.controller.settings.moved.map((m) => [m.key, { x: x + m.x, y: y + m.y }]));
  }

  private readonly repaint = eachFrame(() => {
    this.paint(null);
    this.writeUrl();
  });

  private hoverColumn(key: Key, column: string | null): void {
    const now = column === null ? null : { key, column };
    if (now?.key === this.hovered?.key && now?.column === this.hovered?.column) return;
    this.hovered = now;
    this.scene.light(this.lights());
  }

  private pinColumn(key: Key, column: string): void {
    const id = columnKey(key, column);
    const settings = this.controller.settings;
    this.controller.settings = { ...settings, column: settings.column === id ? "" : id };
    this.scene.light(this.lights());
    this.panel.show(this.controller.settings.selected, this.selectedEdge);
    this.writeUrl();
  }

  private moreColumns(key: Key): void {
    this.controller.setList(key, { limit: (this.controller.lists.get(key) ?? defaultList).limit + 5 * columnsListed });
    void this.controller.fetchNodeColumns(key);
  }

  /** A small box over the node, which lists only columns that match. */
  private searchColumns(key: Key, at: Point): void {
    void this.controller.fetchNodeColumns(key);
    const frame = this.stage.getBoundingClientRect();
    const input = h("input", { type: "search", "aria-label": t("column.search"), placeholder: t("column.search"), value: this.controller.lists.get(key)?.query ?? "" });
    input.addEventListener("input", () => this.controller.setList(key, { query: input.value }));
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Escape" && event.key !== "Enter") return;
      if (event.key === "Escape") this.controller.setList(key, { query: "" });
      this.columnSearch.hidden = true;
      this.scene.focusNode(key);
    });
    replace(this.columnSearch, input);
    this.columnSearch.hidden = false;
    this.columnSearch.style.left = `${at.x - frame.left}px`;
    this.columnSearch.style.top = `${at.y - frame.top + 8}px`;
    input.focus();
  }

  private nodeMenu(key: Key, at: Point): void {
    const { state } = this.controller;
    const info = state.nodes.get(key);
    if (info === undefined) return;
    const centre = state.centres.includes(key);
    const items: MenuItem[] = [];
    if (!centre) items.push({ label: t("menu.view"), run: () => this.recentre(key) });
    items.push({ label: t("menu.page"), run: () => go(nodeHref(key, this.controller.settings.branch)) });
    items.push({ label: t("menu.impact"), run: () => go(`/impact?${new URLSearchParams({ node: key }).toString()}`) });
    if (info.can_edit === true) {
      items.push({ label: t("menu.insertSource"), run: () => this.insert(key, "left") });
      items.push({ label: t("menu.insertTarget"), run: () => this.insert(key, "right") });
    }
    showMenu(at, info.display, items);
  }

  private edgeMenu(id: string, at: Point): void {
    const e = this.controller.state.edges.get(id);
    const items: MenuItem[] = [{ label: t("edge.details"), run: () => this.selectEdge(id) }];
    if (e?.can_delete) items.push({ label: t("edge.delete"), danger: true, run: () => this.remove(id) });
    showMenu(at, t("edge.details"), items);
  }

  private insert(key: Key, side: Side): void {
    pickNode(t(side === "left" ? "menu.insertSource" : "menu.insertTarget"), (other) => this.controller.dispatch({ type: "insert", node: key, side, other }));
  }

  private remove(id: string): void {
    confirm(t("edge.delete"), t("edge.deleteAsk"), t("action.delete"), () => {
      if (this.selectedEdge === id) this.selectedEdge = "";
      this.controller.dispatch({ type: "delete", id });
    });
  }

  private refused(reason: Refusal, edge: EdgeInfo | undefined): void {
    const tasks = (edge?.tasks ?? []).map((task) => task.slice(task.lastIndexOf("|") + 1)).join(", ");
    announce(t(`refuse.${reason}`, { tasks }), "bad");
  }

  /** Finds: a drawn node is panned to, another is joined by the shortest way. */
  goTo(key: Key): void {
    const hadPanel = !this.panel.element.hidden;
    this.select(key, false);
    this.scene.focusNode(key);
    this.scene.centreOn([key]);
    if (!hadPanel) this.scene.whenResized(() => this.scene.centreOn([key]));
  }

  async reach(key: Key): Promise<void> {
    try {
      if (await this.controller.addWay(key)) {
        this.select(key, false);
        await this.refreshing;
        this.goTo(key);
      } else {
        confirm(t("way.none"), t("way.noneHint"), t("menu.view"), () => this.recentre(key));
      }
    } catch (error) {
      announce(faultText(faultOf(error)), "bad");
    }
  }

  async expandAll(): Promise<void> {
    try {
      const n = await this.controller.countAll();
      confirm(t("expandAll.title"), t("expandAll.ask", { n: number(n) }), t("expandAll.label", { n: number(n) }), () => this.change({ depth: -1, expansions: [], closed: [] }));
    } catch (error) {
      announce(faultText(faultOf(error)), "bad");
    }
  }

  private panelActions() {
    return {
      recentre: (key: Key) => this.recentre(key),
      insert: (key: Key, side: Side) => this.insert(key, side),
      remove: (id: string) => this.remove(id),
      selectNode: (key: Key) => (this.controller.settings.list ? this.select(key, false) : this.goTo(key)),
      selectEdge: (id: string) => this.selectEdge(id),
      pinColumn: (key: Key, column: string) => this.pinColumn(key, column),
      close: () => this.escape(),
    };
  }
}

/** What a layout depends on, so that nothing is laid out twice. */
function signatureOf(input: LayoutInput): string {
  const nodes = input.nodes.map((n) => `${n.key} ${n.width} ${n.height}`).sort();
  const edges = input.edges.map((e) => e.id).sort();
  return [...input.centres, ...nodes, ...edges].join("\n");
}
