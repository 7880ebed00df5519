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
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: setting("CHROMIUM"),
      args: chromiumFlags,
    },
  },
  projects: [
    { name: "en", testIgnore: "once/**", use: { language: "en" } },
    {
      name: "zh",
      // Only tests that depend on the language. One test of the desk, and of accessibility, covers most texts.
      testIgnore: ["once/**", "floor-plans.spec.ts", "unexpected-error.spec.ts"],
      grepInvert:
        /(desk\.spec\.ts (?!a lead is called, assigned)|accessibility\.spec\.ts (?!the home page|no page scrolls sideways))/,
      use: { language: "zh" },
    },
    { name: "once", testMatch: "once/**", use: { language: "en" } },
  ],
});
