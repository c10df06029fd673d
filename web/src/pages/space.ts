/** The space that the build pages speak of: in the address, else the one used last, else "default". */
import { get } from "../api/client.ts";
import { keyParts } from "../model/key.ts";
import { h, replace } from "../ui/dom.ts";
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

/** A choice of the spaces that hold something, which goes to the same page of another one. */
export function spaceField(path: string, query: URLSearchParams): HTMLElement {
  const now = spaceOf(query);
  const choose = () => {
    const next = new URLSearchParams(query);
    next.set("space", select.value);
    go(`${path}?${next.toString()}`);
  };
  const select = h("select", { name: "space", onchange: choose }, h("option", { value: now }, now));
  void get("/api/v1/spaces").then(
    ({ spaces }) => {
      const names = [...new Set([now, ...spaces.map((space) => space.name)])].sort();
      replace(select, ...names.map((name) => h("option", { value: name, selected: name === now }, name)));
    },
    () => undefined, // the field keeps the space that is shown; the page's own request says what is wrong
  );
  return h("label", { class: "field" }, h("span", { class: "field-label" }, t("build.space")), select);
}

export function datasetOf(key: string): DatasetRef {
  const { namespace, name } = keyParts(key);
  return { namespace, name };
}

export const keyOf = (dataset: DatasetRef): string => `dataset|${dataset.namespace}|${dataset.name}`;

export const buildHref = (space: string, id: string): string => `/build?${new URLSearchParams({ space, id }).toString()}`;
