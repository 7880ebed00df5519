// Creates the Chinese heading font: Noto Serif SC, reduced to the characters of the site's headings.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import subsetFont from "subset-font";
import { runnerImport } from "vite";

const root = resolve(import.meta.dirname, "..");
const subsetFile = resolve(root, ".generated/fonts/zyon-serif-sc.woff2");
const fullFont = createRequire(import.meta.url).resolve(
  "@fontsource/noto-serif-sc/files/noto-serif-sc-chinese-simplified-500-normal.woff2",
);

/** Every character of the texts under a `heading` key that the Latin fonts do not have. */
export async function headingCharacters() {
  const { module } = await runnerImport(resolve(root, "site/i18n/all-languages.ts"));
  const characters = new Set(headingsOf(module.messages.zh).join(""));
  return [...characters]
    .filter((character) => character > "\u2000")
    .sort()
    .join("");
}

/** @param {object} messages @returns {string[]} */
function headingsOf(messages) {
  return Object.entries(messages).flatMap(([key, value]) => {
    if (typeof value === "string") {
      return key === "heading" ? [value] : [];
    }
    return headingsOf(value);
  });
}

/** @returns {Promise<Buffer>} the heading font, as woff2 */
export async function subsetHeadingFont() {
  return subsetFont(await readFile(fullFont), await headingCharacters(), { targetFormat: "woff2" });
}

export async function writeHeadingFont() {
  await mkdir(dirname(subsetFile), { recursive: true });
  await writeFile(subsetFile, await subsetHeadingFont());
}

if (process.argv[1] === import.meta.filename) {
  await writeHeadingFont();
}
