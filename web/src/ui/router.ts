/** Pages by path. A link within the page never loads it anew. */

export interface Location {
  path: string;
  query: URLSearchParams;
  /** Counts the history's entries of this tab, so that a page can keep what it showed for each. */
  entry: number;
}

export interface PageView {
  /** The query changed while the path stayed, by Back or Forward. */
  moveTo?: (to: Location) => void;
  leave?: () => void;
}

let entries = 0;
let onMove: (to: Location) => void = () => undefined;

export function here(): Location {
  const { pathname, search } = window.location;
  return { path: pathname, query: new URLSearchParams(search), entry: (history.state as { entry?: number } | null)?.entry ?? 0 };
}

/** Goes to an address of this page and adds a history entry. */
export function go(href: string): void {
  history.pushState({ entry: ++entries }, "", href);
  onMove(here());
}

/** Adds a history entry without leaving the page that shows it already. */
export function push(href: string): number {
  history.pushState({ entry: ++entries }, "", href);
  return entries;
}

/** Changes the address of the entry that is shown. */
export function rewrite(href: string): void {
  history.replaceState(history.state ?? { entry: entries }, "", href);
}

/** Starts routing: links, Back and Forward. */
export function startRouter(move: (to: Location) => void): void {
  onMove = move;
  entries = here().entry;
  addEventListener("popstate", () => move(here()));
  document.addEventListener("click", (event) => {
    const anchor = (event.target as Element).closest?.("a[href]");
    if (anchor === null || anchor === undefined || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || anchor.hasAttribute("download")) return;
    const url = new URL((anchor as HTMLAnchorElement).href, location.href);
    if (url.origin !== location.origin || url.pathname.startsWith("/api/") || url.pathname.startsWith("/assets/")) return;
    event.preventDefault();
    go(url.pathname + url.search);
  });
}
