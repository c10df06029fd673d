// Generates the TypeScript types of the HTTP API from the OpenAPI files that
// the server is generated from, so that the page cannot drift from it.
import openapiTS, { astToString } from "openapi-typescript";
import { access, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes("--check");
let drifted = false;

for (const name of ["lineage", "catalog"]) {
  const source = path.join(root, "../schemas/api", `${name}.yaml`);
  try {
    await access(source);
  } catch {
    console.error(`${name}.yaml is not there; its types are left as they are`);
    continue;
  }
  const text = "// Generated from schemas/api by `npm run types`. Do not edit.\n" + astToString(await openapiTS(new URL(`file://${source}`), { defaultNonNullable: false }));
  const target = path.join(root, "src/api", `${name}.gen.ts`);
  if (!check) {
    await writeFile(target, text);
  } else if ((await readFile(target, "utf8")) !== text) {
    console.error(`${target} differs from what ${name}.yaml says: run npm run types`);
    drifted = true;
  }
}
process.exitCode = drifted ? 1 : 0;
