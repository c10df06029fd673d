/** A search box with a list of hits below it (the ARIA combobox pattern). */
import { h, replace } from "./dom.ts";
import { t } from "./i18n.ts";

export interface Hit {
  label: string;
  detail: string;
  icon: HTMLElement | null;
  run: () => void;
}

/** Finds hits for a query. */
export type Find = (query: string, signal: AbortSignal) => Promise<Hit[]>;

let made = 0;

class Combobox {
  private readonly id = `combobox-${++made}`;
  readonly input: HTMLInputElement;
  private readonly list: HTMLUListElement;
  readonly root: HTMLElement;
  private hits: Hit[] = [];
  /** Index of the hit that Enter would take. */
  private at = -1;
  /** The query that the hits are for. */
  private shownFor = "";
  private running = new AbortController();
  /** Enter was pressed before the hits came: the first of them is meant. */
  private entered = false;

  constructor(
    label: string,
    private readonly find: Find,
  ) {
    this.input = h("input", { type: "search", role: "combobox", placeholder: label, "aria-label": label, "aria-expanded": "false", "aria-controls": this.id, "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false" });
    this.list = h("ul", { id: this.id, role: "listbox", "aria-label": label, hidden: true });
    this.root = h("div", { class: "combobox" }, this.input, this.list);
    this.input.addEventListener("input", () => void this.search());
    this.input.addEventListener("blur", () => this.close());
    this.input.addEventListener("keydown", (event) => this.key(event));
  }

  private close(): void {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.at = -1;
  }

  private choose(hit: Hit): void {
    this.close();
    this.input.value = "";
    this.hits = [];
    hit.run();
  }

  private mark(to: number): void {
    const count = this.hits.length;
    this.at = count === 0 ? -1 : (to + count) % count;
    [...this.list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === this.at)));
    if (this.at < 0) return;
    this.input.setAttribute("aria-activedescendant", `${this.id}-${this.at}`);
    this.list.children[this.at]!.scrollIntoView({ block: "nearest" });
  }

  private draw(note: string): void {
    const items = this.hits.map((hit, index) =>
      h("li", { role: "option", id: `${this.id}-${index}`, "aria-selected": "false", onpointerdown: (event: Event) => event.preventDefault(), onclick: () => this.choose(hit) }, hit.icon, h("span", { class: "hit-label" }, hit.label), h("span", { class: "hit-detail" }, hit.detail)),
    );
    replace(this.list, ...(items.length > 0 ? items : [h("li", { class: "note", role: "option", "aria-disabled": "true", "aria-selected": "false" }, note)]));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(0);
  }

  /** Asks for the hits of what is typed; the answer to an older query is dropped. */
  private async search(): Promise<void> {
    this.running.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    const query = this.input.value.trim();
    if (query === "") return this.close();
    try {
      const found = await this.find(query, signal);
      if (signal.aborted) return;
      this.hits = found;
      this.shownFor = query;
      this.draw(t("search.nothing"));
      if (this.entered && found.length > 0) this.choose(found[0]!);
    } catch {
      if (signal.aborted) return;
      this.hits = [];
      this.draw(t("fault.unreachable"));
    } finally {
      if (!signal.aborted) this.entered = false;
    }
  }

  private enter(): void {
    const hit = this.hits[this.at];
    if (!this.list.hidden && this.shownFor === this.input.value.trim() && hit !== undefined) return this.choose(hit);
    this.entered = true;
    void this.search();
  }

  private key(event: KeyboardEvent): void {
    const keys: Record<string, () => void> = {
      ArrowDown: () => this.mark(this.at + 1),
      ArrowUp: () => this.mark(this.at - 1),
      Escape: () => this.close(),
      Enter: () => this.enter(),
    };
    const run = keys[event.key];
    if (run === undefined) return;
    // Escape goes on to close a dialog only when there is no list to close.
    if (event.key === "Escape" && this.list.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }
}

/** Builds the box. */
export function combobox(label: string, find: Find): { root: HTMLElement; input: HTMLInputElement } {
  const { root, input } = new Combobox(label, find);
  return { root, input };
}
