import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const tests = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

/** How many statements the canvas's contract has. */
const statements = 71;

test("every statement of the canvas has a test by its number", () => {
  const files = ["model", "layout", "browser"].flatMap((folder) => readdirSync(path.join(tests, folder)).map((name) => path.join(tests, folder, name)));
  const names = files.filter((file) => /\.(test|browser)\.ts$/.test(file)).flatMap((file) => readFileSync(file, "utf8").match(/test\([`"]canvas [\d, ]+/g) ?? []);
  const named = new Set(names.flatMap((name) => name.match(/\d+/g) ?? []).map(Number));
  expect(Array.from({ length: statements }, (_, i) => i + 1).filter((n) => !named.has(n))).toEqual([]);
});
