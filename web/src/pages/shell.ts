/** The frame of every page: name, ways to the pages, search, language. */
import { onUnauthorized, token } from "../api/client.ts";
import { h, replace, s } from "../ui/dom.ts";
import { chooseLanguage, languageNow, t } from "../ui/i18n.ts";
import { showDialog } from "../ui/menu.ts";
import { lineageHref } from "../ui/parts.ts";
import { go } from "../ui/router.ts";
import { nodeSearch } from "./canvas/tools.ts";

const pages: [string, Parameters<typeof t>[0]][] = [
  ["/", "nav.home"],
  ["/lineage", "nav.lineage"],
  ["/impact", "nav.impact"],
  ["/diff", "nav.diff"],
  ["/builds", "nav.builds"],
  ["/deadletters", "nav.deadLetters"],
];

const logo = (): SVGSVGElement =>
  s("svg", { viewBox: "0 0 32 32", width: 24, height: 24, "aria-hidden": "true", class: "logo" }, s("rect", { width: 32, height: 32, rx: 7 }), s("path", { d: "M6 8c8 0 8 8 14 8h6M6 16h14M6 24c8 0 8-8 14-8" }));

/** Draws the frame and returns where pages go. */
export function drawShell(host: HTMLElement): { main: HTMLElement; mark: (path: string) => void } {
  const links = pages.map(([path, word]) => h("a", { href: path, "data-path": path }, t(word)));
  const other = languageNow() === "zh" ? "en" : "zh";
  const language = h("button", { type: "button", class: "quiet-button", lang: other === "zh" ? "zh-CN" : "en", onclick: () => (chooseLanguage(other), location.reload()) }, other === "zh" ? "中文" : "English");
  const main = h("main", { id: "main", tabindex: -1 });
  replace(
    host,
    h("a", { class: "skip", href: "#main", onclick: (event: Event) => (event.preventDefault(), main.focus()) }, t("nav.skip")),
    h("header", { class: "top" }, h("a", { class: "brand", href: "/", "aria-label": "Tributary" }, logo(), h("span", {}, "Tributary")), h("nav", { "aria-label": t("nav.label") }, ...links), nodeSearch(t("search.short"), (hit) => go(lineageHref(hit.key))), language),
    main,
  );
  onUnauthorized.run = askToken;
  const mark = (path: string) => links.forEach((a) => (a.dataset["path"] === path ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current")));
  return { main, mark };
}

let asking = false;

/** Asks for a token when the server wants one. */
function askToken(): void {
  if (asking) return;
  asking = true;
  const input = h("input", { type: "password", "aria-label": t("token.label"), autocomplete: "off" });
  const submit = (event: Event) => {
    event.preventDefault();
    token.set(input.value.trim());
    location.reload();
  };
  const dialog = showDialog(t("token.title"), () => [h("p", { class: "quiet" }, t("token.hint")), h("form", { class: "row", onsubmit: submit }, input, h("button", { type: "submit", class: "button primary" }, t("token.use")))]);
  dialog.addEventListener("close", () => (asking = false));
  input.focus();
}
