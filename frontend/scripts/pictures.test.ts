// @vitest-environment node
import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pictures as encoded } from "virtual:pictures";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { type PictureSource, pictures as sources } from "../art/pictures.mjs";
import { encodedDir, picturesPlugin } from "./pictures.mjs";
import { candidatesOf } from "./shown-picture.mjs";

const root = resolve(import.meta.dirname, "..");

describe("virtual:pictures", () => {
  it.each(Object.entries(encoded))(
    "has %s in every format at every width",
    async (name, picture) => {
      const source = sources[name as keyof typeof sources];
      for (const [format, set] of Object.entries({
        heif: picture.avif,
        webp: picture.webp,
        jpeg: picture.jpeg,
      })) {
        const candidates = candidatesOf(set);
        expect(candidates.map(({ width }) => width)).toEqual(source.widths);
        for (const { address, width } of candidates) {
          const file = await sharp(resolve(root, `.${address}`)).metadata();
          expect([file.format, file.width]).toEqual([format, width]);
          // Not stretched: at most half a pixel from the proportions that the page keeps free.
          expect(Math.abs(file.height - (width * picture.height) / picture.width)).toBeLessThan(1);
        }
      }
    },
  );
});

describe("art/encoded", () => {
  it("holds what the pictures are encoded to, and nothing else", () => {
    const used = Object.values(encoded)
      .flatMap(({ avif, webp, jpeg }) => [avif, webp, jpeg].flatMap(candidatesOf))
      .map(({ address }) => basename(address));
    expect(readdirSync(encodedDir).sort()).toEqual([...new Set(used)].sort());
  });
});

describe("virtual:pictures.css", () => {
  it("has the mean colour of every picture", async () => {
    const { load } = picturesPlugin();
    const style = await (load as (id: string) => Promise<string>)("virtual:pictures.css");
    for (const name of Object.keys(sources)) {
      const [, colour = ""] =
        new RegExp(`\\.picture-${name} \\{ background-color: #([0-9a-f]{6}); \\}`).exec(style) ??
        [];
      const mean = await meanOf(sources[name as keyof typeof sources]);
      const given = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
      for (const [index, value] of given.entries()) {
        expect(
          Math.abs(value - (mean[index] ?? Number.NaN)),
          `${name} #${colour}`,
        ).toBeLessThanOrEqual(0.5);
      }
    }
  });
});

/** Red, green and blue over all pixels that are shown. */
async function meanOf(source: PictureSource): Promise<number[]> {
  const master = sharp(resolve(root, "art/masters", source.master));
  const shown = source.crop === undefined ? master : master.extract(source.crop);
  const pixels = await shown.removeAlpha().raw().toBuffer();
  const sums = [0, 0, 0];
  for (const [at, value] of pixels.entries()) {
    sums[at % 3] = (sums[at % 3] ?? 0) + value;
  }
  return sums.map((sum) => (3 * sum) / pixels.length);
}
