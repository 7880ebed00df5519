import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Window } from "happy-dom";
import { parseAst } from "vite";
import { candidatesOf, phone, shownPicture } from "./shown-picture.mjs";

/**
 * What a document asks for before its reader scrolls or presses anything, in bytes as they travel.
 * @typedef {object} PageWeight
 * @property {number} document
 * @property {number} script scripts, preloaded modules, and what these import statically
 * @property {number} style
 * @property {number} font those that the document preloads
 * @property {number} picture what a phone shows of the pictures that are not lazy, and those that the styles name
 * @property {string[]} foreign addresses of other origins that would be fetched
 */

/**
 * @param {string} dist the built site
 * @param {string} file a document below it
 * @returns {Promise<PageWeight>}
 */
export async function weighPage(dist, file) {
  const window = new Window({ width: phone.width, height: phone.height });
  try {
    const html = await readFile(resolve(dist, file), "utf8");
    const document = new window.DOMParser().parseFromString(html, "text/html");
    const all = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)];
    const read = (/** @type {string} */ selector, /** @type {string} */ attribute) =>
      all(selector).map((element) => element.getAttribute(attribute) ?? "");

    const styles = read('link[rel="stylesheet"]', "href");
    const named = await addressesInStyles(dist, styles);
    const sets = [...read("[srcset]", "srcset"), ...read("[imagesrcset]", "imagesrcset")];
    const fetched = [
      ...read("[src]", "src"),
      ...read('link:not([rel="canonical"], [rel="alternate"])', "href"),
      ...sets.flatMap((set) => candidatesOf(set).map(({ address }) => address)),
      ...read("[poster]", "poster"),
      ...read("object[data]", "data"),
      ...read("image[href], use[href]", "href"),
      ...named,
    ];
    const scripts = [...read("script[src]", "src"), ...read('link[rel="modulepreload"]', "href")];
    const pictures = all('img:not([loading="lazy"]), link[rel="preload"][as="image"]');
    return {
      document: await travelling(resolve(dist, file)),
      script: await total(dist, await withImports(dist, scripts)),
      style: await total(dist, styles),
      font: await total(dist, read('link[rel="preload"][as="font"]', "href")),
      picture: await total(dist, [
        ...pictures.map((picture) => shownPicture(picture, window)),
        ...named.filter((address) => !address.endsWith(".woff2")),
      ]),
      foreign: [...new Set(fetched.filter(isForeign))],
    };
  } finally {
    await window.happyDOM.close();
  }
}

/**
 * Modules, and all that they import before they run.
 * @param {string} dist
 * @param {string[]} entries
 */
async function withImports(dist, entries) {
  const found = new Set(entries.filter((address) => !isForeign(address)));
  // A set may grow while it is walked.
  for (const address of found) {
    for (const statement of parseAst(await readFile(fileOf(dist, address), "utf8")).body) {
      if ("source" in statement && statement.source) {
        found.add(new URL(String(statement.source.value), absolute(address)).pathname);
      }
    }
  }
  return [...found];
}

/**
 * @param {string} dist
 * @param {string[]} styles
 */
async function addressesInStyles(dist, styles) {
  const own = styles.filter((address) => !isForeign(address));
  const found = own.map(async (style) => {
    const css = await readFile(fileOf(dist, style), "utf8");
    return [...css.matchAll(/(?:url\(|@import)\s*["']?([^"')\s;]+)/g)]
      .map(([, address = ""]) => address)
      .filter((address) => !/^(#|data:)/.test(address))
      .map((address) =>
        isForeign(address) ? address : new URL(address, absolute(style)).pathname,
      );
  });
  return (await Promise.all(found)).flat();
}

/**
 * @param {string} dist
 * @param {string[]} addresses each counts once; those of other origins are counted by nobody
 */
async function total(dist, addresses) {
  const own = new Set(addresses.filter((address) => !isForeign(address)));
  const sizes = [...own].map((address) => travelling(fileOf(dist, address)));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/**
 * The size of a file as it is sent: compressed, where the build made that form.
 * @param {string} file
 */
export async function travelling(file) {
  return (await stat(`${file}.gz`).catch(() => stat(file))).size;
}

/**
 * @param {string} dist
 * @param {string} address
 */
function fileOf(dist, address) {
  return resolve(dist, `.${absolute(address).pathname}`);
}

/** @param {string} address */
function isForeign(address) {
  const { protocol, origin } = absolute(address);
  return protocol !== "data:" && origin !== absolute("/").origin;
}

/** @param {string} address */
function absolute(address) {
  return new URL(address, "http://site.invalid/");
}
