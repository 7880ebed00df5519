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
  expect: {
    timeout: 10_000,
    // Chromium 138 and 156 differ by 20 pixels, a missing line of text by more than 500.
    toHaveScreenshot: {
      threshold: 0.02,
      maxDiffPixels: 100,
      pathTemplate: "{testDir}/screens/{arg}{ext}",
    },
  },
  reporter: "list",
  use: {
    baseURL: setting("SITE_URL"),
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: setting("CHROMIUM"),
      // With hinting, the widths of glyphs depend on the machine.
      args: [...chromiumFlags, "--font-render-hinting=none"],
    },
  },
  projects: [
    { name: "en", use: { language: "en" } },
    // Tests of what differs in Chinese. Unit tests cover the rest.
    { name: "zh", grep: /@zh/, use: { language: "zh" } },
  ],
});
