/** The list view: the same nodes, edges and buttons as the drawing, as tables. */
import { describeEdge } from "../../draw/line.ts";
import { buttonLabel } from "../../draw/card.ts";
import type { EdgeInfo, Key } from "../../model/types.ts";
import type { DrawnNode, View } from "../../model/view.ts";
import { h } from "../../ui/dom.ts";
import { number, t } from "../../ui/i18n.ts";
import { button, kindIcon, nameOfKey, table } from "../../ui/parts.ts";
import type { Controller } from "./controller.ts";

const names = (node: DrawnNode): string => [...node.roles].sort().map((role) => t(`role.${role}`)).join(", ");

function marks(node: DrawnNode): string {
  const info = node.info;
  const found: string[] = [];
  if (info.with_masked) found.push(t("badge.masked"));
  if (info.from_fallback) found.push(t("badge.fallback", { branch: info.branch ?? "" }));
  if (info.family === "dataset") found.push(t(info.has_job_spec_on_master ? "fact.jobSpecMaster" : "fact.jobSpecNone"));
  if ((info.unparsed ?? 0) > 0) found.push(t("badge.unparsed", { n: number(info.unparsed!) }));
  if (info.cycle) found.push(t("badge.cycle"));
  return found.join("; ");
}

/** Both tables. */
export function listView(controller: Controller, view: View, columnEdges: readonly EdgeInfo[], select: (key: Key) => void): HTMLElement {
  const nodes = [...view.nodes.values()];
  const display = (key: Key) => view.nodes.get(key)?.info.display ?? key;
  const nodeTable = table<DrawnNode>(
    t("list.nodes"),
    [
      { title: t("fact.name"), value: (n) => n.info.display, cell: (n) => h("span", { class: "with-icon" }, kindIcon(n.info), h("button", { type: "button", class: "link", onclick: () => select(n.info.key) }, n.info.display)) },
      { title: t("fact.kind"), value: (n) => t(`kind.${n.info.kind}`), cell: (n) => t(`kind.${n.info.kind}`) },
      { title: t("fact.role"), value: names, cell: names },
      { title: t("fact.distance"), value: (n) => n.info.distance, cell: (n) => number(n.info.distance), numeric: true },
      { title: t("fact.upstream"), value: (n) => n.info.upstream_count, cell: (n) => number(n.info.upstream_count), numeric: true },
      { title: t("fact.downstream"), value: (n) => n.info.downstream_count, cell: (n) => number(n.info.downstream_count), numeric: true },
      { title: t("fact.marks"), value: marks, cell: marks },
      { title: t("fact.actions"), cell: (n) => toggles(controller, n) },
    ],
    nodes,
    "lineage-nodes",
  );
  const edges = [...view.edges.values(), ...columnEdges];
  const about = (e: EdgeInfo) => [...describeEdge(e, display(e.from), display(e.to)).split(" · ").slice(1), ...(e.tasks ?? []).map(nameOfKey)].join(" · ");
  const edgeTable = table<EdgeInfo>(
    t("list.edges"),
    [
      { title: t("fact.from"), value: (e) => display(e.from) + (e.from_column ? `.${e.from_column}` : ""), cell: (e) => display(e.from) + (e.from_column ? `.${e.from_column}` : "") },
      { title: t("fact.to"), value: (e) => display(e.to) + (e.to_column ? `.${e.to_column}` : ""), cell: (e) => display(e.to) + (e.to_column ? `.${e.to_column}` : "") },
      { title: t("fact.origins"), value: (e) => e.origins.join(" "), cell: (e) => e.origins.map((o) => t(`origin.${o}` as "origin.parsed")).join(", ") },
      { title: t("fact.about"), value: about, cell: about },
    ],
    edges,
    "lineage-edges",
  );
  const more = view.more.map((m) => button(`${display(m.of)}: ${t("more.label", { n: number(m.count) })}`, () => controller.dispatch({ type: "showMore", key: m.of, side: m.side })));
  return h("div", { class: "list-view" }, nodeTable, more.length > 0 ? h("div", { class: "more-list" }, ...more) : null, edgeTable);
}

function toggles(controller: Controller, node: DrawnNode): HTMLElement {
  const make = (side: "left" | "right") => {
    const shown = node[side];
    if (shown === null) return null;
    const label = buttonLabel(node.info, side, shown);
    const sign = shown.shows === "plus" ? `+${shown.hidden > 0 ? number(shown.hidden) : ""}` : shown.shows === "minus" ? "−" : "…";
    return h("button", { type: "button", class: "quiet-button", "aria-label": label, title: label, onclick: () => controller.dispatch({ type: "toggle", key: node.info.key, side }) }, side === "left" ? `← ${sign}` : `${sign} →`);
  };
  return h("span", { class: "toggles" }, make("left"), make("right"));
}
