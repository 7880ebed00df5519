// Draws the floor plans of art/plans: as SVG, offered as the module `virtual:plans`, and as PDF sheets to download.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { runnerImport } from "vite";
import { writeWhole } from "./write-whole.mjs";

const root = resolve(import.meta.dirname, "..");
const drawnDir = resolve(root, ".generated/plans");
const sourceDirs = ["art/plans", "art/plans/units", "src/i18n/drawings"];

/**
 * A drawing, and where its file is from the site's root.
 * @typedef {Omit<import("../art/plans/render.ts").RenderedPlan, "svg"> & { file: string }} DrawnPlan
 */

/**
 * Makes `virtual:plans`, whose types are in src/plans.d.ts.
 * @returns {import("vite").Plugin}
 */
export function plansPlugin() {
  const id = "\0virtual:plans";
  return {
    name: "plans",
    resolveId: (source) => (source === "virtual:plans" ? id : null),
    async load(loaded) {
      if (loaded !== id) {
        return null;
      }
      const sources = await sourceFiles();
      for (const source of sources) {
        this.addWatchFile(source);
      }
      return moduleText(await drawnPlans(sources));
    },
  };
}

/**
 * Writes the sheet of every unit in every language to where the site serves it.
 * @param {string} dist the built site
 */
export async function writePlanSheets(dist) {
  /** @type {typeof import("../art/plans/render-sheets.ts")} */
  const { renderAllSheets } = await load("art/plans/render-sheets.ts");
  for (const { path, pdf } of await renderAllSheets()) {
    const file = resolve(dist, `.${path}`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, pdf);
  }
}

/** @param {DrawnPlan[]} plans */
function moduleText(plans) {
  const imports = plans.map(
    ({ file }, index) => `import _${index} from ${JSON.stringify(`/${file}`)};`,
  );
  /** @type {Map<string, Map<string, string[]>>} */
  const units = new Map();
  for (const [index, { id, language, variant, width, height }] of plans.entries()) {
    const variants = units.get(id) ?? new Map();
    units.set(id, variants);
    const fields = variants.get(variant) ?? [`width: ${width}`, `height: ${height}`];
    variants.set(variant, [...fields, `${language}: _${index}`]);
  }
  const entries = [...units].map(([id, variants]) => {
    const texts = [...variants].map(([variant, fields]) => `${variant}: { ${fields.join(", ")} }`);
    return `${id}: { ${texts.join(", ")} },`;
  });
  return [...imports, "export const plans = {", ...entries, "};"].join("\n");
}

/**
 * Draws what was not drawn yet from the same sources.
 * @param {string[]} sources
 * @returns {Promise<DrawnPlan[]>}
 */
async function drawnPlans(sources) {
  const digest = createHash("sha256");
  for (const source of [...sources, resolve(root, "package-lock.json")]) {
    digest.update(await readFile(source));
  }
  const version = digest.digest("hex").slice(0, 12);
  const dir = resolve(drawnDir, version);
  const index = resolve(dir, "index.json");
  try {
    return JSON.parse(await readFile(index, "utf8"));
  } catch {
    await mkdir(dir, { recursive: true });
  }
  /** @type {typeof import("../art/plans/render.ts")} */
  const { renderAllPlans } = await load("art/plans/render.ts");
  const plans = await Promise.all(
    (await renderAllPlans()).map(async ({ svg, ...plan }) => {
      const file = resolve(dir, `${plan.id.toLowerCase()}-${plan.variant}-${plan.language}.svg`);
      await writeWhole(file, svg);
      return { ...plan, file: relative(root, file) };
    }),
  );
  await writeWhole(index, JSON.stringify(plans));
  return plans;
}

async function sourceFiles() {
  const files = await Promise.all(
    sourceDirs.map(async (dir) =>
      (await readdir(resolve(root, dir))).map((name) => resolve(root, dir, name)),
    ),
  );
  return files
    .flat()
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .sort();
}

/** @param {string} path */
async function load(path) {
  // Without the site's plugins: they would load this module again.
  const { module } = await runnerImport(resolve(root, path), { root, configFile: false });
  return module;
}
