/** The entry page: search, counts, what changed last, what could not be parsed. */
import { get } from "../api/client.ts";
import { h, replace } from "../ui/dom.ts";
import { number, t, when, type Word } from "../ui/i18n.ts";
import { chip, emptyState, lineageHref, link, nameOfKey, nodeHref, section, table, wordOr } from "../ui/parts.ts";
import { go } from "../ui/router.ts";
import { nodeSearch } from "./canvas/tools.ts";
import { loaded } from "./page.ts";

type Counts = Awaited<ReturnType<typeof askCounts>>;
type Change = Awaited<ReturnType<typeof askRecent>>["changes"][number];
type Unparsed = Awaited<ReturnType<typeof askUnparsed>>["errors"][number];

const askCounts = (signal: AbortSignal) => get("/api/v1/counts", { signal });
const askRecent = (signal: AbortSignal) => get("/api/v1/recent", { query: { limit: 30 }, signal });
const askUnparsed = (signal: AbortSignal) => get("/api/v1/unparsed", { query: { limit: 50 }, signal });

/** Draws the page. */
export function homePage(host: HTMLElement): void {
  document.title = "Tributary";
  replace(
    host,
    h(
      "div",
      { class: "home" },
      h("div", { class: "hero" }, h("h1", {}, t("home.title")), h("p", { class: "quiet" }, t("home.hint")), nodeSearch(t("search.label"), (hit) => go(lineageHref(hit.key)))),
      loaded(askCounts, countsBlock),
      h("div", { class: "home-columns" }, section(t("home.recent"), loaded(askRecent, ({ changes }) => recentBlock(changes))), section(t("home.unparsed"), loaded(askUnparsed, (answer) => unparsedBlock(answer.errors, answer.total)))),
    ),
  );
}

function countsBlock(counts: Counts): HTMLElement {
  const figure = (value: number, label: string) => h("div", { class: "figure" }, h("dd", {}, number(value)), h("dt", {}, label));
  const kinds = Object.entries(counts.nodes).sort((a, b) => b[1] - a[1]);
  const total = kinds.reduce((sum, [, n]) => sum + n, 0);
  const edges = Object.values(counts.edges).reduce((sum, n) => sum + n, 0);
  return h(
    "div",
    { class: "counts" },
    h("dl", { class: "figures" }, figure(total, t("count.nodes")), figure(edges, t("count.edges")), figure(counts.columns, t("count.columns")), figure(counts.sources ?? 0, t("count.sources")), figure(counts.unparsed_statements, t("count.unparsed"))),
    h("div", { class: "chips" }, ...kinds.map(([kind, n]) => chip(`${t(`kind.${kind}`)} ${number(n)}`))),
  );
}

function recentBlock(changes: Change[]): HTMLElement {
  if (changes.length === 0) return emptyState(t("home.noChanges"), t("home.noChangesHint"));
  return table<Change>(
    t("home.recent"),
    [
      { title: t("fact.name"), value: (c) => c.display || c.node, cell: (c) => link(lineageHref(c.node, c.branch), c.display || nameOfKey(c.node)) },
      { title: t("fact.change"), value: (c) => c.change, cell: (c) => h("span", {}, wordOr(`change.${c.change}`, c.change), " ", edgesText(c)) },
      { title: t("fact.when"), value: (c) => c.at, cell: (c) => when(c.at) },
    ],
    changes,
  );
}

function edgesText(c: Change): HTMLElement | null {
  const parts: string[] = [];
  if ((c.opened ?? 0) > 0) parts.push(`+${number(c.opened!)}`);
  if ((c.closed ?? 0) > 0) parts.push(`−${number(c.closed!)}`);
  return parts.length === 0 ? null : h("span", { class: "quiet", title: t("change.edges") }, parts.join(" "));
}

function unparsedBlock(errors: Unparsed[], total: number): HTMLElement {
  if (errors.length === 0) return emptyState(t("home.allParsed"), t("home.allParsedHint"));
  const caption = total > errors.length ? t("home.unparsedSome", { n: number(errors.length), total: number(total) }) : t("home.unparsed");
  return table<Unparsed>(
    caption,
    [
      { title: t("fact.task"), value: (e) => e.task ?? "", cell: (e) => link(nodeHref(e.task ?? "", e.branch), nameOfKey(e.task ?? "")) },
      { title: t("fact.place"), cell: (e) => t("unparsed.place", { statement: e.statement ?? 0, line: e.line ?? 0, column: e.column ?? 0 }) },
      { title: t("fact.reason"), value: (e) => e.message, cell: (e) => h("span", { title: e.sql ?? "" }, chip(wordOr(`error.${e.kind}` as Word, e.kind), "warn"), " ", e.message) },
    ],
    errors,
  );
}
