// Encodes the masters of art/pictures.mjs as AVIF, WebP and JPEG into art/encoded, where what is encoded already is
// committed: encoding all of it takes half a minute on two cores. Offers them as the modules `virtual:pictures`, whose
// types are in src/pictures.d.ts, and `virtual:pictures.css`, the colour that stands for each until it has come.
import { createHash } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import sharp from "sharp";
import { pictures } from "../art/pictures.mjs";
import { writeWhole } from "./write-whole.mjs";

const root = resolve(import.meta.dirname, "..");
export const encodedDir = resolve(root, "art/encoded");

/** How each format is encoded. */
const encodings = {
  avif: { quality: 55, effort: 4 },
  webp: { quality: 80, effort: 5 },
  jpeg: { quality: 78, mozjpeg: true },
};
const formats = /** @type {(keyof typeof encodings)[]} */ (Object.keys(encodings));

/**
 * What a picture was encoded to.
 * @typedef {object} EncodedPicture
 * @property {number} width pixels of the widest encoding
 * @property {number} height
 * @property {string} colour its mean, as CSS writes it
 * @property {Record<keyof typeof encodings, { width: number, file: string }[]>} files by format, widths ascending
 */

/** @returns {import("vite").Plugin} */
export function picturesPlugin() {
  /** @type {Record<string, (manifest: Record<string, EncodedPicture>) => string>} */
  const modules = { "virtual:pictures": scriptOf, "virtual:pictures.css": styleOf };
  /** @type {Promise<Record<string, EncodedPicture>> | undefined} */
  let manifest;
  return {
    name: "pictures",
    resolveId: (source) => (source in modules ? source : null),
    load: async (id) => {
      const write = modules[id];
      if (write === undefined) {
        return null;
      }
      manifest ??= encodeAll();
      return write(await manifest);
    },
  };
}

/** @param {Record<string, EncodedPicture>} manifest */
function scriptOf(manifest) {
  /** @type {string[]} */
  const imports = [];
  /** @param {string} file */
  const addressOf = (file) => {
    imports.push(`import _${imports.length} from ${JSON.stringify(`/${relative(root, file)}`)};`);
    return `\${_${imports.length - 1}}`;
  };
  const entries = Object.entries(manifest).map(([name, { width, height, files }]) => {
    const sets = formats.map((format) => {
      const candidates = files[format].map(({ width, file }) => `${addressOf(file)} ${width}w`);
      return `${format}: \`${candidates.join(", ")}\``;
    });
    return `${name}: { width: ${width}, height: ${height}, ${sets.join(", ")} },`;
  });
  return [...imports, "export const pictures = {", ...entries, "};"].join("\n");
}

/** @param {Record<string, EncodedPicture>} manifest */
function styleOf(manifest) {
  const rules = Object.entries(manifest).map(
    ([name, { colour }]) => `.picture-${name} { background-color: ${colour}; }`,
  );
  return `@layer ui {\n${rules.join("\n")}\n}\n`;
}

/** @returns {Promise<Record<string, EncodedPicture>>} */
async function encodeAll() {
  const encoded = Object.entries(pictures).map(async ([name, source]) => [
    name,
    await encode(name, source),
  ]);
  return Object.fromEntries(await Promise.all(encoded));
}

/**
 * @param {string} name
 * @param {import("../art/pictures.mjs").PictureSource} source
 * @returns {Promise<EncodedPicture>}
 */
async function encode(name, { master, crop, widths }) {
  const bytes = await readFile(resolve(root, "art/masters", master));
  const whole = await sharp(bytes).metadata();
  const cut = crop ?? { left: 0, top: 0, width: whole.width, height: whole.height };
  const widest = Math.max(...widths);
  if (widest > cut.width) {
    throw new Error(
      `picture ${name} cannot be ${widest} wide: ${cut.width} of its master are shown`,
    );
  }
  const digest = createHash("sha256")
    .update(bytes)
    .update(JSON.stringify([cut, encodings, sharp.versions.sharp]))
    .digest("hex")
    .slice(0, 12);
  await mkdir(encodedDir, { recursive: true });
  /** @type {Record<keyof typeof encodings, { width: number, file: string }[]>} */
  const files = { avif: [], webp: [], jpeg: [] };
  for (const format of formats) {
    for (const width of widths) {
      const file = resolve(encodedDir, `${name}-${width}-${digest}.${format}`);
      files[format].push({ width, file });
      if (!(await exists(file))) {
        const picture = sharp(bytes).extract(cut).resize({ width });
        await writeWhole(file, await picture.toFormat(format, encodings[format]).toBuffer());
      }
    }
  }
  const height = Math.round((widest * cut.height) / cut.width);
  const colour = await meanColour(await sharp(bytes).extract(cut).png().toBuffer());
  return { width: widest, height, colour, files };
}

/** @param {Buffer} picture */
async function meanColour(picture) {
  const { channels } = await sharp(picture).stats();
  const [red, green, blue] = channels.map(({ mean }) =>
    Math.round(mean).toString(16).padStart(2, "0"),
  );
  return `#${red}${green}${blue}`;
}

/** @param {string} file */
async function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}
