/** Sizes of boxes and the points where edges meet them. Pure: no DOM. */
import { columnsListed, listColumns, type ColumnList } from "../model/columns.ts";
import type { FlinkBox, Port } from "../model/flink.ts";
import type { ColumnInfo, NodeInfo } from "../model/types.ts";
import type { Point } from "../layout/types.ts";

export const card = { width: 232, height: 54, radius: 9 };
export const row = { height: 24, foot: 6 };
export const flink = { mapping: 138, gap: 26, padding: 12, head: 26, rowHeight: 26, rowGap: 6 };
export const moreCard = { width: 132, height: 30 };

export interface Rows {
  columns: ColumnInfo[];
  more: number;
  /** Whether the list is long enough to search in. */
  searchable: boolean;
}

/** A box on the canvas: where it is, how large, and what it lists. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  rows: Rows | null;
  flink: FlinkBox | null;
}

/** What a node lists in column mode; nothing without columns. */
export function rowsOf(node: NodeInfo, list: ColumnList): Rows | null {
  const known = Math.max(node.columns?.length ?? 0, node.column_count ?? 0);
  if (known === 0) return null;
  const { columns, more } = listColumns(node, list);
  return { columns, more, searchable: known > columnsListed };
}

const stack = (count: number): number => (count === 0 ? 0 : count * flink.rowHeight + (count - 1) * flink.rowGap);

/** Size of a box; a Flink box holds its mappings beside the task. */
export function sizeOf(rows: Rows | null, box: FlinkBox | null): { width: number; height: number } {
  const listed = rows === null ? 0 : (rows.columns.length + (rows.more > 0 ? 1 : 0)) * row.height + row.foot;
  if (box === null) return { width: card.width, height: card.height + listed };
  const sides = [box.sources.length, box.results.length].filter((count) => count > 0).length;
  const inner = Math.max(card.height + listed, stack(box.sources.length), stack(box.results.length));
  return { width: card.width + sides * (flink.mapping + flink.gap) + 2 * flink.padding, height: inner + flink.head + flink.padding };
}

/** Where the card of a box is: the box itself, or inside a Flink box. */
export function cardAt(box: Box): Point {
  if (box.flink === null) return { x: box.x, y: box.y };
  const left = box.flink.sources.length > 0 ? flink.mapping + flink.gap : 0;
  const inner = box.height - flink.head - flink.padding;
  return { x: box.x + flink.padding + left, y: box.y + flink.head + (inner - card.height) / 2 };
}

/** Top left corner of a mapping table inside a Flink box. */
export function mappingAt(box: Box, part: "sources" | "results", index: number): Point {
  const count = box.flink![part].length;
  const inner = box.height - flink.head - flink.padding;
  const x = part === "sources" ? box.x + flink.padding : box.x + box.width - flink.padding - flink.mapping;
  return { x, y: box.y + flink.head + (inner - stack(count)) / 2 + index * (flink.rowHeight + flink.rowGap) };
}

/** Where an edge meets a box: at its card's middle, or at a mapping table. */
export function anchor(box: Box, port: Port, end: "from" | "to"): Point {
  if (port.part !== "task") {
    const at = mappingAt(box, port.part, port.index);
    return { x: at.x + (end === "from" ? flink.mapping : 0), y: at.y + flink.rowHeight / 2 };
  }
  const at = cardAt(box);
  // At the edge of the whole box, so that a line never crosses what the box holds.
  const x = end === "from" ? box.x + box.width : box.x;
  return { x, y: at.y + card.height / 2 };
}

/** Where a column's edge meets its box; the card's middle when the column is not listed. */
export function columnAnchor(box: Box, column: string | undefined, end: "from" | "to"): Point {
  const at = cardAt(box);
  const x = end === "from" ? box.x + box.width : box.x;
  const index = box.rows?.columns.findIndex((c) => c.name === column) ?? -1;
  if (index >= 0) return { x, y: at.y + card.height + index * row.height + row.height / 2 };
  const hidden = column !== undefined && box.rows !== null && box.rows.more > 0;
  return { x, y: hidden ? at.y + card.height + (box.rows!.columns.length + 0.5) * row.height : at.y + card.height / 2 };
}

const round = (n: number): number => Math.round(n * 10) / 10;

/** A smooth line through points, flat at both ends. */
export function smooth(points: readonly Point[]): string {
  let path = `M${round(points[0]!.x)} ${round(points[0]!.y)}`;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1]!;
    const b = points[i]!;
    const reach = Math.max(Math.abs(b.x - a.x) / 2, b.x < a.x ? 60 : 0);
    path += Math.abs(b.y - a.y) < 0.5 && b.x >= a.x
      ? `L${round(b.x)} ${round(b.y)}`
      : `C${round(a.x + reach)} ${round(a.y)} ${round(b.x - reach)} ${round(b.y)} ${round(b.x)} ${round(b.y)}`;
  }
  return path;
}

/** A line against the flow: out to the right, under both boxes, and in from the left. */
export function backward(from: Point, to: Point, below: number): string {
  const out = 48;
  const [a, b] = [{ x: round(from.x), y: round(from.y) }, { x: round(to.x), y: round(to.y) }];
  const y = round(below);
  return `M${a.x} ${a.y}C${a.x + out} ${a.y} ${a.x + out} ${y} ${a.x - 8} ${y}L${b.x + 8} ${y}C${b.x - out} ${y} ${b.x - out} ${b.y} ${b.x} ${b.y}`;
}

/** A loop over the top of a box that points to itself. */
export function loop(box: Box): { path: string; middle: Point } {
  const right = box.x + box.width;
  const y = cardAt(box).y + card.height / 2;
  const top = box.y - 26;
  return {
    path: `M${right} ${y}C${right + 46} ${y} ${right + 30} ${top} ${right - 30} ${top}L${box.x + 30} ${top}C${box.x - 30} ${top} ${box.x - 46} ${y} ${box.x} ${y}`,
    middle: { x: box.x + box.width / 2, y: top },
  };
}

/** The point halfway along a line, near enough for a label. */
export function middleOf(points: readonly Point[]): Point {
  const at = (points.length - 1) / 2;
  const a = points[Math.floor(at)]!;
  const b = points[Math.ceil(at)]!;
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
