// Weighs what the pages ask for, as it travels, and fails when a budget is exceeded. 1 KB = 1000 bytes.
import { resolve } from "node:path";
import { weighPage } from "./page-weight.mjs";

const documents = ["index.html", "floor-plans/index.html"];
const kilobytes = { document: 16, script: 140, style: 12, picture: 120 };
const budgets = {
  en: { ...kilobytes, font: 48 },
  zh: { ...kilobytes, font: 85 },
};
/** Without these a page would not be the site's: nothing found means that the weighing is broken. */
const indispensable = ["document", "script", "style", "font"];

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
  if (!kept) {
    console.error("A budget is exceeded, or something weighs nothing: see the lines above.");
  }
  return kept;
}

if (process.argv[1] === import.meta.filename) {
  const kept = await checkBudgets(resolve(import.meta.dirname, "../dist"));
  process.exitCode = kept ? 0 : 1;
}
