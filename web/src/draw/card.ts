/** The elements of one node: its card, badges, columns, mapping tables and buttons. */
import type { ColumnInfo, FlinkTable, NodeInfo, Side } from "../model/types.ts";
import type { Button } from "../model/view.ts";
import { t, number } from "../ui/i18n.ts";
import { s } from "../ui/dom.ts";
import { card, cardAt, flink, mappingAt, row } from "./geometry.ts";
import { glyph, glyphOf } from "./icons.ts";
import { fitText, fontOf, textWidth } from "./measure.ts";
import type { Card, MoreCard } from "./picture.ts";

const titleFont = fontOf(13, 600);
const smallFont = fontOf(11);
const columnFont = fontOf(12);

/** What changes about a drawn node without drawing it anew. */
export interface Look {
  selected: boolean;
  /** Lit columns of this node; null when nothing is lit. */
  lit: ReadonlySet<string> | null;
  pinned: string | null;
}

/** What a node is drawn as. */
export interface Part {
  centre: boolean;
  /** Whether the tab key stops at it. */
  focusable: boolean;
  /** Whether changes are marked. */
  diff: boolean;
}

/** How much of a node is drawn: all of it, its shape and buttons, or its shape alone. */
export type Detail = "whole" | "plain" | "dot";

/** What the platform calls it, which tells nodes apart best; the source stands in the line below. */
export const shortName = (node: NodeInfo): string => node.name || node.display;

function kindText(node: NodeInfo): string {
  const where = node.source || node.namespace.replace(/^[a-z0-9+]+:\/\//i, "");
  return where === "" ? t(`kind.${node.kind}`) : `${t(`kind.${node.kind}`)} · ${where}`;
}

/** Grey without a job spec on master, blue with one; other families have their own colour. */
function iconClass(node: NodeInfo): string {
  if (node.family !== "dataset") return `icon family-${node.family}`;
  return node.has_job_spec_on_master === true ? "icon built" : "icon unbuilt";
}

interface Badge {
  name: string;
  glyph?: string;
  text?: string;
  title: string;
}

function badgesOf(node: NodeInfo, diff: boolean): Badge[] {
  const badges: Badge[] = [];
  if (diff && node.change !== undefined && node.change !== "unchanged") {
    badges.push({ name: node.change, text: node.change === "added" ? "+" : "−", title: t(`diff.${node.change}`) });
  }
  if (node.with_masked) badges.push({ name: "masked", glyph: "lock", title: t("badge.masked") });
  if ((node.unparsed ?? 0) > 0) badges.push({ name: "unparsed", glyph: "warning", title: t("badge.unparsed", { n: number(node.unparsed!) }) });
  if (node.from_fallback) badges.push({ name: "fallback", glyph: "branch", title: t("badge.fallback", { branch: node.branch ?? "" }) });
  const aliases = node.aliases?.length ?? 0;
  if (aliases > 0) badges.push({ name: "aliases", text: `≡${aliases + 1}`, title: t("badge.aliases", { names: node.aliases!.join(", ") }) });
  if (node.cycle) badges.push({ name: "cycle", text: "↻", title: t("badge.cycle") });
  return badges;
}

const badgeWidth = (badge: Badge): number => (badge.glyph === undefined ? Math.max(18, textWidth(badge.text!, smallFont) + 10) : 18);

function drawBadges(node: NodeInfo, diff: boolean, at: { x: number; y: number }, searchable: boolean): { element: SVGGElement; width: number } {
  const group = s("g", { class: "badges" });
  let right = at.x + card.width - 12 - (searchable ? 18 : 0);
  for (const badge of badgesOf(node, diff)) {
    const width = badgeWidth(badge);
    right -= width;
    const inner =
      badge.glyph === undefined
        ? s("text", { x: width / 2, y: 12.5, "text-anchor": "middle" }, badge.text)
        : s("path", { d: glyph(badge.glyph), class: "glyph", transform: `translate(${width / 2 - 6} 3) scale(0.75)` });
    group.append(s("g", { class: `badge badge-${badge.name}`, transform: `translate(${right} ${at.y + 28})` }, s("title", {}, badge.title), s("rect", { width, height: 18, rx: 5 }), inner));
    right -= 4;
  }
  return { element: group, width: at.x + card.width - 12 - (searchable ? 18 : 0) - right };
}

/** One line that says to a screen reader what the card shows. */
export function describe(c: Card, centre: boolean): string {
  const node = c.node.info;
  const parts = [node.display, t(`kind.${node.kind}`)];
  if (centre) parts.push(t("role.root"));
  for (const role of ["parent", "child"] as const) if (c.node.roles.has(role)) parts.push(t(`role.${role}`));
  parts.push(t("node.counts", { up: number(node.upstream_count), down: number(node.downstream_count) }));
  if (node.with_masked) parts.push(t("badge.masked"));
  if (node.from_fallback) parts.push(t("badge.fallback", { branch: node.branch ?? "" }));
  if (node.change !== undefined) parts.push(t(`diff.${node.change}`));
  return parts.join(", ");
}

/** Height of a card with the columns that it lists. */
const cardHeight = (c: Card): number => card.height + (c.rows === null ? 0 : (c.rows.columns.length + (c.rows.more > 0 ? 1 : 0)) * row.height + row.foot);

/** What makes a card a button. Its label says all that the face shows, in full. */
const cardAttributes = (c: Card, { centre, focusable, diff }: Part) => ({
  class: `card${centre ? " centre" : ""}${diff ? ` change-${c.node.info.change ?? "unchanged"}` : ""}`,
  role: "button",
  tabindex: focusable ? 0 : -1,
  "aria-label": describe(c, centre),
  "aria-pressed": "false",
  "data-key": c.key,
});

/** The card itself, which takes the focus. */
function drawCard(c: Card, part: Part, detail: Detail): SVGGElement {
  const at = cardAt(c);
  const { family, kind } = c.node.info;
  const glyphs = detail === "whole" ? s("path", { class: "glyph", d: glyphOf(family, kind), transform: "translate(5 5)" }) : null;
  return s(
    "g",
    cardAttributes(c, part),
    s("rect", { class: "frame", x: at.x, y: at.y, width: card.width, height: cardHeight(c), rx: card.radius }),
    s("g", { class: iconClass(c.node.info), transform: `translate(${at.x + 10} ${at.y + 14})` }, s("rect", { width: 26, height: 26, rx: 6 }), glyphs),
  );
}

/** Name, kind and badges, shortened to the card's room. */
function drawFace(c: Card, diff: boolean): SVGGElement {
  const node = c.node.info;
  const at = cardAt(c);
  const searchable = c.rows?.searchable ?? false;
  const badges = drawBadges(node, diff, at, searchable);
  const left = at.x + 44;
  return s(
    "g",
    { class: "face", "aria-hidden": "true" },
    s("text", { class: "name", x: left, y: at.y + 23 }, fitText(shortName(node), card.width - 56, titleFont)),
    s("text", { class: "kind", x: left, y: at.y + 41 }, fitText(kindText(node), card.width - 60 - badges.width - (searchable ? 20 : 0), smallFont)),
    badges.element,
  );
}

function drawColumn(c: Card, column: ColumnInfo, index: number, diff: boolean): SVGGElement {
  const at = cardAt(c);
  const y = at.y + card.height + index * row.height;
  const count = c.counts.get(column.name) ?? { drawn: 0, total: 0 };
  const counted = count.total === 0 ? "" : `${number(count.drawn)}/${number(count.total)}`;
  const masked = column.masked || column.with_masked;
  const countWidth = counted === "" ? 0 : textWidth(counted, smallFont) + 8;
  const typeText = fitText(column.type ?? "", 64, smallFont);
  const typeWidth = typeText === "" ? 0 : textWidth(typeText, smallFont) + 8;
  const marks = (masked ? 16 : 0) + (column.with_manual ? 16 : 0);
  const right = at.x + card.width - 12;
  const classes = `column${column.centre ? " centre" : ""}`;
  const change = diff && column.change !== undefined ? ` change-${column.change}` : "";
  const group = s(
    "g",
    { class: classes + change, "data-column": column.name },
    s("title", {}, columnTitle(column, count)),
    s("rect", { class: "row", x: at.x + 1, y, width: card.width - 2, height: row.height }),
    s("text", { class: "column-name", x: at.x + 14 + marks, y: y + 16 }, fitText(column.name, card.width - 34 - marks - countWidth - typeWidth, columnFont)),
    s("text", { class: "column-type", x: right - countWidth, y: y + 16, "text-anchor": "end" }, typeText),
    counted === "" ? null : s("text", { class: "column-count", x: right, y: y + 16, "text-anchor": "end" }, counted),
  );
  let x = at.x + 11;
  if (masked) group.append(s("path", { class: "glyph mask", d: glyph("lock"), transform: `translate(${x} ${y + 6}) scale(0.75)` })), (x += 16);
  if (column.with_manual) group.append(s("path", { class: "manual-mark", d: `M${x + 6} ${y + 7}l5 5-5 5-5-5z` }));
  return group;
}

function columnTitle(column: ColumnInfo, count: { drawn: number; total: number }): string {
  const parts = [!column.type ? column.name : `${column.name} ${column.type}`];
  if (column.comment !== undefined && column.comment !== "") parts.push(column.comment);
  if (count.total > 0) parts.push(t("column.drawn", { k: number(count.drawn), n: number(count.total) }));
  if (column.masked || column.with_masked) parts.push(t("badge.masked"));
  if (column.with_manual) parts.push(t("column.manual"));
  return parts.join("\n");
}

function drawRows(c: Card, diff: boolean): SVGGElement | null {
  if (c.rows === null) return null;
  const at = cardAt(c);
  const group = s("g", { class: "columns" }, s("path", { class: "rule", d: `M${at.x + 1} ${at.y + card.height}h${card.width - 2}` }));
  c.rows.columns.forEach((column, index) => group.append(drawColumn(c, column, index, diff)));
  if (c.rows.more > 0) {
    const y = at.y + card.height + c.rows.columns.length * row.height;
    const label = t("column.more", { n: number(c.rows.more) });
    group.append(s("g", { class: "more-columns", role: "button", tabindex: -1, "aria-label": label, "data-more-columns": c.key }, s("rect", { class: "row", x: at.x + 1, y, width: card.width - 2, height: row.height }), s("text", { x: at.x + 14, y: y + 16 }, label)));
  }
  if (c.rows.searchable) {
    const label = t("column.search");
    group.append(
      s(
        "g",
        { class: "search-columns", role: "button", tabindex: -1, "aria-label": label, "data-search-columns": c.key, transform: `translate(${at.x + card.width - 28} ${at.y + 27})` },
        s("title", {}, label),
        s("rect", { width: 20, height: 20, rx: 5 }),
        s("path", { class: "glyph", d: glyph("search"), transform: "translate(4 4) scale(0.75)" }),
      ),
    );
  }
  return group;
}

function drawMapping(c: Card, part: "sources" | "results", table: FlinkTable, index: number): SVGGElement {
  const at = mappingAt(c, part, index);
  const task = cardAt(c);
  const y = at.y + flink.rowHeight / 2;
  const [from, to] = part === "sources" ? [at.x + flink.mapping, task.x] : [task.x + card.width, at.x];
  const middle = (from + to) / 2;
  const target = task.y + card.height / 2;
  const [start, end] = part === "sources" ? [y, target] : [target, y];
  return s(
    "g",
    { class: "mapping", "data-physical": table.physical },
    s("title", {}, `${table.name}${table.connector === undefined ? "" : ` (${table.connector})`} → ${table.display ?? table.physical}`),
    s("path", { class: "line inner", d: `M${from} ${start}C${middle} ${start} ${middle} ${end} ${to} ${end}` }),
    s("rect", { x: at.x, y: at.y, width: flink.mapping, height: flink.rowHeight, rx: 5 }),
    s("text", { x: at.x + 10, y: at.y + 17 }, fitText(table.name, flink.mapping - 20, columnFont)),
  );
}

function drawFlink(c: Card, detail: Detail): SVGGElement | null {
  if (c.flink === null) return null;
  const box = s("rect", { class: "flink-box", x: c.x, y: c.y, width: c.width, height: c.height, rx: 12 });
  if (detail !== "whole") return s("g", { class: "flink" }, box);
  const label = t("flink.box", { n: number(c.flink.sources.length), m: number(c.flink.results.length) });
  return s(
    "g",
    { class: "flink" },
    box,
    s("text", { class: "flink-label", x: c.x + 14, y: c.y + 18 }, label),
    ...c.flink.sources.map((table, index) => drawMapping(c, "sources", table, index)),
    ...c.flink.results.map((table, index) => drawMapping(c, "results", table, index)),
  );
}

const signs: Record<Button["shows"], string> = { plus: "+", minus: "−", loading: "", retry: "!" };

/** Text of a button for people who do not see it. */
export function buttonLabel(node: NodeInfo, side: Side, button: Button): string {
  const name = node.display;
  const where = t(side === "left" ? "side.left" : "side.right");
  if (button.shows === "loading") return t("button.loading", { name, side: where });
  if (button.shows === "retry") return t("button.retry", { name, side: where, reason: button.fault?.message || t("fault.unreachable") });
  return button.shows === "plus" ? t("button.open", { name, side: where, n: number(button.hidden) }) : t("button.close", { name, side: where });
}

/** A + or − at the side of a box. */
function drawButton(c: Card, side: Side, button: Button | null, detail: Detail): SVGGElement | null {
  if (button === null) return null;
  const count = button.shows === "plus" && button.hidden > 0 ? number(button.hidden) : "";
  const width = count === "" ? 20 : 24 + textWidth(count, smallFont);
  const y = cardAt(c).y + card.height / 2;
  const x = side === "left" ? c.x - width + 8 : c.x + c.width - 8;
  const label = buttonLabel(c.node.info, side, button);
  const inner = button.shows === "loading" ? s("circle", { class: "spinner", cx: 10, cy: 10, r: 5.5 }) : s("text", { x: 10, y: 14.5, "text-anchor": "middle", class: "sign" }, signs[button.shows]);
  return s(
    "g",
    {
      class: `toggle ${button.shows}${button.ordinary ? "" : " reverse"}`,
      role: "button",
      tabindex: -1,
      "aria-label": label,
      "aria-busy": button.shows === "loading" ? "true" : null,
      "data-toggle": side,
      "data-of": c.key,
      transform: `translate(${x} ${y - 10})`,
    },
    s("title", {}, label),
    s("rect", { width, height: 20, rx: 10 }),
    detail === "whole" ? inner : null,
    detail !== "whole" || count === "" ? null : s("text", { x: 18, y: 14, class: "count" }, count),
  );
}

/** Where a node's elements stand: they are drawn around their box's corner, so that moving a node changes this alone. */
export const placeOf = ({ x, y }: { x: number; y: number }): string => `translate(${x} ${y})`;

/** All elements of a node. */
export function drawNode(placed: Card, part: Part, detail: Detail): SVGGElement {
  const c: Card = { ...placed, x: 0, y: 0 };
  const attributes = { class: `node family-${c.node.info.family} ${detail}`, "data-node": c.key, transform: placeOf(placed) };
  if (detail === "dot") {
    const { class: classes, ...button } = cardAttributes(c, part);
    return s("g", attributes, s("rect", { ...button, class: `${classes} frame`, width: c.width, height: c.height, rx: card.radius }));
  }
  return s(
    "g",
    attributes,
    s("title", {}, c.node.info.display),
    drawFlink(c, detail),
    drawCard(c, part, detail),
    detail === "whole" ? drawFace(c, part.diff) : null,
    detail === "whole" ? drawRows(c, part.diff) : null,
    drawButton(c, "left", c.node.left, detail),
    drawButton(c, "right", c.node.right, detail),
  );
}

/** Shows what is selected and lit of a drawn node. */
export function lightNode(element: Element, { selected, lit, pinned }: Look): void {
  const face = element.querySelector(".card");
  face?.classList.toggle("selected", selected);
  if (face?.getAttribute("aria-pressed") !== String(selected)) face?.setAttribute("aria-pressed", String(selected));
  for (const column of element.querySelectorAll("[data-column]")) {
    const name = column.getAttribute("data-column")!;
    column.classList.toggle("lit", lit?.has(name) ?? false);
    column.classList.toggle("dim", lit !== null && !lit.has(name));
    column.classList.toggle("pinned", name === pinned);
  }
}

/** Whether two cards look alike; where they stand does not count. */
export function sameCard(a: Card, b: Card): boolean {
  if (a.node.info !== b.node.info || a.width !== b.width || a.height !== b.height) return false;
  return sameButton(a.node.left, b.node.left) && sameButton(a.node.right, b.node.right) && sameSet(a.node.roles, b.node.roles) && sameRows(a, b);
}

const sameButton = (a: Button | null, b: Button | null): boolean =>
  a === b || (a !== null && b !== null && a.shows === b.shows && a.hidden === b.hidden && a.ordinary === b.ordinary && a.fault === b.fault);

const sameSet = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean => a.size === b.size && [...a].every((value) => b.has(value));

function sameRows(a: Card, b: Card): boolean {
  if (a.rows === null || b.rows === null) return a.rows === b.rows;
  if (a.rows.more !== b.rows.more || a.rows.searchable !== b.rows.searchable || a.rows.columns.length !== b.rows.columns.length) return false;
  return a.rows.columns.every((column, index) => {
    const [was, is] = [a.counts.get(column.name), b.counts.get(column.name)];
    return column === b.rows!.columns[index] && was?.drawn === is?.drawn && was?.total === is?.total;
  });
}

/** The node that stands for children not drawn. */
export function drawMore(m: MoreCard): SVGGElement {
  const label = m.loading ? t("more.loading") : t("more.label", { n: number(m.count) });
  return s(
    "g",
    { class: `more${m.loading ? " loading" : ""}`, role: "button", tabindex: -1, "aria-label": label, "data-more": m.of, "data-side": m.side, transform: `translate(${m.x} ${m.y})` },
    s("rect", { width: m.width, height: m.height, rx: 15 }),
    s("text", { x: m.width / 2, y: 19.5, "text-anchor": "middle" }, fitText(label, m.width - 16, columnFont)),
  );
}
