/** Starts one server with the tests' data; the tests are told its address. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { basics, key, large } from "./data.ts";
import { environment, startServer, until, type Running } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    url: string;
  }
}

let server: Running | null = null;

/** Runs before all tests. */
export async function setup(project: TestProject): Promise<void> {
  server = await startServer();
  const { url } = server;
  await server.send([...basics(), ...large()]);
  await promisify(execFile)(process.env["PAGE_BINARY"]!, ["demo", "--server", url], { env: environment });
  // The last of each kind stands for all before it: declared tasks, SQL, and the large graphs.
  for (const [name, edges] of [["c.t", 4], ["col.totals", 2], ["al.out", 1], ["l12.n399", 1], ["l5.n150", 1]] as const) {
    await until(`the lineage of ${name}`, async () => {
      const response = await fetch(`${url}/api/v1/graph?${new URLSearchParams({ node: key(name) }).toString()}`);
      const answer = (await response.json()) as { edges?: unknown[]; message?: string };
      if ((answer.edges?.length ?? 0) >= edges) return true;
      throw new Error(answer.message ?? `${answer.edges?.length} edges`);
    });
  }
  project.provide("url", url);
}

/** Runs after all tests. */
export async function teardown(): Promise<void> {
  await server?.stop();
}
