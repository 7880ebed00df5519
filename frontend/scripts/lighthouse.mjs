// Measures the site with Lighthouse as on a phone and exits 1 if a score misses its limit:
// npm run lighthouse -- http://localhost:8080 --runs 5. CHROME_PATH names the browser.
import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { chromiumFlags } from "./chromium.mjs";

// The last version that runs on Node 20. It is not a dependency, because it needs 185 MB.
const LIGHTHOUSE = "lighthouse@12.8.2";
const limits = { performance: 93, accessibility: 100, "best-practices": 100, seo: 100 };
const columns = ["perf", "a11y", "best", "seo", "FCP ms", "LCP ms", "TBT ms", "CLS", "JS KB gzip"];

const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "5" } },
  allowPositionals: true,
});
const origin = positionals[0] ?? "http://localhost:8080";
console.log(["page".padEnd(22), ...columns.map((name) => name.padStart(11))].join(""));
for (const path of ["/", "/?lang=zh", "/floor-plans", "/floor-plans?lang=zh"]) {
  /** @type {number[][]} */
  const runs = [];
  while (runs.length < Number(values.runs)) {
    runs.push(await measure(`${origin}${path}`));
  }
  const medians = columns.map((_, at) => median(runs.map((run) => run[at] ?? Number.NaN)));
  console.log([path.padEnd(22), ...medians.map((value) => `${value}`.padStart(11))].join(""));
  if (Object.values(limits).some((limit, at) => !((medians[at] ?? 0) >= limit))) {
    process.exitCode = 1;
  }
}

/** @param {string} address */
async function measure(address) {
  const flags = `--chrome-flags=${["--headless", ...chromiumFlags].join(" ")}`;
  const options = ["--output=json", "--quiet", "--no-enable-error-reporting", flags];
  const { stdout } = await promisify(execFile)("npx", ["--yes", LIGHTHOUSE, address, ...options], {
    maxBuffer: 2 ** 28,
  });
  const { categories, audits } = JSON.parse(stdout);
  const value = (/** @type {string} */ audit) => audits[audit].numericValue;
  let bytes = 0;
  for (const { url, resourceType } of audits["network-requests"].details.items) {
    if (resourceType === "Script") {
      bytes += gzipSync(await (await fetch(url)).text(), { level: 9 }).length;
    }
  }
  return [
    ...Object.keys(limits).map((name) => Math.round(100 * categories[name].score)),
    Math.round(value("first-contentful-paint")),
    Math.round(value("largest-contentful-paint")),
    Math.round(value("total-blocking-time")),
    Number(value("cumulative-layout-shift").toFixed(3)),
    Number((bytes / 1000).toFixed(1)),
  ];
}

/** @param {number[]} values */
function median(values) {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
}
