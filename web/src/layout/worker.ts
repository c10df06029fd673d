/** The worker that lays graphs out, so that the page never waits for it. */
import { layoutByHops } from "./hops.ts";
import type { Layout, LayoutInput } from "./types.ts";

export interface LayoutRequest {
  id: number;
  input: LayoutInput;
}

export interface LayoutReply {
  id: number;
  layout: Layout;
  /** Time that the layout took in the worker. */
  milliseconds: number;
}

self.addEventListener("message", (event: MessageEvent<LayoutRequest>) => {
  const started = performance.now();
  const layout = layoutByHops(event.data.input);
  const reply: LayoutReply = { id: event.data.id, layout, milliseconds: performance.now() - started };
  self.postMessage(reply);
});
