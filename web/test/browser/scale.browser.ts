/** Figures of large graphs, measured in the browser. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { key } from "./data.ts";
import { lineageUrl, middle, newPage, nodesDrawn, useBrowser } from "./helpers.ts";

useBrowser();

/** Notes every stretch in which the page could not answer. */
async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const longest = { freeze: 0 };
    Object.assign(window, { longest });
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (longest.freeze = Math.max(longest.freeze, entry.duration)))).observe({ type: "longtask", buffered: true });
  });
}

const freeze = (page: Page): Promise<number> => page.evaluate(() => (window as unknown as { longest: { freeze: number } }).longest.freeze);

test("canvas 67: 500 nodes can be used within 2 s of the answer, and pan at 30 frames a second or more", async () => {
  const page = await newPage({ viewport: { width: 1400, height: 900 } });
  await watch(page);
  let answered = 0;
  page.on("response", (response) => response.url().includes("/api/v1/graph?") && (answered = Date.now()));
  await page.goto(lineageUrl(key("l5.n0"), { depth: "-1" }));
  await nodesDrawn(page, 500);
  const drawn = Date.now() - answered;
  await page.locator(".stage").click({ position: { x: 20, y: 300 } });
  await page.keyboard.press("f");
  const from = await middle(page.locator(".stage"));
  await page.mouse.move(from.x, 40 + 120);
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(window, { frames });
    const tick = (now: number) => (frames.push(now), requestAnimationFrame(tick));
    requestAnimationFrame(tick);
  });
  await page.mouse.down();
  for (let i = 0; i < 60; i++) await page.mouse.move(from.x + 5 * i, 160 + 3 * i);
  await page.mouse.up();
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  const rate = ((frames.length - 1) * 1000) / (frames.at(-1)! - frames[0]!);
  console.log(`500 nodes: drawn ${drawn} ms after the answer, panned at ${rate.toFixed(0)} frames a second, longest task ${(await freeze(page)).toFixed(0)} ms`);
  expect(drawn).toBeLessThan(2000);
  expect(rate).toBeGreaterThanOrEqual(30);
});

test("canvas 66: above 1,000 nodes the page asks to filter, draws the nearest, and does not freeze", async () => {
  const page = await newPage();
  await watch(page);
  await page.route("**/api/v1/graph?*", (route) => route.continue({ url: route.request().url().replace("limit=1000", "limit=2000") }));
  await page.goto(lineageUrl(key("l12.n0"), { depth: "-1" }));
  await nodesDrawn(page, 1000);
  const banner = page.locator(".banner.too-many");
  expect(await banner.textContent()).toContain("1,200 nodes would be drawn");
  const longest = await freeze(page);
  console.log(`1,200 nodes: longest task ${longest.toFixed(0)} ms`);
  await banner.getByRole("button", { name: "Draw all" }).click();
  await nodesDrawn(page, 1200);
});
