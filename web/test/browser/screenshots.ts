/** Makes the pictures in docs/screenshots from the demo's data, for people to look at. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { home, key } from "./data.ts";
import { base, lineageUrl, newPage, useBrowser } from "./helpers.ts";

useBrowser();

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../docs/screenshots");
const warehouse = (name: string) => `dataset|hive://metastore.internal:9083|${name}`;
const page = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query).toString()}`;

interface View {
  name: string;
  url: string;
  ready: string;
  scheme: "light" | "dark";
  locale?: string;
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
}

const opened = { open: `r1:${warehouse("dwd.refund")}`, selected: warehouse("dws.user_day") };
const scrollTo = (selector: string) => (page: Page) => page.locator(selector).first().evaluate((element) => element.scrollIntoView({ block: "center" }));
const both = (name: string, url: string, ready: string, more: Partial<View> = {}): View[] => (["light", "dark"] as const).map((scheme) => ({ name: `${name}-${scheme}`, url, ready, scheme, ...more }));

const views: View[] = [
  ...both("entry", "/", ".home-columns tbody tr"),
  ...both("canvas", lineageUrl(warehouse("dws.user_day"), opened), ".stage[data-painted]"),
  ...both("columns", lineageUrl(warehouse("ads.user_segment"), { columns: "1", column: `${warehouse("ads.user_segment")}\u0001lifetime_eur` }), ".stage .edge.column"),
  { name: "canvas-chinese", url: lineageUrl(warehouse("dws.user_day")), ready: ".stage[data-painted]", scheme: "light", locale: "zh-CN" },
  { name: "list", url: lineageUrl(warehouse("dws.user_day"), { view: "list" }), ready: ".list-view", scheme: "light" },
  { name: "node", url: page("/node", { key: warehouse("dws.user_day") }), ready: "tbody tr", scheme: "light" },
  { name: "task", url: page("/task", { key: "task|default|finance_monthly_close" }), ready: ".sql", scheme: "light", act: scrollTo(".sql") },
  { name: "difference", url: page("/diff", { base_branch: "master", branch: "feature", node: key("b.dst") }), ready: ".diff-stage[data-painted]", scheme: "dark" },
  { name: "impact", url: page("/impact", { node: warehouse("dwd.order_item") }), ready: "tbody tr", scheme: "light" },
  { name: "builds", url: page("/builds", { space: "pictures", target: key("pictured_day") }), ready: ".state.empty, tbody tr", scheme: "light", act: planned },
  { name: "branches", url: page("/branches", { space: "pictures", dataset: key("pictured") }), ready: ".tree", scheme: "light" },
];

/** Writes to the space of the pictures. */
async function write(path: string, body: unknown): Promise<{ transaction?: string; id: string }> {
  const answer = await fetch(`${base()}/api/v1/spaces/pictures/${path}?wait=applied`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { transaction?: string; id: string };
}

/** A dataset with a few branches, for the picture of them. */
async function makeBranches(): Promise<void> {
  const dataset = { namespace: home, name: "pictured" };
  await write("datasets", { dataset });
  await write("branches", { dataset, branch: "master" });
  for (const [branch, parent] of [["develop", "master"], ["feature/pricing", "develop"], ["hotfix", "master"]]) await write("branches", { dataset, branch, parent: { branch: parent } });
  const { transaction, id } = await write("transactions", { dataset, branch: "master", type: "SNAPSHOT" });
  await write(`transactions/${transaction ?? id}/commit`, { put: [{ path: "a", rows: 1, bytes: 1 }] });
}

/** Jobs that make two datasets of it, for the picture of a plan. */
async function makeJobs(): Promise<void> {
  const dataset = (name: string) => ({ namespace: home, name });
  const job = (id: string, from: string, to: string) => ({ id, inputs: [{ dataset: dataset(from) }], outputs: [{ dataset: dataset(to), type: "SNAPSHOT" }], logic: { language: "sql", text: `INSERT INTO ${to} SELECT * FROM ${from}` }, engine: "warehouse" });
  for (const name of ["pictured_clean", "pictured_day"]) await write("datasets", { dataset: dataset(name) });
  await write("job-specs", { branch: "master", specs: [job("clean", "pictured", "pictured_clean"), job("by_day", "pictured_clean", "pictured_day")] });
}

async function planned(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Plan a build" }).click();
  await page.locator(".job").first().waitFor();
}

test("screenshots", async () => {
  await mkdir(folder, { recursive: true });
  await makeBranches();
  await makeJobs();
  for (const view of views) {
    const shown = await newPage({ viewport: { width: 1280, height: 760 }, colorScheme: view.scheme, locale: view.locale ?? "en-GB" });
    await shown.goto(view.url);
    await shown.locator(view.ready).first().waitFor({ state: "attached" });
    await shown.waitForLoadState("networkidle");
    await view.act?.(shown);
    await shown.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await shown.screenshot({ path: path.join(folder, `${view.name}.png`) });
    await shown.context().close();
  }
}, 300_000);
