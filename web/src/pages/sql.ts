/** SQL as text with line numbers, its errors and the steps of its lineage marked in place. */
import type { components } from "../api/lineage.gen.ts";
import type { SqlError } from "../model/types.ts";
import { h, replace } from "../ui/dom.ts";
import { columnKey } from "../model/key.ts";
import { number, t } from "../ui/i18n.ts";
import { lineageHref, nameOfKey } from "../ui/parts.ts";

type Steps = components["schemas"]["Steps"];
type Step = components["schemas"]["Step"];

export interface SqlText {
  text: string;
  /** Number of the first line in its script. */
  firstLine: number;
  steps?: Steps;
  /** Only the steps of this statement are marked. */
  statement?: number;
  errors?: readonly SqlError[];
}

interface Mark {
  from: number;
  to: number;
  step: Step | null;
  error: SqlError | null;
}

/** Most steps that are marked; a script with more shows its text, which stays readable. */
const mostMarks = 2000;

/** Places on one line that steps and errors stand at, left to right, without overlap. */
export function marksOfLine(line: string, lineNumber: number, steps: readonly Step[], errors: readonly SqlError[]): Mark[] {
  const marks: Mark[] = [];
  for (const error of errors) {
    if (error.line !== lineNumber) continue;
    const from = Math.min(Math.max(0, (error.column ?? 1) - 1), Math.max(0, line.length - 1));
    const word = /^[\w$]+|^./u.exec(line.slice(from))?.[0] ?? " ";
    marks.push({ from, to: from + word.length, step: null, error });
  }
  for (const step of steps) {
    if (step.line !== lineNumber || step.at === undefined) continue;
    const from = step.at - 1;
    const text = (step.text || step.label || "").split("\n")[0]!;
    const length = text !== "" && line.startsWith(text, from) ? text.length : (/^[\w$.`"[\]]+|^./u.exec(line.slice(from))?.[0].length ?? 0);
    if (from >= 0 && from < line.length && length > 0) marks.push({ from, to: from + length, step, error: null });
  }
  marks.sort((a, b) => a.from - b.from || a.to - b.to);
  const apart: Mark[] = [];
  for (const mark of marks) if (apart.length === 0 || mark.from >= apart[apart.length - 1]!.to) apart.push(mark);
  return apart;
}

/** Steps that lead to a step and those that it leads to. */
export function related(steps: Steps, start: number): Set<number> {
  const found = new Set([start]);
  for (const backward of [true, false]) {
    const seen = new Set([start]);
    const stack = [start];
    while (stack.length > 0) {
      const at = stack.pop()!;
      for (const [from, to] of steps.edges as [number, number][]) {
        const next = backward ? (to === at ? from : -1) : from === at ? to : -1;
        if (next >= 0 && !seen.has(next)) seen.add(next), stack.push(next), found.add(next);
      }
    }
  }
  return found;
}

/** The element that shows SQL. Pointing at a step lights what it comes from and goes to. */
export function sqlBlock(sql: SqlText): HTMLElement {
  const steps = sql.steps ?? { nodes: [], edges: [] };
  const shown = steps.nodes.filter((step) => sql.statement === undefined || step.statement === undefined || step.statement === sql.statement).slice(0, mostMarks);
  const byNumber = new Map<number, HTMLElement[]>();
  const lines = sql.text.split("\n").map((line, index) => {
    const lineNumber = sql.firstLine + index;
    const code = h("code", {});
    let at = 0;
    for (const mark of marksOfLine(line, lineNumber, shown, sql.errors ?? [])) {
      code.append(line.slice(at, mark.from), drawMark(line.slice(mark.from, mark.to), mark, byNumber));
      at = mark.to;
    }
    code.append(line.slice(at) + "\n");
    return h("div", { class: `sql-line${(sql.errors ?? []).some((e) => e.line === lineNumber) ? " has-error" : ""}` }, h("span", { class: "line-number", "aria-hidden": "true" }, lineNumber), code);
  });
  const note = h("p", { class: "sql-note quiet", "aria-live": "polite" });
  const block = h("div", { class: "sql", tabindex: 0, role: "region", "aria-label": t("sql.label") }, ...lines);
  const whole = h("div", { class: "sql-block" }, block, endsRow(t("sql.sources"), "source", shown, byNumber), endsRow(t("sql.targets"), "target", shown, byNumber), shown.length > 0 ? note : null);
  light(whole, note, steps, byNumber);
  return whole;
}

/** Most columns that a row of ends names. */
const mostEnds = 60;

/** Columns that the SQL reads or fills. They are steps without a place in its text, so they stand below it. */
function endsRow(title: string, kind: string, steps: readonly Step[], byNumber: Map<number, HTMLElement[]>): HTMLElement | null {
  const ends = steps.filter((step) => step.kind === kind && step.column !== undefined && step.column !== "");
  if (ends.length === 0) return null;
  const items = ends.slice(0, mostEnds).map((step) => {
    const element = h("a", { class: "chip step", href: columnHref(step), "data-step": step.n, title: step.column }, nameOfKey(step.column!));
    byNumber.set(step.n, [element]);
    return element;
  });
  const left = ends.length - items.length;
  return h("div", { class: "sql-ends chips" }, h("span", { class: "quiet" }, title), ...items, left > 0 ? h("span", { class: "quiet" }, t("column.more", { n: number(left) })) : null);
}

/** The canvas with the column pinned. A column's key ends in its name, which its label repeats. */
function columnHref({ column = "", label = "" }: Step): string {
  const node = column.endsWith(`.${label}`) ? column.slice(0, -label.length - 1) : column;
  return `${lineageHref(node)}&${new URLSearchParams({ columns: "1", column: columnKey(node, label) }).toString()}`;
}

function drawMark(text: string, mark: Mark, byNumber: Map<number, HTMLElement[]>): HTMLElement {
  if (mark.error !== null) return h("mark", { class: "sql-error", title: mark.error.message }, text);
  const step = mark.step!;
  const element = h("span", { class: `step step-${step.kind}`, title: [step.kind, step.label || step.column || ""].filter((part) => part !== "").join(": "), "data-step": step.n }, text);
  byNumber.set(step.n, [...(byNumber.get(step.n) ?? []), element]);
  return element;
}

function light(block: HTMLElement, note: HTMLElement, steps: Steps, byNumber: ReadonlyMap<number, HTMLElement[]>): void {
  const show = (event: Event) => {
    const n = (event.target as Element).closest("[data-step]")?.getAttribute("data-step");
    block.querySelectorAll(".step.lit").forEach((element) => element.classList.remove("lit"));
    if (n === null || n === undefined) return;
    const found = related(steps, Number(n));
    for (const number of found) byNumber.get(number)?.forEach((element) => element.classList.add("lit"));
    const columns = steps.nodes.filter((step) => found.has(step.n) && step.column !== undefined && step.column !== "").map((step) => nameOfKey(step.column!));
    replace(note, t("sql.touches", { columns: [...new Set(columns)].join(", ") }));
  };
  block.addEventListener("pointerover", show);
  block.addEventListener("focusin", show);
}
