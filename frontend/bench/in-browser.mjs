// Builds the site once more, with documents whose root is empty, so that all of it is rendered in the browser:
// `node bench/in-browser.mjs COPY`, after `npm run build`.
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { build } from "vite";
import { compressFiles } from "../scripts/compress.mjs";
import { writeDocuments } from "../scripts/documents.mjs";

const root = resolve(import.meta.dirname, "..");

/**
 * A document without its rendered page. Its scripts lose their low priority, since nothing is there to be seen first,
 * and all of them are asked for at once, since all of the page waits for them.
 * @param {string} document as it is prerendered
 * @param {string[]} scripts names in `assets/`
 */
export function emptied(document, scripts) {
  const page = /(?<=<div id="root">).+(?=<\/div>\s*<\/body>)/s;
  if (!page.test(document)) {
    throw new Error("the document has no rendered page to take out");
  }
  const preloads = scripts.map((name) => `<link rel="modulepreload" href="/assets/${name}" />`);
  return document
    .replace(page, "")
    .replaceAll(' fetchpriority="low"', "")
    .replace("</head>", `${preloads.join("")}</head>`);
}

/** What a page is made of, but for what one of them has alone or only an interaction wants. */
const WANTED = /^(entry-client|libraries|sections|contact|preload-helper|rolldown-runtime)-/;

/**
 * Has the client render instead of hydrating: hydration of an empty root fails first, which would cost the copy time.
 * @returns {import("vite").Plugin}
 */
function renderInBrowser() {
  return {
    name: "render-in-browser",
    enforce: "pre",
    // Nothing is painted that could be waited for.
    transform: (code, id) =>
      id === resolve(root, "src/boot.ts")
        ? 'import "#styles/site.css";\nimport("./entry-client.tsx");'
        : code,
    resolveId: (source, importer) =>
      source === "react-dom/client" && importer === resolve(root, "src/entry-client.tsx")
        ? resolve(import.meta.dirname, "create-root.mjs")
        : null,
  };
}

if (process.argv[1] === import.meta.filename) {
  const copy = process.argv[2];
  if (copy === undefined) {
    throw new Error("usage: node bench/in-browser.mjs COPY");
  }
  // Vite would take it for development otherwise, as scripts/build.mjs says.
  process.env["NODE_ENV"] = "production";
  await build({
    root,
    logLevel: "warn",
    plugins: [renderInBrowser()],
    build: { manifest: true, outDir: resolve(copy), emptyOutDir: true },
  });
  const scripts = (await readdir(resolve(copy, "assets"))).filter(
    (name) => name.endsWith(".js") && WANTED.test(name),
  );
  await writeDocuments(copy, (document) => emptied(document, scripts));
  await compressFiles(copy);
}
