import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import sharp from "sharp";
import { type PictureSource, pictures } from "./sources.ts";

export const encodings = {
  avif: { quality: 55, effort: 4 },
  jpeg: { quality: 78, mozjpeg: true },
};

export type Format = keyof typeof encodings;
export const formats = Object.keys(encodings) as Format[];

export interface EncodedPicture {
  name: string;
  first: boolean;
  /** Pixels of the widest encoding. */
  width: number;
  height: number;
  /** The mean of its pixels, as a CSS colour. */
  colour: string;
  encodings: Encoding[];
}

export interface Encoding {
  format: Format;
  width: number;
  /** The name contains a hash of the master, crop, settings and encoder, so the same name means the same picture. */
  file: string;
  encode: () => Promise<Buffer>;
}

/** The encodings of all pictures. The caller decides which to encode, because all of them take half a minute. */
export async function planEncodings(): Promise<EncodedPicture[]> {
  return Promise.all(Object.entries(pictures).map(([name, source]) => planPicture(name, source)));
}

/** @throws if the master is too narrow for a width. */
async function planPicture(name: string, source: PictureSource): Promise<EncodedPicture> {
  const bytes = await readFile(resolve(import.meta.dirname, "../masters", source.master));
  const whole = await sharp(bytes).metadata();
  const cut = source.crop ?? { left: 0, top: 0, width: whole.width, height: whole.height };
  const widest = Math.max(...source.widths);
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
  return {
    name,
    first: source.first ?? false,
    width: widest,
    height: Math.round((widest * cut.height) / cut.width),
    colour: await meanColour(await sharp(bytes).extract(cut).png().toBuffer()),
    encodings: formats.flatMap((format) =>
      source.widths.map((width) => ({
        format,
        width,
        file: `${name}-${width}-${digest}.${format}`,
        encode: () =>
          sharp(bytes)
            .extract(cut)
            .resize({ width })
            .toFormat(format, encodings[format])
            .toBuffer(),
      })),
    ),
  };
}

async function meanColour(picture: Buffer): Promise<string> {
  const { channels } = await sharp(picture).stats();
  const parts = channels.map(({ mean }) => Math.round(mean).toString(16).padStart(2, "0"));
  return `#${parts.slice(0, 3).join("")}`;
}
