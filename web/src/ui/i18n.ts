/** Words in English and Chinese, numbers and times in the reader's form. */
import { en } from "../i18n/en.ts";
import { zh } from "../i18n/zh.ts";

export type Word = keyof typeof en;
export type Language = "en" | "zh";

const words: Record<Language, Record<Word, string>> = { en, zh };
const storageKey = "tributary.language";

function preferred(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.languages.find((l) => /^(zh|en)\b/i.test(l))?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

let language: Language = "en";

/** Reads the reader's choice, else the browser's languages. */
export function startLanguage(): void {
  language = preferred();
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

export const languageNow = (): Language => language;

/** Chooses a language for this browser. */
export function chooseLanguage(l: Language): void {
  localStorage.setItem(storageKey, l);
  startLanguage();
}

/** The words for a key with {names} filled in; a kind that has no word is shown as it is. */
export function t(key: Word | `kind.${string}`, values: Record<string, string | number> = {}): string {
  const text = (words[language] as Record<string, string>)[key] ?? (key.startsWith("kind.") ? key.slice(5).replaceAll("_", " ") : key);
  return text.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name] ?? ""));
}

const locale = (): string => (language === "zh" ? "zh-CN" : "en-GB");

const formats = new Map<string, Intl.NumberFormat>();

/** A whole number with the reader's separators. */
export function number(n: number): string {
  const at = locale();
  let format = formats.get(at);
  if (format === undefined) formats.set(at, (format = new Intl.NumberFormat(at)));
  return format.format(n);
}

/** A time as the reader writes it; empty for none. */
export function when(time: string | undefined): string {
  if (time === undefined || time === "") return "";
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  if (date.getUTCFullYear() <= 1) return "";
  return date.toLocaleString(locale(), { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** Bytes in the unit that reads best. */
export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (n >= 1024 && at < units.length - 1) (n /= 1024), at++;
  return `${n.toLocaleString(locale(), { maximumFractionDigits: at === 0 ? 0 : 1 })} ${units[at]}`;
}
