// Draws the preview pictures of shared links: dist/public/social-{en,zh}.jpg for the pages, dist/public/social/ for the
// floor plans. Run it when the hero, its line or a plan changes: CHROMIUM=/path/to/chromium node social.mjs
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { runnerImport } from "vite";

const root = import.meta.dirname;
const publicDir = resolve(root, "dist/public");
const size = { width: 1200, height: 630 };
/** Some programs do not show larger pictures. */
const MAX_BYTES = 120_000;
const MAX_PLAN_BYTES = 60_000;
const logo = `<svg viewBox="-8 0 100 124">
  <path fill="#f7f3ec" d="M0 100V14Q0 0 14 0H22V100ZM32 100V0H40Q54 0 54 14V100ZM64 100V46H78Q84 46 84 52V100Z"/>
  <path fill="none" stroke="#d9b98a" stroke-width="6" stroke-linecap="round" d="M-6 116Q16 106 39 116T90 114"/>
</svg>`;
const fonts = {
  Marcellus: "@fontsource/marcellus/files/marcellus-latin-400-normal.woff2",
  "Instrument Sans":
    "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2",
  "Noto Serif SC":
    "@fontsource/noto-serif-sc/files/noto-serif-sc-chinese-simplified-500-normal.woff2",
};

/** @type {{ module: typeof import("../frontend/site/i18n/all-languages.ts") }} */
const texts = await runnerImport(resolve(root, "../frontend/site/i18n/all-languages.ts"));
/** @type {{ module: typeof import("../frontend/shared/content/floor-plans.ts") }} */
const content = await runnerImport(resolve(root, "../frontend/shared/content/floor-plans.ts"));
const faces = (await Promise.all(Object.entries(fonts).map(fontFace))).join("\n  ");
await mkdir(resolve(publicDir, "social"), { recursive: true });
const browser = await chromium.launch(
  process.env["CHROMIUM"] === undefined ? {} : { executablePath: process.env["CHROMIUM"] },
);
try {
  // Drawn at twice the size and reduced, for smooth edges of letters.
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 2 });
  for (const language of /** @type {const} */ (["en", "zh"])) {
    const messages = texts.module.messages[language];
    await draw(await pageCard(language, messages), `social-${language}.jpg`, MAX_BYTES);
    for (const plan of content.module.floorPlans) {
      const path = content.module.planPicture(plan.id, language);
      await draw(await planCard(language, messages, plan), path, MAX_PLAN_BYTES);
    }
  }

  /**
   * @param {string} html
   * @param {string} path
   * @param {number} maxBytes
   */
  async function draw(html, path, maxBytes) {
    await page.setContent(html);
    await page.evaluate(() => document.fonts.ready);
    await writeFile(`${publicDir}/${path}`, await encode(await page.screenshot(), maxBytes));
  }
} finally {
  await browser.close();
}

/**
 * @param {Buffer} screenshot
 * @param {number} maxBytes
 */
async function encode(screenshot, maxBytes) {
  const small = await sharp(screenshot).resize(size).png().toBuffer();
  for (let quality = 86; quality > 60; quality -= 2) {
    const jpeg = await sharp(small).jpeg({ quality, mozjpeg: true }).toBuffer();
    if (jpeg.length <= maxBytes) {
      return jpeg;
    }
  }
  throw new Error(`the picture exceeds ${maxBytes} bytes at the lowest quality`);
}

/**
 * @param {string} language
 * @param {import("../frontend/site/i18n/messages.ts").Messages} messages
 */
async function pageCard(language, messages) {
  const hero = await dataUrl(resolve(root, "masters/hero.jpg"), "image/jpeg");
  return `<!doctype html>
<html lang="${language}">
<style>
  ${faces}
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
${logo}
<h1><span>Zyon</span><span>Grand</span></h1>
<p>${messages.hero.lead}</p>
<small>${messages.impression}</small>
</html>`;
}

/**
 * @param {"en" | "zh"} language
 * @param {import("../frontend/site/i18n/messages.ts").Messages} messages
 * @param {(typeof content.module.floorPlans)[number]} plan
 */
async function planCard(language, { areaUnit, plans, unit }, plan) {
  const drawing = await readFile(
    resolve(root, `dist/plans/${plan.id.toLowerCase()}-card-${language}.svg`),
    "utf8",
  );
  /** @param {"bedrooms" | "bathrooms"} rooms */
  const counted = (rooms) =>
    plans[`${rooms}_${plan[rooms] === 1 ? "one" : "other"}`].replace("{{count}}", `${plan[rooms]}`);
  // Allows a line break in a Chinese name after its rooms.
  const heading = unit[plan.id].heading.replace(/(?<=卧房|书房)(?!加)/g, "<wbr>");
  return `<!doctype html>
<html lang="${language}">
<style>
  ${faces}
  * { margin: 0; }
  body {
    display: flex;
    width: ${size.width}px;
    height: ${size.height}px;
    overflow: hidden;
    color: #f7f3ec;
    font: 400 29px/1.5 "Instrument Sans", "Noto Serif SC";
    background: #f7f3ec;
  }
  main {
    box-sizing: border-box;
    display: flex;
    flex: 0 0 420px;
    min-width: 0;
    flex-direction: column;
    padding: 52px 40px 48px 52px;
    background: linear-gradient(170deg, #2b4257, #14232e 70%);
  }
  header {
    display: flex;
    gap: 20px;
    align-items: center;
    font: 400 27px/1.2 Marcellus;
    letter-spacing: 0.1em;
    text-transform: uppercase;
  }
  header svg { width: 44px; }
  h1 { margin: auto 0 22px; font: 400 53px/1.14 Marcellus, "Noto Serif SC"; text-wrap: balance; }
  h1::after { display: block; width: 60px; height: 3px; margin-top: 26px; content: ""; background: #d9b98a; }
  :lang(zh) h1 { font-size: 50px; line-height: 1.3; word-break: keep-all; }
  small { margin-top: 30px; color: #b9c2c8; font-size: 21px; }
  figure { display: grid; flex: 1; place-items: center; }
  figure svg { width: 690px; height: 540px; }
</style>
<main>
  <header>${logo}<span>Zyon<br>Grand</span></header>
  <h1>${heading}</h1>
  <p>${plan.size.toLocaleString("en")} ${areaUnit}</p>
  <p>${counted("bedrooms")}</p>
  <p>${counted("bathrooms")}</p>
  <small>${plans.illustrative}</small>
</main>
<figure>${drawing}</figure>
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
