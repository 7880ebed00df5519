// Weighs what the home document asks for, as it travels, and fails when a budget is exceeded. 1 KB = 1000 bytes.
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";

const dist = resolve(import.meta.dirname, "../dist");

const budgets = {
  en: { document: 16, script: 140, style: 12, font: 48 },
  zh: { document: 16, script: 140, style: 12, font: 85 },
};

let exceeded = false;
for (const [language, budget] of Object.entries(budgets)) {
  const document = resolve(dist, "documents", language, "index.html");
  const html = await readFile(document, "utf8");
  const weights = {
    document: await bytes(`${document}.gz`),
    script: await total(
      html,
      /<(?:script[^>]* src|link rel="modulepreload"[^>]* href)="([^"]+)"/g,
      ".gz",
    ),
    style: await total(html, /<link rel="stylesheet"[^>]* href="([^"]+)"/g, ".gz"),
    font: await total(html, /<link rel="preload" href="([^"]+)" as="font"/g, ""),
  };
  for (const kind of /** @type {const} */ (["document", "script", "style", "font"])) {
    const kilobytes = weights[kind] / 1000;
    const over = kilobytes > budget[kind];
    exceeded ||= over || kilobytes === 0;
    console.log(
      `${over ? "OVER" : "ok"}  ${language} ${kind.padEnd(8)} ${kilobytes.toFixed(1).padStart(6)} of ${budget[kind]} KB`,
    );
  }
}
if (exceeded) {
  console.error("A budget is exceeded, or something weighs nothing: see the lines above.");
  process.exit(1);
}

/** @param {string} html @param {RegExp} pattern @param {string} suffix */
async function total(html, pattern, suffix) {
  const sizes = [...html.matchAll(pattern)].map(([, address]) =>
    bytes(`${resolve(dist, `.${address}`)}${suffix}`),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** @param {string} file */
async function bytes(file) {
  return (await stat(file)).size;
}
