/** The page of one node: a dataset's columns, branches, transactions; a task's SQL and errors; the reasons of its edges. */
import { get } from "../api/client.ts";
import { columnsListed } from "../model/columns.ts";
import type { ColumnInfo, SqlError } from "../model/types.ts";
import { h, replace } from "../ui/dom.ts";
import { bytes, number, t, when, type Word } from "../ui/i18n.ts";
import { chip, emptyState, icon, kindIcon, lineageHref, link, nameOfKey, nodeHref, section, table, wordOr } from "../ui/parts.ts";
import { loaded } from "./page.ts";
import { sqlBlock } from "./sql.ts";

type Details = Awaited<ReturnType<typeof askNode>>;
type TaskRef = NonNullable<Details["producers"]>[number];
type Transaction = NonNullable<Details["transactions"]>[number];
type Run = NonNullable<Details["runs"]>[number];
type Branch = NonNullable<Details["branches"]>[number];

const askNode = (node: string, branch: string, asOf: string, signal?: AbortSignal) => get("/api/v1/node", { query: { node, branch: branch || undefined, as_of: asOf || undefined }, signal });

/** Draws the page of `?key=`. */
export function nodePage(host: HTMLElement, query: URLSearchParams): void {
  const key = query.get("key") ?? query.get("node") ?? "";
  const branch = query.get("branch") ?? "";
  document.title = `${nameOfKey(key)} · Tributary`;
  replace(host, h("div", { class: "fact-page" }, loaded((signal) => askNode(key, branch, query.get("as_of") ?? "", signal), (details) => show(details, branch))));
}

function show(details: Details, branch: string): Node[] {
  const { node } = details;
  return [heading(details, branch), facts(details), ...(node.family === "dataset" ? datasetParts(details, branch) : []), ...taskParts(details), ...edgeParts(details, branch), runsPart(details)].filter((part): part is HTMLElement => part !== null);
}

function heading(details: Details, branch: string): HTMLElement {
  const { node } = details;
  return h(
    "header",
    { class: "page-head" },
    kindIcon(node),
    h("h1", {}, node.display),
    chip(t(`kind.${node.kind}`)),
    node.with_masked ? chip(t("badge.masked"), "warn") : null,
    node.from_fallback ? chip(t("badge.fallback", { branch: node.branch ?? "" }), "warn") : null,
    h(
      "nav",
      { class: "page-links", "aria-label": t("node.links") },
      h("a", { class: "button primary", href: lineageHref(node.key, branch) }, t("node.lineage")),
      h("a", { class: "button", href: `/impact?${new URLSearchParams({ node: node.key }).toString()}` }, t("menu.impact")),
      node.family === "dataset" ? h("a", { class: "button", href: `/branches?${new URLSearchParams({ dataset: node.key }).toString()}` }, t("nav.branches")) : null,
    ),
  );
}

/** A task counts no neighbours of its own: data goes from what it reads to what it writes. */
const isPassed = (node: Details["node"]): boolean => node.family === "task" && node.upstream_count + node.downstream_count === 0;

function facts(details: Details): HTMLElement {
  const { node } = details;
  const pairs: [string, Node | string][] = [
    [t("fact.key"), h("code", {}, node.key)],
    [t("fact.owner"), details.owner ?? ""],
    [t("fact.comment"), details.comment ?? ""],
    [t("fact.source"), node.source || node.namespace],
    [t("fact.branch"), node.branch ?? ""],
    [t("fact.upstream"), isPassed(node) ? "" : number(node.upstream_count)],
    [t("fact.downstream"), isPassed(node) ? "" : number(node.downstream_count)],
    [t("fact.jobSpec"), node.family === "dataset" ? t(node.has_job_spec_on_master ? "fact.jobSpecMaster" : "fact.jobSpecNone") : ""],
    [t("fact.aliases"), (details.keys ?? []).filter((key) => key !== node.key).join("\n")],
    [t("fact.labels"), Object.entries(details.labels ?? {}).map(([name, value]) => `${name}=${value}`).join(", ")],
    [t("fact.firstSeen"), when(details.first_seen)],
    [t("fact.lastSeen"), when(details.last_seen)],
  ];
  return h("dl", { class: "facts wide" }, ...pairs.filter(([, value]) => value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function datasetParts(details: Details, branch: string): (HTMLElement | null)[] {
  const columns = details.node.columns ?? [];
  return [
    columns.length === 0 ? section(t("node.columns"), emptyState(t("node.noColumns"), t("node.noColumnsHint"))) : columnsPart(details, columns, branch),
    (details.branches ?? []).length === 0 ? null : branchesPart(details),
    (details.transactions ?? []).length === 0 ? null : transactionsPart(details.transactions!),
  ];
}

/** Columns drawn at first; a list of thousands is searched, not scrolled. */
const columnsAtOnce = 500;

function columnsPart(details: Details, columns: ColumnInfo[], branch: string): HTMLElement {
  const host = h("div");
  const draw = (query: string) => {
    const found = columns.filter((c) => c.name.toLowerCase().includes(query.toLowerCase()));
    const caption = found.length > columnsAtOnce ? t("node.columnsSome", { n: number(columnsAtOnce), total: number(found.length) }) : t("node.columnsAll", { n: number(found.length) });
    replace(host, columnTable(caption, found.slice(0, columnsAtOnce), details, branch));
  };
  draw("");
  const search = h("input", { type: "search", class: "filter-input", placeholder: t("column.search"), "aria-label": t("column.search"), oninput: (event: Event) => draw((event.target as HTMLInputElement).value) });
  return section(t("node.columns"), columns.length > columnsListed ? search : null, host);
}

function columnTable(caption: string, columns: ColumnInfo[], details: Details, branch: string): HTMLElement {
  const key = details.node.key;
  const href = (c: ColumnInfo) => `${lineageHref(key, branch)}&${new URLSearchParams({ columns: "1", column: `${key}\u0001${c.name}` }).toString()}`;
  return table<ColumnInfo>(
    caption,
    [
      { title: t("fact.name"), value: (c) => c.name, cell: (c) => h("span", { class: "with-icon" }, link(href(c), c.name), c.masked || c.with_masked ? h("span", { class: "masked", title: t("badge.masked") }, icon("lock")) : null) },
      { title: t("fact.type"), value: (c) => c.type ?? "", cell: (c) => c.type ?? "" },
      { title: t("fact.upstream"), value: (c) => c.upstream_count ?? 0, cell: (c) => number(c.upstream_count ?? 0), numeric: true },
      { title: t("fact.downstream"), value: (c) => c.downstream_count ?? 0, cell: (c) => number(c.downstream_count ?? 0), numeric: true },
      { title: t("fact.comment"), value: (c) => c.comment ?? "", cell: (c) => c.comment ?? "" },
    ],
    columns,
    "columns",
  );
}

function branchesPart(details: Details): HTMLElement {
  return section(
    t("nav.branches"),
    table<Branch>(
      t("nav.branches"),
      [
        {
          title: t("fact.branch"),
          value: (b) => b.name,
          cell: (b) => h("span", { class: "with-icon" }, kindIcon({ family: "dataset", kind: details.node.kind, has_job_spec_on_master: b.has_job_spec }), link(nodeHref(details.node.key, b.name), b.name)),
        },
        { title: t("branch.parent"), value: (b) => b.parent ?? "", cell: (b) => b.parent || "—" },
        { title: t("fact.jobSpec"), value: (b) => (b.has_job_spec ? 1 : 0), cell: (b) => t(b.has_job_spec ? "fact.yes" : "fact.no") },
        { title: t("branch.defined"), value: (b) => (b.has_definition ? 1 : 0), cell: (b) => t(b.has_definition ? "fact.yes" : "fact.no") },
        { title: t("fact.transaction"), value: (b) => b.transaction ?? "", cell: (b) => h("code", {}, b.transaction || "—") },
      ],
      details.branches!,
    ),
  );
}

function transactionsPart(transactions: Transaction[]): HTMLElement {
  return section(
    t("node.transactions"),
    table<Transaction>(
      t("node.transactions"),
      [
        { title: t("fact.transaction"), value: (x) => x.id, cell: (x) => h("code", {}, x.id) },
        { title: t("fact.branch"), value: (x) => x.branch ?? "", cell: (x) => x.branch ?? "" },
        { title: t("fact.type"), value: (x) => x.type ?? "", cell: (x) => x.type ?? "" },
        { title: t("fact.state"), value: (x) => x.state, cell: (x) => chip(wordOr(`state.${x.state}`, x.state), x.state.toLowerCase()) },
        { title: t("fact.who"), value: (x) => x.by ?? "", cell: (x) => x.by ?? "" },
        { title: t("fact.opened"), value: (x) => x.opened ?? "", cell: (x) => when(x.opened) },
        { title: t("fact.rows"), value: (x) => x.rows ?? 0, cell: (x) => (x.rows === undefined ? "" : number(x.rows)), numeric: true },
        { title: t("fact.bytes"), value: (x) => x.bytes ?? 0, cell: (x) => (x.bytes === undefined ? "" : bytes(x.bytes)), numeric: true },
      ],
      transactions,
      "transactions",
    ),
  );
}

function taskParts(details: Details): (HTMLElement | null)[] {
  const { sql, errors } = details;
  const parts: (HTMLElement | null)[] = [];
  if ((errors ?? []).length > 0) parts.push(errorsPart(errors!));
  if (sql !== undefined) {
    const dialect = sql.dialect_guessed ? t("sql.guessed", { dialect: sql.dialect }) : sql.dialect;
    const about = h("p", { class: "quiet" }, [dialect, sql.branch, t("sql.statements", { n: number(sql.statements.length) })].filter((part) => part !== undefined && part !== "").join(" · "));
    parts.push(endsPart(t("build.reads"), sql.statements.flatMap((s) => s.reads ?? [])), endsPart(t("build.writes"), sql.statements.flatMap((s) => s.writes ?? [])));
    parts.push(section("SQL", about, sqlBlock({ text: sql.text, firstLine: 1, steps: sql.steps, errors })));
  }
  return parts;
}

/** What a task's statements read or write. */
function endsPart(title: string, keys: string[]): HTMLElement | null {
  const all = [...new Set(keys)].sort();
  return all.length === 0 ? null : section(title, h("ul", { class: "panel-list" }, ...all.map((key) => h("li", {}, link(nodeHref(key), nameOfKey(key))))));
}

function errorsPart(errors: SqlError[]): HTMLElement {
  return section(
    t("unparsed.title"),
    h("ul", { class: "error-list" }, ...errors.map((e) => h("li", {}, chip(wordOr(`error.${e.kind}` as Word, e.kind), "warn"), ` ${t("unparsed.place", { statement: e.statement ?? 0, line: e.line ?? 0, column: e.column ?? 0 })}: `, e.message))),
  );
}

function edgeParts(details: Details, branch: string): (HTMLElement | null)[] {
  const part = (title: string, refs: TaskRef[] | undefined, more: boolean | undefined) => {
    if (refs === undefined || refs.length === 0) return null;
    return section(title, refTable(title, refs, branch), more ? h("p", { class: "quiet" }, t("node.moreTasks", { n: refs.length })) : null);
  };
  return [part(t("node.producers"), details.producers, details.more_producers), part(t("node.consumers"), details.consumers, details.more_consumers)];
}

function refTable(title: string, refs: TaskRef[], branch: string): HTMLElement {
  return table<TaskRef>(
    title,
    [
      { title: t("fact.task"), value: (r) => r.name, cell: (r) => h("span", { class: "with-icon" }, kindIcon({ family: "task", kind: r.kind }), link(nodeHref(r.key, r.branch ?? branch), r.name)) },
      { title: t("fact.kind"), value: (r) => r.kind, cell: (r) => t(`kind.${r.kind}`) },
      { title: t("fact.origin"), value: (r) => r.origin ?? "", cell: (r) => (r.origin === undefined ? "" : t(`origin.${r.origin}` as "origin.parsed")) },
      { title: t("fact.statements"), cell: (r) => (r.statements ?? []).join(", ") },
      { title: t("fact.branch"), value: (r) => r.branch ?? "", cell: (r) => r.branch ?? "" },
    ],
    refs,
  );
}

function runsPart(details: Details): HTMLElement | null {
  if ((details.runs ?? []).length === 0) return null;
  return section(
    t("node.runs"),
    table<Run>(
      t("node.runs"),
      [
        { title: t("fact.run"), value: (r) => r.id, cell: (r) => h("code", {}, r.id) },
        { title: t("fact.task"), value: (r) => r.task ?? "", cell: (r) => (r.task === undefined ? "" : link(nodeHref(r.task), nameOfKey(r.task))) },
        { title: t("fact.state"), value: (r) => r.state, cell: (r) => chip(wordOr(`state.${r.state}`, r.state), r.state.toLowerCase()) },
        { title: t("fact.started"), value: (r) => r.started ?? "", cell: (r) => when(r.started) },
        { title: t("fact.ended"), value: (r) => r.ended ?? "", cell: (r) => when(r.ended) },
        { title: t("fact.reason"), value: (r) => r.error ?? "", cell: (r) => r.error ?? "" },
      ],
      details.runs!,
      "runs",
    ),
  );
}
