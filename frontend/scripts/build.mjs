// Builds the site into dist/: assets, then one document per route and language, then their compressed forms.
// `--release` fails while items in content or settings are open.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "vite";
import { chunkOf } from "./chunks.mjs";
import { compressFiles } from "./compress.mjs";
import { prerenderDir, writeDocuments } from "./documents.mjs";
import { writeHeadingFont } from "./fonts.mjs";
import { copyPlanSheets } from "./plan-sheets.mjs";
import { checkOpenItems } from "./release.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = resolve(root, "dist");

// Otherwise the first steps, which load modules through Vite, set the whole process to development mode.
process.env["NODE_ENV"] = "production";

const { values: options } = parseArgs({
  options: { release: { type: "boolean", default: false } },
});
if (!(await checkOpenItems(options.release))) {
  process.exit(1);
}

console.log("fonts: subsetting the Chinese heading font");
await writeHeadingFont();

console.log("assets: bundling");
await build({
  root,
  logLevel: "warn",
  build: {
    manifest: true,
    rolldownOptions: {
      input: "site/boot.ts",
      output: {
        codeSplitting: { groups: [{ name: chunkOf }], includeDependenciesRecursively: false },
      },
    },
  },
});
// Separate, so that the site's chunks do not depend on what it shares with the desk.
await build({
  root,
  logLevel: "warn",
  publicDir: false,
  build: { emptyOutDir: false, rolldownOptions: { input: "desk/index.html" } },
});
await copyPlanSheets(dist);
await build({
  root,
  logLevel: "warn",
  publicDir: false,
  build: { ssr: "site/entry-server.tsx", outDir: prerenderDir, emptyOutDir: true },
});

console.log("documents: prerendering");
await writeDocuments(dist);

console.log("files: compressing");
const count = await compressFiles(dist);
console.log(`done: dist/ with ${count} compressible files`);
