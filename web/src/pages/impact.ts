/** The impact list: every node within n hops, with its distance; the same answer as the command line's. */
import { post } from "../api/client.ts";
import { h, replace } from "../ui/dom.ts";
import { number, t } from "../ui/i18n.ts";
import { chip, emptyState, kindIcon, link, nameOfKey, nodeHref, table } from "../ui/parts.ts";
import { go } from "../ui/router.ts";
import { nodeSearch } from "./canvas/tools.ts";
import { factPage, loaded } from "./page.ts";

type Affected = Awaited<ReturnType<typeof askPage>>["affected"][number];

/** Most nodes that are listed; the rest is counted. */
const mostListed = 20_000;
const pageSize = 1000;

const askPage = (node: string, column: string, depth: number, branch: string, cursor: string | undefined, signal: AbortSignal) =>
  post("/api/v1/impact", { body: { node, column: column || undefined, depth, branch: branch || undefined, limit: pageSize, cursor }, signal });

/** All pages of the answer, up to the most that is listed. */
async function askAll(node: string, column: string, depth: number, branch: string, signal: AbortSignal) {
  const affected: Affected[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const page = await askPage(node, column, depth, branch, cursor, signal);
    affected.push(...page.affected);
    total = page.total;
    cursor = page.cursor === "" ? undefined : page.cursor;
  } while (cursor !== undefined && affected.length < mostListed);
  return { affected, total };
}

/** Draws the page of `?node=&column=&depth=`. */
export function impactPage(host: HTMLElement, query: URLSearchParams): void {
  const node = query.get("node") ?? "";
  const column = query.get("column") ?? "";
  const branch = query.get("branch") ?? "";
  const asked = Number(query.get("depth") ?? "-1");
  const depth = Number.isInteger(asked) && asked >= -1 ? asked : -1;
  const search = nodeSearch(t("search.label"), (hit) => go(`/impact?${new URLSearchParams({ node: hit.key, ...(hit.column === undefined ? {} : { column: hit.column }) }).toString()}`));
  const subject = node === "" ? null : h("p", { class: "subject" }, t("impact.of"), " ", link(nodeHref(node, branch), nameOfKey(node) + (column === "" ? "" : `.${column}`)));
  const result = node === "" ? emptyState(t("impact.start"), t("impact.startHint")) : loaded((signal) => askAll(node, column, depth, branch, signal), ({ affected, total }) => show(affected, total));
  factPage(host, t("impact.title"), search, subject, node === "" ? null : depthPicker(query, depth), result);
}

function depthPicker(query: URLSearchParams, depth: number): HTMLElement {
  const select = h("select", { onchange: () => change() }, ...[-1, 1, 2, 3, 5, 10].map((n) => h("option", { value: n, selected: n === depth }, n === -1 ? t("impact.all") : number(n))));
  const change = () => {
    const next = new URLSearchParams(query);
    next.set("depth", select.value);
    go(`/impact?${next.toString()}`);
  };
  return h("label", { class: "field" }, h("span", { class: "field-label" }, t("impact.depth")), select);
}

function show(affected: Affected[], total: number): Node[] {
  if (affected.length === 0) return [emptyState(t("impact.none"), t("impact.noneHint"))];
  const host = h("div");
  const caption = affected.length < total ? t("impact.some", { n: number(affected.length), total: number(total) }) : t("impact.count", { n: number(total) });
  replace(
    host,
    table<Affected>(
      caption,
      [
        { title: t("fact.name"), value: (a) => a.display, cell: (a) => h("span", { class: "with-icon" }, kindIcon(a), link(nodeHref(a.key), a.display)) },
        { title: t("fact.kind"), value: (a) => t(`kind.${a.kind}`), cell: (a) => t(`kind.${a.kind}`) },
        { title: t("fact.distance"), value: (a) => a.distance, cell: (a) => number(a.distance), numeric: true },
        { title: t("impact.how"), value: (a) => (a.direct ? 1 : 0), cell: (a) => chip(t(a.direct ? "edge.direct" : "edge.indirect")) },
        { title: t("node.columns"), value: (a) => (a.columns ?? []).join(" "), cell: (a) => (a.columns ?? []).join(", ") },
        { title: t("fact.because"), value: (a) => a.because ?? "", cell: (a) => nameOfKey(a.because ?? "") },
      ],
      affected,
      "impact",
    ),
  );
  return [host];
}
