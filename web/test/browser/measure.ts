/** Prints how long the page is busy at a stretch, how soon it is usable and how fast it pans, for large graphs. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { greatHub, key, layered, split } from "./data.ts";
import { base, frame, lineageUrl, middle, newPage, node, nodesDrawn, settled, useBrowser } from "./helpers.ts";
import { startServer, until, type Running } from "./server.ts";
import { longestStretch } from "./trace.ts";

useBrowser();

const screen = { viewport: { width: 1400, height: 900 } };
const lines: string[] = [];

afterAll(() => console.log(["what is done | longest stretch: processor ms, clock ms | of it", ...lines].join("\n")));

const known = (url: string, name: string, count: number) =>
  until(`${count} nodes behind ${name}`, async () => {
    const answer = await fetch(`${url}/api/v1/closure?${new URLSearchParams({ node: key(name), direction: "down", limit: "0", depth: "-1" }).toString()}`);
    return ((await answer.json()) as { total?: number }).total === count ? true : null;
  }, 240_000);

async function step(page: Page, name: string, run: () => Promise<unknown>): Promise<void> {
  const { processor, clock, parts } = await longestStretch(page, async () => {
    await run();
    await settled(page);
    await frame(page);
  });
  lines.push(`${name} | ${processor.toFixed(0)}, ${clock.toFixed(0)} | ${parts}`);
  console.log(lines.at(-1));
}

/** Opens a page whose first answer may hold more nodes than the page asks for. */
async function openPage(url: string, limit?: number): Promise<Page> {
  const page = await newPage({ ...screen, url });
  if (limit !== undefined) await page.route("**/api/v1/graph?*", (route) => route.continue({ url: route.request().url().replace(/limit=\d+/, `limit=${limit}`) }));
  await page.goto("/lineage");
  return page;
}

/** Clicks a button of the page's own; looking through every node's role and name would keep the page busy by itself. */
const press = (page: Page, name: string) => page.locator(".zoom-buttons, .bar").locator(`button[aria-label="${name}"], button:text-is("${name}")`).click();

/** What people do with a picture that is on the screen. */
async function use(page: Page, what: string): Promise<void> {
  const stage = page.locator(".stage");
  await step(page, `${what}: show everything`, () => press(page, "Show everything"));
  const { x, y } = await middle(stage);
  await step(page, `${what}: pan`, async () => {
    await page.mouse.move(x, 200);
    await page.mouse.down();
    for (let i = 0; i < 40; i++) await page.mouse.move(x + 6 * i, 200 + 4 * i);
    await page.mouse.up();
  });
  await step(page, `${what}: zoom in and out`, async () => {
    await page.mouse.move(x, y);
    for (let i = 0; i < 14; i++) await page.mouse.wheel(0, -240);
    await settled(page);
    for (let i = 0; i < 14; i++) await page.mouse.wheel(0, 240);
  });
  await step(page, `${what}: centre`, () => press(page, "Go to the centre"));
  await step(page, `${what}: select`, () => page.locator(".stage .card.centre").click());
  await step(page, `${what}: dark colours`, () => page.emulateMedia({ colorScheme: "dark" }));
  await step(page, `${what}: columns on`, () => press(page, "Columns"));
  await step(page, `${what}: columns off`, () => press(page, "Columns"));
  await step(page, `${what}: list`, () => press(page, "List"));
  await step(page, `${what}: drawing again`, () => press(page, "List"));
  for (const kind of ["svg", "png", "csv", "json"]) {
    await page.getByRole("button", { name: "Export" }).click();
    await step(page, `${what}: ${kind.toUpperCase()}`, () => Promise.all([page.waitForEvent("download"), page.locator(`.export-panel [data-export="${kind}"]`).click()]));
    await page.keyboard.press("Escape");
  }
}

/** Opens a whole graph, from the empty page to the last of its nodes. */
async function openWhole(url: string, name: string, count: number): Promise<Page> {
  const page = await openPage(url, count);
  await step(page, `${count} nodes: open`, async () => {
    await page.goto(lineageUrl(key(name), { depth: "-1" }));
    await nodesDrawn(page, Math.min(count, 1000));
  });
  if (count > 1000) {
    await step(page, `${count} nodes: draw all`, async () => {
      await page.getByRole("button", { name: "Draw all" }).click();
      await nodesDrawn(page, count);
    });
  }
  return page;
}

test.each([["l5.n0", 500], ["l12.n0", 1200]] as const)("%s: %i nodes", async (name, count) => use(await openWhole(base(), name, count), `${count} nodes`), 300_000);

test("3,000 columns", async () => {
  const page = await openPage(base());
  await step(page, "3,000 columns: open", async () => {
    await page.goto(lineageUrl(key("wide.dst"), { columns: "1" }));
    await page.locator(".more-columns").first().waitFor();
  });
  const wide = node(page, key("wide.dst"));
  const listed = (name: string) => wide.locator(`[data-column="${name}"]`).waitFor({ state: "attached" });
  await step(page, "3,000 columns: 50 more", async () => {
    await wide.locator(".more-columns").click();
    await listed("c0059");
  });
  await step(page, "3,000 columns: put out the light", () => page.mouse.move(5, 890));
  await step(page, "3,000 columns: light a path", () => wide.locator("[data-column]").nth(2).hover());
  await step(page, "3,000 columns: search", async () => {
    await wide.locator(".search-columns").click();
    await page.getByRole("searchbox", { name: "Search columns" }).fill("c29");
    await listed("c2900");
  });
  await step(page, "3,000 columns: panel", () => wide.locator(".card").click({ position: { x: 60, y: 20 } }));
  await step(page, "3,000 columns: its page", async () => {
    await page.goto(`/node?${new URLSearchParams({ key: key("wide.dst") }).toString()}`);
    await page.locator("tbody tr").first().waitFor();
  });
});

describe("graphs on a server of their own", () => {
  let server: Running;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server.stop());

  test("5,000 nodes", async () => {
    await server.send(split("five-thousand", layered("l50", 5000), 250));
    await known(server.url, "l50.n0", 4999);
    await use(await openWhole(server.url, "l50.n0", 5000), "5000 nodes");
  }, 300_000);

  test("a hub of 100,000 neighbours", async () => {
    await server.send(greatHub());
    await known(server.url, "g.hub", 100_000);
    const page = await openPage(server.url);
    await step(page, "hub: open", async () => {
      await page.goto(lineageUrl(key("g.hub")));
      await nodesDrawn(page, 51);
    });
    for (const count of [101, 151, 201, 251, 300, 350]) {
      await press(page, "Show everything");
      await settled(page);
      await step(page, `hub: ${count} nodes`, async () => {
        await page.locator(".stage .more").click();
        await nodesDrawn(page, count);
      });
    }
    await step(page, "hub: panel", () => page.locator(".stage .card.centre").click());
    await step(page, "hub: its page", async () => {
      await page.goto(`/node?${new URLSearchParams({ key: key("g.hub") }).toString()}`);
      await page.locator("h1").waitFor();
    });
    await step(page, "hub: impact list of 20,000", async () => {
      await page.goto(`/impact?${new URLSearchParams({ node: key("g.hub") }).toString()}`);
      await page.locator("tbody tr").first().waitFor({ timeout: 60_000 });
    });
    await step(page, "hub: impact list sorted", async () => {
      await page.locator("thead").getByRole("button", { name: "Name" }).click();
      await page.locator("thead").getByRole("button", { name: "Name" }).click();
    });
  }, 300_000);
});
