/** Keyboard, screen readers, and axe. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { key, taskKey } from "./data.ts";
import { card, eventually, lineage, lineageUrl, newPage, nodesDrawn, painted, toggle, useBrowser } from "./helpers.ts";

useBrowser();

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe calls serious or critical. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const run = (window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } }).axe;
    return (await run.run()).violations;
  });
  return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.html.slice(0, 160)} ${n.failureSummary}`).join(" | ")}`);
}

describe("axe finds nothing serious", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const views: [string, string, string][] = [
      ["entry", "/", ".figures"],
      ["canvas", lineageUrl(key("c.t"), { selected: key("c.t") }), ".stage[data-painted]"],
      ["columns", lineageUrl(key("col.totals"), { columns: "1" }), ".stage .edge.column"],
      ["Flink", lineageUrl(taskKey("flink")), ".stage[data-painted]"],
      ["list", lineageUrl(key("c.t"), { view: "list" }), ".list-view"],
      ["node", `/node?${new URLSearchParams({ key: key("col.totals") }).toString()}`, "tbody tr"],
      ["task", `/task?${new URLSearchParams({ key: taskKey("totals") }).toString()}`, ".sql"],
      ["difference", `/diff?${new URLSearchParams({ base_branch: "master", branch: "feature", node: key("b.dst") }).toString()}`, ".diff-stage[data-painted]"],
      ["impact", `/impact?${new URLSearchParams({ node: key("c.t") }).toString()}`, "tbody tr"],
      ["builds", "/builds", ".state, tbody tr"],
      ["branches", "/branches", ".state"],
      ["dead letters", "/deadletters", ".state.empty, tbody tr"],
    ];
    for (const [name, url, ready] of views) {
      test(`canvas 70: ${name}, ${colorScheme}`, async () => {
        const page = await newPage({ colorScheme });
        await page.goto(url);
        await page.locator(ready).first().waitFor({ state: "attached" });
        expect(await serious(page)).toEqual([]);
      });
    }
  }

  test("canvas 70: menus, dialogs and open panels", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Expand all", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await card(page, "c.a1").click({ button: "right" });
    expect(await serious(page)).toEqual([]);
  });
});

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("data-key")?.split("|").pop() ?? null);

test("canvas 70: arrows walk along edges, + and − expand, Enter opens, and the focus can be seen", async () => {
  const page = await newPage();
  await lineage(page, "c.t");
  await card(page, "c.t").focus();
  await page.keyboard.press("ArrowRight");
  const first = await focused(page);
  expect(["c.d1", "c.e"]).toContain(first);
  await page.keyboard.press(first === "c.d1" ? "ArrowDown" : "ArrowUp");
  await page.keyboard.press("ArrowLeft");
  expect(await focused(page)).toBe("c.t");
  await page.keyboard.press("ArrowLeft");
  if ((await focused(page)) !== "c.a1") await page.keyboard.press("ArrowUp");
  if ((await focused(page)) !== "c.a1") await page.keyboard.press("ArrowDown");
  expect(await focused(page)).toBe("c.a1");
  const width = await card(page, "c.a1").locator(".frame").evaluate((frame) => getComputedStyle(frame).strokeWidth);
  expect(width).toBe("3px");
  await page.keyboard.press("+");
  await nodesDrawn(page, 8);
  expect(await focused(page)).toBe("c.a1");
  await page.keyboard.press("-");
  await nodesDrawn(page, 5);
  await page.keyboard.press("Enter");
  await page.locator(".panel").getByText("c.a1").first().waitFor();
});

test("canvas 70: the canvas is one stop of the tab order", async () => {
  const page = await newPage();
  await lineage(page, "c.t");
  expect(await page.locator('.stage svg.scene [tabindex="0"]').count()).toBe(1);
});

test("canvas 70: the list view gives the same nodes, edges and buttons as the drawing", async () => {
  const page = await newPage();
  await lineage(page, "c.t");
  const labels = await page.locator(".stage .toggle").evaluateAll((all) => all.map((t) => t.getAttribute("aria-label")).sort());
  const edges = await page.locator(".stage .edge.table").count();
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.locator(".list-view").waitFor();
  expect(await page.locator(".list-view .toggles button").evaluateAll((all) => all.map((t) => t.getAttribute("aria-label")).sort())).toEqual(labels);
  expect(await page.locator(".list-view table").nth(1).locator("tbody tr").count()).toBe(edges);
  await page.locator(".list-view .toggles button").filter({ hasText: "←" }).first().click();
  await eventually(async () => expect(await page.locator(".list-view table").first().locator("tbody tr").count()).toBeGreaterThan(5));
});

test("canvas 62: minimap, fit and zoom keys work, and the page follows the colour scheme", async () => {
  const page = await newPage();
  await lineage(page, "c.t");
  const view = () => page.locator(".viewport").getAttribute("transform");
  const zoom = async () => Number(/scale\(([\d.]+)\)/.exec((await view())!)![1]);
  await card(page, "c.t").focus();
  const before = await zoom();
  await page.keyboard.press("PageDown");
  expect(await zoom()).toBeLessThan(before);
  await page.keyboard.press("PageUp");
  await page.keyboard.press("f");
  expect(await zoom()).toBeLessThanOrEqual(1);
  const at = await view();
  await page.locator(".minimap").click({ position: { x: 10, y: 10 } });
  expect(await view()).not.toBe(at);
  await page.keyboard.press("Home");
  const ground = () => page.locator(".stage").evaluate((stage) => getComputedStyle(stage).backgroundColor);
  const light = await ground();
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await ground()).not.toBe(light);
});

test("canvas 55: without a node the canvas says what to do", async () => {
  const page = await newPage();
  await page.goto("/lineage");
  await page.getByText("Choose a node").waitFor();
  expect(await serious(page)).toEqual([]);
});

test("names of toggles tell a screen reader what they do", async () => {
  const page = await newPage();
  await lineage(page, "c.t");
  expect(await toggle(page, "c.a1", "left").getAttribute("aria-label")).toMatch(/^Show 1 upstream of .*c\.a1$/);
  await painted(page);
});
