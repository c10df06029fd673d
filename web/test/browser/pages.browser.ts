import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { columnSql, declared, home, key, taskKey } from "./data.ts";
import { base, downloaded, eventually, lineage, newPage, nodesDrawn, painted, toggle, useBrowser } from "./helpers.ts";
import { environment, graphOf, sendEvents, until } from "./server.ts";

useBrowser();

test("the entry page searches, counts, and lists changes and statements that could not be parsed", async () => {
  const page = await newPage();
  await page.goto("/");
  await page.locator(".figures").waitFor();
  expect(Number((await page.locator(".figure dd").first().textContent())!.replace(/\D/g, ""))).toBeGreaterThan(100);
  await page.getByRole("link", { name: "broken" }).first().waitFor();
  await page.getByRole("combobox", { name: /Search for a table/ }).fill("col.totals");
  await page.getByRole("option").filter({ hasText: "col.totals" }).first().click();
  await painted(page);
  expect(page.url()).toContain("/lineage?node=");
});

describe("a node's page", () => {
  test("shows columns, masks and who writes it", async () => {
    const page = await newPage();
    await page.goto(`/node?${new URLSearchParams({ key: key("col.totals") }).toString()}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const text = (await page.locator("main").textContent())!;
    for (const part of ["col.totals", "gmv", "decimal(18,2)", "totals"]) expect(text).toContain(part);
    expect(await page.locator('tr:has-text("buyer") .masked').count()).toBe(1);
  });

  test("shows a task's SQL with its steps marked in place", async () => {
    const page = await newPage();
    await page.goto(`/task?${new URLSearchParams({ key: taskKey("totals") }).toString()}`);
    await page.locator(".sql").waitFor();
    expect((await page.locator(".sql code").allTextContents()).join("").trimEnd()).toBe(columnSql);
    await page.locator(".sql .step").filter({ hasText: "SUM(o.amount)" }).hover();
    await eventually(async () => expect(await page.locator(".sql-note").textContent()).toMatch(/col\.orders\.amount.*col\.totals\.gmv/));
    expect(await page.locator(".sql .step.lit").textContent()).toBe("SUM(o.amount)");
    expect(await page.locator(".sql-ends .step.lit").allTextContents()).toEqual(["col.orders.amount", "col.totals.gmv"]);
    await page.locator(".sql-ends").getByRole("link", { name: "col.users.email" }).focus();
    expect(await page.locator(".sql .step.lit").textContent()).toBe("u.email");
  });

  test("shows the errors of a task at their place", async () => {
    const page = await newPage();
    await page.goto(`/task?${new URLSearchParams({ key: taskKey("broken") }).toString()}`);
    await page.locator(".sql-line.has-error .sql-error").first().waitFor();
    expect(await page.locator(".sql-line.has-error").first().textContent()).toContain("SELEKT");
    expect(await page.locator(".error-list").textContent()).toMatch(/statement 2, line 2/);
  });

  test("canvas 56: a dataset's icon is grey without a job spec on master", async () => {
    const page = await newPage();
    await lineage(page, "c.t");
    expect(await page.locator(".stage .card .icon.unbuilt").count()).toBe(5);
    const colour = await page.locator(".stage .card .icon.unbuilt").first().evaluate((icon) => getComputedStyle(icon).color);
    expect(colour).toBe("rgb(102, 113, 124)");
  });
});

test("canvas 57: the difference of two branches is one union, marked by text and colour", async () => {
  const page = await newPage();
  await page.goto(`/diff?${new URLSearchParams({ base_branch: "master", branch: "feature", node: key("b.dst") }).toString()}`);
  await page.locator(".diff-stage[data-painted]").waitFor();
  const added = page.locator(".diff-stage .edge.added");
  expect(await added.count()).toBe(1);
  expect(await added.locator(".mark").textContent()).toBe("+");
  expect(await page.locator(".diff-stage .edge.table").count()).toBe(2);
  expect(await page.locator(".diff-stage .badge-added").count()).toBe(1);
  expect(await page.locator("tbody tr").textContent()).toContain("b.extra");
});

test("canvas 57: the difference of two times is one union of what was then, without what came later", async () => {
  const sources = async () => ((await graphOf(base(), key("tt.t"))).edges ?? []).map((e) => e.from).sort();
  const times: string[] = [];
  for (const [at, names] of [["tt.stays", "tt.went"], ["tt.came", "tt.stays"], ["tt.later"]].entries()) {
    await sendEvents(base(), [declared("turning", names.map((name) => `${name}>tt.t`))]);
    await until(`state ${at} of the lineage`, async () => ((await sources()).join() === names.map(key).join() ? true : null));
    times.push(
      await until("the time of the change", async () => {
        const { changes } = (await (await fetch(`${base()}/api/v1/recent?limit=200`)).json()) as { changes: { at: string; node: string }[] };
        const mine = changes.filter((c) => c.node === taskKey("turning")).map((c) => c.at).sort();
        return mine.length > at ? mine.at(-1)! : null;
      }),
    );
  }
  const page = await newPage();
  await page.goto(`/diff?${new URLSearchParams({ node: key("tt.t") }).toString()}`);
  const time = page.getByRole("textbox", { name: "at time" });
  const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();
  await time.first().fill(justBefore(times[1]!));
  await time.last().fill(justBefore(times[2]!));
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.locator(".diff-stage[data-painted]").waitFor();
  const drawn = await page.locator(".diff-stage .edge.table").evaluateAll((edges) => edges.map((e) => [e.getAttribute("data-from")!.split("|")[2], e.querySelector(".mark")?.textContent ?? ""].join(" ")).sort());
  expect(drawn).toEqual(["tt.came +", "tt.stays ", "tt.went −"]);
  expect(await page.locator(".diff-stage .node").count()).toBe(4);
  const colours = await page.locator(".diff-stage .edge.table .line").evaluateAll((lines) => new Set(lines.map((line) => getComputedStyle(line).stroke)).size);
  expect(colours).toBe(3);
});

/** What `tributary lineage impact` prints; its exit code says that something would break. */
async function impactByCommand(node: string): Promise<{ key: string; distance: number }[]> {
  const printed = await promisify(execFile)(process.env["PAGE_BINARY"]!, ["lineage", "impact", node, "--server", base(), "--json"], { env: environment }).catch((failed: { code: number; stdout: string }) => {
    expect(failed.code).toBe(3);
    return failed;
  });
  return (JSON.parse(printed.stdout) as { affected: { key: string; distance: number }[] }).affected;
}

test("canvas 60: the impact list has every node within n hops, sorts, exports, and equals the command line's answer", async () => {
  const page = await newPage();
  await page.goto(`/impact?${new URLSearchParams({ node: key("c.t") }).toString()}`);
  await page.locator("tbody tr").first().waitFor();
  const rows = async () => page.locator("tbody tr").evaluateAll((all) => all.map((r) => [r.children[0]!.textContent!.split(".").slice(-2).join("."), r.children[2]!.textContent]));
  const affected = await impactByCommand(key("c.t"));
  const expected = affected.map((n) => [n.key.split("|")[2], String(n.distance)]).sort();
  expect((await rows()).sort()).toEqual(expected);
  await page.getByRole("button", { name: "Hops" }).click();
  await page.getByRole("button", { name: "Hops" }).click();
  expect((await rows()).map(([, hops]) => Number(hops))).toEqual(affected.map((n) => n.distance).sort((a, b) => b - a));
  const { bytes } = await downloaded(page, () => page.locator('[data-export="csv"]').click());
  expect(bytes.toString().trim().split("\r\n")).toHaveLength(expected.length + 1);
  await page.getByRole("combobox", { name: "Hops" }).selectOption("1");
  await eventually(async () => expect((await rows()).length).toBe(affected.filter((n) => n.distance === 1).length));
});

describe("export", () => {
  async function exported(kind: string, columns = false) {
    const page = await newPage();
    await lineage(page, "h.top", columns ? { columns: "1" } : {});
    await toggle(page, "h.hub", "right").click();
    await nodesDrawn(page, 52);
    await page.getByRole("button", { name: "Export" }).click();
    return { page, ...(await downloaded(page, () => page.locator(`.export-panel [data-export="${kind}"]`).click())) };
  }

  test("canvas 61: SVG holds every drawn node and edge, those out of view too, uncropped and with its colours", async () => {
    const { page, bytes } = await exported("svg");
    expect(await page.locator(".stage .node").count()).toBeLessThan(52); // what is out of view is not on the page
    const viewer = await newPage();
    const facts = await viewer.evaluate((text) => {
      const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      const [x, y, width, height] = svg.getAttribute("viewBox")!.split(" ").map(Number) as [number, number, number, number];
      const frames = [...svg.querySelectorAll(".frame")].map((r) => {
        const [, dx, dy] = /translate\((\S+) (\S+)\)/.exec(r.closest(".node")!.getAttribute("transform")!)!.map(Number) as [number, number, number];
        const [a, b, w, h] = ["x", "y", "width", "height"].map((n) => Number(r.getAttribute(n))) as [number, number, number, number];
        return [a + dx, b + dy, w, h] as const;
      });
      const inside = frames.every(([a, b, w, h]) => a >= x && b >= y && a + w <= x + width && b + h <= y + height);
      return { nodes: svg.querySelectorAll(".node").length, edges: svg.querySelectorAll(".edge").length, inside, fill: svg.querySelector(".frame")!.getAttribute("fill") };
    }, bytes.toString());
    expect(facts).toMatchObject({ nodes: 52, edges: 51, inside: true });
    expect(facts.fill).toMatch(/^rgb\(/);
  });

  test("canvas 61: PNG is a picture of the whole", async () => {
    const { bytes } = await exported("png");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(bytes.readUInt32BE(20)).toBeGreaterThan(50 * 60);
  });

  test("canvas 61: CSV and JSON list the same edges", async () => {
    const { bytes } = await exported("csv");
    expect(bytes.toString().trim().split("\r\n")).toHaveLength(52);
    const json = JSON.parse((await exported("json")).bytes.toString()) as { nodes: unknown[]; edges: unknown[] };
    expect([json.nodes.length, json.edges.length]).toEqual([52, 51]);
  });
});

test("dead letters are listed, or said to be none", async () => {
  const page = await newPage();
  await page.goto("/deadletters");
  await page.getByText("No dead letters").waitFor();
});

describe("languages", () => {
  test("the page is Chinese for a Chinese browser, and can be switched", async () => {
    const page = await newPage({ locale: "zh-CN" });
    await page.goto("/");
    await page.getByRole("heading", { name: "查找表、任务、API、指标或标签" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { name: "Find a table, task, API, metric or tag" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Find a table, task, API, metric or tag" }).waitFor();
  });

  test("no word is missing on the canvas in Chinese", async () => {
    const page = await newPage({ locale: "zh-CN" });
    await lineage(page, "c.t");
    expect(await page.locator("main").textContent()).not.toMatch(/\b[a-z]+\.[a-zA-Z]+\b(?<!c\.\w+|db\.test)(?=\s|$)/);
    await page.getByRole("button", { name: "筛选" }).waitFor();
  });
});

test("nothing is asked of any server but the page's own", async () => {
  const page = await newPage();
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await lineage(page, "c.t");
  await page.goto("/");
  await page.locator(".figures").waitFor();
  hosts.delete(""); // blobs
  expect([...hosts]).toEqual([new URL(base()).host]);
});

describe("builds and branches", () => {
  const space = `space-${Date.now()}`;
  const write = async (path: string, body: unknown) => {
    const answer = await fetch(`${base()}/api/v1/spaces/${space}/${path}?wait=applied`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { transaction?: string; id: string };
  };
  const dataset = { namespace: home, name: "bb.raw" };
  const made = { namespace: home, name: "bb.made" };

  beforeAll(async () => {
    await write("datasets", { dataset });
    await write("branches", { dataset, branch: "master" });
    const opened = await write("transactions", { dataset, branch: "master", type: "SNAPSHOT" });
    await write(`transactions/${opened.transaction ?? opened.id}/commit`, { put: [{ path: "a", rows: 1, bytes: 1 }] });
    await write("datasets", { dataset: made });
    await write("job-specs", { branch: "master", specs: [{ id: "make", inputs: [{ dataset }], outputs: [{ dataset: made, type: "SNAPSHOT" }], logic: { language: "sql", text: "select 1" }, engine: "test" }] });
  });

  test("branches are shown as a tree, made, and deleted", async () => {
    const page = await newPage();
    await page.goto(`/branches?${new URLSearchParams({ dataset: key("bb.raw"), space }).toString()}`);
    await page.locator(".tree").getByText("master").waitFor();
    await page.locator(".tree").getByRole("button", { name: "Branch off" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("feature");
    await page.getByRole("dialog").getByRole("button", { name: "New branch" }).click();
    await page.locator(".tree ul").getByText("feature").waitFor();
    await page.locator(".tree ul").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Restore" }).waitFor();
    expect(await page.locator(".tree ul").count()).toBe(0);
  });

  test("the spaces that hold something can be chosen", async () => {
    const page = await newPage();
    await page.goto("/builds");
    const choice = page.getByRole("combobox", { name: "Space" });
    await eventually(async () => expect(await choice.locator("option").allTextContents()).toContain(space));
    await choice.selectOption(space);
    await page.waitForURL(`**/builds?space=${space}`);
    expect(await choice.inputValue()).toBe(space);
  });

  test("a refusal is shown in the server's words", async () => {
    const page = await newPage();
    await page.goto(`/branches?${new URLSearchParams({ dataset: key("bb.raw"), space }).toString()}`);
    await page.getByRole("button", { name: "New branch" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("master");
    await page.getByRole("dialog").getByRole("button", { name: "New branch" }).click();
    await eventually(async () => expect(await page.getByRole("dialog").getByRole("alert").textContent()).toMatch(/master/));
  });

  test("a plan says what would run and why, is built as planned, and its jobs are followed live", async () => {
    const page = await newPage();
    await page.goto(`/builds?${new URLSearchParams({ space, target: key("bb.made") }).toString()}`);
    await page.getByRole("button", { name: "Plan a build" }).click();
    await page.locator(".job").getByText("make").first().waitFor();
    expect(await page.locator(".job .why").first().textContent()).not.toBe("");
    await page.getByRole("button", { name: /^Build \(1 job/ }).click();
    await page.waitForURL("**/build?*");
    await page.locator(".job").getByText("ready").or(page.locator(".job").getByText("running")).first().waitFor();
    await page.getByRole("button", { name: "Abort" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Abort" }).click();
    await page.locator('.loaded[data-state="CANCELED"]').waitFor();
  });

  test("canvas 56: a dataset's icon is blue with a job spec on master", async () => {
    const page = await newPage();
    await page.goto(`/branches?${new URLSearchParams({ dataset: key("bb.made"), space }).toString()}`);
    await page.locator(".kind-icon.built").waitFor();
    expect(await page.locator(".kind-icon.built").evaluate((icon) => getComputedStyle(icon).color)).toBe("rgb(31, 95, 191)");
  });
});
