import { defineConfig } from "@playwright/test";
import { setting } from "./e2e/support/settings.ts";
import type { SiteOptions } from "./e2e/support/site.ts";
import { chromiumFlags } from "./scripts/chromium.mjs";

export default defineConfig<SiteOptions>({
  testDir: "e2e",
  outputDir: "test-results",
  forbidOnly: true,
  retries: 0,
  workers: "100%",
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  use: {
    baseURL: setting("SITE_URL"),
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: setting("CHROMIUM"),
      args: chromiumFlags,
    },
  },
  projects: [
    { name: "en", use: { language: "en" } },
    // Tests of what differs in Chinese. Unit tests cover the rest.
    { name: "zh", grep: /@zh/, use: { language: "zh" } },
  ],
});
