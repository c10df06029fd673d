/** What pages of facts share: a heading, and parts that load for themselves. */
import { faultOf } from "../api/client.ts";
import { h, replace } from "../ui/dom.ts";
import { failedState, loadingState } from "../ui/parts.ts";

/** A place that shows loading, then what came, or what failed with Retry. */
export function loaded<T>(ask: (signal: AbortSignal) => Promise<T>, show: (value: T) => Node | Node[]): HTMLElement {
  const host = h("div", { class: "loaded" });
  const run = () => {
    replace(host, loadingState());
    ask(new AbortController().signal).then(
      (value) => {
        const made = show(value);
        replace(host, ...(Array.isArray(made) ? made : [made]));
      },
      (error: unknown) => replace(host, failedState(faultOf(error), run)),
    );
  };
  run();
  return host;
}

/** A page of facts under a heading. */
export function factPage(host: HTMLElement, title: string, ...parts: (Node | null)[]): void {
  document.title = `${title} · Tributary`;
  replace(host, h("div", { class: "fact-page" }, h("h1", {}, title), ...parts));
}
