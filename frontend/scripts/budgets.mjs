// Weighs what the pages ask for and the pictures, as they travel, and fails when a budget is exceeded. 1 KB = 1000 bytes.
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { travelling, weighPage } from "./page-weight.mjs";

const documents = ["index.html", "floor-plans/index.html"];
const kilobytes = { document: 16, script: 140, style: 12, picture: 120 };
const budgets = {
  en: { ...kilobytes, font: 48 },
  zh: { ...kilobytes, font: 85 },
};
/** Without these a page would not be the site's: nothing found means that the weighing is broken. */
const indispensable = ["document", "script", "style", "font"];

/** What each of the files that a pattern finds may weigh, and how many there are. */
const pictures = [
  { what: "hero, 1600 wide", pattern: /^hero-1600-.*\.avif$/, count: 1, kilobytes: 90 },
  { what: "hero, 768 wide", pattern: /^hero-768-.*\.avif$/, count: 1, kilobytes: 30 },
  { what: "floor plans", pattern: /-(card|large)-(en|zh)-.*\.svg$/, count: 48, kilobytes: 14 },
  { what: "map", pattern: /^map-.*\.svg$/, count: 1, kilobytes: 30 },
];

/**
 * Prints every weight beside its budget.
 * @param {string} dist the built site
 * @returns {Promise<boolean>} whether all are kept
 */
export async function checkBudgets(dist) {
  let kept = true;
  for (const [language, budget] of Object.entries(budgets)) {
    for (const document of documents) {
      const path = `documents/${language}/${document}`;
      const weight = await weighPage(dist, path);
      console.log(`${path}, in KB as it travels`);
      for (const kind of /** @type {(keyof typeof budget)[]} */ (Object.keys(budget))) {
        const good =
          weight[kind] <= budget[kind] * 1000 &&
          (weight[kind] > 0 || !indispensable.includes(kind));
        kept &&= good;
        const figure = (weight[kind] / 1000).toFixed(1).padStart(6);
        console.log(`  ${good ? "ok  " : "OVER"} ${kind.padEnd(12)}${figure} of ${budget[kind]}`);
      }
      const foreign = weight.foreign.length;
      kept &&= foreign === 0;
      console.log(`  ${foreign === 0 ? "ok  " : "OVER"} third party ${foreign} of 0 requests`);
      for (const address of weight.foreign) {
        console.log(`         ${address}`);
      }
    }
  }
  const assets = resolve(dist, "assets");
  const names = await readdir(assets);
  console.log("pictures, in KB as the heaviest of them travels");
  for (const { what, pattern, count, kilobytes: budget } of pictures) {
    const files = names.filter((name) => pattern.test(name));
    const weights = await Promise.all(files.map((name) => travelling(resolve(assets, name))));
    const heaviest = Math.max(0, ...weights);
    const good = files.length === count && heaviest <= budget * 1000;
    kept &&= good;
    const figure = (heaviest / 1000).toFixed(1).padStart(6);
    console.log(
      `  ${good ? "ok  " : "OVER"} ${what.padEnd(18)}${figure} of ${budget}, ${files.length} of ${count} files`,
    );
  }
  if (!kept) {
    console.error("A budget is exceeded, or something is missing: see the lines above.");
  }
  return kept;
}

if (process.argv[1] === import.meta.filename) {
  const kept = await checkBudgets(resolve(import.meta.dirname, "../dist"));
  process.exitCode = kept ? 0 : 1;
}
