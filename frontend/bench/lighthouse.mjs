import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { chromiumFlags } from "../scripts/chromium.mjs";

/** @typedef {import("./report.mjs").Figure} Figure */

/**
 * What is read of Lighthouse's report.
 * @typedef {object} LighthouseReport
 * @property {string} lighthouseVersion
 * @property {{ benchmarkIndex: number, hostUserAgent: string }} environment
 * @property {{ code: string, message: string }} [runtimeError]
 * @property {{ performance: { score: number | null } }} categories
 * @property {Record<string, { numericValue?: number, details?: { items?: Record<string, unknown>[] } }>} audits
 */

const cli = resolve(import.meta.dirname, "node_modules/lighthouse/cli/index.js");

/** Says Lighthouse when the browser did not record where a page began, which has nothing to do with the page. */
const lostTrace = "NO_NAVSTART";
const attempts = 3;

/**
 * Runs Lighthouse, as a phone, with a profile of its own; once, unless it loses the browser's trace.
 * @param {string} address
 * @param {string} chromium path of the browser
 * @returns {Promise<LighthouseReport>}
 */
export async function runLighthouse(address, chromium) {
  for (let attempt = 1; ; attempt += 1) {
    const report = await reportOf(address, chromium);
    if (!report.runtimeError) {
      return report;
    }
    const { code, message } = report.runtimeError;
    if (code !== lostTrace || attempt === attempts) {
      throw new Error(`Lighthouse at ${address}: ${message}`);
    }
    console.error(`Lighthouse lost the browser's trace at ${address}, retrying`);
  }
}

/**
 * @param {string} address
 * @param {string} chromium
 * @returns {Promise<LighthouseReport>}
 */
async function reportOf(address, chromium) {
  const flags = ["--headless=new", ...chromiumFlags].join(" ");
  const directory = await mkdtemp(join(tmpdir(), "lighthouse-"));
  const path = join(directory, "report.json");
  try {
    const running = promisify(execFile)(
      process.execPath,
      [
        cli,
        address,
        "--output=json",
        `--output-path=${path}`,
        "--quiet",
        "--no-enable-error-reporting",
        "--only-categories=performance",
        `--chrome-flags=${flags}`,
      ],
      { env: { ...process.env, CHROME_PATH: chromium } },
    );
    // A run that failed has a report, too, if it came so far.
    const failure = await running.then(
      () => undefined,
      (error) => error,
    );
    return JSON.parse(
      await readFile(path, "utf8").catch((error) => {
        throw failure ?? error;
      }),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Kinds of requests by the name that Chromium has for them; every other is `other`. */
const kinds = [
  ["documents", "Document"],
  ["scripts", "Script"],
  ["styles", "Stylesheet"],
  ["fonts", "Font"],
  ["images", "Image"],
];

/**
 * @param {LighthouseReport} report
 * @returns {Figure[]}
 */
export function figuresOf(report) {
  const value = (/** @type {string} */ audit) => finite(audit, report.audits[audit]?.numericValue);
  const items = (/** @type {string} */ audit) => report.audits[audit]?.details?.items ?? [];

  const requests = items("network-requests").filter(({ url }) => String(url).startsWith("http"));
  const weight = (/** @type {typeof requests} */ some) =>
    some.reduce((sum, item) => sum + finite("transferSize", item["transferSize"]), 0) / 1000;
  const known = kinds.map(([, type]) => type);
  const others = requests.filter(({ resourceType }) => !known.includes(String(resourceType)));

  const scripting = items("mainthread-work-breakdown")
    .filter(({ group }) => group === "scriptEvaluation" || group === "scriptParseCompile")
    .reduce((sum, { duration }) => sum + finite("duration", duration), 0);

  return [
    {
      name: "Lighthouse performance score",
      unit: "points",
      value: 100 * finite("score", report.categories.performance.score),
    },
    { name: "first contentful paint", unit: "ms", value: value("first-contentful-paint") },
    { name: "largest contentful paint", unit: "ms", value: value("largest-contentful-paint") },
    { name: "speed index", unit: "ms", value: value("speed-index") },
    { name: "time to interactive", unit: "ms", value: value("interactive") },
    { name: "total blocking time", unit: "ms", value: value("total-blocking-time") },
    { name: "main thread, total", unit: "ms", value: value("mainthread-work-breakdown") },
    { name: "main thread, scripting", unit: "ms", value: scripting },
    { name: "layout shift", unit: "shift", value: value("cumulative-layout-shift") },
    { name: "requests", unit: "", value: requests.length },
    { name: "transfer size", unit: "KB", value: weight(requests) },
    ...kinds.map(([name, type]) => ({
      name: `transfer size, ${name}`,
      unit: /** @type {const} */ ("KB"),
      value: weight(requests.filter(({ resourceType }) => resourceType === type)),
    })),
    { name: "transfer size, other", unit: "KB", value: weight(others) },
  ];
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function finite(name, value) {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new Error(`Lighthouse's report has no ${name}`);
  }
  return value;
}
