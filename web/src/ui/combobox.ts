/** A search box with a list of hits below it (the ARIA combobox pattern). */
import { h, replace } from "./dom.ts";
import { t } from "./i18n.ts";

export interface Hit {
  label: string;
  detail: string;
  icon: HTMLElement | null;
  run: () => void;
}

let made = 0;

/** Builds the box; `find` answers for a query, and a late answer to an older one is dropped. */
export function combobox(label: string, find: (query: string, signal: AbortSignal) => Promise<Hit[]>): { root: HTMLElement; input: HTMLInputElement } {
  const id = `combobox-${++made}`;
  const input = h("input", { type: "search", role: "combobox", placeholder: label, "aria-label": label, "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false" });
  const list = h("ul", { id, role: "listbox", "aria-label": label, hidden: true });
  const root = h("div", { class: "combobox" }, input, list);
  let hits: Hit[] = [];
  let at = -1;
  let running = new AbortController();
  let entered = false;
  let shownFor = "";

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    at = -1;
  };
  const choose = (hit: Hit) => {
    close();
    input.value = "";
    hits = [];
    hit.run();
  };
  const mark = (to: number) => {
    at = hits.length === 0 ? -1 : (to + hits.length) % hits.length;
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    if (at < 0) return;
    input.setAttribute("aria-activedescendant", `${id}-${at}`);
    list.children[at]!.scrollIntoView({ block: "nearest" });
  };
  const draw = (note: string) => {
    const items = hits.map((hit, index) =>
      h("li", { role: "option", id: `${id}-${index}`, "aria-selected": "false", onpointerdown: (event: Event) => event.preventDefault(), onclick: () => choose(hit) }, hit.icon, h("span", { class: "hit-label" }, hit.label), h("span", { class: "hit-detail" }, hit.detail)),
    );
    replace(list, ...(items.length > 0 ? items : [h("li", { class: "note", role: "option", "aria-disabled": "true", "aria-selected": "false" }, note)]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(0);
  };
  const search = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const query = input.value.trim();
    if (query === "") return close();
    try {
      const found = await find(query, signal);
      if (signal.aborted) return;
      hits = found;
      shownFor = query;
      draw(t("search.nothing"));
      if (entered && hits.length > 0) choose(hits[0]!);
    } catch {
      if (signal.aborted) return;
      hits = [];
      draw(t("fault.unreachable"));
    } finally {
      if (!signal.aborted) entered = false;
    }
  };
  input.addEventListener("input", () => void search());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(at + 1);
    else if (event.key === "ArrowUp") mark(at - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && !list.hidden && shownFor === input.value.trim() && hits[at] !== undefined) choose(hits[at]!);
    // Hits for what was typed last are still to come: the first of them is chosen when they do.
    else if (event.key === "Enter") (entered = true), void search();
    else return;
    if (event.key !== "Escape" || !list.hidden) event.stopPropagation();
    event.preventDefault();
  });
  return { root, input };
}
