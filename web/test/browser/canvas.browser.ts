import { describe, expect, test } from "vitest";
import { columnSql, declared, event, key, table, home, taskKey } from "./data.ts";
import { base, boxOf, card, countRequests, edgesDrawn, eventually, eventuallyWithRetry, lineage, lineageUrl, middle, namesDrawn, newPage, node, nodesDrawn, painted, toggle, useBrowser } from "./helpers.ts";
import { graphOf, sendEvents, until } from "./server.ts";

useBrowser();

const nameOf = (nodeKey: string): string => nodeKey.split("|").slice(2).join("|");
const startNames = ["c.a1", "c.d1", "c.e", "c.t", "c.x"];

describe("start", () => {
  test("canvas 01: opening sends one request and draws three layers", async () => {
    const page = await newPage();
    const requests = countRequests(page, "/api/v1/graph");
    await lineage(page, "c.t");
    expect(await namesDrawn(page)).toEqual(startNames);
    expect(requests()).toBe(1);
  });

  test("canvas 02: the node is marked as centre and stands in the middle of the view", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    expect(await card(page, "c.t").getAttribute("class")).toContain("centre");
    const [centre, stage] = [await middle(card(page, "c.t")), await middle(page.locator(".stage"))];
    expect(Math.abs(centre.x - stage.x)).toBeLessThan(3);
    expect(Math.abs(centre.y - stage.y)).toBeLessThan(3);
  });

  test("canvas 03: upstream is left, downstream right", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    const x = async (name: string) => (await middle(card(page, name))).x;
    for (const name of ["c.a1", "c.x"]) expect(await x(name)).toBeLessThan(await x("c.t"));
    for (const name of ["c.d1", "c.e"]) expect(await x(name)).toBeGreaterThan(await x("c.t"));
  });

  test("canvas 04: loading, empty and failed with Retry are told apart", async () => {
    const page = await newPage();
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/v1/graph?*", async (route) => {
      await held;
      await route.fulfill({ status: 500, json: { code: "Internal", message: "the store is away" } });
    });
    await page.goto(lineageUrl(key("c.t")));
    await page.getByRole("status").filter({ hasText: "Loading" }).waitFor();
    release();
    await page.getByText("the store is away").waitFor();
    await page.unroute("**/api/v1/graph?*");
    await page.getByRole("button", { name: "Retry" }).click();
    await painted(page);
    expect(await namesDrawn(page)).toEqual(startNames);
  });

  test("canvas 04: a node without lineage says so, and a node that is not there is a failure", async () => {
    const page = await newPage();
    await page.goto(lineageUrl(key("lonely.t")));
    await page.locator('.stage-state[data-phase="empty"]').getByText("No lineage").waitFor();
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
    await page.goto(lineageUrl(key("lonely.missing")));
    await page.locator('.stage-state[data-phase="failed"]').getByRole("button", { name: "Retry" }).waitFor();
  });
});

describe("expanding", () => {
  test("canvas 12: the centre has no buttons", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    expect(await node(page, key("c.t")).locator("[data-toggle]").count()).toBe(0);
  });

  test("canvas 19: an ordinary + brings three layers in one request", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    const requests = countRequests(page, "/api/v1/graph/expand");
    await toggle(page, "c.a1", "left").click();
    await nodesDrawn(page, 8);
    expect(await namesDrawn(page)).toEqual(["c.a1", "c.a2", "c.a3", "c.a4", "c.d1", "c.e", "c.t", "c.x"]);
    expect(requests()).toBe(1);
  });

  test("canvas 20: a reverse + brings one layer", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await toggle(page, "c.d1", "left").click();
    await nodesDrawn(page, 6);
    expect(await namesDrawn(page)).toEqual([...startNames, "c.u"].sort());
  });

  test("canvas 17: a spinner while loading; a double click sends one request", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/v1/graph/expand", async (route) => {
      await held;
      await route.continue();
    });
    const requests = countRequests(page, "/api/v1/graph/expand");
    await toggle(page, "c.a1", "left").dblclick();
    await node(page, key("c.a1")).locator(".toggle.loading .spinner").waitFor({ state: "attached" });
    release();
    await nodesDrawn(page, 8);
    expect(requests()).toBe(1);
    expect(await toggle(page, "c.a1", "left").getAttribute("class")).toContain("minus");
  });

  test("canvas 18: + shows how many neighbours are hidden", async () => {
    const page = await newPage();
    await lineage(page, "h.top");
    expect(await toggle(page, "h.hub", "right").textContent()).toContain("130");
  });

  test("canvas 21, 22, 24: − hides what is not reachable, + restores it without asking", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await toggle(page, "c.a1", "left").click();
    await nodesDrawn(page, 8);
    const before = await namesDrawn(page);
    const requests = countRequests(page, "/api/v1/graph/expand");
    await toggle(page, "c.a1", "left").click();
    await nodesDrawn(page, 5);
    await toggle(page, "c.a1", "left").click();
    await nodesDrawn(page, 8);
    expect(await namesDrawn(page)).toEqual(before);
    expect(requests()).toBe(0);
  });

  test("canvas 25: the clicked node keeps its place on the screen", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    const before = await boxOf(card(page, "c.d1"));
    await toggle(page, "c.d1", "right").click();
    await nodesDrawn(page, 8);
    const after = await boxOf(card(page, "c.d1"));
    expect(Math.abs(after.x - before.x)).toBeLessThan(1.5);
    expect(Math.abs(after.y - before.y)).toBeLessThan(1.5);
  });

  test("canvas 26: a failed expand leaves the graph as it was, with Retry on the node", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await page.route("**/api/v1/graph/expand", (route) => route.fulfill({ status: 503, json: { code: "Overloaded", message: "too busy" } }));
    await toggle(page, "c.a1", "left").click();
    const retry = node(page, key("c.a1")).locator(".toggle.retry");
    await retry.waitFor();
    expect(await retry.getAttribute("aria-label")).toContain("too busy");
    expect(await namesDrawn(page)).toEqual(startNames);
    await page.unroute("**/api/v1/graph/expand");
    await retry.click();
    await nodesDrawn(page, 8);
  });

  test("canvas 27: a slow answer that comes after re-centring changes nothing", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const done = page.waitForResponse("**/api/v1/graph/expand");
    await page.route("**/api/v1/graph/expand", async (route) => {
      await held;
      await route.continue();
    });
    await toggle(page, "c.a1", "left").click();
    await card(page, "c.e").click({ button: "right" });
    await page.getByRole("menuitem", { name: "View this node's lineage" }).click();
    await nodesDrawn(page, 2);
    release();
    await (await done).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(await namesDrawn(page)).toEqual(["c.e", "c.t"]);
  });

  test("canvas 10: cycles and self-loops are drawn and marked", async () => {
    const page = await newPage();
    await lineage(page, "k.b");
    const cyclic = await page.locator(".stage .edge.cycle").evaluateAll((edges) => edges.map((e) => `${e.getAttribute("data-from")!.slice(-3)}>${e.getAttribute("data-to")!.slice(-3)}`).sort());
    expect(cyclic).toEqual(["k.a>k.b", "k.b>k.a", "k.b>k.b"]);
    expect(await page.locator(".stage .edge.cycle .mark").count()).toBe(3);
  });

  test("canvas 65: at most 50 children are drawn; the rest is one node with the count", async () => {
    const page = await newPage();
    await lineage(page, "h.top");
    await toggle(page, "h.hub", "right").click();
    await nodesDrawn(page, 52);
    const more = page.locator(".stage .more");
    await page.keyboard.press("f");
    expect(await more.getAttribute("aria-label")).toBe("Show more (80)");
    await more.click();
    await nodesDrawn(page, 102);
  });
});

describe("menus", () => {
  test("canvas 28: other nodes offer their own lineage, the centre does not", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await card(page, "c.a1").click({ button: "right" });
    await page.getByRole("menuitem", { name: "View this node's lineage" }).waitFor();
    await page.keyboard.press("Escape");
    await card(page, "c.t").click({ button: "right" });
    await page.getByRole("menu").waitFor();
    expect(await page.getByRole("menuitem", { name: "View this node's lineage" }).count()).toBe(0);
  });

  test("canvas 29: re-centring adds a history entry, and Back restores what was open", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await toggle(page, "c.a1", "left").click();
    await nodesDrawn(page, 8);
    const before = await boxOf(card(page, "c.a1"));
    await card(page, "c.d1").click({ button: "right" });
    await page.getByRole("menuitem", { name: "View this node's lineage" }).click();
    await eventually(async () => expect(await namesDrawn(page)).toEqual(["c.d1", "c.d2", "c.t", "c.u"]));
    await page.goBack();
    await nodesDrawn(page, 8);
    await eventually(async () => expect(Math.abs((await boxOf(card(page, "c.a1"))).x - before.x)).toBeLessThan(1.5));
    await page.goForward();
    await nodesDrawn(page, 4);
  });

  test("canvas 30: menus open by keyboard and give the focus back", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await card(page, "c.t").focus();
    await page.keyboard.press("ArrowLeft");
    const focused = await page.evaluate(() => document.activeElement!.getAttribute("data-key"));
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("menu").count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement!.getAttribute("data-key"))).toBe(focused);
  });
});

describe("edges added by hand", () => {
  async function insert(page: Awaited<ReturnType<typeof newPage>>, at: string, item: string, query: string) {
    await card(page, at).click({ button: "right" });
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("dialog").getByRole("combobox").fill(query);
    await page.getByRole("dialog").getByRole("option").filter({ hasText: query }).first().click();
  }

  test("canvas 31, 32, 34, 35: inserting a source table searches, draws at once, names its author, and can be deleted", async () => {
    const page = await newPage();
    await lineage(page, "m.t");
    const expands = countRequests(page, "/api/v1/graph/expand");
    await insert(page, "m.t", "Insert source table", "m.p");
    await nodesDrawn(page, 4);
    expect(await edgesDrawn(page)).toEqual(["m.a>m.t", "m.p>m.t", "m.t>m.b"]);
    expect(expands()).toBe(0);
    const edge = page.locator(".stage .edge.manual");
    expect(await edge.locator(".line").evaluate((line) => getComputedStyle(line).strokeDasharray)).not.toBe("none");
    expect(await edge.locator("title").textContent()).toMatch(/added by .+, \d/);
    await edge.locator(".hit").click({ button: "right", force: true });
    await page.getByRole("menuitem", { name: "Delete this edge" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await nodesDrawn(page, 3);
    expect(await namesDrawn(page)).toEqual(["m.a", "m.b", "m.t"]);
  });

  test("canvas 32: a side that was not loaded is fetched first", async () => {
    const page = await newPage();
    await lineage(page, "m.t");
    const expands = countRequests(page, "/api/v1/graph/expand");
    await insert(page, "m.b", "Insert affected table", "m.q");
    await nodesDrawn(page, 5);
    expect(await edgesDrawn(page)).toEqual(["m.a>m.t", "m.b>m.c", "m.b>m.q", "m.t>m.b"]);
    expect(expands()).toBe(1);
    await fetch(`${base()}/api/v1/edges?${new URLSearchParams({ from: key("m.b"), to: key("m.q") }).toString()}`, { method: "DELETE" });
  });

  test("canvas 33: an edge that exists and a self-edge are refused with a reason", async () => {
    const page = await newPage();
    await lineage(page, "m.t");
    await insert(page, "m.t", "Insert source table", "m.a");
    await page.getByRole("alert").filter({ hasText: "there already" }).waitFor();
    await insert(page, "m.t", "Insert source table", "m.t");
    await page.getByRole("alert").filter({ hasText: "its own source" }).waitFor();
  });

  test("canvas 39: parsing again keeps edges added by hand and drops those that the SQL no longer has", async () => {
    const parsed = (source: string) => event("task.defined", { id: "again", sql: `INSERT INTO re.t SELECT id FROM re.${source}`, dialect: "mysql", default_source: home });
    await sendEvents(base(), [parsed("old"), table("re.hand", [{ name: "id", type: "bigint" }])]);
    const sources = async () => ((await graphOf(base(), key("re.t"))).edges ?? []).map((e) => nameOf(e.from)).sort();
    await until("the first SQL", async () => ((await sources()).join() === "re.old" ? true : null));
    const added = await fetch(`${base()}/api/v1/edges`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ from: key("re.hand"), to: key("re.t") }) });
    expect(added.ok).toBe(true);
    const page = await newPage();
    await lineage(page, "re.t");
    expect(await edgesDrawn(page)).toEqual(["re.hand>re.t", "re.old>re.t"]);
    await sendEvents(base(), [parsed("new")]);
    await until("the second SQL", async () => ((await sources()).join() === "re.hand,re.new" ? true : null));
    await lineage(page, "re.t");
    expect(await edgesDrawn(page)).toEqual(["re.hand>re.t", "re.new>re.t"]);
    expect(await page.locator(".stage .edge.manual").count()).toBe(1);
  });

  test("canvas 35: a parsed edge has no Delete, and the server answers 409 naming its task", async () => {
    const page = await newPage();
    await lineage(page, "m.t");
    await page.locator(".stage .edge.table .hit").first().click({ button: "right", force: true });
    await page.getByRole("menuitem", { name: "Edge" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Delete" }).count()).toBe(0);
    const answer = await fetch(`${base()}/api/v1/edges?${new URLSearchParams({ from: key("m.a"), to: key("m.t") }).toString()}`, { method: "DELETE" });
    expect(answer.status).toBe(409);
    expect(JSON.stringify(await answer.json())).toContain("edit");
  });
});

describe("FlinkSQL", () => {
  test("canvas 41, 42, 43: the task is a dashed box with its mappings; only edges to real tables are dashed", async () => {
    const page = await newPage();
    await page.goto(lineageUrl(taskKey("flink")));
    await painted(page);
    const box = node(page, taskKey("flink"));
    expect(await box.locator(".mapping text").allTextContents()).toEqual(["clicks", "users", "enriched", "counted"]);
    const dash = (selector: string) => page.locator(selector).first().evaluate((line) => getComputedStyle(line).strokeDasharray);
    expect(await dash(".flink-box")).not.toBe("none");
    expect(await dash(".mapping .line")).toBe("none");
    expect(await dash(".edge.mapping-edge .line")).not.toBe("none");
    const x = async (name: string) => (await middle(page.locator(".stage .node").filter({ has: page.locator(".name", { hasText: name }) }).first().locator(".card"))).x;
    const task = (await middle(box.locator(".card"))).x;
    expect(await x("fl.users")).toBeLessThan(task);
    expect(await x("fl.enriched")).toBeGreaterThan(task);
  });

  test("canvas 44, 46: upstream of a table the box joins it dashed, folds and moves as one", async () => {
    const page = await newPage();
    await lineage(page, "fl.enriched");
    const box = node(page, taskKey("flink"));
    await box.waitFor();
    const before = await boxOf(box.locator(".flink-box"));
    const mapping = await boxOf(box.locator(".mapping").first());
    const from = await middle(box.locator(".flink-label"));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 60, from.y + 90, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => expect((await boxOf(box.locator(".flink-box"))).y - before.y).toBeGreaterThan(60));
    const moved = await boxOf(box.locator(".flink-box"));
    const mappingMoved = await boxOf(box.locator(".mapping").first());
    expect(Math.abs(mappingMoved.x - mapping.x - (moved.x - before.x))).toBeLessThan(1);
    expect(Math.abs(mappingMoved.y - mapping.y - (moved.y - before.y))).toBeLessThan(1);
  });
});

describe("columns", () => {
  test("canvas 47, 48, 52: column mode is off at first, keeps view and selection, and shows masks and indirect edges", async () => {
    const page = await newPage();
    await lineage(page, "col.totals");
    expect(await page.locator(".stage .columns").count()).toBe(0);
    await card(page, "col.totals").click();
    const before = await boxOf(card(page, "col.totals"));
    await page.getByRole("button", { name: "Columns", exact: true }).click();
    await page.locator(".stage .edge.column").first().waitFor({ state: "attached" });
    const after = await boxOf(card(page, "col.totals"));
    expect([Math.abs(after.x - before.x) < 2, Math.abs(after.y - before.y) < 2]).toEqual([true, true]);
    expect(await card(page, "col.totals").getAttribute("aria-pressed")).toBe("true");
    await eventually(async () => expect(await page.locator(".stage .edge.column.indirect").count()).toBeGreaterThan(0));
    expect(await page.locator(".stage .edge.column.plain").count()).toBeGreaterThan(0);
    const buyer = node(page, key("col.totals")).locator('[data-column="buyer"]');
    await buyer.locator(".mask").waitFor({ state: "attached" });
    expect(await buyer.textContent()).toContain("varchar");
  });

  test("canvas 49, 50: hover lights a column's path, a click pins it, Esc clears; a column counts what is drawn", async () => {
    const page = await newPage();
    await lineage(page, "col.totals", { columns: "1" });
    const column = (name: string, of: string) => node(page, key(of)).locator(`[data-column="${name}"]`);
    await column("gmv", "col.totals").waitFor();
    await column("gmv", "col.totals").hover();
    await eventually(async () => {
      expect(await column("amount", "col.orders").getAttribute("class")).toContain("lit");
      expect(await column("gmv", "col.report").getAttribute("class")).toContain("lit");
      expect(await column("buyer", "col.totals").getAttribute("class")).toContain("dim");
    });
    await column("gmv", "col.totals").click();
    await page.mouse.move(5, 980);
    await eventually(async () => expect(await column("amount", "col.orders").getAttribute("class")).toContain("lit"));
    expect(page.url()).toContain("column=");
    await page.locator(".stage").press("Escape");
    await card(page, "col.totals").focus();
    await page.keyboard.press("Escape");
    await eventually(async () => expect(await page.locator(".stage .column.lit").count()).toBe(0));
    expect(await column("gmv", "col.totals").locator(".column-count").textContent()).toMatch(/^\d+\/\d+$/);
  });

  test("canvas 48: of 3,000 columns ten are listed, others are found by search", async () => {
    const page = await newPage();
    await lineage(page, "wide.dst", { columns: "1" });
    const dst = node(page, key("wide.dst"));
    const listed = () => dst.locator("[data-column]").evaluateAll((rows) => rows.map((r) => r.getAttribute("data-column")));
    await eventuallyWithRetry(page, async () => expect(await listed()).toHaveLength(10));
    expect(await dst.locator(".more-columns").textContent()).toContain("2,990");
    await dst.locator(".search-columns").click();
    await page.getByRole("searchbox", { name: "Search columns" }).fill("c2999");
    await eventuallyWithRetry(page, async () => expect(await listed()).toEqual(["c2999"]));
  });

  test("canvas 04: columns that do not come are said to be missing, with Retry", async () => {
    const page = await newPage();
    const late = (url: URL) => url.pathname === "/api/v1/graph" && url.searchParams.get("level") === "column";
    await page.route(late, (route) => route.fulfill({ status: 504, json: { code: "DeadlineExceeded", message: "it took too long" } }));
    await lineage(page, "col.totals", { columns: "1" });
    const banner = page.locator(".banner.missed");
    await banner.getByText("it took too long").waitFor();
    expect(await page.locator(".stage [data-column]").count()).toBe(0);
    await page.unroute(late);
    await banner.getByRole("button", { name: "Retry" }).click();
    await node(page, key("col.totals")).locator('[data-column="gmv"]').waitFor();
    expect(await banner.count()).toBe(0);
  });

  test("canvas 51: a real-time task with two result tables has two centres", async () => {
    const page = await newPage();
    await page.goto(lineageUrl(taskKey("flink"), { columns: "1" }));
    await painted(page);
    await eventually(async () => expect(await page.locator(".stage .card.centre").count()).toBe(2));
  });

  test("canvas 53: names of one source in two spellings are one node with its alias", async () => {
    const page = await newPage();
    await lineage(page, "al.out");
    expect((await namesDrawn(page)).filter((name) => name === "al.t")).toHaveLength(1);
    await page.locator(".stage .node").filter({ has: page.locator(".name", { hasText: "al.t" }) }).locator(".card").click();
    await page.locator(".panel").getByText("Also known as").waitFor();
    expect(await page.locator(".panel").textContent()).toContain("mysql://alias.test:3306");
  });

  test("canvas 53: with columns, expand, fold, insert and delete work as for tables, and edges added by hand are marked", async () => {
    await sendEvents(base(), [
      table("cm.a", [{ name: "x", type: "int" }]),
      table("cm.b", [{ name: "x", type: "int" }]),
      table("cm.h", [{ name: "x", type: "int" }]),
      event("task.defined", { id: "cm1", sql: "INSERT INTO cm.b SELECT x FROM cm.a", dialect: "mysql", default_source: home }),
      event("task.defined", { id: "cm2", sql: "INSERT INTO cm.c (x) SELECT x FROM cm.b", dialect: "mysql", default_source: home }),
      event("task.defined", { id: "cm3", sql: "INSERT INTO cm.d (x) SELECT x FROM cm.c", dialect: "mysql", default_source: home }),
    ]);
    await until("the chain of columns", async () => ((await graphOf(base(), key("cm.d"))).edges?.length === 1 ? true : null));
    const made = await fetch(`${base()}/api/v1/edges`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ from: key("cm.h"), to: key("cm.b"), from_column: "x", to_column: "x" }) });
    expect(made.ok).toBe(true);
    const page = await newPage();
    await lineage(page, "cm.a", { columns: "1" });
    const requests = countRequests(page, "/api/v1/graph/expand");
    const columns = () => page.locator(".stage .edge.column").evaluateAll((edges) => edges.map((e) => `${e.getAttribute("data-from")!.slice(-4)}>${e.getAttribute("data-to")!.slice(-4)}`).sort());
    await eventually(async () => expect(await columns()).toEqual(["cm.a>cm.b"]));
    await toggle(page, "cm.b", "right").click();
    await nodesDrawn(page, 4);
    await eventually(async () => expect(await columns()).toEqual(["cm.a>cm.b", "cm.b>cm.c", "cm.c>cm.d"]));
    expect(requests()).toBe(1);
    await toggle(page, "cm.b", "right").click();
    await nodesDrawn(page, 2);
    await eventually(async () => expect(await columns()).toEqual(["cm.a>cm.b"]));
    await toggle(page, "cm.b", "left").click();
    await nodesDrawn(page, 3);
    await eventually(async () => expect(await columns()).toEqual(["cm.a>cm.b", "cm.h>cm.b"]));
    expect(requests()).toBe(2);
    const byHand = page.locator(`.stage .edge.column.manual[data-from="${key("cm.h")}"]`);
    expect(await byHand.count()).toBe(1);
    await node(page, key("cm.b")).locator('[data-column="x"] .manual-mark').waitFor({ state: "attached" });
    expect(await node(page, key("cm.b")).locator('[data-column="x"] .column-type').textContent()).toBe("int");
    await byHand.locator(".hit").click({ button: "right", force: true });
    await page.getByRole("menuitem", { name: "Delete this edge" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await nodesDrawn(page, 2);
    await eventually(async () => expect(await columns()).toEqual(["cm.a>cm.b"]));
    expect(await node(page, key("cm.b")).locator(".manual-mark").count()).toBe(0);
    await card(page, "cm.b").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Insert source table" }).click();
    await page.getByRole("dialog").getByRole("combobox").fill("cm.h");
    await page.getByRole("dialog").getByRole("option").filter({ hasText: "cm.h" }).first().click();
    await nodesDrawn(page, 3);
    expect(await edgesDrawn(page)).toEqual(["cm.a>cm.b", "cm.h>cm.b"]);
  });
});

describe("finding and choosing", () => {
  test("canvas 54: the search finds drawn nodes first and pans to them", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    const box = page.getByRole("combobox", { name: "Find a node" });
    await box.fill("c.e");
    await page.getByRole("option").filter({ hasText: "on the canvas" }).first().waitFor();
    await box.press("Enter");
    await eventually(async () => {
      const [found, stage] = [await middle(card(page, "c.e")), await middle(page.locator(".stage"))];
      expect(Math.abs(found.x - stage.x)).toBeLessThan(3);
    });
    expect(await page.evaluate(() => document.activeElement!.getAttribute("data-key"))).toBe(key("c.e"));
  });

  test("canvas 54: Enter on a node that is not drawn adds the shortest way to it", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    const box = page.getByRole("combobox", { name: "Find a node" });
    await box.fill("c.d4");
    await page.getByRole("option").filter({ hasText: "not on the canvas" }).first().waitFor();
    await box.press("Enter");
    await nodesDrawn(page, 8);
    expect(await namesDrawn(page)).toEqual([...startNames, "c.d2", "c.d3", "c.d4"].sort());
  });

  test("canvas 55: reload and a second browser show the same picture", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await toggle(page, "c.a1", "left").click();
    await nodesDrawn(page, 8);
    await toggle(page, "c.d1", "right").click();
    await nodesDrawn(page, 11);
    await toggle(page, "c.a2", "left").click();
    await nodesDrawn(page, 9);
    await card(page, "c.e").click();
    const picture = async (p: typeof page) => ({ nodes: await namesDrawn(p), edges: await edgesDrawn(p), selected: await p.locator(".card.selected").getAttribute("data-key") });
    const before = await picture(page);
    await page.reload();
    await nodesDrawn(page, 9);
    await eventually(async () => expect(await picture(page)).toEqual(before));
    const other = await newPage();
    await other.goto(`${page.url()}&colour=unknown`);
    await nodesDrawn(other, 9);
    await eventually(async () => expect(await picture(other)).toEqual(before));
  });

  test("canvas 55: a node stays where it was put, after a reload too", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    const apart = async () => (await boxOf(card(page, "c.e"))).y - (await boxOf(card(page, "c.t"))).y;
    const before = await apart();
    const from = await middle(card(page, "c.e"));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 30, from.y + 120, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => expect(Math.abs((await apart()) - before - 120)).toBeLessThan(2));
    await eventually(async () => expect(page.url()).toContain("at="));
    await page.reload();
    await painted(page);
    await eventually(async () => expect(Math.abs((await apart()) - before - 120)).toBeLessThan(2));
  });

  test("canvas 56: the branch picker shows the chain, and a branch has its own lineage", async () => {
    const page = await newPage();
    await lineage(page, "b.dst");
    await nodesDrawn(page, 2);
    const picker = page.getByRole("combobox", { name: "Branch" });
    await eventually(async () => expect((await picker.locator("option").allTextContents()).join(" ")).toContain("feature"));
    await picker.selectOption("feature");
    await nodesDrawn(page, 3);
    expect(await namesDrawn(page)).toEqual(["b.dst", "b.extra", "b.src"]);
    expect(page.url()).toContain("branch=feature");
    expect((await picker.locator("option:checked").textContent())!).toBe("feature → master");
    await lineage(page, "col.totals", { branch: "feature" });
    const fallen = node(page, key("col.totals")).locator(".badge-fallback title");
    expect(await fallen.textContent()).toContain("master");
  });

  test("canvas 58: the time slider shows lineage as it was at each change", async () => {
    const sources = async () => ((await graphOf(base(), key("p.t"))).edges ?? []).map((e) => nameOf(e.from)).join();
    await sendEvents(base(), [declared("past", ["p.before>p.t"])]);
    await until("the earlier lineage", async () => ((await sources()) === "p.before" ? true : null));
    await sendEvents(base(), [declared("past", ["p.after>p.t"])]);
    await until("the later lineage", async () => ((await sources()) === "p.after" ? true : null));
    const { times, first } = await until("both changes", async () => {
      const { changes } = (await (await fetch(`${base()}/api/v1/recent?limit=200`)).json()) as { changes: { at: string; node: string }[] };
      const mine = changes.filter((c) => c.node === taskKey("past")).map((c) => c.at).sort();
      const all = [...new Set(changes.map((c) => c.at))].sort();
      return mine.length < 2 ? null : { times: all, first: all.indexOf(mine[0]!) };
    });
    const page = await newPage();
    await lineage(page, "p.t");
    expect(await edgesDrawn(page)).toEqual(["p.after>p.t"]);
    await page.getByRole("button", { name: /^As of/ }).click();
    const slider = page.getByRole("slider", { name: "Time of a change" });
    await eventually(async () => expect(Number(await slider.getAttribute("max"))).toBeGreaterThan(first));
    await slider.fill(String(first));
    await eventually(async () => expect(await edgesDrawn(page)).toEqual(["p.before>p.t"]));
    expect(new URL(page.url()).searchParams.get("as_of")).toBe(new Date(Date.parse(times[first + 1]!) - 1).toISOString());
    await page.getByRole("button", { name: /^As of/ }).click();
    await page.locator(".time-panel").getByRole("button", { name: "now" }).click();
    await eventually(async () => expect(await edgesDrawn(page)).toEqual(["p.after>p.t"]));
  });

  test("canvas 59: a filter hides a type and bridges it with a counted edge", async () => {
    const page = await newPage();
    await lineage(page, "f.t");
    await toggle(page, "f.v", "right").click();
    await nodesDrawn(page, 4);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("checkbox", { name: /^view/ }).uncheck();
    await nodesDrawn(page, 3);
    expect(await page.locator(".stage .edge.bridge .mark").textContent()).toBe("1 hidden");
    expect(page.url()).toContain("hide_kind=view");
  });

  test("canvas 59: a filter hides a namespace and a platform", async () => {
    const page = await newPage();
    const bus = "kafka://bus.test:9092";
    const table = (name: string) => ({ namespace: home, name });
    await sendEvents(base(), [event("task.defined", { id: "mixed", inputs: [{ namespace: bus, name: "fp.topic" }, { namespace: "mysql://other.test:3306", name: "fp.other" }, table("fp.near")], outputs: [table("fp.t")] })]);
    await until("the mixed lineage", async () => ((await graphOf(base(), key("fp.t"))).edges?.length === 3 ? true : null));
    const hide = async (group: string, value: string) => {
      await page.getByRole("button", { name: "Filter" }).click();
      await page.getByRole("group", { name: group }).getByRole("checkbox", { name: value }).uncheck();
      await page.keyboard.press("Escape");
    };
    await lineage(page, "fp.t");
    await nodesDrawn(page, 4);
    await hide("Namespaces", "mysql://other.test:3306");
    await nodesDrawn(page, 3);
    expect(await namesDrawn(page)).toEqual(["fp.near", "fp.t", "fp.topic"]);
    await hide("Platforms", "kafka");
    await nodesDrawn(page, 2);
    expect(await namesDrawn(page)).toEqual(["fp.near", "fp.t"]);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("hide_namespace"), searchParams.get("hide_platform")]).toEqual(["mysql://other.test:3306", "kafka"]);
    await page.reload();
    await nodesDrawn(page, 2);
  });

  test("canvas 63: expand all tells the count first", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    await page.getByRole("button", { name: "Expand all", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Expand all (13 nodes)" }).click();
    await nodesDrawn(page, 13);
    expect(page.url()).toContain("depth=-1");
  });

  test("canvas 64: clicking an edge shows its SQL, task, run and when it was seen", async () => {
    const page = await newPage();
    await lineage(page, "col.totals");
    await page.locator(`.stage .edge[data-from="${key("col.orders")}"] .hit`).click({ force: true });
    const panel = page.locator(".panel");
    await panel.locator(".contributor").waitFor();
    const text = (await panel.textContent())!;
    expect(text).toContain("totals");
    expect(text).toContain(columnSql.split("\n")[3]!);
    expect(text).toContain("First seen");
    expect(text).toContain("Last seen");
    expect(text).toContain("run-1");
  });
});
