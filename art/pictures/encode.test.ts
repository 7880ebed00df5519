import { resolve } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { planEncodings } from "./encode.ts";
import { type PictureSource, pictures as sources } from "./sources.ts";

const root = resolve(import.meta.dirname, "..");

describe.each(await planEncodings())("$name", ({ name, width, height, colour, encodings }) => {
  const source = sources[name as keyof typeof sources];

  it("has every format at every width", async () => {
    for (const encoding of encodings) {
      const file = await sharp(resolve(root, "dist/pictures", encoding.file)).metadata();
      const format = encoding.format === "avif" ? "heif" : encoding.format;
      expect([file.format, file.width]).toEqual([format, encoding.width]);
      // The proportions differ by less than a pixel from those that the page reserves.
      expect(Math.abs(file.height - (encoding.width * height) / width)).toBeLessThan(1);
    }
    expect(encodings.map(({ width }) => width)).toEqual([1, 2].flatMap(() => source.widths));
  });

  it("has its mean colour as the placeholder", async () => {
    const mean = await meanChannels(source);
    const given = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    for (const [index, value] of given.entries()) {
      expect(Math.abs(value - (mean[index] ?? Number.NaN)), colour).toBeLessThanOrEqual(0.5);
    }
  });
});

/** The mean red, green and blue of the visible pixels. */
async function meanChannels(source: PictureSource): Promise<number[]> {
  const master = sharp(resolve(root, "masters", source.master));
  const shown = source.crop === undefined ? master : master.extract(source.crop);
  const pixels = await shown.removeAlpha().raw().toBuffer();
  const sums = [0, 0, 0];
  for (const [at, value] of pixels.entries()) {
    sums[at % 3] = (sums[at % 3] ?? 0) + value;
  }
  return sums.map((sum) => (3 * sum) / pixels.length);
}
