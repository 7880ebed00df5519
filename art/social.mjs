// Draws the pictures beside shared links: dist/public/social-{en,zh}.jpg for the pages. Run it when the hero or its line
// changes: CHROMIUM=/path/to/chromium node social.mjs
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { runnerImport } from "vite";

const root = import.meta.dirname;
const publicDir = resolve(root, "dist/public");
const size = { width: 1200, height: 630 };
/** Some programs show no larger ones. */
const MAX_BYTES = 120_000;
const fonts = {
  Marcellus: "@fontsource/marcellus/files/marcellus-latin-400-normal.woff2",
  "Instrument Sans":
    "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2",
  "Noto Serif SC":
    "@fontsource/noto-serif-sc/files/noto-serif-sc-chinese-simplified-500-normal.woff2",
};

const { module } = await runnerImport(resolve(root, "../frontend/src/i18n/all-languages.ts"));
const browser = await chromium.launch(
  process.env["CHROMIUM"] === undefined ? {} : { executablePath: process.env["CHROMIUM"] },
);
try {
  // Drawn at twice the size and made smaller, so that the letters' edges are smooth.
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 2 });
  for (const language of ["en", "zh"]) {
    await page.setContent(await cardOf(language, module.messages[language]));
    await page.evaluate(() => document.fonts.ready);
    await writeFile(
      resolve(publicDir, `social-${language}.jpg`),
      await encode(await page.screenshot()),
    );
  }
} finally {
  await browser.close();
}

/** @param {Buffer} screenshot */
async function encode(screenshot) {
  const small = await sharp(screenshot).resize(size).png().toBuffer();
  for (let quality = 86; quality > 60; quality -= 2) {
    const jpeg = await sharp(small).jpeg({ quality, mozjpeg: true }).toBuffer();
    if (jpeg.length <= MAX_BYTES) {
      return jpeg;
    }
  }
  throw new Error(`the picture exceeds ${MAX_BYTES} bytes at the lowest quality`);
}

/**
 * @param {string} language
 * @param {import("../frontend/src/i18n/messages.ts").Messages} messages
 */
async function cardOf(language, messages) {
  const hero = await dataUrl(resolve(root, "masters/hero.jpg"), "image/jpeg");
  return `<!doctype html>
<html lang="${language}">
<style>
  ${(await Promise.all(Object.entries(fonts).map(fontFace))).join("\n  ")}
  * { margin: 0; }
  body {
    position: relative;
    box-sizing: border-box;
    width: ${size.width}px;
    height: ${size.height}px;
    padding: 60px 72px;
    overflow: hidden;
    color: #f7f3ec;
    font: 400 33px/1.4 "Instrument Sans", "Noto Serif SC";
    background: url(${hero}) -96px 0 / auto 103% #14232e;
  }
  body::before {
    position: absolute;
    inset: 0;
    content: "";
    background: linear-gradient(90deg, #2b4257, #3a536a 36%, #5d7487 48%, #a3b2bd 56%, #fff 66%);
    mix-blend-mode: multiply;
  }
  body > * { position: relative; }
  svg { display: block; width: 62px; }
  h1 {
    margin: 52px 0 30px -4px;
    font: 400 104px/1.04 Marcellus;
    letter-spacing: 0.08em;
    text-transform: uppercase;
  }
  h1 span { display: block; }
  p { max-width: 17em; text-wrap: balance; }
  :lang(zh) p { font-size: 34px; line-height: 1.6; word-break: keep-all; max-width: 11em; }
  small { position: absolute; right: 24px; bottom: 24px; padding: 4px 12px; font-size: 19px; background: rgb(20 35 46 / 62%); }
</style>
<svg viewBox="-8 0 100 124">
  <path fill="#f7f3ec" d="M0 100V14Q0 0 14 0H22V100ZM32 100V0H40Q54 0 54 14V100ZM64 100V46H78Q84 46 84 52V100Z"/>
  <path fill="none" stroke="#d9b98a" stroke-width="6" stroke-linecap="round" d="M-6 116Q16 106 39 116T90 114"/>
</svg>
<h1><span>Zyon</span><span>Grand</span></h1>
<p>${messages.hero.lead}</p>
<small>${messages.impression}</small>
</html>`;
}

/** @param {[family: string, file: string]} font */
async function fontFace([family, file]) {
  const address = await dataUrl(createRequire(import.meta.url).resolve(file), "font/woff2");
  return `@font-face { font-family: "${family}"; font-weight: 400 700; src: url(${address}); }`;
}

/**
 * @param {string} file
 * @param {string} type
 */
async function dataUrl(file, type) {
  return `data:${type};base64,${await readFile(file, "base64")}`;
}
