/**
 * The URL holds what makes the picture: centre, branch, time, depth, open and
 * closed sides, filters, selection, and where people put nodes. Parameters that are not known are ignored.
 */
import { noFilters, type Filters } from "./filter.ts";
import { sideKey, sideOf, sideParts, type CanvasState, type Expansion } from "./state.ts";
import type { Key, Side } from "./types.ts";

export interface Picture {
  node: Key;
  branch: string;
  asOf: string;
  /** Layers drawn each way at the start; -1 is all. */
  depth: number;
  tasks: boolean;
  columns: boolean;
  list: boolean;
  expansions: readonly Expansion[];
  /** Sides closed although they were fetched. */
  closed: readonly string[];
  /** Nodes that a way was added to. */
  ways: readonly Key[];
  filters: Filters;
  selected: Key;
  /** A pinned column, as columnKey makes it. */
  column: string;
  /** Nodes that were dragged, each with its whole distance from where the layout puts the first centre. */
  moved: readonly Moved[];
}

/** Where a person put a node. */
export interface Moved {
  key: Key;
  x: number;
  y: number;
}

export const emptyPicture: Picture = {
  node: "",
  branch: "",
  asOf: "",
  depth: 1,
  tasks: false,
  columns: false,
  list: false,
  expansions: [],
  closed: [],
  ways: [],
  filters: noFilters,
  selected: "",
  column: "",
  moved: [],
};

const sideLetters: Record<Side, string> = { left: "l", right: "r" };
const letterSides: Record<string, Side> = { l: "left", r: "right" };

/** `l3:key`: side, layers, node. */
const writeExpansion = (e: Expansion): string => `${sideLetters[e.side]}${e.layers}:${e.key}`;

function readExpansion(text: string): Expansion | null {
  const match = /^([lr])(-?\d{1,2}):(.+)$/s.exec(text);
  if (match === null) return null;
  return { side: letterSides[match[1]!]!, layers: Number(match[2]), key: match[3]! };
}

function writeClosed(k: string): string {
  const { key, side } = sideParts(k);
  return `${sideLetters[side]}:${key}`;
}

function readClosed(text: string): string | null {
  const match = /^([lr]):(.+)$/s.exec(text);
  return match === null ? null : sideKey(match[2]!, letterSides[match[1]!]!);
}

/** `-120,48:key`: across and down, node. */
const writeMoved = ({ key, x, y }: Moved): string => `${x},${y}:${key}`;

function readMoved(text: string): Moved | null {
  const match = /^(-?\d{1,7}),(-?\d{1,7}):(.+)$/s.exec(text);
  return match === null ? null : { x: Number(match[1]), y: Number(match[2]), key: match[3]! };
}

const present = <T>(value: T | null): value is T => value !== null;

/** Sides that were fetched and closed again, in a stable order. */
export function closedSides(state: CanvasState): string[] {
  const closed: string[] = [];
  for (const k of state.sides.keys()) {
    const { key, side } = sideParts(k);
    const now = sideOf(state, key, side);
    if (now.fetched && !now.open) closed.push(k);
  }
  return closed.sort();
}

/** The query string of a picture; what is as at the start is left out. */
export function writePicture(p: Picture): string {
  const q = new URLSearchParams();
  const put = (name: string, value: string) => value !== "" && q.set(name, value);
  put("node", p.node);
  put("branch", p.branch);
  put("as_of", p.asOf);
  put("depth", p.depth === 1 ? "" : String(p.depth));
  put("tasks", p.tasks ? "all" : "");
  put("columns", p.columns ? "1" : "");
  put("view", p.list ? "list" : "");
  p.expansions.forEach((e) => q.append("open", writeExpansion(e)));
  p.closed.forEach((k) => q.append("shut", writeClosed(k)));
  p.ways.forEach((key) => q.append("way", key));
  p.filters.kinds.forEach((kind) => q.append("hide_kind", kind));
  p.filters.namespaces.forEach((namespace) => q.append("hide_namespace", namespace));
  p.filters.platforms.forEach((platform) => q.append("hide_platform", platform));
  put("origin", p.filters.origin === "all" ? "" : p.filters.origin);
  put("selected", p.selected);
  put("column", p.column);
  p.moved.forEach((m) => q.append("at", writeMoved(m)));
  return q.toString();
}

/** The picture of a query string; anything malformed counts as not there. */
export function readPicture(query: string): Picture {
  const q = new URLSearchParams(query);
  const text = (name: string) => q.get(name) ?? "";
  const depth = Number(text("depth") || "1");
  const origin = text("origin");
  return {
    node: text("node"),
    branch: text("branch"),
    asOf: text("as_of"),
    depth: Number.isInteger(depth) && (depth === -1 || (depth >= 1 && depth <= 50)) ? depth : 1,
    tasks: text("tasks") === "all",
    columns: text("columns") === "1",
    list: text("view") === "list",
    expansions: q.getAll("open").map(readExpansion).filter(present),
    closed: q.getAll("shut").map(readClosed).filter(present),
    ways: q.getAll("way"),
    filters: {
      kinds: q.getAll("hide_kind"),
      namespaces: q.getAll("hide_namespace"),
      platforms: q.getAll("hide_platform"),
      origin: origin === "manual" || origin === "parsed" ? origin : "all",
    },
    selected: text("selected"),
    column: text("column"),
    moved: q.getAll("at").map(readMoved).filter(present),
  };
}
