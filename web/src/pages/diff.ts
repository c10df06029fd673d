/** The difference of two branches or two times: the union laid out once, each part marked by text and colour. */
import { get } from "../api/client.ts";
import { compose, layoutInput, type Show } from "../draw/picture.ts";
import { noLights, Scene, type SceneHandlers } from "../draw/scene.ts";
import { describeEdge } from "../draw/line.ts";
import { save, svgText, toSvg } from "../draw/export.ts";
import type { LayoutClient } from "../layout/client.ts";
import { edgeKey } from "../model/key.ts";
import type { EdgeInfo, Key } from "../model/types.ts";
import type { View } from "../model/view.ts";
import { h, replace } from "../ui/dom.ts";
import { number, t, when } from "../ui/i18n.ts";
import { button, chip, emptyState, kindIcon, link, nodeHref, table } from "../ui/parts.ts";
import { go } from "../ui/router.ts";
import { nodeSearch } from "./canvas/tools.ts";
import { factPage, loaded } from "./page.ts";

type Diff = Awaited<ReturnType<typeof askDiff>>;

interface Asked {
  node: string;
  baseBranch: string;
  baseAsOf: string;
  branch: string;
  asOf: string;
  depth: number;
}

function asked(query: URLSearchParams): Asked {
  const text = (name: string) => query.get(name) ?? "";
  const depth = Number(text("depth") || "2");
  return { node: text("node"), baseBranch: text("base_branch"), baseAsOf: text("base_as_of"), branch: text("branch"), asOf: text("as_of"), depth: Number.isInteger(depth) && depth >= -1 && depth <= 50 ? depth : 2 };
}

const askDiff = (a: Asked, signal: AbortSignal) =>
  get("/api/v1/diff", {
    query: { node: a.node || undefined, base_branch: a.baseBranch || undefined, base_as_of: a.baseAsOf || undefined, branch: a.branch || undefined, as_of: a.asOf || undefined, depth: a.node === "" ? undefined : a.depth, limit: 1000 },
    signal,
  });

/** Draws the page. */
export function diffPage(host: HTMLElement, query: URLSearchParams, layouts: LayoutClient): void {
  const now = asked(query);
  const ready = now.baseBranch !== "" || now.baseAsOf !== "";
  const result = ready ? loaded((signal) => askDiff(now, signal), (diff) => show(diff, now, layouts)) : emptyState(t("diff.start"), t("diff.startHint"));
  factPage(host, t("diff.title"), form(now, query), result);
}

function form(now: Asked, query: URLSearchParams): HTMLElement {
  const branches = h("datalist", { id: "known-branches" });
  void get("/api/v1/lineage/branches").then(
    (answer) => replace(branches, ...answer.branches.map((b) => h("option", { value: b.name }))),
    () => undefined, // names can still be typed
  );
  const text = (name: string, label: string, value: string) => h("label", { class: "field" }, h("span", { class: "field-label" }, label), h("input", { name, value, list: "known-branches" }));
  const time = (name: string, label: string, value: string) => h("label", { class: "field" }, h("span", { class: "field-label" }, label), h("input", { name, value, placeholder: t("time.now") }));
  const node = nodeSearch(t("diff.node"), (hit) => go(`/diff?${changed(query, { node: hit.key })}`));
  const submit = (event: Event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(event.target as HTMLFormElement)].map(([name, value]) => [name, String(value)]));
    go(`/diff?${changed(query, values)}`);
  };
  const around = now.node === "" ? null : h("p", { class: "subject" }, t("diff.around"), " ", link(nodeHref(now.node), now.node.slice(now.node.lastIndexOf("|") + 1)), " ", button(t("diff.everything"), () => go(`/diff?${changed(query, { node: "" })}`)));
  return h(
    "div",
    { class: "diff-form" },
    h(
      "form",
      { class: "row wrap", onsubmit: submit },
      text("base_branch", t("diff.baseBranch"), now.baseBranch),
      time("base_as_of", t("diff.baseTime"), now.baseAsOf),
      text("branch", t("diff.headBranch"), now.branch),
      time("as_of", t("diff.headTime"), now.asOf),
      h("button", { class: "button primary", type: "submit" }, t("diff.compare")),
      branches,
    ),
    node,
    around,
  );
}

function changed(query: URLSearchParams, values: Record<string, string>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) value === "" ? next.delete(name) : next.set(name, value);
  return next.toString();
}

/** The union as a view: everything drawn, no buttons. */
export function unionView(nodes: Diff["nodes"], edges: readonly EdgeInfo[]): View {
  const known = new Set(nodes.map((n) => n.key));
  return {
    nodes: new Map(nodes.map((info) => [info.key, { info, roles: new Set(), left: null, right: null }])),
    edges: new Map(edges.filter((e) => e.level === "table" && known.has(e.from) && known.has(e.to)).map((e) => [edgeKey(e), e])),
    more: [],
  };
}

const sideText = (side: Diff["base"]): string => `${side.branch}${side.as_of === undefined || side.as_of === "" ? "" : ` · ${when(side.as_of)}`}`;

function show(diff: Diff, now: Asked, layouts: LayoutClient): Node[] {
  const legend = h(
    "div",
    { class: "chips diff-legend" },
    h("span", { class: "quiet" }, `${sideText(diff.base)} → ${sideText(diff.head)}`),
    chip(`+ ${t("diff.added")} ${number(diff.added)}`, "added"),
    chip(`− ${t("diff.removed")} ${number(diff.removed)}`, "removed"),
    now.node === "" ? null : chip(`${t("diff.unchanged")} ${number(diff.unchanged)}`),
  );
  if (diff.nodes.length === 0) return [legend, emptyState(t("diff.same"), t("diff.sameHint"))];
  const view = unionView(diff.nodes, diff.edges);
  const stage = h("div", { class: "stage diff-stage" });
  queueMicrotask(() => void draw(stage, view, now, layouts));
  return [legend, stage, changeTable(diff, view)];
}

async function draw(stage: HTMLElement, view: View, now: Asked, layouts: LayoutClient): Promise<void> {
  const ignore = () => undefined;
  const handlers: SceneHandlers = {
    select: (key) => scene.light({ ...lights, selected: key }),
    open: (key) => go(nodeHref(key)),
    menu: ignore,
    toggle: ignore,
    showMore: ignore,
    edge: (id) => scene.light({ ...lights, selectedEdge: id }),
    edgeMenu: ignore,
    hoverColumn: ignore,
    pinColumn: ignore,
    moreColumns: ignore,
    searchColumns: ignore,
    background: () => scene.light(lights),
    moved: ignore,
    viewChanged: ignore,
  };
  const scene = new Scene(stage, handlers);
  const centres: Key[] = now.node === "" ? [] : [now.node];
  const lights = { ...noLights, centres, diff: true };
  const what: Show = { view, edges: view.edges, columns: false, lists: new Map() };
  const layout = await layouts.layout(layoutInput(what, centres, {}));
  if (layout === null) return;
  scene.show(compose(what, layout, new Map()), lights, null);
  scene.fit();
  stage.dataset["painted"] = "1";
  stage.append(h("div", { class: "zoom-buttons" }, h("button", { type: "button", class: "icon-button", "aria-label": t("zoom.fit"), onclick: () => scene.fit() }, "⤢"), button("SVG", () => void toSvg(scene).then((drawing) => save("lineage-diff.svg", svgText(drawing), "image/svg+xml")), { "data-export": "svg" })));
}

function changeTable(diff: Diff, view: View): HTMLElement {
  const display = (key: Key) => view.nodes.get(key)?.info.display ?? key;
  const rows = diff.edges.filter((e) => e.change !== "unchanged");
  return table<EdgeInfo>(
    t("diff.list"),
    [
      { title: t("fact.change"), value: (e) => e.change ?? "", cell: (e) => chip(`${e.change === "added" ? "+" : "−"} ${t(e.change === "added" ? "diff.added" : "diff.removed")}`, e.change ?? "") },
      { title: t("fact.from"), value: (e) => display(e.from), cell: (e) => h("span", { class: "with-icon" }, nodeIcon(view, e.from), link(nodeHref(e.from), display(e.from) + (e.from_column ? `.${e.from_column}` : ""))) },
      { title: t("fact.to"), value: (e) => display(e.to), cell: (e) => h("span", { class: "with-icon" }, nodeIcon(view, e.to), link(nodeHref(e.to), display(e.to) + (e.to_column ? `.${e.to_column}` : ""))) },
      { title: t("fact.about"), value: (e) => describeEdge(e, display(e.from), display(e.to)), cell: (e) => (e.tasks ?? []).map((task) => task.slice(task.lastIndexOf("|") + 1)).join(", ") },
    ],
    rows,
    "diff",
  );
}

function nodeIcon(view: View, key: Key): HTMLElement | null {
  const node = view.nodes.get(key);
  return node === undefined ? null : kindIcon(node.info);
}
