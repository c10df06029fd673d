/**
 * From what is to be drawn and where the layout put it, to boxes and lines.
 * Pure: the scene only has to make elements of the result, and an export of it
 * holds the same as the screen.
 */
import { columnCounts, defaultList, drawnColumnEdges, type ColumnList } from "../model/columns.ts";
import { flinkBox, flinkEnds } from "../model/flink.ts";
import { edgeKey } from "../model/key.ts";
import type { EdgeInfo, Key } from "../model/types.ts";
import type { DrawnNode, MoreNode, View } from "../model/view.ts";
import type { Layout, LayoutInput, Point } from "../layout/types.ts";
import { anchor, backward, columnAnchor, loop, middleOf, moreCard, rowsOf, sizeOf, smooth, type Box } from "./geometry.ts";

export interface Card extends Box {
  key: Key;
  node: DrawnNode;
  /** "drawn k of n" by column. */
  counts: ReadonlyMap<string, { drawn: number; total: number }>;
}

/** A rectangle by its sides. */
export interface Bounds {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Line {
  id: string;
  edge: EdgeInfo;
  /** Its course as SVG writes it; worked out when it is first drawn. */
  path(): string;
  middle: Point;
  box: Bounds;
  dashed: boolean;
}

export interface MoreCard extends MoreNode {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Picture {
  cards: ReadonlyMap<Key, Card>;
  lines: readonly Line[];
  more: readonly MoreCard[];
}

export const emptyDrawing: Picture = { cards: new Map(), lines: [], more: [] };

export interface Show {
  view: View;
  /** All known edges, for those of columns. */
  edges: ReadonlyMap<string, EdgeInfo>;
  columns: boolean;
  lists: ReadonlyMap<Key, ColumnList>;
}

const plainEnds = { from: { part: "task", index: 0 }, to: { part: "task", index: 0 }, dashed: false } as const;

const flinkOf = (view: View) => (key: Key) => {
  const node = view.nodes.get(key);
  return node === undefined ? null : flinkBox(node.info);
};

function contents(show: Show, key: Key, node: DrawnNode) {
  const rows = show.columns ? rowsOf(node.info, show.lists.get(key) ?? defaultList) : null;
  const flink = flinkBox(node.info);
  return { rows, flink, ...sizeOf(rows, flink) };
}

/** What the layout is asked: boxes with their sizes, and "show more" as boxes too. */
export function layoutInput(show: Show, centres: readonly Key[], previous: Record<string, Point>): LayoutInput {
  const nodes = [...show.view.nodes].map(([key, node]) => {
    const { width, height } = contents(show, key, node);
    return { key, width, height };
  });
  const edges = [...show.view.edges].map(([id, e]) => ({ id, from: e.from, to: e.to }));
  for (const more of show.view.more) {
    nodes.push({ key: more.key, width: moreCard.width, height: moreCard.height });
    edges.push(more.side === "right" ? { id: more.key, from: more.of, to: more.key } : { id: more.key, from: more.key, to: more.of });
  }
  return { nodes, edges, centres: [...centres], previous };
}

/** The drawing of a layout; `moved` holds what people dragged. */
export function compose(show: Show, layout: Layout, moved: ReadonlyMap<Key, Point>): Picture {
  const columnEdges = show.columns ? drawnColumnEdges(show.edges, show.view) : [];
  const byNode = edgesByNode(columnEdges);
  const cards = new Map<Key, Card>();
  for (const [key, node] of show.view.nodes) {
    const at = moved.get(key) ?? layout.at[key];
    if (at === undefined) continue;
    const box = { ...contents(show, key, node), x: at.x, y: at.y };
    const counts = new Map((box.rows?.columns ?? []).map((c) => [c.name, columnCounts(key, c, byNode.get(key) ?? [])] as const));
    cards.set(key, { ...box, key, node, counts });
  }
  const more: MoreCard[] = show.view.more.filter((m) => layout.at[m.key] !== undefined).map((m) => ({ ...m, ...layout.at[m.key]!, ...moreCard }));
  const tableLines = [...show.view.edges].map(([id, e]) => tableLine(e, id, cards, layout, moved, show.view));
  const columnLines = columnEdges.map((e) => columnLine(e, cards));
  return { cards, more, lines: [...tableLines, ...columnLines].filter((line): line is Line => line !== null) };
}

function edgesByNode(edges: readonly EdgeInfo[]): Map<Key, EdgeInfo[]> {
  const byNode = new Map<Key, EdgeInfo[]>();
  for (const e of edges) {
    for (const key of e.from === e.to ? [e.from] : [e.from, e.to]) {
      const list = byNode.get(key);
      if (list === undefined) byNode.set(key, [e]);
      else list.push(e);
    }
  }
  return byNode;
}

function bounds(points: readonly Point[], margin: number): Bounds {
  const all = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const { x, y } of points) {
    all.left = Math.min(all.left, x - margin);
    all.right = Math.max(all.right, x + margin);
    all.top = Math.min(all.top, y - margin);
    all.bottom = Math.max(all.bottom, y + margin);
  }
  return all;
}

/** Runs once, however often its result is asked for. */
function once(run: () => string): () => string {
  let made: string | null = null;
  return () => (made ??= run());
}

type Course = Pick<Line, "path" | "middle" | "box">;

function tableLine(e: EdgeInfo, id: string, cards: ReadonlyMap<Key, Card>, layout: Layout, moved: ReadonlyMap<Key, Point>, view: View): Line | null {
  const a = cards.get(e.from);
  const b = cards.get(e.to);
  if (a === undefined || b === undefined) return null;
  if (a === b) {
    const { path, middle } = loop(a);
    return { id, edge: e, path: () => path, middle, dashed: false, box: bounds([{ x: a.x, y: a.y - 30 }, { x: a.x + a.width, y: a.y + a.height }], 50) };
  }
  const ends = a.flink === null && b.flink === null ? plainEnds : flinkEnds(e, flinkOf(view));
  const bends = moved.has(e.from) || moved.has(e.to) ? [] : (layout.bends[id] ?? []);
  const points = [anchor(a, ends.from, "from"), ...bends, anchor(b, ends.to, "to")];
  return { id, edge: e, dashed: ends.dashed, ...course(a, b, points, 26) };
}

function columnLine(e: EdgeInfo, cards: ReadonlyMap<Key, Card>): Line | null {
  const a = cards.get(e.from);
  const b = cards.get(e.to);
  if (a === undefined || b === undefined) return null;
  const points = [columnAnchor(a, e.from_column, "from"), columnAnchor(b, e.to_column, "to")];
  return { id: edgeKey(e), edge: e, dashed: false, ...course(a, b, points, 34) };
}

/** A smooth line through the points, or one around both boxes where the target is left of the source. */
function course(a: Box, b: Box, points: readonly Point[], gap: number): Course {
  const from = points[0]!;
  const to = points.at(-1)!;
  if (from.x <= to.x) return { path: once(() => smooth(points)), middle: middleOf(points), box: bounds(points, 64) };
  const below = Math.max(a.y + a.height, b.y + b.height) + gap;
  return { path: once(() => backward(from, to, below)), middle: { x: (from.x + to.x) / 2, y: below }, box: bounds([from, to, { x: to.x, y: below }], 64) };
}

const extents = new WeakMap<Picture, Bounds>();

/** The rectangle around everything drawn. */
export function extent(picture: Picture): Bounds {
  let all = extents.get(picture);
  if (all === undefined) extents.set(picture, (all = findExtent(picture)));
  return all;
}

function findExtent(picture: Picture): Bounds {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  const add = (left: number, top: number, right: number, bottom: number) => {
    all.left = Math.min(all.left, left);
    all.top = Math.min(all.top, top);
    all.right = Math.max(all.right, right);
    all.bottom = Math.max(all.bottom, bottom);
  };
  for (const b of picture.cards.values()) add(b.x, b.y, b.x + b.width, b.y + b.height);
  for (const b of picture.more) add(b.x, b.y, b.x + b.width, b.y + b.height);
  // A line's box has room for its bends; less than that is seen of it.
  for (const { box } of picture.lines) add(box.left + 50, box.top + 50, box.right - 50, box.bottom - 50);
  return all.left <= all.right ? all : { left: 0, top: 0, right: 1, bottom: 1 };
}
