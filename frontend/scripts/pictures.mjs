// Encodes the masters of art/pictures.mjs as AVIF, WebP and JPEG, and offers them as the module `virtual:pictures`.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import sharp from "sharp";
import { pictures } from "../art/pictures.mjs";

const root = resolve(import.meta.dirname, "..");
const encodedDir = resolve(root, ".generated/pictures");

/** @type {Record<"avif" | "webp" | "jpg", (picture: import("sharp").Sharp) => import("sharp").Sharp>} */
const encoders = {
  avif: (picture) => picture.avif({ quality: 55, effort: 5 }),
  webp: (picture) => picture.webp({ quality: 80, effort: 5 }),
  jpg: (picture) => picture.jpeg({ quality: 78, mozjpeg: true }),
};
const formats = /** @type {(keyof typeof encoders)[]} */ (Object.keys(encoders));

/**
 * Makes `virtual:pictures`, whose types are in src/pictures.d.ts.
 * @returns {import("vite").Plugin}
 */
export function picturesPlugin() {
  const id = "\0virtual:pictures";
  return {
    name: "pictures",
    resolveId: (source) => (source === "virtual:pictures" ? id : null),
    load: (loaded) => (loaded === id ? moduleText() : null),
  };
}

async function moduleText() {
  /** @type {string[]} */
  const imports = [];
  /** @type {string[]} */
  const entries = [];
  for (const [name, source] of Object.entries(pictures)) {
    const encoded = await encode(name, source);
    /** @param {string} file */
    const imported = (file) => {
      imports.push(`import _${imports.length} from ${JSON.stringify(`/${relative(root, file)}`)};`);
      return `_${imports.length - 1}`;
    };
    const sets = formats.map((format) => {
      const candidates = encoded.files[format].map(
        ({ width, file }) => `\${${imported(file)}} ${width}w`,
      );
      return `${format}: \`${candidates.join(", ")}\``;
    });
    entries.push(
      `${name}: { width: ${encoded.width}, height: ${encoded.height}, ${sets.join(", ")} },`,
    );
  }
  return [...imports, `export const pictures = {`, ...entries, `};`].join("\n");
}

/**
 * @param {string} name
 * @param {import("../art/pictures.mjs").PictureSource} source
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
    .update(JSON.stringify([cut, Object.values(encoders).map(String), sharp.versions.sharp]))
    .digest("hex")
    .slice(0, 12);
  await mkdir(encodedDir, { recursive: true });
  /** @type {Record<keyof typeof encoders, { width: number, file: string }[]>} */
  const files = { avif: [], webp: [], jpg: [] };
  for (const format of formats) {
    for (const width of widths) {
      const file = resolve(encodedDir, `${name}-${width}-${digest}.${format}`);
      files[format].push({ width, file });
      if (!(await exists(file))) {
        const picture = sharp(bytes).extract(cut).resize({ width });
        // Written beside and renamed, so that what is there is whole.
        const partial = `${file}.${process.pid}`;
        await encoders[format](picture).toFile(partial);
        await rename(partial, file);
      }
    }
  }
  return { width: widest, height: Math.round((widest * cut.height) / cut.width), files };
}

/** @param {string} file */
async function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}
