/** The elements of one edge. */
import type { EdgeInfo } from "../model/types.ts";
import { number, t, when } from "../ui/i18n.ts";
import { s } from "../ui/dom.ts";
import { fontOf, textWidth } from "./measure.ts";
import type { Line } from "./picture.ts";

const labelFont = fontOf(11);

/** Arrow heads, one for each colour of line, because a marker does not take its line's colour everywhere. */
export function markers(): SVGDefsElement {
  const kinds = ["plain", "manual", "bridge", "indirect", "added", "removed", "lit"];
  return s(
    "defs",
    {},
    ...kinds.map((kind) =>
      s("marker", { id: `arrow-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { class: `arrow arrow-${kind}`, d: "M0.5 0.7L7.5 4L0.5 7.3z" })),
    ),
  );
}

/** What an edge looks like, by its strongest trait. */
export function lineLook(e: EdgeInfo, diff: boolean): string {
  if (diff && (e.change === "added" || e.change === "removed")) return e.change;
  if (e.kind === "bridge") return "bridge";
  if (e.with_manual) return "manual";
  return e.level === "column" && !e.direct ? "indirect" : "plain";
}

/** A short mark on the line: what a colour alone must not say. */
function mark(e: EdgeInfo, diff: boolean): string {
  if (diff && e.change === "added") return "+";
  if (diff && e.change === "removed") return "−";
  if (e.kind === "bridge") return t("edge.bridged", { n: number(e.hidden ?? 0) });
  if (e.cycle) return "↻";
  if (e.with_manual && e.level === "table") return "✎";
  return "";
}

/** One line of text about an edge. */
export function describeEdge(e: EdgeInfo, from: string, to: string): string {
  const parts = [`${from}${e.from_column ? `.${e.from_column}` : ""} → ${to}${e.to_column ? `.${e.to_column}` : ""}`];
  if (e.via !== undefined && e.via.length > 0) parts.push(e.via.join(", "));
  if (e.level === "column") parts.push(t(e.direct ? "edge.direct" : "edge.indirect"));
  for (const m of e.manual ?? []) parts.push(t("edge.manualBy", { who: m.who, when: when(m.at) }));
  if (e.cycle) parts.push(t("badge.cycle"));
  if (e.kind === "bridge") parts.push(t("edge.bridgedLong", { n: number(e.hidden ?? 0) }));
  if (e.change !== undefined) parts.push(t(`diff.${e.change}`));
  return parts.join(" · ");
}

/** The element of an edge: a wide invisible line to hit, the line, and its mark; from afar the line alone. */
export function drawLine(line: Line, diff: boolean, whole: boolean): SVGGElement {
  const e = line.edge;
  const kind = lineLook(e, diff);
  const text = whole ? mark(e, diff) : "";
  const change = diff ? ` change-${e.change ?? "unchanged"}` : "";
  const classes = `edge ${e.level} ${kind}${line.dashed ? " mapping-edge" : ""}${e.cycle ? " cycle" : ""}${e.with_manual ? " with-manual" : ""}${change}`;
  const name = (key: string) => key.slice(key.lastIndexOf("|") + 1);
  const attributes = { class: classes, "data-edge": line.id, "data-from": e.from, "data-to": e.to };
  if (!whole) return s("g", attributes, s("path", { class: "line", d: line.path() }));
  const group = s(
    "g",
    attributes,
    s("title", {}, describeEdge(e, name(e.from), name(e.to))),
    s("path", { class: "hit", d: line.path() }),
    s("path", { class: "line", d: line.path(), "marker-end": `url(#arrow-${kind})` }),
  );
  if (text !== "") {
    const width = Math.max(16, textWidth(text, labelFont) + 10);
    group.append(s("g", { class: "mark", transform: `translate(${line.middle.x} ${line.middle.y})` }, s("rect", { x: -width / 2, y: -8, width, height: 16, rx: 8 }), s("text", { y: 4, "text-anchor": "middle" }, text)));
  }
  return group;
}

/** Gives a drawn edge another course. */
export function reshapeLine(element: SVGElement, line: Line): SVGElement {
  element.querySelectorAll(":scope > path").forEach((path) => path.setAttribute("d", line.path()));
  element.querySelector(":scope > .mark")?.setAttribute("transform", `translate(${line.middle.x} ${line.middle.y})`);
  return element;
}

/** Lines that are drawn as one element, because from afar none of them can be told apart. */
export interface Bundle {
  id: string;
  look: string;
  lines: readonly Line[];
}

/** At most this many lines make one element. */
export const linesOfBundle = 150;

/** All lines in bundles of one look, neighbours together. */
export function bundle(lines: readonly Line[], diff: boolean): Bundle[] {
  const byLook = new Map<string, Line[]>();
  for (const line of lines) {
    const look = `${line.edge.level} ${lineLook(line.edge, diff)}${line.dashed ? " mapping-edge" : ""}`;
    const list = byLook.get(look);
    if (list === undefined) byLook.set(look, [line]);
    else list.push(line);
  }
  const made: Bundle[] = [];
  for (const [look, list] of byLook) {
    list.sort((a, b) => a.box.left - b.box.left || a.box.top - b.box.top);
    for (let at = 0; at < list.length; at += linesOfBundle) made.push({ id: `bundle ${made.length}`, look, lines: list.slice(at, at + linesOfBundle) });
  }
  return made;
}

/** The element of a bundle. */
export const drawBundle = ({ look, lines }: Bundle): SVGGElement => s("g", { class: `edge bundle ${look}` }, s("path", { class: "line", d: lines.map((line) => line.path()).join("") }));
