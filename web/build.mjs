// Bundles the page into dist: hashed assets, an index that names them, and a
// compressed copy of each. No address outside the page's own server is written.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, "dist");
const assets = path.join(dist, "assets");

const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  format: "esm",
  legalComments: "none",
  write: false,
  logLevel: "warning",
};

/** Writes an asset under a name that holds the hash of its bytes, and its packed copy. */
async function emit(stem, extension, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  const name = `${stem}-${hash}${extension}`;
  await writeFile(path.join(assets, name), bytes);
  await writeFile(path.join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  return `/assets/${name}`;
}

async function bundle(entry, options = {}) {
  const result = await build({ ...common, entryPoints: [path.join(root, entry)], ...options });
  return result.outputFiles[0].contents;
}

/** elkjs is shipped as its own file, unchanged, with the notice its licence asks for. */
async function emitElk() {
  const worker = await readFile(path.join(root, "node_modules/elkjs/lib/elk-worker.min.js"));
  const licence = await readFile(path.join(root, "node_modules/elkjs/LICENSE.md"), "utf8");
  await writeFile(path.join(assets, "elkjs-LICENSE.txt"), licence);
  return emit("elk", ".js", worker);
}

async function main() {
  await mkdir(dist, { recursive: true });
  for (const name of await readdir(dist)) {
    if (name !== ".keep") await rm(path.join(dist, name), { recursive: true });
  }
  await mkdir(assets);
  const elk = await emitElk();
  const layout = await emit("layout", ".js", await bundle("src/layout/worker.ts"));
  const css = await emit("app", ".css", await bundle("src/style.css"));
  const icon = await emit("icon", ".svg", await readFile(path.join(root, "src/icon.svg")));
  const app = await emit(
    "app",
    ".js",
    await bundle("src/main.ts", {
      define: { LAYOUT_WORKER: JSON.stringify(layout), ELK_WORKER: JSON.stringify(elk), STYLE_SHEET: JSON.stringify(css) },
    }),
  );
  const index = (await readFile(path.join(root, "src/index.html"), "utf8"))
    .replace("@css@", css)
    .replace("@icon@", icon)
    .replace("@app@", app);
  await writeFile(path.join(dist, "index.html"), index);
}

await main();
