/** Builds: the list, a plan before anything happens, and one build with its jobs live. */
import { faultOf, get, post } from "../api/client.ts";
import { h, replace } from "../ui/dom.ts";
import { number, t, when } from "../ui/i18n.ts";
import { announce, chip, emptyState, failedState, faultText, link, loadingState, nodeHref, section, table, wordOr } from "../ui/parts.ts";
import { go, type PageView } from "../ui/router.ts";
import { confirm, nodeSearch } from "./canvas/tools.ts";
import { factPage, loaded } from "./page.ts";
import { buildHref, datasetOf, keyOf, spaceField, spaceOf, type DatasetRef } from "./space.ts";

type Build = Awaited<ReturnType<typeof askBuild>>;
type Job = NonNullable<Build["jobs"]>[number];
type Plan = Awaited<ReturnType<typeof askPlan>>;

const askBuild = (space: string, build: string, since: number | undefined, signal: AbortSignal) => get("/api/v1/spaces/{space}/builds/{build}", { path: { space, build }, query: { changed_since: since }, signal });

const stateChip = (state: string): HTMLElement => chip(wordOr(`state.${state}`, state), state.toLowerCase());

/** Draws the list of `?space=`. */
export function buildsPage(host: HTMLElement, query: URLSearchParams): void {
  const space = spaceOf(query);
  const ask = (signal: AbortSignal) => get("/api/v1/spaces/{space}/builds", { path: { space }, query: { limit: 200 }, signal });
  factPage(host, t("nav.builds"), spaceField("/builds", query), planForm(space, query), section(t("build.latest"), loaded(ask, (builds) => buildTable(space, builds))));
}

function buildTable(space: string, builds: Build[]): HTMLElement {
  if (builds.length === 0) return emptyState(t("build.none"), t("build.noneHint"));
  return table<Build>(
    t("build.latest"),
    [
      { title: t("build.id"), value: (b) => b.id, cell: (b) => link(buildHref(space, b.id), b.id) },
      { title: t("fact.state"), value: (b) => b.state, cell: (b) => stateChip(b.state) },
      { title: t("fact.branch"), value: (b) => b.branch, cell: (b) => [b.branch, ...(b.fallbacks ?? [])].join(" → ") },
      { title: t("build.targets"), value: (b) => (b.targets ?? []).map((d) => d.name).join(" "), cell: (b) => (b.targets ?? []).map((d) => d.name).join(", ") },
      { title: t("fact.who"), value: (b) => b.requested_by ?? "", cell: (b) => b.requested_by ?? "" },
      { title: t("fact.when"), value: (b) => b.requested, cell: (b) => when(b.requested_at) },
    ],
    builds,
    "builds",
  );
}

/** What a plan is asked for. */
interface Wish {
  branch: string;
  fallbacks: string[];
  targets: DatasetRef[];
  mode: "only" | "upstream";
  force: boolean;
}

const askPlan = (space: string, wish: Wish) => post("/api/v1/spaces/{space}/plan", { path: { space }, body: wish });

function planForm(space: string, query: URLSearchParams): HTMLElement {
  const targets = new Map<string, DatasetRef>();
  const first = query.get("target");
  if (first) targets.set(first, datasetOf(first));
  const chosen = h("div", { class: "chips" });
  const result = h("div", { class: "loaded" });
  const draw = () => replace(chosen, ...[...targets].map(([key, d]) => h("span", { class: "chip" }, d.name, h("button", { type: "button", class: "chip-close", "aria-label": `${t("action.delete")} ${d.name}`, onclick: () => (targets.delete(key), draw()) }, "×"))));
  const branch = h("input", { name: "branch", value: query.get("branch") ?? "master", required: true });
  const fallbacks = h("input", { name: "fallbacks", placeholder: "develop, master" });
  const mode = h("select", { name: "mode" }, h("option", { value: "upstream" }, t("build.upstream")), h("option", { value: "only" }, t("build.only")));
  const force = h("input", { type: "checkbox", name: "force" });
  const field = (label: string, input: HTMLElement) => h("label", { class: "field column-field" }, h("span", { class: "field-label" }, label), input);
  const wish = (): Wish => ({ branch: branch.value.trim(), fallbacks: fallbacks.value.split(",").map((f) => f.trim()).filter((f) => f !== ""), targets: [...targets.values()], mode: mode.value as Wish["mode"], force: force.checked });
  const submit = (event: Event) => {
    event.preventDefault();
    if (targets.size === 0) return announce(t("build.noTargets"), "bad");
    void showPlan(result, space, wish());
  };
  draw();
  return section(
    t("build.plan"),
    nodeSearch(t("build.addTarget"), (hit) => (targets.set(hit.key, datasetOf(hit.key)), draw())),
    chosen,
    h("form", { class: "row wrap", onsubmit: submit }, field(t("fact.branch"), branch), field(t("build.fallbacks"), fallbacks), field(t("build.mode"), mode), h("label", { class: "check" }, force, t("build.force")), h("button", { type: "submit", class: "button primary" }, t("build.plan"))),
    result,
  );
}

async function showPlan(host: HTMLElement, space: string, wish: Wish): Promise<void> {
  replace(host, loadingState());
  try {
    const plan = await askPlan(space, wish);
    replace(host, ...planParts(plan, () => void apply(space, wish, plan)));
  } catch (error) {
    replace(host, failedState(faultOf(error), () => void showPlan(host, space, wish)));
  }
}

function planParts(plan: Plan, run: () => void): (Node | null)[] {
  const refused = (plan.refusals ?? []).length > 0;
  const running = plan.jobs.filter((j) => j.state !== "SKIP").length;
  return [
    refused ? refusals(plan.refusals!) : h("div", { class: "row" }, h("button", { type: "button", class: "button primary", onclick: run }, t("build.run", { n: number(running) })), h("span", { class: "quiet" }, t("build.digest"), " ", h("code", {}, plan.digest))),
    (plan.blockers ?? []).length === 0 ? null : h("ul", { class: "error-list" }, ...plan.blockers!.map((b) => h("li", {}, chip(t("build.waits"), "warn"), ` ${b.dataset.name} @ ${b.branch}: ${b.reason}`))),
    (plan.creates ?? []).length === 0 ? null : h("ul", { class: "error-list" }, ...plan.creates!.map((c) => h("li", {}, chip(t("build.creates")), ` ${c.dataset.name} @ ${c.branch}${c.from ? ` ← ${c.from}` : ""}`))),
    jobList(plan.jobs),
  ];
}

const refusals = (list: NonNullable<Plan["refusals"]>): HTMLElement => h("ul", { class: "error-list" }, ...list.map((r) => h("li", {}, chip(r.code, "refused"), ` ${r.dataset === undefined ? "" : `${r.dataset.name}: `}${r.message}`)));

async function apply(space: string, wish: Wish, plan: Plan): Promise<void> {
  try {
    const written = await post("/api/v1/spaces/{space}/builds", { path: { space }, query: { wait: "applied" }, body: { ...wish, plan_digest: plan.digest } });
    go(buildHref(space, written.build?.id ?? written.id));
  } catch (error) {
    announce(faultText(faultOf(error)), "bad");
  }
}

/** Jobs in their order, each with its state, the reason for it, and what it reads and writes. */
function jobList(jobs: readonly Job[]): HTMLElement {
  if (jobs.length === 0) return emptyState(t("build.noJobs"), t("build.noJobsHint"));
  return h("ol", { class: "jobs", "aria-label": t("build.jobs") }, ...jobs.map((job) => jobItem(job, jobs)));
}

function jobItem(job: Job, jobs: readonly Job[]): HTMLElement {
  const upstream = (job.upstream ?? []).map((index) => jobs.find((j) => j.index === index)?.spec ?? String(index));
  const why = [job.reason, job.message].filter((part) => part !== undefined && part !== "").join(" · ");
  const inputs = (job.inputs ?? []).map((input) => h("li", {}, link(nodeHref(keyOf(input.dataset), input.branch), input.dataset.name), h("span", { class: "quiet" }, ` ${typeof input.from_job !== "number" ? `@ ${input.branch ?? ""} ${short(input.transaction)}` : t("build.fromJob", { name: jobs.find((j) => j.index === input.from_job)?.spec ?? input.from_job })}${input.reason ? ` · ${input.reason}` : ""}`)));
  const outputs = (job.outputs ?? []).map((output) => h("li", {}, link(nodeHref(keyOf(output.dataset), output.branch), output.dataset.name), h("span", { class: "quiet" }, ` @ ${output.branch ?? ""} ${short(output.transaction)} ${output.type}`)));
  const attempts = (job.attempts ?? []).map((a) => h("li", {}, t("build.attempt", { n: number(a.number) }), " ", stateChip(a.state), h("span", { class: "quiet" }, ` ${[a.runner, when(a.started_at), a.message].filter((part) => part).join(" · ")}`)));
  return h(
    "li",
    { class: `job job-${job.state.toLowerCase()}` },
    h("div", { class: "row wrap" }, stateChip(job.state), h("strong", {}, job.spec), h("span", { class: "quiet" }, `@ ${job.spec_branch}`), job.incremental ? chip(t("build.incremental")) : null, upstream.length === 0 ? null : h("span", { class: "quiet" }, t("build.after", { names: upstream.join(", ") }))),
    why === "" ? null : h("p", { class: "why" }, why),
    h("div", { class: "job-ends" }, ends(t("build.reads"), inputs), ends(t("build.writes"), outputs), ends(t("build.attempts"), attempts)),
  );
}

const short = (transaction: string | undefined): string => (transaction === undefined || transaction === "" ? "" : `#${transaction.slice(-8)}`);

const ends = (title: string, items: HTMLElement[]): HTMLElement | null => (items.length === 0 ? null : h("div", {}, h("h3", {}, title), h("ul", {}, ...items)));

const finished = new Set(["SUCCEEDED", "FAILED", "CANCELED", "REFUSED"]);

/** Draws one build and follows it until it has finished or the page is left. */
export function buildPage(host: HTMLElement, query: URLSearchParams): PageView {
  const space = spaceOf(query);
  const id = query.get("id") ?? "";
  const leaving = new AbortController();
  const body = h("div", { class: "loaded", "aria-live": "polite" }, loadingState());
  factPage(host, t("build.title"), body);
  void follow(body, space, id, leaving.signal);
  return { leave: () => leaving.abort() };
}

async function follow(body: HTMLElement, space: string, id: string, signal: AbortSignal): Promise<void> {
  let since: number | undefined;
  try {
    for (;;) {
      const build = await askBuild(space, id, since, signal);
      if (signal.aborted) return;
      replace(body, ...buildParts(space, build));
      body.dataset["state"] = build.state;
      if (finished.has(build.state)) return;
      since = (build.changed ?? build.requested) + 1;
    }
  } catch (error) {
    if (!signal.aborted) replace(body, failedState(faultOf(error), () => void follow(body, space, id, signal)));
  }
}

function buildParts(space: string, build: Build): (Node | null)[] {
  const jobs = build.jobs ?? [];
  const done = jobs.filter((j) => ["COMPLETED", "SKIPPED"].includes(j.state)).length;
  const pairs: [string, Node | string][] = [
    [t("build.id"), h("code", {}, build.id)],
    [t("fact.branch"), [build.branch, ...(build.fallbacks ?? [])].join(" → ")],
    [t("build.targets"), (build.targets ?? []).map((d) => d.name).join(", ")],
    [t("fact.who"), build.requested_by ?? ""],
    [t("fact.started"), when(build.requested_at)],
    [t("fact.ended"), when(build.finished_at)],
    [t("fact.reason"), build.abort_reason ?? ""],
  ];
  return [
    h("div", { class: "row wrap" }, stateChip(build.state), h("progress", { max: Math.max(1, jobs.length), value: done, "aria-label": t("build.progress") }), h("span", { class: "quiet" }, t("build.done", { done: number(done), n: number(jobs.length) })), finished.has(build.state) ? null : h("button", { type: "button", class: "button danger", onclick: () => askAbort(space, build.id) }, t("build.abort"))),
    h("dl", { class: "facts wide" }, ...pairs.filter(([, value]) => value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    (build.refusals ?? []).length === 0 ? null : section(t("build.refused"), refusals(build.refusals!)),
    (build.blockers ?? []).length === 0 ? null : section(t("build.waits"), h("ul", { class: "error-list" }, ...build.blockers!.map((b) => h("li", {}, `${b.dataset.name} @ ${b.branch}: ${b.reason}`)))),
    section(t("build.jobs"), jobList(jobs)),
  ];
}

function askAbort(space: string, id: string): void {
  const abort = async () => {
    try {
      await post("/api/v1/spaces/{space}/builds/{build}/abort", { path: { space, build: id }, query: { wait: "applied" }, body: {} });
    } catch (error) {
      announce(faultText(faultOf(error)), "bad");
    }
  };
  confirm(t("build.abort"), t("build.abortAsk"), t("build.abort"), () => void abort());
}
