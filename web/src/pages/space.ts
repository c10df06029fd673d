/** The space that the build pages speak of: in the address, else the one used last, else "default". */
import { keyParts } from "../model/key.ts";
import { h } from "../ui/dom.ts";
import { t } from "../ui/i18n.ts";
import { go } from "../ui/router.ts";

const storageKey = "tributary.space";

export interface DatasetRef {
  namespace: string;
  name: string;
}

/** The space of an address; it is remembered. */
export function spaceOf(query: URLSearchParams): string {
  const named = query.get("space");
  if (named !== null && named !== "") localStorage.setItem(storageKey, named);
  return named || localStorage.getItem(storageKey) || "default";
}

/** A field that goes to the same page of another space. */
export function spaceField(path: string, query: URLSearchParams): HTMLElement {
  const input = h("input", { name: "space", value: spaceOf(query), "aria-label": t("build.space") });
  const submit = (event: Event) => {
    event.preventDefault();
    const next = new URLSearchParams(query);
    next.set("space", input.value.trim());
    go(`${path}?${next.toString()}`);
  };
  return h("form", { class: "field", onsubmit: submit }, h("span", { class: "field-label" }, t("build.space")), input);
}

export function datasetOf(key: string): DatasetRef {
  const { namespace, name } = keyParts(key);
  return { namespace, name };
}

export const keyOf = (dataset: DatasetRef): string => `dataset|${dataset.namespace}|${dataset.name}`;

export const buildHref = (space: string, id: string): string => `/build?${new URLSearchParams({ space, id }).toString()}`;
