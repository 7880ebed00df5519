// Builds the site into dist/: assets, then one document per route and language, then their compressed forms.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import { compressFiles } from "./compress.mjs";
import { makeFonts } from "./fonts.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = resolve(root, "dist");
const prerenderDir = resolve(root, ".generated/prerender");

// The font step loads a module through Vite, which would make the whole process one for development.
process.env["NODE_ENV"] = "production";

console.log("fonts: cutting the Chinese heading font to the site's headings");
await makeFonts();

console.log("assets: bundling");
await build({ root, logLevel: "warn" });
await build({
  root,
  logLevel: "warn",
  publicDir: false,
  build: { ssr: "src/prerender.tsx", outDir: prerenderDir, emptyOutDir: true },
});

console.log("documents: prerendering");
const template = await readFile(resolve(dist, "index.html"), "utf8");
/** @type {typeof import("../src/prerender.tsx")} */
const { prerender } = await import(pathToFileURL(resolve(prerenderDir, "prerender.js")).href);
for (const { path, html } of prerender({ template, fonts: await preloadedFonts() })) {
  const file = resolve(dist, "documents", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, html);
}
// Only the documents are served: the bare template must not be one of them.
await rm(resolve(dist, "index.html"));

console.log("compressing");
const count = await compressFiles(dist);
console.log(`done: dist/, ${count} files with .gz and .br`);

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
