/** The bar above the canvas: find, branch, time, what is shown, filters, export. */
import { get } from "../../api/client.ts";
import { facets, filtersAreOn, noFilters, type Filters } from "../../model/filter.ts";
import type { Key, NodeInfo } from "../../model/types.ts";
import type { View } from "../../model/view.ts";
import { h, replace } from "../../ui/dom.ts";
import { number, t, when } from "../../ui/i18n.ts";
import { popover, showDialog } from "../../ui/menu.ts";
import { combobox, type Hit } from "../../ui/combobox.ts";
import { button, kindIcon } from "../../ui/parts.ts";

type SearchHit = Awaited<ReturnType<typeof searchNodes>>[number];

/** Nodes by part of their name. */
export async function searchNodes(q: string, signal: AbortSignal) {
  return (await get("/api/v1/search", { query: { q, limit: 20 }, signal })).hits;
}

/** A search box over everything that the server knows. */
export function nodeSearch(label: string, choose: (hit: SearchHit) => void): HTMLElement {
  const find = async (query: string, signal: AbortSignal): Promise<Hit[]> =>
    (await searchNodes(query, signal)).map((hit) => ({ label: !hit.column ? hit.display : `${hit.display} · ${hit.column}`, detail: t(`kind.${hit.kind}`), icon: kindIcon(hit), run: () => choose(hit) }));
  return combobox(label, find).root;
}

/** Finds nodes that are drawn, first, and nodes that are not. */
export function canvasSearch(view: () => View, drawn: (key: Key) => void, undrawn: (key: Key) => void): { root: HTMLElement; input: HTMLInputElement } {
  const find = async (query: string, signal: AbortSignal): Promise<Hit[]> => {
    const low = query.toLowerCase();
    const nodes = [...view().nodes.values()].map((n) => n.info).filter((n) => n.display.toLowerCase().includes(low));
    const here = nodes.slice(0, 10).map((n) => ({ label: n.display, detail: t("search.drawn"), icon: kindIcon(n), run: () => drawn(n.key) }));
    const there = (await searchNodes(query, signal)).filter((hit) => !view().nodes.has(hit.key));
    return [...here, ...there.map((hit) => ({ label: hit.display, detail: t("search.undrawn"), icon: kindIcon(hit), run: () => undrawn(hit.key) }))];
  };
  return combobox(t("canvas.find"), find);
}

/** The branch, with the chain that is fallen back on. */
export function branchPicker(current: string, choose: (branch: string) => void): HTMLElement {
  const select = h("select", { "aria-label": t("branch.label"), onchange: () => choose(select.value) }, h("option", { value: current }, current === "" ? "master" : current));
  const chain = h("span", { class: "chain quiet" });
  void get("/api/v1/lineage/branches").then(
    ({ branches }) => {
      const known = branches.some((b) => b.name === (current || "master"));
      const all = known ? branches : [{ name: current || "master", chain: [] }, ...branches];
      replace(select, ...all.map((b) => h("option", { value: b.name, selected: b.name === (current || "master") }, b.chain.length > 1 ? b.chain.join(" → ") : b.name)));
    },
    () => undefined, // the picker keeps the branch that is shown; the page's own request says what is wrong
  );
  return h("label", { class: "field branch-picker" }, h("span", { class: "field-label" }, t("branch.label")), select, chain);
}

/** Lineage as of a time: a slider over the latest changes, and an exact time. */
export function timePicker(current: string, choose: (asOf: string) => void): HTMLElement {
  const label = () => (current === "" ? t("time.now") : when(current));
  const made = popover(label(), () => timePanel(current, choose), "time-panel");
  made.button.setAttribute("aria-label", `${t("time.label")}: ${label()}`);
  return h("div", { class: "field" }, h("span", { class: "field-label" }, t("time.label")), made.root);
}

/**
 * A stop for each change shows lineage as that change left it: what follows from
 * a change is known a moment after it, so a stop lies just before the next one.
 */
export function timeStops(changes: readonly { at: string }[]): { at: string; asOf: string }[] {
  const times = [...new Set(changes.map((c) => c.at))].sort();
  return times.map((at, index) => ({ at, asOf: index + 1 < times.length ? new Date(Date.parse(times[index + 1]!) - 1).toISOString() : "" }));
}

function timePanel(current: string, choose: (asOf: string) => void): HTMLElement {
  const exact = h("input", { type: "datetime-local", "aria-label": t("time.exact") });
  const slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("time.slider"), class: "time-slider" });
  const shown = h("output", { class: "quiet" }, current === "" ? t("time.now") : when(current));
  let stops: ReturnType<typeof timeStops> = [];
  const stop = () => stops[Number(slider.value)] ?? { at: "", asOf: "" };
  slider.addEventListener("input", () => replace(shown, stop().asOf === "" ? t("time.now") : when(stop().at)));
  slider.addEventListener("change", () => choose(stop().asOf));
  void get("/api/v1/recent", { query: { limit: 200 } }).then(
    ({ changes }) => {
      stops = timeStops(changes);
      slider.max = String(Math.max(0, stops.length - 1));
      const passed = stops.filter(({ at }) => current === "" || at <= current).length;
      slider.value = String(Math.max(0, passed - 1));
    },
    () => replace(shown, t("fault.unreachable")),
  );
  const apply = () => exact.value !== "" && choose(new Date(exact.value).toISOString());
  return h("div", { class: "stack" }, h("p", { class: "quiet" }, t("time.hint")), slider, shown, h("div", { class: "row" }, exact, button(t("action.apply"), apply), button(t("time.now"), () => choose(""))));
}

/** Filters by type, namespace, platform and origin, each with what is drawn of it. */
export function filterPicker(view: () => View, now: () => Filters, choose: (filters: Filters) => void): { root: HTMLElement; open: () => void; mark: () => void } {
  const made = popover(t("filter.label"), () => filterPanel(view(), now(), choose), "filter-panel");
  const mark = () => made.button.classList.toggle("on", filtersAreOn(now()));
  mark();
  return { root: made.root, open: () => made.button.getAttribute("aria-expanded") === "false" && made.button.click(), mark };
}

function filterPanel(view: View, start: Filters, choose: (filters: Filters) => void): HTMLElement {
  let filters = start;
  const set = (change: Partial<Filters>) => {
    filters = { ...filters, ...change };
    choose(filters);
  };
  const counts = facets(view);
  const group = (name: "kinds" | "namespaces" | "platforms", title: string, label: (value: string) => string) => {
    const values = new Map([...filters[name].map((value) => [value, 0] as const), ...counts[name]]);
    const boxes = [...values].sort((a, b) => b[1] - a[1]).map(([value, count]) => {
      const box = h("input", { type: "checkbox", checked: !filters[name].includes(value) });
      box.addEventListener("change", () => set({ [name]: box.checked ? filters[name].filter((v) => v !== value) : [...filters[name], value] }));
      return h("label", { class: "check" }, box, h("span", {}, label(value)), h("span", { class: "quiet" }, number(count)));
    });
    return h("fieldset", {}, h("legend", {}, title), ...boxes);
  };
  const origins = (["all", "parsed", "manual"] as const).map((origin) => {
    const radio = h("input", { type: "radio", name: "origin", checked: filters.origin === origin });
    radio.addEventListener("change", () => set({ origin }));
    return h("label", { class: "check" }, radio, t(`filter.origin.${origin}`));
  });
  return h(
    "div",
    { class: "stack" },
    group("kinds", t("filter.kinds"), (kind) => t(`kind.${kind}`)),
    group("platforms", t("filter.platforms"), (platform) => platform),
    group("namespaces", t("filter.namespaces"), (namespace) => namespace),
    h("fieldset", {}, h("legend", {}, t("filter.origin")), ...origins),
    button(t("filter.clear"), () => choose(noFilters)),
  );
}

/** Asks for the other end of an edge to add. */
export function pickNode(title: string, choose: (node: NodeInfo) => void): void {
  const dialog = showDialog(title, (close) => {
    const picked = async (key: Key) => {
      close();
      const { node } = await get("/api/v1/node", { query: { node: key } });
      choose(node);
    };
    return [h("p", { class: "quiet" }, t("insert.hint")), nodeSearch(t("search.label"), (hit) => void picked(hit.key))];
  });
  dialog.querySelector("input")?.focus();
}

/** Asks once more, with a count. */
export function confirm(title: string, text: string, label: string, run: () => void): void {
  showDialog(title, (close) => [
    h("p", {}, text),
    h(
      "div",
      { class: "row end" },
      button(t("action.cancel"), close),
      h("button", { type: "button", class: "button primary", onclick: () => (close(), run()) }, label),
    ),
  ]).querySelector<HTMLButtonElement>(".primary")?.focus();
}
