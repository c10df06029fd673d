/** A browser, and what the tests do with the page in it. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { key } from "./data.ts";

let browser: Browser;
const contexts: BrowserContext[] = [];
let faults: string[] = [];

/** Opens one browser for a file of tests; a test fails when its page reports an error of its own. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    const found = faults;
    faults = [];
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(found, "errors of the page").toEqual([]);
  });
  afterAll(() => browser?.close());
}

export const base = (): string => inject("url");

/** Wide enough that small graphs are in view as a whole: what is not in view is not on the page. */
const wideScreen = { width: 3200, height: 1000 };

/** A page in a context of its own. */
export async function newPage(options: BrowserContextOptions & { url?: string } = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: wideScreen, locale: "en-GB", baseURL: options.url ?? base(), acceptDownloads: true, ...options });
  contexts.push(context);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  return page;
}

export const lineageUrl = (node: string, more: Record<string, string> = {}): string => `/lineage?${new URLSearchParams({ node, ...more }).toString()}`;

/** Opens the canvas of a test's table and waits until it is drawn. */
export async function lineage(page: Page, name: string, more: Record<string, string> = {}): Promise<void> {
  await page.goto(lineageUrl(key(name), more));
  await painted(page);
}

export const painted = (page: Page): Promise<unknown> => page.waitForSelector(".stage[data-painted]");

/** Waits until so many nodes are drawn. */
export const nodesDrawn = (page: Page, count: number): Promise<unknown> => page.waitForSelector(`.stage[data-nodes="${count}"]`);

export const node = (page: Page, nodeKey: string): Locator => page.locator(`.stage .node[data-node=${JSON.stringify(nodeKey)}]`);
export const card = (page: Page, name: string): Locator => node(page, key(name)).locator(".card");
export const toggle = (page: Page, name: string, side: "left" | "right"): Locator => node(page, key(name)).locator(`[data-toggle="${side}"]`);

/** Waits until all that is in view is on the page: large pictures are made in steps. */
export const settled = (page: Page): Promise<unknown> => page.waitForFunction(() => [...document.querySelectorAll<HTMLElement>("[data-whole]")].every((part) => part.dataset["whole"] === "true"));

/** Waits until the browser has shown what the page looks like now. */
export const frame = (page: Page): Promise<unknown> => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Names of the nodes in view, sorted. */
export async function namesDrawn(page: Page): Promise<string[]> {
  await settled(page);
  return page.locator(".stage .node").evaluateAll((nodes) => nodes.map((n) => n.getAttribute("data-node")!.split("|").slice(2).join("|")).sort());
}

/** Edges in view, written `from>to`. */
export async function edgesDrawn(page: Page): Promise<string[]> {
  await settled(page);
  return page.locator(".stage .edge.table").evaluateAll((edges) => {
    const name = (k: string) => k.split("|").slice(2).join("|");
    return edges.map((e) => `${name(e.getAttribute("data-from")!)}>${name(e.getAttribute("data-to")!)}`).sort();
  });
}

/** Counts the requests to a path from now on. */
export function countRequests(page: Page, path: string): () => number {
  let count = 0;
  page.on("request", (request) => new URL(request.url()).pathname === path && count++);
  return () => count;
}

export async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("it is not on the screen");
  return box;
}

export async function middle(locator: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = await boxOf(locator);
  return { x: x + width / 2, y: y + height / 2 };
}

/** Waits until something measured in the test becomes so. */
export const eventually = (check: () => Promise<void>): Promise<void> => expect.poll(async () => check().then(() => "", String), { timeout: 15_000, interval: 50 }).toBe("");

/** The same for what a busy machine's server may be too slow to answer: presses Retry where the page offers it. */
export const eventuallyWithRetry = (page: Page, check: () => Promise<void>): Promise<void> => {
  const retry = page.getByRole("button", { name: "Retry", exact: true }).first();
  const attempt = async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1000 }).catch(() => undefined); // gone when the answer came just now
    await check();
  };
  return expect.poll(() => attempt().then(() => "", String), { timeout: 45_000, interval: 50 }).toBe("");
};

/** The text of a file that a click offers. */
export async function downloaded(page: Page, click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const stream = await download.createReadStream();
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(parts) };
}
