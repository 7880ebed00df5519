// Draws the icons of dist/public from favicon.svg. Run it when favicon.svg changes: node icons.mjs
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import sharp from "sharp";

const publicDir = resolve(import.meta.dirname, "dist/public");
const icon = await readFile(resolve(import.meta.dirname, "favicon.svg"), "utf8");
// A launcher may cut a maskable icon to the circle of 80% of its width.
const maskable = icon
  .replace('viewBox="0 0 160 160"', 'viewBox="-12 -12 184 184"')
  .replace("M0 0h160v160H0z", "M-12-12h184v184H-12z");

await writePng("apple-touch-icon.png", icon, 180);
await writePng("icon-192.png", icon, 192);
await writePng("icon-512.png", icon, 512);
await writePng("icon-maskable-512.png", maskable, 512);
await writeFile(resolve(publicDir, "favicon.ico"), createIconFile(await renderPng(icon, 32)));

/**
 * @param {string} name
 * @param {string} svg
 * @param {number} size
 */
async function writePng(name, svg, size) {
  await writeFile(resolve(publicDir, name), await renderPng(svg, size));
}

/**
 * @param {string} svg
 * @param {number} size
 */
function renderPng(svg, size) {
  return sharp(Buffer.from(svg), { density: size })
    .resize(size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

/**
 * An icon file of one picture, 32 by 32, for browsers that request /favicon.ico by default.
 * @param {Buffer} png
 */
function createIconFile(png) {
  const head = Buffer.alloc(22);
  // Type 1 is an icon. The file contains one picture.
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(32, 6);
  head.writeUInt8(32, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
