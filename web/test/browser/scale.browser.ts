/** Figures of large graphs, measured in the browser. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { linesOfBundle } from "../../src/draw/line.ts";
import { sliceElements } from "../../src/draw/mounted.ts";
import { rowsAtOnce } from "../../src/ui/parts.ts";
import { key } from "./data.ts";
import { downloaded, eventually, eventuallyWithRetry, lineageUrl, middle, newPage, node, nodesDrawn, settled, useBrowser } from "./helpers.ts";

useBrowser();

/** Counts the elements that are put into the drawing at a stretch. */
async function watchSlices(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const slices: number[] = [];
    Object.assign(window, { slices });
    const count = (added: Node) => (added instanceof Element ? 1 + added.querySelectorAll("*").length : 0);
    new MutationObserver((records) => slices.push(records.flatMap((r) => [...r.addedNodes]).reduce((sum, node) => sum + count(node), 0))).observe(document.querySelector(".stage .viewport")!, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => (window as unknown as { slices: number[] }).slices.splice(0));
}

test("canvas 67: 500 nodes can be used within 2 s of the answer, and pan at 30 frames a second or more", async () => {
  const page = await newPage({ viewport: { width: 1400, height: 900 } });
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
  console.log(`500 nodes: drawn ${drawn} ms after the answer, panned at ${rate.toFixed(0)} frames a second`);
  expect(drawn).toBeLessThan(2000);
  expect(rate).toBeGreaterThanOrEqual(30);
});

test("canvas 66: above 1,000 nodes the page asks to filter, draws the nearest, and never more at a stretch than one frame can hold", async () => {
  const page = await newPage();
  await page.route("**/api/v1/graph?*", (route) => route.continue({ url: route.request().url().replace("limit=1000", "limit=2000") }));
  await page.goto(lineageUrl(key("l12.n0"), { depth: "-1" }));
  await nodesDrawn(page, 1000);
  const banner = page.locator(".banner.too-many");
  expect(await banner.textContent()).toContain("1,200 nodes would be drawn");
  await settled(page);
  const slices = await watchSlices(page);
  await banner.getByRole("button", { name: "Draw all" }).click();
  await nodesDrawn(page, 1200);
  await page.locator(".zoom-buttons button").nth(2).click(); // show everything
  await settled(page);
  expect(await page.locator(".stage .node").count()).toBe(1200);
  expect(await page.locator(".stage .viewport *").count()).toBeLessThan(4 * 1200); // from afar a node is a shape, and lines are bundled
  const { x, y } = await middle(page.locator(".stage"));
  await page.mouse.move(x, y);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -300);
  await page.waitForSelector(".stage .node.whole");
  await settled(page);
  const made = await slices();
  expect(Math.max(...made)).toBeLessThanOrEqual(sliceElements + 2 * linesOfBundle);
  expect(await page.locator(".stage .node").count()).toBeLessThan(1200); // what is out of view is not on the page
});

test("3,000 lines move in slices, and lighting a few of them leaves the others as they are", async () => {
  const page = await newPage({ viewport: { width: 1600, height: 2600 } }); // lines out of view would not be on the page
  await page.goto(lineageUrl(key("wide.dst"), { columns: "1" }));
  const wide = node(page, key("wide.dst"));
  await eventuallyWithRetry(page, async () => expect(await page.locator(".stage .edge.column").count()).toBe(3000));
  await page.evaluate(() => {
    const changes: Record<"d" | "class", number[]> = { d: [], class: [] };
    Object.assign(window, { changes });
    const of = (records: MutationRecord[], name: string) => records.filter((r) => r.attributeName === name && r.target.parentElement?.closest(".lines")).length;
    new MutationObserver((records) => (["d", "class"] as const).forEach((name) => changes[name].push(of(records, name)))).observe(document.querySelector(".stage .viewport")!, { attributes: true, subtree: true });
  });
  const course = () => page.locator(".stage .edge.column .line").last().getAttribute("d");
  const before = await course();
  await wide.locator(".more-columns").click();
  await eventuallyWithRetry(page, async () => expect(await wide.locator("[data-column]").count()).toBe(60));
  await eventually(async () => expect(await course()).not.toBe(before));
  await settled(page);
  await wide.locator("[data-column]").nth(2).hover();
  await eventually(async () => expect(await page.locator(".stage .edge.column.lit").count()).toBe(1));
  expect(await page.locator(".stage .lines.dimmed .edge").count()).toBeGreaterThan(2900);
  const { d, class: classes } = await page.evaluate(() => (window as unknown as { changes: Record<"d" | "class", number[]> }).changes);
  expect(Math.max(...d)).toBeLessThanOrEqual(sliceElements);
  expect(d.reduce((a, b) => a + b)).toBeGreaterThan(sliceElements);
  expect(classes.reduce((a, b) => a + b)).toBeLessThan(100);
});

test("a long list is made in steps, and sorts and exports as a whole", async () => {
  const page = await newPage();
  await page.goto(lineageUrl(key("l5.n0"), { depth: "-1", view: "list" }));
  const table = page.locator(".list-view .table-wrap").first();
  const rows = table.locator("tbody tr");
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThanOrEqual(2 * rowsAtOnce);
  await table.getByRole("button", { name: "Name" }).click();
  expect(await rows.first().textContent()).toContain("l5.n0");
  await table.locator(".more-rows").scrollIntoViewIfNeeded();
  await eventually(async () => expect(await rows.count()).toBeGreaterThan(rowsAtOnce));
  const { bytes } = await downloaded(page, () => table.locator('[data-export="csv"]').click());
  expect(bytes.toString().trim().split("\r\n")).toHaveLength(501);
});
