import { defineConfig } from "@playwright/test";
import type { EngineOptions, EngineWorkerOptions } from "./e2e-engines/support/test.ts";
import { languages } from "./shared/i18n/language.ts";

/** Tests in the engines of other browsers than Chromium, through their WebDriver. */
export default defineConfig<EngineOptions, EngineWorkerOptions>({
  testDir: "e2e-engines",
  outputDir: "test-results",
  forbidOnly: true,
  retries: 0,
  workers: "100%",
  timeout: 120_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  projects: (["webkit", "firefox"] as const).flatMap((engine) =>
    languages.map((language) => ({ name: `${engine}-${language}`, use: { engine, language } })),
  ),
});
