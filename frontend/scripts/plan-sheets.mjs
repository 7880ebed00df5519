import { cp } from "node:fs/promises";
import { resolve } from "node:path";
import { loadEnv, runnerImport } from "vite";

const root = resolve(import.meta.dirname, "..");

/**
 * Copies the floor plan sheets to `plans/` if this build offers downloads.
 * @param {string} dist
 */
export async function copyPlanSheets(dist) {
  /** @type {{ module: typeof import("../site/settings.ts") }} */
  const { module } = await runnerImport(resolve(root, "site/settings.ts"));
  if (module.readSettings(loadEnv("production", root, "VITE_")).planDownloads) {
    await cp(resolve(root, "../art/dist/sheets"), resolve(dist, "plans"), { recursive: true });
  }
}
