/** Menus and dialogs that keyboards and screen readers can use. */
import type { Point } from "../layout/types.ts";
import { h } from "./dom.ts";
import { t } from "./i18n.ts";

export interface MenuItem {
  label: string;
  run: () => void;
  danger?: boolean;
}

let open: { close: (back: boolean) => void } | null = null;

/** Shows a menu at a place; the focus goes into it and back where it was. */
export function showMenu(at: Point, label: string, items: MenuItem[]): void {
  open?.close(false);
  if (items.length === 0) return;
  const before = document.activeElement as HTMLElement | SVGElement | null;
  const buttons = items.map((item) => h("button", { type: "button", role: "menuitem", tabindex: -1, class: item.danger ? "danger" : "", onclick: () => choose(item) }, item.label));
  const menu = h("div", { class: "menu", role: "menu", "aria-label": label }, ...buttons);
  const close = (back: boolean) => {
    menu.remove();
    window.removeEventListener("pointerdown", outside, true);
    open = null;
    if (back) before?.focus();
  };
  const choose = (item: MenuItem) => {
    close(true);
    item.run();
  };
  const outside = (event: Event) => !menu.contains(event.target as Node) && close(false);
  menu.addEventListener("keydown", (event) => steer(event, buttons, () => close(true)));
  document.body.append(menu);
  const frame = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(at.x, innerWidth - frame.width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(at.y, innerHeight - frame.height - 8))}px`;
  window.addEventListener("pointerdown", outside, true);
  open = { close };
  buttons[0]!.focus();
}

function steer(event: KeyboardEvent, buttons: HTMLButtonElement[], close: () => void): void {
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const go = (to: number) => buttons[(to + buttons.length) % buttons.length]!.focus();
  const keys: Record<string, () => void> = { ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(buttons.length - 1), Escape: close, Tab: close };
  const run = keys[event.key];
  if (run === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

/** A modal dialog; closing it gives the focus back. */
export function showDialog(title: string, build: (close: () => void) => (Node | string)[]): HTMLDialogElement {
  const dialog = h("dialog", { class: "dialog", "aria-label": title });
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const shut = h("button", { type: "button", class: "icon-button", "aria-label": t("action.close"), onclick: close }, "×");
  dialog.append(h("header", {}, h("h2", {}, title), shut), ...build(close));
  dialog.addEventListener("cancel", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A panel under a button that opens and closes it. */
export function popover(label: string, content: () => Node, className = ""): { button: HTMLButtonElement; root: HTMLElement; close: () => void } {
  const panel = h("div", { class: `popover ${className}`, hidden: true, role: "group", "aria-label": label });
  const close = () => {
    panel.hidden = true;
    opener.setAttribute("aria-expanded", "false");
  };
  const opener = h("button", { type: "button", class: "button", "aria-expanded": "false", onclick: () => (panel.hidden ? show() : close()) }, label);
  const show = () => {
    panel.replaceChildren(content());
    panel.hidden = false;
    opener.setAttribute("aria-expanded", "true");
  };
  const root = h("div", { class: "popover-root" }, opener, panel);
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    close();
    opener.focus();
  });
  document.addEventListener("pointerdown", (event) => root.isConnected && !root.contains(event.target as Node) && close());
  return { button: opener, root, close };
}
