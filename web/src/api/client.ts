/** The page's only way to the server: typed by the OpenAPI files, every failure a Fault. */
import type { paths as CatalogPaths } from "./catalog.gen.ts";
import type { paths as LineagePaths } from "./lineage.gen.ts";
import type { Fault } from "../model/types.ts";

export type Paths = LineagePaths & CatalogPaths;

type Operation<P extends keyof Paths, M extends string> = M extends keyof Paths[P] ? Paths[P][M] : never;
type Query<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
type Result<O> = O extends { responses: infer R }
  ? { [S in keyof R]: S extends 200 | 201 | 202 ? (R[S] extends { content: { "application/json": infer J } } ? J : never) : never }[keyof R]
  : never;

/** A failed request; `fault` is what the page shows. */
export class RequestError extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

const tokenKey = "tributary.token";

/** The caller's token, kept for this tab only. */
export const token = {
  get: (): string => sessionStorage.getItem(tokenKey) ?? "",
  set: (value: string): void => sessionStorage.setItem(tokenKey, value),
};

/** What to do when the server asks who calls. */
export const onUnauthorized: { run: () => void } = { run: () => undefined };

/** The fault of anything that was thrown. */
export function faultOf(error: unknown): Fault {
  if (error instanceof RequestError) return error.fault;
  return { status: 0, code: "Unreachable", message: error instanceof Error ? error.message : String(error) };
}

function queryText(query: Record<string, unknown> | undefined): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null || value === "") continue;
    if (Array.isArray(value)) value.forEach((item) => q.append(name, String(item)));
    else q.set(name, String(value));
  }
  const text = q.toString();
  return text === "" ? "" : `?${text}`;
}

function pathText(path: string, parameters: Record<string, string> | undefined): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(parameters?.[name] ?? ""));
}

async function send(method: string, url: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (token.get() !== "") headers["Authorization"] = `Bearer ${token.get()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestError({ status: 0, code: "Unreachable", message: "" });
  }
}

async function readFault(response: Response): Promise<Fault> {
  const text = await response.text();
  try {
    const { code, message } = JSON.parse(text) as { code?: string; message?: string };
    return { status: response.status, code: code ?? response.statusText, message: message ?? text };
  } catch {
    return { status: response.status, code: response.statusText, message: text.slice(0, 300) };
  }
}

/** A field that is null says no more than one that is absent. Few answers have any, and a reviver is slow on large ones. */
function withoutNulls(text: string): unknown {
  return text.includes(":null") || text.includes(": null") ? JSON.parse(text, (_name, value: unknown) => (value === null ? undefined : value)) : JSON.parse(text);
}

export interface Options<Q, B> {
  query?: Q;
  path?: Record<string, string>;
  body?: B;
  signal?: AbortSignal;
}

async function call<P extends keyof Paths, M extends "get" | "post" | "delete" | "put">(
  method: M,
  path: P,
  options: Options<Query<Operation<P, M>>, Body<Operation<P, M>>>,
): Promise<Result<Operation<P, M>>> {
  const url = pathText(path, options.path) + queryText(options.query as Record<string, unknown> | undefined);
  return (await answered(method.toUpperCase(), url, options.body, options.signal)) as Result<Operation<P, M>>;
}

async function answered(method: string, url: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const response = await send(method, url, body, signal);
  if (!response.ok) {
    const fault = await readFault(response);
    if (response.status === 401) onUnauthorized.run();
    throw new RequestError(fault);
  }
  return response.status === 204 ? null : withoutNulls(await response.text());
}

export const get = <P extends keyof Paths>(path: P, options: Options<Query<Operation<P, "get">>, never> = {}) => call("get", path, options as never) as Promise<Result<Operation<P, "get">>>;
export const post = <P extends keyof Paths>(path: P, options: Options<Query<Operation<P, "post">>, Body<Operation<P, "post">>>) => call("post", path, options);
export const del = <P extends keyof Paths>(path: P, options: Options<Query<Operation<P, "delete">>, never> = {}) => call("delete", path, options as never) as Promise<Result<Operation<P, "delete">>>;

/** A request to a path that has no OpenAPI description. */
export async function request<T>(method: "GET" | "POST" | "DELETE", url: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await answered(method, url, body, signal)) as T;
}
