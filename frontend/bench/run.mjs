// Compares the built site with its client-rendered copy from `in-browser.mjs`. `cargo xtask bench --site` serves both.
// `--small` only checks that every figure can be measured.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { documentOf } from "./document.mjs";
import { figuresOf, runLighthouse } from "./lighthouse.mjs";
import { median, rowsOf, tableOf } from "./report.mjs";
import { visit } from "./visit.mjs";

/** @typedef {import("./report.mjs").Figure} Figure */
/** @typedef {import("./report.mjs").Rounds} Rounds */

const { values: options } = parseArgs({
  options: {
    origin: { type: "string" },
    "in-browser-origin": { type: "string" },
    small: { type: "boolean", default: false },
    document: { type: "string" },
  },
});
const chromium = process.env["CHROMIUM"];
if (!options.origin || !options["in-browser-origin"] || !chromium) {
  throw new Error(
    "set --origin, --in-browser-origin and the variable CHROMIUM, or run `cargo xtask bench --site`",
  );
}
const origins = { ours: options.origin, inBrowser: options["in-browser-origin"] };
const pages = ["/", "/?lang=zh", "/floor-plans", "/floor-plans?lang=zh"];
const count = options.small ? 1 : 5;

/** @type {import("./lighthouse.mjs").LighthouseReport[]} */
const reports = [];
const rows = [["page", "figure", "ours", "client-rendered", "ratio", ""]];
for (const page of options.small ? pages.slice(0, 1) : pages) {
  const rounds = await byTurns(`Lighthouse at ${page}`, async (origin) => {
    const report = await runLighthouse(`${origin}${page}`, chromium);
    reports.push(report);
    return figuresOf(report);
  });
  rows.push(...rowsOf(page, rounds));
}
rows.push(...rowsOf("a visit", await byTurns("a visit", (origin) => visit(origin, chromium))));

const table = tableOf(rows);
console.log(table);
if (options.document) {
  const answer = await fetch(origins.ours, { headers: { "Accept-Encoding": "br, gzip" } });
  const measured = {
    table,
    count,
    lighthouse: reports[0]?.lighthouseVersion ?? "",
    browser: /Chrome\/(\S+)/.exec(reports[0]?.environment.hostUserAgent ?? "")?.[1] ?? "",
    speed: median(reports.map(({ environment }) => environment.benchmarkIndex)),
    encoding: answer.headers.get("content-encoding") ?? "uncompressed",
  };
  await writeFile(options.document, documentOf(measured, new Date()));
}

/**
 * Measures both sites in each round, and reverses their order after every round.
 * @param {string} title
 * @param {(origin: string) => Promise<Figure[]>} measure
 */
async function byTurns(title, measure) {
  /** @type {Rounds} */
  const rounds = { ours: [], inBrowser: [] };
  const order = /** @type {(keyof Rounds)[]} */ (["ours", "inBrowser"]);
  for (let round = 1; round <= count; round += 1) {
    for (const site of order) {
      console.error(`${title}, ${round} of ${count}: ${origins[site]}`);
      rounds[site].push(await measure(origins[site]));
    }
    order.reverse();
  }
  return rounds;
}
