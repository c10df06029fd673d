/** Dead letters: records that could not be read, for those who may see them. */
import { request } from "../api/client.ts";
import { h } from "../ui/dom.ts";
import { number, t, when } from "../ui/i18n.ts";
import { announce, button, chip, emptyState, table } from "../ui/parts.ts";
import { showDialog } from "../ui/menu.ts";
import { faultOf } from "../api/client.ts";
import { faultText } from "../ui/parts.ts";
import { factPage, loaded } from "./page.ts";

/** A letter as the server lists it. */
interface Letter {
  id: string;
  written: string;
  refused: string;
  reason: string;
  detail: string;
  key: string;
  type?: string;
  event_id?: string;
  source?: string;
  retried?: string;
}

interface Whole extends Letter {
  headers: Record<string, string>;
  value?: string;
  value_b64?: string;
}

const path = (letter: Letter): string => `/api/v1/deadletters/${letter.id.split("/").map(encodeURIComponent).join("/")}`;

/** Draws the page. */
export function deadLettersPage(host: HTMLElement): void {
  const list = (): HTMLElement =>
    loaded(
      (signal) => request<{ letters: Letter[]; total: number }>("GET", "/api/v1/deadletters?limit=500", undefined, signal),
      ({ letters, total }) => (letters.length === 0 ? emptyState(t("dead.none"), t("dead.noneHint")) : letterTable(letters, total, refresh)),
    );
  const refresh = () => factPage(host, t("nav.deadLetters"), h("p", { class: "quiet" }, t("dead.hint")), list());
  refresh();
}

function letterTable(letters: Letter[], total: number, refresh: () => void): HTMLElement {
  return table<Letter>(
    t("dead.count", { n: number(total) }),
    [
      { title: t("dead.place"), value: (l) => l.id, cell: (l) => h("button", { type: "button", class: "link", onclick: () => void showLetter(l) }, l.id) },
      { title: t("fact.reason"), value: (l) => l.reason, cell: (l) => chip(l.reason, "warn") },
      { title: t("fact.detail"), value: (l) => l.detail, cell: (l) => l.detail },
      { title: t("fact.type"), value: (l) => l.type ?? "", cell: (l) => l.type ?? "" },
      { title: t("fact.when"), value: (l) => l.refused, cell: (l) => when(l.refused) },
      { title: t("dead.retried"), value: (l) => l.retried ?? "", cell: (l) => (l.retried === undefined ? button(t("action.retry"), () => void retry(l, refresh)) : when(l.retried)) },
    ],
    letters,
    "deadletters",
  );
}

async function showLetter(letter: Letter): Promise<void> {
  try {
    const whole = await request<Whole>("GET", path(letter));
    showDialog(letter.id, () => [
      h("dl", { class: "facts" }, ...Object.entries(whole.headers).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      h("pre", { class: "raw", tabindex: 0 }, whole.value ?? whole.value_b64 ?? ""),
    ]);
  } catch (error) {
    announce(faultText(faultOf(error)), "bad");
  }
}

async function retry(letter: Letter, refresh: () => void): Promise<void> {
  try {
    await request("POST", `${path(letter)}/retry`);
    announce(t("dead.retriedNow"));
    refresh();
  } catch (error) {
    announce(faultText(faultOf(error)), "bad");
  }
}
