import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the build for the server is, which renders the documents. */
export const prerenderDir = resolve(import.meta.dirname, "../.generated/prerender");

/**
 * Writes a document for every route and language, and what else the server reads or serves at the root.
 * @param {string} dist bundled, with its manifest
 * @param {(html: string) => string} finish changes each document before it is written
 */
export async function writeDocuments(dist, finish = (html) => html) {
  const template = await readFile(resolve(dist, "index.html"), "utf8");
  /** @type {typeof import("../src/entry-server.tsx")} */
  const { frameSource, prerender, rootFiles } = await import(
    pathToFileURL(resolve(prerenderDir, "entry-server.js")).href
  );
  const fonts = await preloadedFonts(dist);
  const scripts = await messageScripts(dist);
  // Script fills the desk's document in the language of its `lang`.
  const desk = await readFile(resolve(dist, "desk/index.html"), "utf8");
  for (const { path, html } of [
    ...(await prerender({ template, fonts, messageScripts: scripts })),
    { path: "en/desk/index.html", html: desk },
    {
      path: "zh/desk/index.html",
      html: desk.replace('<html lang="en">', '<html lang="zh-Hans">'),
    },
  ]) {
    const file = resolve(dist, "documents", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, finish(html));
  }
  // The server's configuration includes it; no address leads to it.
  await writeFile(
    resolve(dist, "frame-src.conf"),
    `map "" $frame_src {\n    default "${frameSource}";\n}\n`,
  );
  for (const [name, text] of Object.entries(rootFiles)) {
    await writeFile(resolve(dist, name), text);
  }
  // Only the documents are served: the bare templates must not be among them.
  await rm(resolve(dist, "index.html"));
  await rm(resolve(dist, "desk"), { recursive: true });
  await rm(resolve(dist, ".vite"), { recursive: true });
}

/**
 * The fonts of the first screen, by language.
 * @param {string} dist
 */
async function preloadedFonts(dist) {
  const assets = await readdir(resolve(dist, "assets"));
  /** @param {string} start */
  const address = (start) => {
    const file = assets.find((name) => name.startsWith(start) && name.endsWith(".woff2"));
    if (file === undefined) {
      throw new Error(`the build contains no font whose name starts with ${start}`);
    }
    return `/assets/${file}`;
  };
  const latin = [address("marcellus"), address("instrument-sans")];
  return { en: latin, zh: [...latin, address("zyon-serif-sc")] };
}

/**
 * The script with what the first screen says in each language.
 * @param {string} dist
 */
async function messageScripts(dist) {
  const manifest = JSON.parse(await readFile(resolve(dist, ".vite/manifest.json"), "utf8"));
  /** @param {string} language */
  const address = (language) => {
    const chunk = manifest[`src/i18n/${language}-first.ts`];
    if (chunk?.isDynamicEntry !== true || chunk.imports !== undefined) {
      throw new Error(`the texts of ${language} must be a chunk without imports`);
    }
    return `/${chunk.file}`;
  };
  return { en: address("en"), zh: address("zh") };
}
