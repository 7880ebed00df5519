import { defineConfig } from "@playwright/test";
import { setting } from "./e2e/support/settings.ts";
import type { SiteOptions } from "./e2e/support/site.ts";
import { chromiumFlags } from "./scripts/chromium.mjs";

export default defineConfig<SiteOptions>({
  testDir: "e2e",
  outputDir: "test-results",
  forbidOnly: true,
  retries: 0,
  // One at a time: the tests share one stack, and one of them kills its broker.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // Counts for a caller, in the file that PLAYWRIGHT_JSON_OUTPUT_NAME names.
  reporter: process.env["PLAYWRIGHT_JSON_OUTPUT_NAME"] ? [["line"], ["json"]] : [["line"]],
  use: {
    baseURL: setting("SITE_URL"),
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: setting("CHROMIUM"),
      args: chromiumFlags,
    },
  },
  projects: [
    { name: "en", testIgnore: "once/**", use: { language: "en" } },
    { name: "zh", testIgnore: "once/**", use: { language: "zh" } },
    { name: "once", testMatch: "once/**", use: { language: "en" } },
  ],
});
