// Builds the site into dist/: assets, then one document per route and language, then their compressed forms; and weighs
// it. `--strict` builds only what the public may see: it refuses while facts or the site's address are open.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "vite";
import { checkBudgets } from "./budgets.mjs";
import { compressFiles } from "./compress.mjs";
import { makeFonts } from "./fonts.mjs";
import { writePlanSheets } from "./plans.mjs";
import { mayBuild } from "./release.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = resolve(root, "dist");
const prerenderDir = resolve(root, ".generated/prerender");

// Modules that are loaded through Vite, as the first steps do, would make the whole process one for development.
process.env["NODE_ENV"] = "production";

const { values: options } = parseArgs({ options: { strict: { type: "boolean", default: false } } });
if (!(await mayBuild(options.strict))) {
  process.exit(1);
}

console.log("fonts: cutting the Chinese heading font to the site's headings");
await makeFonts();

console.log("assets: bundling");
await build({ root, logLevel: "warn", build: { manifest: true } });
await build({
  root,
  logLevel: "warn",
  publicDir: false,
  build: { ssr: "src/prerender.tsx", outDir: prerenderDir, emptyOutDir: true },
});

console.log("floor plans: drawing the sheets to download");
await writePlanSheets(dist);

console.log("documents: prerendering");
const template = await readFile(resolve(dist, "index.html"), "utf8");
/** @type {typeof import("../src/prerender.tsx")} */
const { frameSource, prerender, rootFiles } = await import(
  pathToFileURL(resolve(prerenderDir, "prerender.js")).href
);
for (const { path, html } of prerender({
  template,
  fonts: await preloadedFonts(),
  messageScripts: await messageScripts(),
})) {
  const file = resolve(dist, "documents", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, html);
}
// The server's configuration includes it; no address leads to it.
await writeFile(
  resolve(dist, "frame-src.conf"),
  `map "" $frame_src {\n    default "${frameSource}";\n}\n`,
);
for (const [name, text] of Object.entries(rootFiles)) {
  await writeFile(resolve(dist, name), text);
}
// Only the documents are served: the bare template must not be one of them.
await rm(resolve(dist, "index.html"));
await rm(resolve(dist, ".vite"), { recursive: true });

console.log("compressing");
const count = await compressFiles(dist);
console.log(`done: dist/, ${count} files with .gz and .br`);

process.exitCode = (await checkBudgets(dist)) ? 0 : 1;

/** The fonts of the first screen, by language. */
async function preloadedFonts() {
  const assets = await readdir(resolve(dist, "assets"));
  /** @param {string} start */
  const address = (start) => {
    const file = assets.find((name) => name.startsWith(start) && name.endsWith(".woff2"));
    if (file === undefined) {
      throw new Error(`the build made no font whose name starts with ${start}`);
    }
    return `/assets/${file}`;
  };
  const latin = [address("marcellus"), address("instrument-sans")];
  return { en: latin, zh: [...latin, address("zyon-serif-sc")] };
}

/** The script with each language's texts. */
async function messageScripts() {
  const manifest = JSON.parse(await readFile(resolve(dist, ".vite/manifest.json"), "utf8"));
  /** @param {string} language */
  const address = (language) => {
    const chunk = manifest[`src/i18n/${language}.ts`];
    if (chunk?.isDynamicEntry !== true || chunk.imports !== undefined) {
      throw new Error(`the texts of ${language} must be a chunk that imports nothing`);
    }
    return `/${chunk.file}`;
  };
  return { en: address("en"), zh: address("zh") };
}
