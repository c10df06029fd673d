/** The panel beside the canvas: what is known of the selected node or edge. */
import { get } from "../../api/client.ts";
import { columnKey } from "../../model/key.ts";
import type { Button } from "../../model/view.ts";
import { viewOf } from "../../model/view.ts";
import type { EdgeInfo, Key, NodeInfo, Side } from "../../model/types.ts";
import { buttonLabel } from "../../draw/card.ts";
import { describeEdge } from "../../draw/line.ts";
import { h, replace } from "../../ui/dom.ts";
import { number, t, when } from "../../ui/i18n.ts";
import { button, chip, failedState, icon, kindIcon, link, loadingState, nameOfKey, nodeHref } from "../../ui/parts.ts";
import { sqlBlock } from "../sql.ts";
import { faultOf } from "../../api/client.ts";
import type { Controller } from "./controller.ts";

/** What the panel asks the page to do. */
export interface PanelActions {
  recentre(key: Key): void;
  insert(key: Key, side: Side): void;
  remove(id: string): void;
  selectNode(key: Key): void;
  selectEdge(id: string): void;
  pinColumn(key: Key, column: string): void;
  close(): void;
}

export class Panel {
  readonly element = h("aside", { class: "panel", "aria-label": t("panel.label"), hidden: true });
  private shown = "";
  private asked = new AbortController();

  constructor(
    private readonly controller: Controller,
    private readonly actions: PanelActions,
  ) {}

  /** Shows a node or an edge, or hides the panel. */
  show(node: Key, edge: string): void {
    const info = this.controller.state.nodes.get(node);
    const line = this.controller.state.edges.get(edge);
    this.element.hidden = info === undefined && line === undefined;
    if (info !== undefined) this.showNode(info);
    else if (line !== undefined && this.shown !== edge) this.showEdge(edge, line);
    this.shown = info !== undefined ? node : line !== undefined ? edge : "";
  }

  private head(title: string, ...more: (Node | null)[]): HTMLElement {
    const shut = h("button", { type: "button", class: "icon-button", "aria-label": t("action.close"), onclick: () => this.actions.close() }, "×");
    return h("header", { class: "panel-head" }, ...more, h("h2", { title }, title), shut);
  }

  private showNode(info: NodeInfo): void {
    const { state, settings } = this.controller;
    const view = viewOf(state);
    const drawn = view.nodes.get(info.key);
    const centre = state.centres.includes(info.key);
    const edit = info.can_edit === true;
    replace(
      this.element,
      this.head(info.display, kindIcon(info)),
      h("p", { class: "panel-key" }, h("code", {}, info.key)),
      h("div", { class: "chips" }, chip(t(`kind.${info.kind}`)), ...[...(drawn?.roles ?? [])].map((role) => chip(t(`role.${role}`), "accent")), info.with_masked ? chip(t("badge.masked"), "warn") : null, info.from_fallback ? chip(t("badge.fallback", { branch: info.branch ?? "" }), "warn") : null, info.cycle ? chip(t("badge.cycle")) : null),
      this.facts(info),
      h(
        "div",
        { class: "panel-actions" },
        centre ? null : button(t("menu.view"), () => this.actions.recentre(info.key)),
        link(nodeHref(info.key, settings.branch), t("menu.page")),
        edit ? button(t("menu.insertSource"), () => this.actions.insert(info.key, "left")) : null,
        edit ? button(t("menu.insertTarget"), () => this.actions.insert(info.key, "right")) : null,
      ),
      ...(["left", "right"] as const).map((side) => this.sideList(info, side, drawn?.[side] ?? null)),
      this.columns(info),
    );
  }

  private facts(info: NodeInfo): HTMLElement {
    const pairs: [string, string][] = [
      [t("fact.upstream"), number(info.upstream_count)],
      [t("fact.downstream"), number(info.downstream_count)],
      [t("fact.distance"), number(info.distance)],
      [t("fact.branch"), info.branch ?? this.controller.state.branch],
      [t("fact.jobSpec"), t(info.has_job_spec_on_master ? "fact.jobSpecMaster" : "fact.jobSpecNone")],
    ];
    if (info.aliases !== undefined && info.aliases.length > 0) pairs.push([t("fact.aliases"), info.aliases.join("\n")]);
    return h("dl", { class: "facts" }, ...pairs.filter(([name]) => info.family === "dataset" || name !== t("fact.jobSpec")).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  /** The drawn edges of one side, each with its reason, and the deletable ones with Delete. */
  private sideList(info: NodeInfo, side: Side, toggle: Button | null): HTMLElement | null {
    const { state } = this.controller;
    const view = viewOf(state);
    const edges = [...view.edges].filter(([, e]) => (side === "left" ? e.to : e.from) === info.key);
    if (edges.length === 0 && toggle === null) return null;
    const items = edges.slice(0, 100).map(([id, e]) => {
      const other = side === "left" ? e.from : e.to;
      const name = view.nodes.get(other)?.info.display ?? nameOfKey(other);
      return h("li", {}, h("button", { type: "button", class: "link", onclick: () => this.actions.selectNode(other) }, name), h("button", { type: "button", class: "quiet-button", onclick: () => this.actions.selectEdge(id), "aria-label": t("edge.whyOf", { name }) }, t("edge.why")), e.can_delete ? h("button", { type: "button", class: "quiet-button danger", onclick: () => this.actions.remove(id), "aria-label": t("edge.deleteOf", { name }) }, t("action.delete")) : null);
    });
    const opener = toggle === null ? null : button(buttonLabel(info, side, toggle), () => this.controller.dispatch({ type: "toggle", key: info.key, side }));
    return h("section", { class: "panel-section" }, h("h3", {}, `${t(side === "left" ? "side.upstream" : "side.downstream")} (${number(edges.length)})`), h("ul", { class: "panel-list" }, ...items), opener);
  }

  private columns(info: NodeInfo): HTMLElement | null {
    const columns = info.columns ?? [];
    if (columns.length === 0) return null;
    const list = h("ul", { class: "panel-list columns-list" });
    const draw = (query: string) => {
      const found = columns.filter((c) => c.name.toLowerCase().includes(query.toLowerCase()));
      replace(
        list,
        ...found.slice(0, 200).map((c) => h("li", {}, this.controller.settings.columns ? h("button", { type: "button", class: "link", "aria-pressed": this.controller.settings.column === columnKey(info.key, c.name) ? "true" : "false", onclick: () => this.actions.pinColumn(info.key, c.name) }, c.name) : h("span", {}, c.name), h("span", { class: "quiet" }, c.type ?? ""), c.masked || c.with_masked ? h("span", { class: "quiet", title: t("badge.masked") }, icon("lock")) : null)),
        found.length > 200 ? h("li", { class: "quiet" }, t("column.more", { n: number(found.length - 200) })) : null,
      );
    };
    draw("");
    const search = h("input", { type: "search", placeholder: t("column.search"), "aria-label": t("column.search"), oninput: (event: Event) => draw((event.target as HTMLInputElement).value) });
    return h("section", { class: "panel-section" }, h("h3", {}, `${t("node.columns")} (${number(Math.max(columns.length, info.column_count ?? 0))})`), columns.length > 10 ? search : null, list);
  }

  private showEdge(id: string, e: EdgeInfo): void {
    const { state, settings } = this.controller;
    const name = (key: Key) => state.nodes.get(key)?.display ?? nameOfKey(key);
    const body = h("div", {}, loadingState());
    replace(
      this.element,
      this.head(`${name(e.from)} → ${name(e.to)}`),
      h("p", { class: "panel-key" }, describeEdge(e, name(e.from), name(e.to))),
      h("div", { class: "chips" }, ...e.origins.map((origin) => chip(t(`origin.${origin}` as "origin.parsed"), origin === "manual" ? "manual" : ""))),
      e.can_delete ? h("div", { class: "panel-actions" }, h("button", { type: "button", class: "button danger", onclick: () => this.actions.remove(id) }, t("edge.delete"))) : null,
      body,
    );
    if (e.kind === "bridge") return replace(body, h("p", {}, t("edge.bridgedLong", { n: number(e.hidden ?? 0) })));
    this.asked.abort();
    this.asked = new AbortController();
    const { signal } = this.asked;
    const ask = () =>
      get("/api/v1/edge", { query: { from: e.from, to: e.to, from_column: e.from_column, to_column: e.to_column, branch: settings.branch || undefined, as_of: settings.asOf || undefined }, signal }).then(
        (details) => replace(body, ...details.contributors.map((c) => this.contributor(c))),
        (error: unknown) => !signal.aborted && replace(body, failedState(faultOf(error), () => void ask())),
      );
    void ask();
  }

  private contributor(c: Awaited<ReturnType<typeof askEdge>>["contributors"][number]): HTMLElement {
    const facts: [string, Node | string][] = [];
    if (c.task !== undefined) facts.push([t("fact.task"), link(nodeHref(c.task, c.branch), nameOfKey(c.task))]);
    if (c.person !== undefined) facts.push([t("fact.who"), c.person]);
    if (c.why !== undefined && c.why !== "") facts.push([t("fact.why"), c.why]);
    if (c.last_run !== undefined) facts.push([t("fact.run"), `${c.last_run.id} · ${c.last_run.state} · ${when(c.last_run.started)}`]);
    if (c.via !== undefined && c.via.length > 0) facts.push([t("fact.via"), c.via.join(", ")]);
    facts.push([t("fact.branch"), c.branch], [t("fact.firstSeen"), when(c.first_seen)], [t("fact.lastSeen"), c.closed ? when(c.last_seen) : t("fact.still")]);
    return h(
      "section",
      { class: "panel-section contributor" },
      h("h3", {}, t(`origin.${c.origin}` as "origin.parsed")),
      h("dl", { class: "facts" }, ...facts.filter(([, value]) => value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      ...(c.statements ?? []).map((statement) => sqlBlock({ text: statement.text ?? "", firstLine: statement.line ?? 1, steps: c.steps, statement: statement.n })),
    );
  }
}

const askEdge = (from: Key, to: Key) => get("/api/v1/edge", { query: { from, to } });
