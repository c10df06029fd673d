/** Edges that lie on a cycle of what is drawn. */
import type { EdgeInfo, Key } from "./types.ts";

/** Ids of edges whose ends reach each other (strongly connected components, without recursion). */
export function edgesOnCycles(edges: ReadonlyMap<string, EdgeInfo>): Set<string> {
  const next = new Map<Key, Key[]>();
  for (const e of edges.values()) {
    const list = next.get(e.from);
    if (list === undefined) next.set(e.from, [e.to]);
    else list.push(e.to);
  }
  const component = components(next);
  const found = new Set<string>();
  for (const [id, e] of edges) {
    if (e.from === e.to || (component.has(e.from) && component.get(e.from) === component.get(e.to))) found.add(id);
  }
  return found;
}

interface Visit {
  key: Key;
  at: number;
}

/** A number for each node that has edges out of it; nodes that reach each other share it. */
function components(next: ReadonlyMap<Key, readonly Key[]>): Map<Key, number> {
  const order = new Map<Key, number>();
  const low = new Map<Key, number>();
  const component = new Map<Key, number>();
  const open: Key[] = [];
  const enter = (key: Key): Visit => {
    order.set(key, order.size);
    low.set(key, order.get(key)!);
    open.push(key);
    return { key, at: 0 };
  };
  const close = (key: Key) => {
    if (low.get(key) !== order.get(key)) return;
    for (let member = open.pop()!; ; member = open.pop()!) {
      component.set(member, order.get(key)!);
      if (member === key) return;
    }
  };
  for (const start of next.keys()) {
    if (order.has(start)) continue;
    const stack = [enter(start)];
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const to = next.get(top.key)?.[top.at++];
      if (to === undefined) {
        stack.pop();
        close(top.key);
        const parent = stack.at(-1);
        if (parent !== undefined) low.set(parent.key, Math.min(low.get(parent.key)!, low.get(top.key)!));
      } else if (!order.has(to)) {
        stack.push(enter(to));
      } else if (!component.has(to)) {
        low.set(top.key, Math.min(low.get(top.key)!, order.get(to)!));
      }
    }
  }
  return component;
}
