import { resolve } from "node:path";
import { loadEnv, runnerImport } from "vite";

const root = resolve(import.meta.dirname, "..");

/**
 * An item that must be resolved before a release.
 * @typedef {object} OpenItem
 * @property {string} name
 * @property {string} reason why it is open, and how to resolve it
 */

/**
 * Prints the open items in content and settings.
 * @param {boolean} isRelease whether the build is for the public
 * @returns {Promise<boolean>} whether the build may continue
 */
export async function checkOpenItems(isRelease) {
  const open = await openItems();
  if (open.length === 0) {
    return true;
  }
  if (!isRelease) {
    const names = open.map(({ name }) => name).join(", ");
    console.log(`note: not ready for release, open items: ${names}`);
    return true;
  }
  console.error("Nothing was built. --release requires these open items to be resolved:");
  for (const { name, reason } of open) {
    console.error(`  ${name}: ${reason}`);
  }
  return false;
}

/** @returns {Promise<OpenItem[]>} */
async function openItems() {
  /** @type {{ module: typeof import("../site/content/project.ts") }} */
  const content = await runnerImport(resolve(root, "site/content/project.ts"));
  /** @type {{ module: typeof import("../site/settings.ts") }} */
  const settings = await runnerImport(resolve(root, "site/settings.ts"));
  const { openFacts, project, unconfirmed } = content.module;
  const { LOCAL_KEY, readSettings } = settings.module;
  const { siteOrigin, publicKey, map } = readSettings(loadEnv("production", root, "VITE_"));
  const open = openFacts(project).map((fact) => ({
    name: fact,
    reason: "null in site/content/project.ts",
  }));
  for (const name of unconfirmed) {
    open.push({ name, reason: "not confirmed by the owner, see site/content/project.ts" });
  }
  if (!siteOrigin.startsWith("https://")) {
    const remedy =
      "set VITE_SITE_ORIGIN, in the environment or in .env.production, to its https address";
    open.push({ name: "siteOrigin", reason: `${siteOrigin}; ${remedy}` });
  }
  if (publicKey === LOCAL_KEY) {
    const reason = `${LOCAL_KEY}; set VITE_ANON_KEY to the API's public key`;
    open.push({ name: "publicKey", reason });
  }
  if (!map.address.startsWith("https://")) {
    const reason = "browsers block it in an https page; set VITE_MAP_ADDRESS to an https address";
    open.push({ name: "map", reason });
  }
  return open;
}
