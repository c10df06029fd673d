/**
 * The drawing on the screen: an SVG that pans and zooms, and holds only what is
 * in view. It knows boxes and lines, and tells what a person does with them.
 */
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";
import type { Key, Side } from "../model/types.ts";
import type { Point } from "../layout/types.ts";
import { t } from "../ui/i18n.ts";
import { eachFrame, s } from "../ui/dom.ts";
import { drawMore, drawNode, type Look } from "./card.ts";
import { card, cardAt } from "./geometry.ts";
import { drawLine, markers } from "./line.ts";
import { emptyDrawing, extent, type Card, type Line, type Picture } from "./picture.ts";

/** What a person did. */
export interface SceneHandlers {
  select(key: Key): void;
  open(key: Key): void;
  menu(key: Key, at: Point): void;
  toggle(key: Key, side: Side): void;
  showMore(key: Key, side: Side): void;
  edge(id: string): void;
  edgeMenu(id: string, at: Point): void;
  hoverColumn(key: Key, column: string | null): void;
  pinColumn(key: Key, column: string): void;
  moreColumns(key: Key): void;
  searchColumns(key: Key, at: Point): void;
  background(): void;
  moved(key: Key, to: Point): void;
  viewChanged(): void;
}

/** What is lit, selected and centred. */
export interface Lights {
  centres: readonly Key[];
  selected: Key;
  selectedEdge: string;
  /** Lit columns by node, and lit edges; null when nothing is lit. */
  columns: ReadonlyMap<Key, ReadonlySet<string>> | null;
  edges: ReadonlySet<string> | null;
  pinned: { key: Key; column: string } | null;
  diff: boolean;
}

export const noLights: Lights = { centres: [], selected: "", selectedEdge: "", columns: null, edges: null, pinned: null, diff: false };

/** Below this zoom words are too small to read and are not drawn. */
const farZoom = 0.42;
/** Small enough to fit hundreds of nodes in one layer. */
const smallestZoom = 0.01;
/** What lies this far outside the view, in screen pixels, is kept. */
const keptMargin = 240;
const noColumns: ReadonlySet<string> = new Set();
/** Milliseconds that making elements may take of one frame. */
const mountBudget = 14;

const signature = (look: Look): string => JSON.stringify([look.selected, look.lit === null ? null : [...look.lit].sort(), look.pinned, look.diff]);

export class Scene {
  readonly svg: SVGSVGElement;
  private readonly viewport: SVGGElement;
  private readonly layers: Record<"lines" | "cards", SVGGElement>;
  private readonly behaviour: ZoomBehavior<SVGSVGElement, unknown>;
  private readonly mounted = new Map<string, SVGElement>();
  /** How each element looked when it was made, so that only those that change are made anew. */
  private readonly looks = new WeakMap<SVGElement, string>();
  private picture: Picture = emptyDrawing;
  private lights: Lights = noLights;
  private focus: Key = "";
  private room = { width: 0, height: 0 };
  private mountUntil = 0;
  private readonly mountSoon: () => void;
  transform: ZoomTransform = zoomIdentity;

  constructor(
    private readonly host: HTMLElement,
    private readonly handlers: SceneHandlers,
  ) {
    this.layers = { lines: s("g", { class: "lines" }), cards: s("g", { class: "cards" }) };
    this.viewport = s("g", { class: "viewport" }, this.layers.lines, this.layers.cards);
    this.svg = s("svg", { class: "scene", role: "group", "aria-label": t("canvas.label") }, markers(), this.viewport);
    host.append(this.svg);
    const cull = eachFrame(() => this.mountVisible());
    this.mountSoon = cull;
    this.behaviour = zoom<SVGSVGElement, unknown>()
      .scaleExtent([smallestZoom, 3])
      .filter((event: MouseEvent) => this.panStarts(event))
      .on("zoom", ({ transform }: { transform: ZoomTransform }) => {
        this.transform = transform;
        this.viewport.setAttribute("transform", transform.toString());
        this.svg.classList.toggle("far", transform.k < farZoom);
        cull();
        handlers.viewChanged();
      });
    select(this.svg).call(this.behaviour).on("dblclick.zoom", null);
    this.listen();
    new ResizeObserver(() => {
      this.measure();
      cull();
    }).observe(host);
  }

  /** Draws a picture; an anchor keeps its place on the screen. */
  show(picture: Picture, lights: Lights, anchor: Key | null): void {
    const before = anchor === null ? undefined : this.picture.cards.get(anchor);
    const after = anchor === null ? undefined : picture.cards.get(anchor);
    const hadFocus = this.svg.contains(document.activeElement);
    this.picture = picture;
    this.lights = lights;
    if (!picture.cards.has(this.focus)) this.focus = lights.centres.find((key) => picture.cards.has(key)) ?? "";
    this.mounted.forEach((element) => element.remove());
    this.mounted.clear();
    if (before !== undefined && after !== undefined) {
      const a = cardAt(before);
      const b = cardAt(after);
      const k = this.transform.k;
      this.setTransform(zoomIdentity.translate(this.transform.x - (b.x - a.x) * k, this.transform.y - (b.y - a.y) * k).scale(k));
    }
    this.mountVisible();
    if (hadFocus) this.cardElement(this.focus)?.focus({ preventScroll: true });
  }

  /** Changes what is lit or selected; nothing moves. */
  light(lights: Lights): void {
    this.lights = lights;
    for (const line of this.picture.lines) {
      const element = this.mounted.get(line.id);
      if (element !== undefined) this.lightLine(element, line);
    }
    for (const [key, c] of this.picture.cards) {
      const old = this.mounted.get(key);
      if (old === undefined || this.looks.get(old) === signature(this.lookOf(key))) continue;
      const hadFocus = old.contains(document.activeElement);
      const made = this.makeNode(c);
      old.replaceWith(made);
      this.mounted.set(key, made);
      if (hadFocus) this.cardElement(key)?.focus({ preventScroll: true });
    }
  }

  /** Marks one column under the pointer and its path, without drawing anything anew. */
  hover(lights: Lights): void {
    this.lights = lights;
    for (const line of this.picture.lines) {
      const element = this.mounted.get(line.id);
      if (element !== undefined) this.lightLine(element, line);
    }
    for (const key of this.picture.cards.keys()) {
      const lit = lights.columns === null ? null : (lights.columns.get(key) ?? noColumns);
      const node = this.mounted.get(key);
      if (node !== undefined) this.looks.set(node, signature(this.lookOf(key)));
      for (const element of this.mounted.get(key)?.querySelectorAll("[data-column]") ?? []) {
        const name = element.getAttribute("data-column")!;
        element.classList.toggle("lit", lit?.has(name) ?? false);
        element.classList.toggle("dim", lit !== null && !lit.has(name));
      }
    }
  }

  get drawing(): Picture {
    return this.picture;
  }

  get lightsNow(): Lights {
    return this.lights;
  }

  /** Room on the screen; read once, because asking while elements change makes the browser lay out the page. */
  get size(): { width: number; height: number } {
    if (this.room.width === 0) this.room = { width: this.host.clientWidth, height: this.host.clientHeight };
    return { width: this.room.width || 800, height: this.room.height || 600 };
  }

  /** Reads the room anew, when it is known to have changed. */
  measure(): void {
    this.room = { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  /** Pans as little as brings a node into view. */
  reveal(key: Key): void {
    const c = this.picture.cards.get(key);
    if (c !== undefined) this.bringIntoView(c);
  }

  private setTransform(transform: ZoomTransform): void {
    this.behaviour.transform(select(this.svg), transform);
  }

  setView(x: number, y: number, k: number): void {
    this.setTransform(zoomIdentity.translate(x, y).scale(k));
  }

  /** Everything in view, never larger than life. */
  fit(): void {
    const all = extent(this.picture);
    const { width, height } = this.size;
    const margin = 48;
    const k = Math.min(1, (width - 2 * margin) / (all.right - all.left), (height - 2 * margin) / (all.bottom - all.top));
    const zoomed = Math.max(smallestZoom, k);
    this.setView(width / 2 - ((all.left + all.right) / 2) * zoomed, height / 2 - ((all.top + all.bottom) / 2) * zoomed, zoomed);
  }

  /** A node in the middle of the view. */
  centreOn(keys: readonly Key[], zoomed = this.transform.k): void {
    const cards = keys.map((key) => this.picture.cards.get(key)).filter((c): c is Card => c !== undefined);
    if (cards.length === 0) return;
    const { width, height } = this.size;
    const x = cards.reduce((sum, c) => sum + cardAt(c).x + card.width / 2, 0) / cards.length;
    const y = cards.reduce((sum, c) => sum + c.y + c.height / 2, 0) / cards.length;
    this.setView(width / 2 - x * zoomed, height / 2 - y * zoomed, zoomed);
  }

  zoomBy(factor: number): void {
    this.behaviour.scaleBy(select(this.svg), factor);
  }

  panBy(x: number, y: number): void {
    this.setView(this.transform.x + x, this.transform.y + y, this.transform.k);
  }

  /** Moves the focus to a node, into view if it is outside. */
  focusNode(key: Key): void {
    const c = this.picture.cards.get(key);
    if (c === undefined) return;
    const old = this.cardElement(this.focus);
    this.focus = key;
    old?.setAttribute("tabindex", "-1");
    this.bringIntoView(c);
    this.mountVisible();
    const element = this.cardElement(key);
    element?.setAttribute("tabindex", "0");
    element?.focus({ preventScroll: true });
  }

  get focused(): Key {
    return this.focus;
  }

  /** Middle of a node's card on the page. */
  placeOf(key: Key): Point {
    const c = this.picture.cards.get(key);
    const frame = this.svg.getBoundingClientRect();
    if (c === undefined) return { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
    const at = cardAt(c);
    const [x, y] = this.transform.apply([at.x + card.width / 2, at.y + card.height / 2]);
    return { x: frame.left + x, y: frame.top + y };
  }

  private bringIntoView(c: Card): void {
    const { width, height } = this.size;
    const at = cardAt(c);
    const [left, top] = this.transform.apply([at.x, at.y]);
    const [right, bottom] = this.transform.apply([at.x + card.width, at.y + card.height]);
    const margin = 40;
    const dx = left < margin ? margin - left : right > width - margin ? width - margin - right : 0;
    const dy = top < margin ? margin - top : bottom > height - margin ? height - margin - bottom : 0;
    if (dx !== 0 || dy !== 0) this.panBy(dx, dy);
  }

  private cardElement(key: Key): SVGGElement | null {
    return this.mounted.get(key)?.querySelector<SVGGElement>(".card") ?? null;
  }

  /** The part of the drawing that is on the screen, with a margin. */
  private visible(): { left: number; right: number; top: number; bottom: number } {
    const { width, height } = this.size;
    const [left, top] = this.transform.invert([-keptMargin, -keptMargin]);
    const [right, bottom] = this.transform.invert([width + keptMargin, height + keptMargin]);
    return { left, top, right, bottom };
  }

  /** Mounts what came into view and removes what left it; what takes longer than a part of a frame goes on in the next. */
  private mountVisible(): void {
    const view = this.visible();
    this.mountUntil = performance.now() + mountBudget;
    const inView = (b: { x: number; y: number; width: number; height: number }) => b.x + b.width >= view.left && b.x <= view.right && b.y + b.height >= view.top && b.y <= view.bottom;
    for (const line of this.picture.lines) {
      const { left, right, top, bottom } = line.box;
      this.place(line.id, this.layers.lines, right >= view.left && left <= view.right && bottom >= view.top && top <= view.bottom, () => this.makeLine(line));
    }
    for (const [key, c] of this.picture.cards) this.place(key, this.layers.cards, key === this.focus || inView(c), () => this.makeNode(c));
    for (const m of this.picture.more) this.place(m.key, this.layers.cards, inView(m), () => drawMore(m));
    const whole = performance.now() <= this.mountUntil;
    this.svg.dataset["whole"] = String(whole);
    if (!whole) this.mountSoon();
  }

  private place(id: string, layer: SVGGElement, show: boolean, make: () => SVGElement): void {
    const element = this.mounted.get(id);
    if (show && element === undefined) {
      if (performance.now() > this.mountUntil) return;
      const made = make();
      this.mounted.set(id, made);
      layer.append(made);
    } else if (!show && element !== undefined) {
      element.remove();
      this.mounted.delete(id);
    }
  }

  lookOf(key: Key): Look {
    const { columns, pinned, selected, diff } = this.lights;
    return {
      selected: selected === key,
      lit: columns === null ? null : (columns.get(key) ?? noColumns),
      pinned: pinned?.key === key ? pinned.column : null,
      diff,
    };
  }

  private makeNode(c: Card): SVGElement {
    const look = this.lookOf(c.key);
    const made = drawNode(c, look, this.lights.centres.includes(c.key), c.key === this.focus);
    this.looks.set(made, signature(look));
    return made;
  }

  private makeLine(line: Line): SVGElement {
    const element = drawLine(line, this.lights.diff);
    this.lightLine(element, line);
    return element;
  }

  private lightLine(element: SVGElement, line: Line): void {
    const { edges, selectedEdge } = this.lights;
    element.classList.toggle("selected", line.id === selectedEdge);
    element.classList.toggle("lit", edges?.has(line.id) ?? false);
    element.classList.toggle("dim", edges !== null && !edges.has(line.id));
  }

  /** A drag pans when it starts beside the nodes; the wheel always zooms. */
  private panStarts(event: MouseEvent): boolean {
    if (event.type === "wheel") return true;
    return event.button === 0 && (event.target as Element).closest("[data-node], [data-more]") === null;
  }

  private listen(): void {
    this.svg.addEventListener("click", (event) => this.clicked(event.target as Element, { x: event.clientX, y: event.clientY }));
    this.svg.addEventListener("dblclick", (event) => {
      const key = (event.target as Element).closest(".card, .face")?.closest("[data-node]")?.getAttribute("data-node");
      if (key) this.handlers.open(key);
    });
    this.svg.addEventListener("contextmenu", (event) => this.contextMenu(event));
    this.svg.addEventListener("pointerover", (event) => this.overColumn(event.target as Element));
    this.svg.addEventListener("pointerdown", (event) => this.startMove(event));
    this.svg.addEventListener("focusin", (event) => {
      const key = (event.target as Element).getAttribute("data-key");
      if (key !== null && key !== this.focus) this.focusNode(key);
    });
  }

  private overColumn(target: Element): void {
    const column = target.closest("[data-column]");
    const key = column?.closest("[data-node]")?.getAttribute("data-node") ?? "";
    this.handlers.hoverColumn(key, column?.getAttribute("data-column") ?? null);
  }

  private clicked(target: Element, at: Point): void {
    if (this.suppressClick) {
      this.suppressClick = false;
      return;
    }
    const attribute = (name: string) => target.closest(`[${name}]`)?.getAttribute(name) ?? null;
    const of = target.closest("[data-node]")?.getAttribute("data-node") ?? "";
    const side = attribute("data-toggle") as Side | null;
    const column = attribute("data-column");
    const more = target.closest("[data-more]");
    const edge = attribute("data-edge");
    if (side !== null) this.handlers.toggle(of, side);
    else if (more !== null) this.handlers.showMore(more.getAttribute("data-more")!, more.getAttribute("data-side") as Side);
    else if (attribute("data-more-columns") !== null) this.handlers.moreColumns(of);
    else if (attribute("data-search-columns") !== null) this.handlers.searchColumns(of, at);
    else if (column !== null) this.handlers.pinColumn(of, column);
    else if (of !== "") this.handlers.select(of);
    else if (edge !== null) this.handlers.edge(edge);
    else this.handlers.background();
  }

  private contextMenu(event: MouseEvent): void {
    const target = event.target as Element;
    const key = target.closest("[data-node]")?.getAttribute("data-node");
    const edge = target.closest("[data-edge]")?.getAttribute("data-edge");
    if (!key && !edge) return;
    event.preventDefault();
    // A menu key or Shift+F10 reports no place of its own; then the menu stands at the node.
    const byKeyboard = event.button !== 2;
    const at = byKeyboard && key ? this.placeOf(key) : { x: event.clientX, y: event.clientY };
    if (key) this.handlers.menu(key, at);
    else this.handlers.edgeMenu(edge!, at);
  }

  private suppressClick = false;

  /** Drags a node; a Flink box moves as one because it is one. */
  private startMove(event: PointerEvent): void {
    const key = (event.target as Element).closest(".card, .face, .flink")?.closest("[data-node]")?.getAttribute("data-node");
    const c = key ? this.picture.cards.get(key) : undefined;
    if (event.button !== 0 || c === undefined) return;
    const start = { x: event.clientX, y: event.clientY };
    let dragging = false;
    const move = (e: PointerEvent) => {
      dragging ||= Math.hypot(e.clientX - start.x, e.clientY - start.y) > 5;
      if (!dragging) return;
      const k = this.transform.k;
      this.handlers.moved(c.key, { x: c.x + (e.clientX - start.x) / k, y: c.y + (e.clientY - start.y) / k });
    };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      this.suppressClick = dragging;
      // A click follows the release at once, if one does; a later one is meant.
      if (dragging) requestAnimationFrame(() => (this.suppressClick = false));
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  /** Activates what has the focus, as a click would. */
  activate(target: Element): void {
    const frame = target.getBoundingClientRect();
    this.clicked(target, { x: frame.left, y: frame.bottom });
  }
}
