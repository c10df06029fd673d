/** What must not hurt the page: odd names, great graphs, servers that refuse or go away. */
import { createHash } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { declared, greatHub, key, odd } from "./data.ts";
import { boxOf, card, downloaded, eventually, lineage, namesDrawn, newPage, node, nodesDrawn, toggle, useBrowser } from "./helpers.ts";
import { startServer, until } from "./server.ts";

useBrowser();

describe("names", () => {
  test("long, right-to-left, emoji and HTML names are shown as text, inside their cards", async () => {
    const page = await newPage();
    await lineage(page, "odd.centre");
    await nodesDrawn(page, 9);
    expect(await namesDrawn(page)).toEqual([...Object.values(odd), ...Object.values(odd).map((n) => `${n}2`), "odd.centre"].sort());
    expect(await page.evaluate(() => (window as { pwned?: number }).pwned)).toBeUndefined();
    expect(await page.locator(".stage img, .stage script").count()).toBe(0);
    const overflow = await page.locator(".stage .node").evaluateAll((nodes) =>
      nodes.filter((n) => {
        const frame = n.querySelector(".frame")!.getBoundingClientRect();
        return [...n.querySelectorAll(".face text")].some((text) => {
          const box = text.getBoundingClientRect();
          return box.right > frame.right + 1 || box.left < frame.left - 1;
        });
      }).length,
    );
    expect(overflow).toBe(0);
  });

  test("the panel and the node's page hold them too", async () => {
    const page = await newPage();
    await lineage(page, "odd.centre");
    await node(page, key(odd.html)).locator(".card").click();
    await eventually(async () => expect(await page.locator(".panel h2").textContent()).toContain("<img"));
    await page.goto(`/node?${new URLSearchParams({ key: key(odd.long) }).toString()}`);
    const heading = page.getByRole("heading", { level: 1 });
    await heading.waitFor();
    const { x, width } = await boxOf(heading);
    expect(x + width).toBeLessThanOrEqual(page.viewportSize()!.width);
    expect(await page.evaluate(() => (window as { pwned?: number }).pwned)).toBeUndefined();
  });
});

describe("servers", () => {
  test("a server that is gone is said to be gone, and Retry works when it is back", async () => {
    const page = await newPage();
    await page.goto("/");
    await page.route("**/api/**", (route) => route.abort("connectionrefused"));
    await page.goto("/lineage?" + new URLSearchParams({ node: key("c.t") }).toString());
    await page.getByText("The server does not answer").waitFor();
    await page.unroute("**/api/**");
    await page.getByRole("button", { name: "Retry" }).click();
    await nodesDrawn(page, 5);
  });

  test("403 says that one may not", async () => {
    const page = await newPage();
    await page.route("**/api/v1/graph?*", (route) => route.fulfill({ status: 403, json: { code: "Forbidden", message: "no" } }));
    await page.goto("/lineage?" + new URLSearchParams({ node: key("c.t") }).toString());
    await page.getByText("You may not see or change this").waitFor();
  });

  test("slow answers out of order give the same graph as quick ones", async () => {
    const quick = await newPage();
    await lineage(quick, "c.t");
    for (const [name, side, count] of [["c.a1", "left", 8], ["c.d1", "right", 11], ["c.d1", "left", 12]] as const) {
      await toggle(quick, name, side).click();
      await nodesDrawn(quick, count);
    }
    const slow = await newPage();
    await lineage(slow, "c.t");
    const held: (() => void)[] = [];
    await slow.route("**/api/v1/graph/expand", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    for (const [name, side] of [["c.a1", "left"], ["c.d1", "right"], ["c.d1", "left"]] as const) await toggle(slow, name, side).click();
    await eventually(async () => expect(held.length).toBe(3));
    for (const release of held.reverse()) release();
    await nodesDrawn(slow, 12);
    expect(await namesDrawn(slow)).toEqual(await namesDrawn(quick));
  });

  test("canvas 69: an answer that was cut says so in a banner", async () => {
    const page = await newPage();
    await page.route("**/api/v1/graph?*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), truncated: { reason: "nodes", nodes_left: 1234, limit: 300 } } });
    });
    await lineage(page, "c.t");
    await page.locator(".banner.truncated").getByText("1,234 further nodes").waitFor();
  });

  test("canvas 71: a node that the server leaves out is nowhere on the page, even where an edge names it", async () => {
    const page = await newPage();
    await page.route("**/api/v1/graph?*", async (route) => {
      const answer = (await (await route.fetch()).json()) as { nodes: { key: string }[] };
      answer.nodes = answer.nodes.filter((n) => n.key !== key("c.x"));
      await route.fulfill({ json: answer });
    });
    await lineage(page, "c.t");
    await nodesDrawn(page, 4);
    expect(await page.locator(".stage .edge").count()).toBe(3);
    expect(await page.content()).not.toContain("c.x");
    await card(page, "c.t").click();
    await page.locator(".panel h2").waitFor();
    expect(await page.content()).not.toContain("c.x");
    for (const kind of ["svg", "csv", "json"]) {
      await page.getByRole("button", { name: "Export" }).click();
      const { bytes } = await downloaded(page, () => page.locator(`.export-panel [data-export="${kind}"]`).click());
      expect(bytes.toString()).toContain("c.a1");
      expect(bytes.toString()).not.toContain("c.x");
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "List", exact: true }).click();
    await page.locator(".list-view").getByText("c.a1").first().waitFor();
    expect(await page.content()).not.toContain("c.x");
  });

  test("canvas 40: a reader sees no items to change anything, and the API answers 403", async () => {
    const tokens = { reader: "trb_reader_of_the_tests", writer: "trb_writer_of_the_tests" };
    const folder = await mkdtemp(`${tmpdir()}/tributary-tokens-`);
    const entry = (name: string, scope: string, secret: string) => `- {name: ${name}, scope: ${scope}, sha256: ${createHash("sha256").update(secret).digest("hex")}, expires: 2099-01-01T00:00:00Z}\n`;
    await writeFile(`${folder}/tokens.yaml`, entry("reader", "read", tokens.reader) + entry("writer", "write", tokens.writer));
    const guarded = await startServer(["--auth-tokens", `${folder}/tokens.yaml`], { Authorization: `Bearer ${tokens.writer}` });
    try {
      await guarded.send([declared("guarded", ["q.a>q.t"])]);
      const as = (secret: string) => ({ Authorization: `Bearer ${secret}` });
      await until("the guarded lineage", async () => {
        const answer = await fetch(`${guarded.url}/api/v1/graph?${new URLSearchParams({ node: key("q.t") }).toString()}`, { headers: as(tokens.reader) });
        return ((await answer.json()) as { edges?: unknown[] }).edges?.length === 1 ? true : null;
      });
      const refused = await fetch(`${guarded.url}/api/v1/edges`, { method: "POST", headers: { ...as(tokens.reader), "Content-Type": "application/json" }, body: JSON.stringify({ from: key("q.t"), to: key("q.a") }) });
      expect(refused.status).toBe(403);
      const page = await newPage({ url: guarded.url });
      await page.goto("/lineage?" + new URLSearchParams({ node: key("q.t") }).toString());
      await page.getByRole("textbox", { name: "Token" }).fill(tokens.reader);
      await page.getByRole("button", { name: "Use it" }).click();
      await nodesDrawn(page, 2);
      await card(page, "q.a").click({ button: "right" });
      await page.getByRole("menu").waitFor();
      expect(await page.getByRole("menuitem").filter({ hasText: "Insert" }).count()).toBe(0);
    } finally {
      await guarded.stop();
    }
  });
});

test("a hub with 100,000 neighbours opens, expands in steps, and does not freeze", async () => {
  const hubServer = await startServer();
  try {
    await hubServer.send(greatHub());
    await until("100,000 neighbours", async () => {
      const answer = await fetch(`${hubServer.url}/api/v1/closure?${new URLSearchParams({ node: key("g.hub"), direction: "down", limit: "0" }).toString()}`);
      const { total } = (await answer.json()) as { total?: number };
      return total === 100_000 ? true : null;
    }, 240_000);
    const page = await newPage({ url: hubServer.url });
    await page.goto("/lineage?" + new URLSearchParams({ node: key("g.hub") }).toString());
    await nodesDrawn(page, 51);
    await page.keyboard.press("f");
    expect(await page.locator(".stage .more").getAttribute("aria-label")).toBe("Show more (99,950)");
    // The first answer holds 300 nodes, the hub among them; what comes after is asked for.
    for (const count of [101, 151, 201, 251, 300, 350]) {
      await page.locator(".stage .more").click();
      await nodesDrawn(page, count);
      await page.keyboard.press("f"); // the next "show more" stands below the new ones
    }
  } finally {
    await hubServer.stop();
  }
}, 300_000);
