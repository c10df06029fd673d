/** Branches of a dataset: the ancestry as a tree; making, deleting and restoring branches. */
import { faultOf, get, post } from "../api/client.ts";
import { h, replace } from "../ui/dom.ts";
import { t } from "../ui/i18n.ts";
import { showDialog } from "../ui/menu.ts";
import { announce, button, chip, emptyState, faultText, kindIcon, link, nodeHref, wordOr } from "../ui/parts.ts";
import { go } from "../ui/router.ts";
import { confirm, nodeSearch } from "./canvas/tools.ts";
import { factPage, loaded } from "./page.ts";
import { buildHref, datasetOf, spaceField, spaceOf, type DatasetRef } from "./space.ts";

type Branch = Awaited<ReturnType<typeof askBranches>>["branches"][number];

const askBranches = (space: string, dataset: DatasetRef, signal?: AbortSignal) => get("/api/v1/spaces/{space}/branches", { path: { space }, query: { ...dataset, deleted: true }, signal });
const askDatasets = (space: string, dataset: DatasetRef, signal?: AbortSignal) => get("/api/v1/spaces/{space}/datasets", { path: { space }, query: { contains: dataset.name }, signal });

interface Here {
  space: string;
  key: string;
  dataset: DatasetRef;
  refresh: () => void;
}

/** Draws the page of `?dataset=&space=`. */
export function branchesPage(host: HTMLElement, query: URLSearchParams): void {
  const key = query.get("dataset") ?? "";
  const space = spaceOf(query);
  const draw = () => {
    const here: Here = { space, key, dataset: datasetOf(key), refresh: draw };
    const search = nodeSearch(t("branches.choose"), (hit) => go(`/branches?${new URLSearchParams({ dataset: hit.key, space }).toString()}`));
    const body = key === "" ? emptyState(t("branches.start"), t("branches.startHint")) : loaded((signal) => ask(here, signal), (answer) => show(here, answer.branches, answer.built));
    factPage(host, key === "" ? t("nav.branches") : t("branches.title", { name: here.dataset.name }), h("div", { class: "row wrap" }, spaceField("/branches", query), search), body);
  };
  draw();
}

async function ask(here: Here, signal: AbortSignal) {
  const [{ branches }, { datasets }] = await Promise.all([askBranches(here.space, here.dataset, signal), askDatasets(here.space, here.dataset, signal)]);
  const dataset = datasets.find((d) => d.name === here.dataset.name && d.namespace === here.dataset.namespace);
  return { branches, built: dataset?.has_job_spec ?? false };
}

function show(here: Here, branches: Branch[], built: boolean): Node[] {
  const living = branches.filter((b) => !b.deleted);
  const deleted = branches.filter((b) => b.deleted);
  const head = h(
    "div",
    { class: "row wrap" },
    kindIcon({ family: "dataset", kind: "table", has_job_spec_on_master: built }),
    link(nodeHref(here.key), here.dataset.name),
    chip(t(built ? "fact.jobSpecMaster" : "fact.jobSpecNone")),
    h("button", { type: "button", class: "button primary", onclick: () => create(here, living) }, t("branches.create")),
  );
  const tree = living.length === 0 ? emptyState(t("branches.none"), t("branches.noneHint")) : h("ul", { class: "tree", "aria-label": t("branches.tree") }, ...roots(living).map((b) => item(here, living, b, new Set())));
  const gone = deleted.length === 0 ? null : h("section", { class: "block" }, h("h2", {}, t("branches.deleted")), h("ul", { class: "panel-list" }, ...deleted.map((b) => h("li", {}, h("span", {}, `${b.name} #${b.incarnation}`), button(t("branches.restore"), () => void change(here, "/api/v1/spaces/{space}/branches/restore", b))))));
  return [head, h("section", { class: "block" }, h("h2", {}, t("branches.tree")), tree), gone].filter((part): part is HTMLElement => part !== null);
}

/** Branches that have no living parent. */
const roots = (branches: readonly Branch[]): Branch[] => branches.filter((b) => !branches.some((p) => p.name === b.parent));

function item(here: Here, branches: readonly Branch[], b: Branch, above: Set<string>): HTMLElement {
  const children = branches.filter((c) => c.parent === b.name && !above.has(c.name));
  const below = new Set([...above, b.name]);
  return h(
    "li",
    {},
    h(
      "div",
      { class: "tree-row" },
      h("strong", {}, b.name),
      b.protected ? chip(t("branches.protected"), "warn") : null,
      b.head ? h("span", { class: "quiet" }, h("code", {}, b.head), " ") : h("span", { class: "quiet" }, t("branches.noTransaction")),
      b.head_state ? chip(wordOr(`state.${b.head_state}`, b.head_state), b.head_state.toLowerCase()) : null,
      b.created_by_build ? link(buildHref(here.space, b.created_by_build), t("branches.byBuild")) : null,
      h("span", { class: "tree-actions" }, button(t("branches.child"), () => create(here, branches, b.name)), b.protected ? null : h("button", { type: "button", class: "button danger", onclick: () => askDelete(here, b) }, t("action.delete"))),
    ),
    children.length === 0 ? null : h("ul", {}, ...children.map((c) => item(here, branches, c, below))),
  );
}

function askDelete(here: Here, b: Branch): void {
  confirm(t("branches.delete", { name: b.name }), t("branches.deleteAsk"), t("action.delete"), () => void change(here, "/api/v1/spaces/{space}/branches/delete", b));
}

async function change(here: Here, path: "/api/v1/spaces/{space}/branches/delete" | "/api/v1/spaces/{space}/branches/restore", b: Branch): Promise<void> {
  try {
    await post(path, { path: { space: here.space }, query: { wait: "applied" }, body: { dataset: here.dataset, branch: b.name, incarnation: b.incarnation } });
    here.refresh();
  } catch (error) {
    announce(faultText(faultOf(error)), "bad");
  }
}

function create(here: Here, branches: readonly Branch[], from = ""): void {
  const name = h("input", { name: "name", required: true, maxlength: 255, "aria-label": t("branches.name") });
  const parent = h("select", { name: "parent", "aria-label": t("branch.parent") }, h("option", { value: "" }, t("branches.root")), ...branches.map((b) => h("option", { value: b.name, selected: b.name === from }, b.name)));
  const transaction = h("input", { name: "transaction", placeholder: t("branches.latest"), "aria-label": t("fact.transaction") });
  const problem = h("p", { class: "danger", role: "alert" });
  const field = (label: string, input: HTMLElement) => h("label", { class: "field column-field" }, h("span", { class: "field-label" }, label), input);
  showDialog(t("branches.create"), (close) => {
    const submit = async (event: Event) => {
      event.preventDefault();
      try {
        const body = { dataset: here.dataset, branch: name.value.trim(), parent: parent.value === "" ? undefined : { branch: parent.value }, from_transaction: transaction.value.trim() || undefined };
        await post("/api/v1/spaces/{space}/branches", { path: { space: here.space }, query: { wait: "applied" }, body });
        close();
        here.refresh();
      } catch (error) {
        replace(problem, faultText(faultOf(error)));
      }
    };
    return [h("form", { class: "stack", onsubmit: (event: Event) => void submit(event) }, field(t("branches.name"), name), field(t("branch.parent"), parent), field(t("branches.fromTransaction"), transaction), problem, h("div", { class: "row end" }, h("button", { type: "submit", class: "button primary" }, t("branches.create"))))];
  });
  name.focus();
}
