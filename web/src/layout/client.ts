/** The page's side of the layout: asks the workers, newest question first. */
import ELKApi, { type ELK } from "elkjs/lib/elk-api.js";
import { elkNodes, layoutByElk } from "./elk.ts";
import type { Layout, LayoutInput } from "./types.ts";
import type { LayoutReply, LayoutRequest } from "./worker.ts";

/** ELK may take this long before the hop layout is drawn as it is. */
const elkPatience = 1500;

export class LayoutClient {
  private readonly worker: Worker;
  private readonly elk: ELK;
  private readonly waiting = new Map<number, (reply: LayoutReply) => void>();
  private last = 0;
  /** Time that the latest hop layout took in the worker. */
  milliseconds = 0;

  constructor(layoutUrl: string, elkUrl: string) {
    this.worker = new Worker(layoutUrl);
    this.elk = new ELKApi({ workerUrl: elkUrl });
    this.worker.addEventListener("message", (event: MessageEvent<LayoutReply>) => {
      this.waiting.get(event.data.id)?.(event.data);
      this.waiting.delete(event.data.id);
    });
  }

  /** Lays out a graph; null when a newer one has been asked for meanwhile. */
  async layout(input: LayoutInput): Promise<Layout | null> {
    const id = ++this.last;
    const reply = await new Promise<LayoutReply>((resolve) => {
      this.waiting.set(id, resolve);
      const request: LayoutRequest = { id, input };
      this.worker.postMessage(request);
    });
    this.milliseconds = reply.milliseconds;
    if (id !== this.last) return null;
    const finer = input.nodes.length <= elkNodes ? await this.refine(input, reply.layout) : reply.layout;
    return id === this.last ? finer : null;
  }

  private async refine(input: LayoutInput, seed: Layout): Promise<Layout> {
    const patience = new Promise<Layout>((resolve) => setTimeout(() => resolve(seed), elkPatience));
    try {
      return await Promise.race([layoutByElk(this.elk, input, seed), patience]);
    } catch (error) {
      console.warn("the finer layout failed; the plain one is drawn", error);
      return seed;
    }
  }
}
