/** Starts the real binary in a folder of its own, sends it events, and waits until they can be seen. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

export interface CloudEvent {
  specversion: "1.0";
  id: string;
  source: string;
  type: string;
  data: unknown;
}

export interface Running {
  url: string;
  stop: () => Promise<void>;
  send: (events: readonly CloudEvent[]) => Promise<void>;
}

const pause = 50;

/** Asks again until the answer is not null; fails with what was waited for. */
export async function until<T>(what: string, ask: () => Promise<T | null>, patience = 60_000): Promise<T> {
  const end = Date.now() + patience;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const answer = await ask();
      if (answer !== null) return answer;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`waited ${patience} ms in vain for ${what}${last === undefined ? "" : `: ${String(last)}`}`);
}

/** Settings of the machine must not reach the server under test. */
export const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TRIBUTARY_")));

/** Starts `tributary serve` with the embedded log and store. */
export async function startServer(args: string[] = [], headers: Record<string, string> = {}): Promise<Running> {
  const binary = process.env["PAGE_BINARY"];
  if (binary === undefined) throw new Error("PAGE_BINARY names no binary: start the tests with npm run test:browser");
  const folder = await mkdtemp(path.join(tmpdir(), "tributary-page-"));
  const ready = path.join(folder, "ready.json");
  const child = spawn(binary, ["serve", "--data", path.join(folder, "data"), "--listen", "127.0.0.1:0", "--ready-file", ready, "--log-level", "warn", ...args], { stdio: ["ignore", "pipe", "pipe"], env: environment });
  let said = "";
  child.stdout!.on("data", (bytes: Buffer) => (said += bytes.toString()));
  child.stderr!.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const url = await until("the server to be ready", async () => {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said.slice(-2000)}`);
    return (JSON.parse(await readFile(ready, "utf8")) as { url: string }).url;
  }).catch(async (error: unknown) => {
    await stop(child, folder);
    throw new Error(`${String(error)}\n${said.slice(-2000)}`);
  });
  return { url, stop: () => stop(child, folder), send: (events) => sendEvents(url, events, headers) };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(force);
  }
  await rm(folder, { recursive: true, force: true });
}

/** Sends events in batches; each must be taken. */
export async function sendEvents(url: string, events: readonly CloudEvent[], headers: Record<string, string> = {}): Promise<void> {
  for (let at = 0; at < events.length; at += 500) {
    const body = JSON.stringify(events.slice(at, at + 500));
    const response = await fetch(`${url}/api/v1/events?results=refused`, { method: "POST", headers: { "Content-Type": "application/cloudevents-batch+json", ...headers }, body });
    if (response.status !== 200) throw new Error(`events were refused: ${response.status} ${(await response.text()).slice(0, 1000)}`);
  }
}

/** The graph around a node, as the server tells it. */
export async function graphOf(url: string, node: string): Promise<{ edges?: { from: string; to: string }[] }> {
  const response = await fetch(`${url}/api/v1/graph?${new URLSearchParams({ node }).toString()}`);
  return (await response.json()) as { edges?: { from: string; to: string }[] };
}
