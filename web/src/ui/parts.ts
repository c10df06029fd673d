/** Small parts that every page uses: states, tables, links, chips. */
import type { Fault } from "../model/types.ts";
import { glyph, glyphOf } from "../draw/icons.ts";
import { csv, save } from "../draw/export.ts";
import { h, replace, s } from "./dom.ts";
import { number, t, type Word } from "./i18n.ts";

/** A small drawing by name. */
export const icon = (name: string): SVGSVGElement => s("svg", { class: "mini-icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, s("path", { class: "glyph", d: glyph(name) }));

/** The drawing of a node's kind; a dataset's is blue with a job spec on master and grey without. */
export function kindIcon(node: { family: string; kind: string; has_job_spec_on_master?: boolean }): HTMLElement {
  const tone = node.family !== "dataset" ? `family-${node.family}` : node.has_job_spec_on_master ? "built" : "unbuilt";
  const drawing = s("svg", { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" }, s("path", { class: "glyph", d: glyphOf(node.family, node.kind) }));
  return h("span", { class: `kind-icon ${tone}` }, drawing);
}

/** Why something failed, in words that say what to do. */
export function faultText(fault: Fault): string {
  if (fault.status === 0) return t("fault.unreachable");
  if (fault.status === 403) return t("fault.forbidden");
  if (fault.status === 401) return t("fault.unauthorized");
  return fault.message === "" ? t("fault.other", { status: fault.status }) : fault.message;
}

/** The state of something that is being fetched. */
export const loadingState = (): HTMLElement => h("div", { class: "state loading", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), t("state.loading"));

/** The state of something that has nothing to show. */
export const emptyState = (title: string, hint = "", ...actions: Node[]): HTMLElement =>
  h("div", { class: "state empty", role: "status" }, h("p", { class: "state-title" }, title), hint === "" ? null : h("p", { class: "state-hint" }, hint), ...actions);

/** The state of something that failed, with Retry. */
export const failedState = (fault: Fault, retry: () => void): HTMLElement =>
  h("div", { class: "state failed", role: "alert" }, h("p", { class: "state-title" }, t("state.failed")), h("p", { class: "state-hint" }, faultText(fault)), h("button", { class: "button primary", type: "button", onclick: retry }, t("action.retry")));

export const link = (href: string, ...children: (Node | string)[]): HTMLAnchorElement => h("a", { href }, ...children);

export const chip = (text: string, tone = ""): HTMLElement => h("span", { class: `chip ${tone}` }, text);

export const button = (label: string, onclick: () => void, more: Record<string, string | boolean> = {}): HTMLButtonElement => h("button", { class: "button", type: "button", onclick, ...more }, label);

/** A heading with what belongs under it. */
export const section = (title: string, ...children: (Node | null)[]): HTMLElement => h("section", { class: "block" }, h("h2", {}, title), ...children);

export const nodeHref = (key: string, branch = ""): string => `/node?${new URLSearchParams({ key, ...(branch === "" ? {} : { branch }) }).toString()}`;
export const lineageHref = (key: string, branch = ""): string => `/lineage?${new URLSearchParams({ node: key, ...(branch === "" ? {} : { branch }) }).toString()}`;

/** The end of a key: what tells it from its neighbours. */
export const nameOfKey = (key: string): string => key.slice(key.lastIndexOf("|") + 1);

export interface Column<T> {
  title: string;
  /** What is shown. */
  cell: (row: T) => Node | string | number | null;
  /** What it is sorted and exported by. */
  value?: (row: T) => string | number;
  numeric?: boolean;
}

/** Rows that a table shows at first, and those that come with each step. */
export const rowsAtOnce = 50;

/** A table that sorts by its headings and can be saved as CSV and JSON. A long one shows its rows in steps, as it is scrolled. */
export function table<T>(caption: string, columns: Column<T>[], rows: readonly T[], exportName = ""): HTMLElement {
  let sorted: { by: number; up: boolean } | null = null;
  let ordered = rows;
  let shown = 0;
  const body = h("tbody");
  const more = h("button", { type: "button", class: "button more-rows", onclick: () => step() });
  const heads = columns.map((column, index) => heading(column, () => sortBy(index)));
  const step = () => {
    const next = ordered.slice(shown, shown + rowsAtOnce);
    body.append(...next.map((row) => h("tr", {}, ...columns.map((column, index) => cell(column, row, index)))));
    shown += next.length;
    more.hidden = shown >= ordered.length;
    replace(more, t("table.more", { n: number(ordered.length - shown) }));
  };
  const draw = () => {
    body.replaceChildren();
    shown = 0;
    step();
  };
  const sortBy = (index: number) => {
    sorted = { by: index, up: sorted?.by === index ? !sorted.up : true };
    ordered = inOrder(rows, columns[index]!.value!, sorted.up);
    heads.forEach((head, at) => head.setAttribute("aria-sort", at === index ? (sorted!.up ? "ascending" : "descending") : "none"));
    draw();
  };
  draw();
  const grid = h("table", {}, h("caption", { class: "quiet" }, caption), h("thead", {}, h("tr", {}, ...heads)), body);
  const files = exportName === "" ? null : exportButtons(exportName, columns, () => ordered, rows);
  const scroll = h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": caption }, grid, more);
  if (rows.length > rowsAtOnce) new IntersectionObserver(([entry]) => entry!.isIntersecting && !more.hidden && step(), { root: scroll, rootMargin: "300px" }).observe(more);
  return h("div", { class: "table-wrap" }, files, scroll);
}

const collator = new Intl.Collator();

const compare = (a: string | number, b: string | number): number => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b)));

/** The rows by a value, which is worked out once for each. */
function inOrder<T>(rows: readonly T[], value: (row: T) => string | number, up: boolean): T[] {
  const way = up ? 1 : -1;
  return rows.map((row) => ({ row, value: value(row) })).sort((a, b) => compare(a.value, b.value) * way).map(({ row }) => row);
}

function heading<T>(column: Column<T>, sort: () => void): HTMLTableCellElement {
  const inner = column.value === undefined ? column.title : h("button", { class: "sort", type: "button", onclick: sort }, column.title);
  return h("th", { scope: "col", class: column.numeric ? "numeric" : "", "aria-sort": column.value === undefined ? null : "none" }, inner);
}

function cell<T>(column: Column<T>, row: T, index: number): HTMLElement {
  const content = column.cell(row);
  const classes = column.numeric ? "numeric" : "";
  return index === 0 ? h("th", { scope: "row", class: classes }, content) : h("td", { class: classes }, content);
}

function exportButtons<T>(name: string, columns: Column<T>[], ordered: () => readonly T[], rows: readonly T[]): HTMLElement {
  const valued = columns.filter((column) => column.value !== undefined);
  const asCsv = () => save(`${name}.csv`, csv(valued.map((c) => c.title), ordered().map((row) => valued.map((c) => c.value!(row)))), "text/csv");
  const asJson = () => save(`${name}.json`, JSON.stringify(rows, null, 2), "application/json");
  return h("div", { class: "table-tools" }, button("CSV", asCsv, { "data-export": "csv" }), button("JSON", asJson, { "data-export": "json" }));
}

let status: HTMLElement | null = null;

/** Says something in passing, aloud for screen readers too. */
export function announce(text: string, tone: "plain" | "bad" = "plain"): void {
  status?.remove();
  status = h("div", { class: `toast ${tone}`, role: tone === "bad" ? "alert" : "status" }, text);
  const mine = status;
  document.body.append(status);
  setTimeout(() => mine.remove(), 6000);
}

/** A label of a known set of words, or the text as it is. */
export const wordOr = (key: string, text: string): string => {
  const found = t(key as Word);
  return found === key ? text : found;
};
