import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The directory of the server build, which renders the documents. */
export const prerenderDir = resolve(import.meta.dirname, "../.generated/prerender");

/** @typedef {Record<string, { file: string, imports?: string[], dynamicImports?: string[] }>} Manifest */

/**
 * Writes a document for every page and language, and the other files that nginx serves or includes.
 * @param {string} dist bundled, with its manifest
 */
export async function writeDocuments(dist) {
  /** @type {typeof import("../site/entry-server.tsx")} */
  const { frameSource, prerender, rootFiles } = await import(
    pathToFileURL(resolve(prerenderDir, "entry-server.js")).href
  );
  // nginx chooses by address and cookie. Without both, the desk's script chooses by the browser's languages.
  const desk = await readFile(resolve(dist, "desk/index.html"), "utf8");
  for (const { path, html } of [
    ...prerender(await assetsOf(dist)),
    { path: "en/desk/index.html", html: desk },
    {
      path: "zh/desk/index.html",
      html: desk.replace('<html lang="en"', '<html lang="zh-Hans"'),
    },
  ]) {
    const file = resolve(dist, "documents", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, html);
  }
  // The configuration of nginx includes this file. nginx does not serve it.
  await writeFile(
    resolve(dist, "frame-src.conf"),
    `map "" $frame_src {\n    default "${frameSource}";\n}\n`,
  );
  for (const [name, text] of Object.entries(rootFiles)) {
    await writeFile(resolve(dist, name), text);
  }
  // nginx serves only the documents.
  await rm(resolve(dist, "desk"), { recursive: true });
  await rm(resolve(dist, ".vite"), { recursive: true });
}

/**
 * Reads the assets of each document from the bundle.
 * @param {string} dist
 * @returns {Promise<import("../site/entry-server.tsx").AssetsOf>}
 */
async function assetsOf(dist) {
  /** @type {Manifest} */
  const manifest = JSON.parse(await readFile(resolve(dist, ".vite/manifest.json"), "utf8"));
  const assets = await readdir(resolve(dist, "assets"));

  /** @param {string} key */
  const address = (key) => {
    const chunk = manifest[key];
    if (chunk === undefined) {
      throw new Error(`the build has no file of ${key}`);
    }
    return `/${chunk.file}`;
  };
  /** @param {string} start */
  const font = (start) => {
    const file = assets.find((name) => name.startsWith(start) && name.endsWith(".woff2"));
    if (file === undefined) {
      throw new Error(`the build has no font whose name starts with ${start}`);
    }
    return `/assets/${file}`;
  };

  const latin = [font("marcellus"), font("instrument-sans")];
  const fonts = { en: latin, zh: [...latin, font("zyon-serif-sc")] };
  const pages = {
    home: ["site/pages/home/home-page.tsx", "home"],
    floorPlans: ["site/pages/floor-plans/floor-plans-page.tsx", "floor-plans"],
    notFound: [],
  };
  return (language, route) => {
    const boot = "site/boot.ts";
    const [page, texts] = pages[route];
    const loaded = [
      ...(manifest[boot]?.dynamicImports ?? []),
      ...(page === undefined ? [] : [page, `site/i18n/${language}/${texts}.ts`]),
    ];
    const modules = loaded.flatMap((key) => importsOf(key, manifest));
    return {
      style: address("style.css"),
      fonts: fonts[language],
      scripts: {
        entry: address(boot),
        modules: [...new Set(modules)].filter((key) => key !== boot).map(address),
      },
    };
  };
}

/**
 * The keys of a chunk and of all that it imports.
 * @param {string} key
 * @param {Manifest} manifest
 * @returns {string[]}
 */
function importsOf(key, manifest) {
  const { imports = [] } = manifest[key] ?? {};
  return [key, ...imports.flatMap((imported) => importsOf(imported, manifest))];
}
