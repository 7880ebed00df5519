// Compares dist/ with new drawings. UPDATE_DRAWINGS=1 writes dist/ instead.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { floorPlans, planPicture } from "../frontend/shared/content/floor-plans.ts";
import { languages } from "../frontend/shared/i18n/language.ts";
import { drawAll } from "./draw.ts";

const dist = resolve(import.meta.dirname, "dist");
/** Files that icons.mjs and social.mjs write. This test does not draw them, because social.mjs needs a browser. */
const byScripts = [
  "apple-touch-icon.png",
  "favicon.ico",
  "icon-192.png",
  "icon-512.png",
  "icon-maskable-512.png",
  "social-en.jpg",
  "social-zh.jpg",
  ...floorPlans.flatMap(({ id }) =>
    languages.map((language) => planPicture(id, language).slice(1)),
  ),
].map((name) => `public/${name}`);

const { drawn, encoded } = await drawAll();
const paths = [...drawn.keys(), ...encoded.keys(), ...byScripts].sort();
if (process.env["UPDATE_DRAWINGS"] === "1") {
  await update();
}

it("dist/ contains exactly the files that the site uses", async () => {
  expect(await pathsInDist()).toEqual(paths);
});

it.each([...drawn])("dist/%s is up to date", async (path, content) => {
  const committed = await readFile(join(dist, path));
  expect(comparable(committed) === comparable(Buffer.from(content))).toBe(true);
});

async function pathsInDist(): Promise<string[]> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
    .sort();
}

async function update(): Promise<void> {
  const there = await pathsInDist();
  for (const path of there.filter((path) => !paths.includes(path))) {
    await rm(join(dist, path));
  }
  for (const [path, content] of drawn) {
    await mkdir(dirname(join(dist, path)), { recursive: true });
    await writeFile(join(dist, path), content);
  }
  for (const [path, encode] of encoded) {
    if (!there.includes(path)) {
      await mkdir(dirname(join(dist, path)), { recursive: true });
      await writeFile(join(dist, path), await encode());
    }
  }
}

/** The text, for a PDF with unpacked streams, because releases of zlib compress them differently. */
function comparable(content: Buffer): string {
  const text = content.toString("latin1");
  return text.startsWith("%PDF")
    ? text
        .replace(/(?<=\/FlateDecode\n>>\nstream\n).*?(?=\nendstream\n)/gs, (packed) =>
          inflateSync(Buffer.from(packed, "latin1")).toString("latin1"),
        )
        .replace(/\/Length \d+|\nxref\n.*/gs, "")
    : text;
}
