/** The canvas's bar of tools. */
import { edgesCsv, save, svgText, toJson, toPng, toSvg } from "../../draw/export.ts";
import { drawnColumnEdges } from "../../model/columns.ts";
import { h, replace } from "../../ui/dom.ts";
import { t } from "../../ui/i18n.ts";
import { popover } from "../../ui/menu.ts";
import { announce, button } from "../../ui/parts.ts";
import type { CanvasPage } from "./page.ts";
import { branchPicker, canvasSearch, filterPicker, timePicker } from "./tools.ts";

export interface Bar {
  /** Shows the settings as they are now. */
  update(): void;
  find(): void;
  openFilters(): void;
}

/** Builds the bar for a page. */
export function makeBar(host: HTMLElement, page: CanvasPage): Bar {
  const { controller } = page;
  const settings = () => controller.settings;
  const search = canvasSearch(() => page.drawn, (key) => page.goTo(key), (key) => void page.reach(key));
  const filters = filterPicker(() => page.unfiltered, () => settings().filters, (next) => page.adjust({ filters: next }));
  const columns = toggle(t("canvas.columns"), () => page.setColumns(!settings().columns));
  const tasks = toggle(t("canvas.tasks"), () => page.change({ tasks: !settings().tasks, expansions: [], closed: [] }));
  const list = toggle(t("canvas.list"), () => page.adjust({ list: !settings().list }));
  const files = popover(t("export.label"), () => exportPanel(page), "export-panel");
  replace(
    host,
    search.root,
    branchPicker(settings().branch, (branch) => page.change({ branch })),
    timePicker(settings().asOf, (asOf) => page.change({ asOf })),
    h("div", { class: "bar-group", role: "group", "aria-label": t("canvas.shows") }, columns, tasks, list),
    filters.root,
    button(t("expandAll.title"), () => void page.expandAll()),
    files.root,
  );
  const update = () => {
    columns.setAttribute("aria-pressed", String(settings().columns));
    tasks.setAttribute("aria-pressed", String(settings().tasks));
    list.setAttribute("aria-pressed", String(settings().list));
    filters.mark();
  };
  update();
  return { update, find: () => search.input.focus(), openFilters: filters.open };
}

const toggle = (label: string, run: () => void): HTMLButtonElement => h("button", { type: "button", class: "button toggle-button", "aria-pressed": "false", onclick: run }, label);

function exportPanel(page: CanvasPage): HTMLElement {
  const { state, settings } = page.controller;
  const name = `lineage-${state.asked.slice(state.asked.lastIndexOf("|") + 1).replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80)}`;
  const edges = () => [...page.drawn.edges.values(), ...(settings.columns ? drawnColumnEdges(state.edges, page.drawn) : [])];
  const png = () => void toPng(page.scene).then((blob) => save(`${name}.png`, blob), () => announce(t("export.tooLarge"), "bad"));
  return h(
    "div",
    { class: "stack" },
    button("SVG", () => void toSvg(page.scene).then((drawing) => save(`${name}.svg`, svgText(drawing), "image/svg+xml")), { "data-export": "svg" }),
    button("PNG", png, { "data-export": "png" }),
    button("CSV", () => save(`${name}.csv`, edgesCsv(page.drawn, edges()), "text/csv"), { "data-export": "csv" }),
    button("JSON", () => save(`${name}.json`, toJson(page.drawn, edges()), "application/json"), { "data-export": "json" }),
  );
}
