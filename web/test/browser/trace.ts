/** Measures how long the page's main thread is busy at a stretch, from the browser's own trace. */
import type { Page } from "playwright-core";

/** One stretch of work of the main thread, in milliseconds. */
export interface Stretch {
  /** Processor time; what a busy machine adds to a clock's time is not in it. */
  processor: number;
  clock: number;
  /** What took the most of it, by the trace's names. */
  parts: string;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string; data?: { functionName?: string } };
}

const categories = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"];
const isTask = (e: TraceEvent): boolean => e.name === "RunTask" || e.name === "ThreadControllerImpl::RunTask";

/** The longest stretch of the main thread while something is done. */
export async function longestStretch(page: Page, run: () => Promise<unknown>): Promise<Stretch> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories });
  const traced = await run().then(
    () => browser.stopTracing(),
    async (failed: unknown) => {
      await browser.stopTracing(); // or the next measurement could not start
      throw failed;
    },
  );
  const { traceEvents } = JSON.parse(traced.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(traceEvents.filter((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain").map((e) => `${e.pid} ${e.tid}`));
  const main = traceEvents.filter((e) => e.ph === "X" && mains.has(`${e.pid} ${e.tid}`));
  const tasks = main.filter((e) => isTask(e) && e.tdur !== undefined);
  const longest = tasks.reduce<TraceEvent | null>((best, e) => (best === null || e.tdur! > best.tdur! ? e : best), null);
  if (longest === null) throw new Error("the trace holds no task of the page");
  return { processor: longest.tdur! / 1000, clock: longest.dur! / 1000, parts: partsOf(longest, main) };
}

/** The events inside a task that took the longest, each with its own milliseconds. */
function partsOf(task: TraceEvent, main: readonly TraceEvent[]): string {
  const inside = main.filter((e) => e !== task && !isTask(e) && e.pid === task.pid && e.tid === task.tid && e.ts >= task.ts && e.ts < task.ts + (task.dur ?? 0));
  const byName = new Map<string, number>();
  for (const e of inside) byName.set(e.name, (byName.get(e.name) ?? 0) + (e.tdur ?? 0) / 1000);
  return [...byName].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(", ");
}
