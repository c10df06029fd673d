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
import { drawMore, drawNode, lightNode, placeOf, sameCard, shortName, type Detail, type Look } from "./card.ts";
import { card, cardAt } from "./geometry.ts";
import { bundle, drawBundle, drawLine, linesOfBundle, markers, reshapeLine, type Bundle } from "./line.ts";
import { Mounted, Slice, type Entry, type Piece } from "./mounted.ts";
import { emptyDrawing, extent, type Bounds, type Card, type Line, type MoreCard, type Picture } from "./picture.ts";

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

/** Below this zoom words are too small to read, and nodes are drawn as shapes. */
const wholeZoom = 0.42;
/** Below this one a node is a few pixels high, and lines run together. */
const plainZoom = 0.14;
/** Small enough to fit hundreds of nodes in one layer. */
const smallestZoom = 0.01;
/** What lies this far outside the view, in screen pixels, is kept. */
const keptMargin = 240;
const noColumns: ReadonlySet<string> = new Set();

/** How much is drawn of a node at a zoom. */
export const detailAt = (k: number): Detail => (k >= wholeZoom ? "whole" : k >= plainZoom ? "plain" : "dot");

/** Elements that a node has, about; a column adds some. */
const nodeSize: Record<Detail, number> = { whole: 20, plain: 9, dot: 2 };
const columnSize = 5;
const lineSize = 5;
/** What moving a line counts as, in elements made. */
const lineMove = 3;

export class Scene {
  readonly svg: SVGSVGElement;
  private readonly viewport: SVGGElement;
  private readonly layers: Record<"lines" | "lit" | "cards", SVGGElement>;
  private readonly behaviour: ZoomBehavior<SVGSVGElement, unknown>;
  private readonly mounted = new Mounted();
  private picture: Picture = emptyDrawing;
  private lights: Lights = noLights;
  private bundles: readonly Bundle[] | null = null;
  private focus: Key = "";
  /** What is to be done when the room that is about to change has changed. */
  private afterResize: (() => void) | null = null;
  private room = { width: 0, height: 0 };
  private readonly mountSoon: () => void;
  transform: ZoomTransform = zoomIdentity;

  constructor(
    private readonly host: HTMLElement,
    private readonly handlers: SceneHandlers,
  ) {
    // Lit lines lie apart, so that the others are dimmed as one, however many they are.
    this.layers = { lines: s("g", { class: "lines" }), lit: s("g", { class: "lines" }), cards: s("g", { class: "cards" }) };
    this.viewport = s("g", { class: "viewport" }, this.layers.lines, this.layers.lit, this.layers.cards);
    // The ground alone wears the cursor: on the whole drawing, a changed cursor would style every element anew.
    const ground = s("rect", { class: "ground", width: "100%", height: "100%" });
    this.svg = s("svg", { class: "scene", role: "group", "aria-label": t("canvas.label") }, markers(), ground, this.viewport);
    host.append(this.svg);
    this.mountSoon = eachFrame(() => this.mountVisible());
    this.behaviour = zoom<SVGSVGElement, unknown>()
      .scaleExtent([smallestZoom, 3])
      .filter((event: MouseEvent) => this.panStarts(event))
      .on("zoom", ({ transform }: { transform: ZoomTransform }) => {
        this.transform = transform;
        this.viewport.setAttribute("transform", transform.toString());
        this.mountSoon();
        handlers.viewChanged();
      });
    select(this.svg).call(this.behaviour).on("dblclick.zoom", null);
    this.listen();
    new ResizeObserver(([entry]) => this.resized(entry!.contentRect)).observe(host);
  }

  private resized({ width, height }: DOMRectReadOnly): void {
    this.room = { width, height };
    this.afterResize?.();
    this.afterResize = null;
    this.mountSoon();
  }

  /** Draws a picture; an anchor keeps its place on the screen. */
  show(picture: Picture, lights: Lights, anchor: Key | null): void {
    const before = anchor === null ? undefined : this.picture.cards.get(anchor);
    const after = anchor === null ? undefined : picture.cards.get(anchor);
    const hadFocus = this.svg.contains(document.activeElement);
    this.picture = picture;
    this.bundles = null;
    this.lights = lights;
    if (!picture.cards.has(this.focus)) this.focus = lights.centres.find((key) => picture.cards.has(key)) ?? "";
    this.keep();
    this.lightMounted();
    if (before !== undefined && after !== undefined) {
      const a = cardAt(before);
      const b = cardAt(after);
      const k = this.transform.k;
      this.setTransform(zoomIdentity.translate(this.transform.x - (b.x - a.x) * k, this.transform.y - (b.y - a.y) * k).scale(k));
    }
    this.mountVisible();
    const focused = this.cardElement(this.focus);
    focused?.setAttribute("tabindex", "0");
    if (hadFocus && !this.svg.contains(document.activeElement)) focused?.focus({ preventScroll: true });
  }

  /** Keeps the elements of what looks as before, nodes moved to their new place, and gives up those of what is gone. Lines that move are many, so they do it when there is time. */
  private keep(): void {
    const { cards, lines, more } = this.picture;
    const others = new Map<string, Line | MoreCard>([...lines.map((line) => [line.id, line] as const), ...more.map((m) => [m.key, m] as const)]);
    for (const [id, entry] of [...this.mounted.all()]) {
      const now = cards.get(id) ?? others.get(id);
      if (now === undefined) this.mounted.forget(id);
      else if ("node" in now) keepCard(entry, now);
      else if ("edge" in now) keepLine(entry, now);
    }
  }

  /** Changes what is lit or selected; nothing moves and nothing is drawn anew. */
  light(lights: Lights): void {
    this.lights = lights;
    this.lightMounted();
    this.mountSoon();
  }

  private lightMounted(): void {
    this.layers.lines.classList.toggle("dimmed", this.lights.edges !== null);
    for (const [id, { element }] of this.mounted.all()) {
      if (this.picture.cards.has(id)) lightNode(element, this.lookOf(id));
      else if (element.hasAttribute("data-edge")) this.lightLine(element, id);
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

  /** Pans as little as brings a node into view. */
  reveal(key: Key): void {
    const c = this.picture.cards.get(key);
    if (c !== undefined) this.bringIntoView(c);
  }

  /** Does something when the room, which is about to change, has changed: asking for it at once would lay the page out twice. */
  whenResized(run: () => void): void {
    this.afterResize = run;
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
    const { x, y } = middleOfCards(cards);
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
    return this.mounted.get(key)?.element.querySelector<SVGGElement>(".card") ?? null;
  }

  /** The part of the drawing that is on the screen, with a margin. */
  private visible(): Bounds {
    const { width, height } = this.size;
    const [left, top] = this.transform.invert([-keptMargin, -keptMargin]);
    const [right, bottom] = this.transform.invert([width + keptMargin, height + keptMargin]);
    return { left, top, right, bottom };
  }

  /** Mounts what came into view and removes what left it; what is too much for one frame goes on in the next. */
  private mountVisible(): void {
    const slice = new Slice();
    const detail = detailAt(this.transform.k);
    this.mountFocus(detail);
    for (const piece of this.pieces(detail)) {
      this.mounted.settle(piece, slice);
      if (slice.full) break;
    }
    this.mounted.clean(slice);
    this.svg.dataset["whole"] = String(!slice.full);
    if (slice.full) this.mountSoon();
  }

  /** The node that has the focus is on the page wherever it is, and made first, so that the focus is never lost. */
  private mountFocus(detail: Detail): void {
    const c = this.picture.cards.get(this.focus);
    const entry = this.mounted.get(this.focus);
    if (c === undefined || (entry?.of === c && entry.detail === detail)) return;
    const had = entry?.element.contains(document.activeElement) ?? false;
    this.mounted.mount(this.cardPiece(c, detail, true));
    if (had) this.cardElement(this.focus)?.focus({ preventScroll: true });
  }

  /** All that is to be made or removed, nodes first. */
  private *pieces(detail: Detail): Generator<Piece> {
    const view = this.visible();
    const boxInView = (b: { x: number; y: number; width: number; height: number }) => b.x + b.width >= view.left && b.x <= view.right && b.y + b.height >= view.top && b.y <= view.bottom;
    const lineInView = ({ box }: Line) => box.right >= view.left && box.left <= view.right && box.bottom >= view.top && box.top <= view.bottom;
    const { cards, more, lines } = this.picture;
    for (const c of cards.values()) {
      const shown = c.key === this.focus || boxInView(c);
      if (this.mounted.differs(c.key, c, detail, shown)) yield this.cardPiece(c, detail, shown);
    }
    for (const m of more) {
      const shown = boxInView(m);
      if (this.mounted.differs(m.key, m, "whole", shown)) yield { id: m.key, of: m, detail: "whole", size: 3, shown, layer: this.layers.cards, make: () => drawMore(m) };
    }
    for (const line of lines) {
      const shown = (detail !== "dot" || this.isLit(line.id)) && lineInView(line);
      if (this.mounted.differs(line.id, line, detail, shown)) yield this.linePiece(line, detail, shown);
    }
    yield* this.bundlePieces(detail === "dot");
  }

  private cardPiece(c: Card, detail: Detail, shown: boolean): Piece {
    const size = nodeSize[detail] + (detail === "whole" ? columnSize * (c.rows?.columns.length ?? 0) : 0);
    return { id: c.key, of: c, detail, size, shown, layer: this.layers.cards, make: () => this.makeNode(c, detail) };
  }

  private linePiece(line: Line, detail: Detail, shown: boolean): Piece {
    const old = this.mounted.get(line.id);
    const moves = old !== undefined && old.detail === detail && sameLine(old.of as Line, line);
    const make = () => {
      const element = moves ? reshapeLine(old.element, line) : drawLine(line, this.lights.diff, detail === "whole");
      this.lightLine(element, line.id);
      return element;
    };
    return { id: line.id, of: line, detail, size: moves ? lineMove : lineSize, shown, layer: this.layerOf(line.id), make };
  }

  private *bundlePieces(shown: boolean): Generator<Piece> {
    if (shown) this.bundles ??= bundle(this.picture.lines, this.lights.diff);
    for (const b of this.bundles ?? []) if (this.mounted.differs(b.id, b, "dot", shown)) yield { id: b.id, of: b, detail: "dot", size: linesOfBundle, shown, layer: this.layers.lines, make: () => drawBundle(b) };
  }

  lookOf(key: Key): Look {
    const { columns, pinned, selected } = this.lights;
    return {
      selected: selected === key,
      lit: columns === null ? null : (columns.get(key) ?? noColumns),
      pinned: pinned?.key === key ? pinned.column : null,
    };
  }

  private makeNode(c: Card, detail: Detail): SVGElement {
    const made = drawNode(c, { centre: this.lights.centres.includes(c.key), focusable: c.key === this.focus, diff: this.lights.diff }, detail);
    lightNode(made, this.lookOf(c.key));
    return made;
  }

  private isLit(id: string): boolean {
    return id === this.lights.selectedEdge || (this.lights.edges?.has(id) ?? false);
  }

  private layerOf(line: string): SVGGElement {
    return this.isLit(line) ? this.layers.lit : this.layers.lines;
  }

  private lightLine(element: Element, id: string): void {
    const { edges, selectedEdge } = this.lights;
    element.classList.toggle("selected", id === selectedEdge);
    element.classList.toggle("lit", edges?.has(id) ?? false);
    const layer = this.layerOf(id);
    if (element.isConnected && element.parentNode !== layer) layer.append(element);
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
    this.svg.addEventListener("pointerover", (event) => {
      this.overColumn(event.target as Element);
      this.nameDot(event.target as Element);
    });
    this.svg.addEventListener("pointerdown", (event) => this.startMove(event));
    this.svg.addEventListener("focusin", (event) => {
      const key = (event.target as Element).getAttribute("data-key");
      if (key !== null && key !== this.focus) this.focusNode(key);
    });
  }

  /** A dot has no words, so it gets them when it is pointed at. */
  private nameDot(target: Element): void {
    const node = target.closest(".node.dot");
    const c = this.picture.cards.get(node?.getAttribute("data-node") ?? "");
    if (node !== null && c !== undefined && node.querySelector("title") === null) node.prepend(s("title", {}, shortName(c.node.info)));
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

/** The point in the middle of some cards; the origin when there are none. */
export function middleOfCards(cards: readonly Card[]): Point {
  const mean = (of: (c: Card) => number) => cards.reduce((sum, c) => sum + of(c), 0) / Math.max(1, cards.length);
  return { x: mean((c) => cardAt(c).x + card.width / 2), y: mean((c) => c.y + c.height / 2) };
}

/** An element of a card that looks as before is moved; another is left to be made anew. */
function keepCard(entry: Entry, c: Card): void {
  if (!sameCard(entry.of as Card, c)) return;
  entry.of = c;
  entry.element.setAttribute("transform", placeOf(c));
}

/** An edge that is drawn as before, be it at another place. */
const sameLine = (a: Line, b: Line): boolean => a.edge === b.edge && a.dashed === b.dashed;

function keepLine(entry: Entry, line: Line): void {
  const old = entry.of as Line;
  if (sameLine(old, line) && old.path() === line.path()) entry.of = line;
}
