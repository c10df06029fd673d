/** The keyboard on the canvas: arrows walk along edges, + and − expand, Enter opens. */
import type { Scene } from "../../draw/scene.ts";
import type { Key, Side } from "../../model/types.ts";
import type { View } from "../../model/view.ts";

export interface KeyActions {
  view(): View;
  scene(): Scene;
  open(key: Key): void;
  toggle(key: Key, side: Side): void;
  escape(): void;
  menu(key: Key): void;
  find(): void;
}

const zoomStep = 1.25;

/** The node that an arrow leads to: along an edge to the sides, within the column up and down. */
export function neighbour(view: View, scene: Scene, key: Key, arrow: string): Key | null {
  const cards = scene.drawing.cards;
  const here = cards.get(key);
  if (here === undefined) return null;
  const middle = here.y + here.height / 2;
  if (arrow === "ArrowLeft" || arrow === "ArrowRight") {
    const ends = [...view.edges.values()].flatMap((e) => (arrow === "ArrowRight" ? (e.from === key ? [e.to] : []) : e.to === key ? [e.from] : []));
    const others = ends.filter((end) => end !== key && cards.has(end));
    others.sort((a, b) => Math.abs(cards.get(a)!.y + cards.get(a)!.height / 2 - middle) - Math.abs(cards.get(b)!.y + cards.get(b)!.height / 2 - middle));
    return others[0] ?? null;
  }
  const centre = here.x + here.width / 2;
  const way = arrow === "ArrowDown" ? 1 : -1;
  const column = [...cards.values()].filter((c) => c.key !== key && Math.abs(c.x + c.width / 2 - centre) < 40 && (c.y + c.height / 2 - middle) * way > 0);
  column.sort((a, b) => (a.y - b.y) * way);
  return column[0]?.key ?? null;
}

/** The side that + or − acts on: an ordinary button before a reverse one. */
export function sideFor(view: View, key: Key, shows: readonly string[]): Side | null {
  const node = view.nodes.get(key);
  const sides = (["right", "left"] as const).filter((side) => node?.[side] != null && shows.includes(node[side]!.shows));
  return sides.find((side) => node![side]!.ordinary) ?? sides[0] ?? null;
}

/** Listens to keys on the canvas, and to those that are typed while nothing has the focus, until the page is left. */
export function listenKeys(host: HTMLElement, actions: KeyActions, until: AbortSignal): void {
  const listen = (event: KeyboardEvent) => {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || host.hidden) return;
    if (target !== document.body && !host.contains(target)) return;
    if (target.matches("input, select, textarea")) return;
    const key = (event.target as Element).closest?.("[data-key]")?.getAttribute("data-key") ?? null;
    const handled = key === null ? onCanvas(event, actions) : onNode(event, key, actions) || onCanvas(event, actions);
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", listen, { signal: until });
}

function onNode(event: KeyboardEvent, key: Key, actions: KeyActions): boolean {
  if (event.key.startsWith("Arrow")) {
    const to = neighbour(actions.view(), actions.scene(), key, event.key);
    if (to !== null) actions.scene().focusNode(to);
    return true;
  }
  const toggle = (shows: string[]) => {
    const side = sideFor(actions.view(), key, shows);
    if (side !== null) actions.toggle(key, side);
    return true;
  };
  switch (event.key) {
    case "+":
    case "=":
      return toggle(["plus", "retry"]);
    case "-":
    case "−":
      return toggle(["minus"]);
    case "Enter":
      actions.open(key);
      return true;
    case " ":
      actions.scene().activate(event.target as Element);
      return true;
    case "F10":
      if (!event.shiftKey) return false;
      actions.menu(key);
      return true;
    case "ContextMenu":
      actions.menu(key);
      return true;
    default:
      return false;
  }
}

function onCanvas(event: KeyboardEvent, actions: KeyActions): boolean {
  const target = event.target as Element;
  if ((event.key === "Enter" || event.key === " ") && target.getAttribute("role") === "button" && target.closest("svg.scene") !== null) {
    actions.scene().activate(target);
    return true;
  }
  const keys: Record<string, () => void> = {
    Escape: () => actions.escape(),
    "+": () => actions.scene().zoomBy(zoomStep),
    "=": () => actions.scene().zoomBy(zoomStep),
    "-": () => actions.scene().zoomBy(1 / zoomStep),
    PageUp: () => actions.scene().zoomBy(zoomStep),
    PageDown: () => actions.scene().zoomBy(1 / zoomStep),
    f: () => actions.scene().fit(),
    Home: () => actions.scene().centreOn(actions.scene().lightsNow.centres),
    "/": () => actions.find(),
    ArrowLeft: () => actions.scene().panBy(80, 0),
    ArrowRight: () => actions.scene().panBy(-80, 0),
    ArrowUp: () => actions.scene().panBy(0, 80),
    ArrowDown: () => actions.scene().panBy(0, -80),
  };
  const run = keys[event.key];
  run?.();
  return run !== undefined;
}
