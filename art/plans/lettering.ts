import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { create, type Font, type PathCommand } from "fontkit";
import { convert } from "fontverter";
import subsetFont from "subset-font";
import type { Spot } from "./geometry.ts";
import { Pen } from "./pen.ts";

export type Face = "display" | "strong" | "plain";

/** A line of text. */
export interface Text {
  text: string;
  face: Face;
  /** Size of the letters, in the drawing's unit. */
  size: number;
  fill: string;
  /** The point on the baseline at which it starts, is centred or ends. */
  at: Spot;
  anchor: "start" | "middle" | "end";
  /** Space after each letter, as a share of the size. */
  tracking?: number;
}

/** A part of a text in one font. */
export interface Run {
  text: string;
  /** Name of the font, for a document that embeds it. */
  font: string;
  width: number;
}

/** Letters are outlined at this size. */
export const EM = 170;

/** Maximum deviation of a curve that is drawn as a line. */
const MAX_DEVIATION = 0.45;

/** A letter in its place. */
export interface Letter {
  /** Font and glyph. */
  glyph: string;
  /** Start of the letter, in the drawing's unit. */
  x: number;
  /** Path data at the size of `EM`, from the start of the baseline. */
  outline: () => string;
}

const instrument =
  "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2";
const noto = (weight: number) =>
  `@fontsource/noto-sans-sc/files/noto-sans-sc-chinese-simplified-${weight}-normal.woff2`;

interface Source {
  file: string;
  /** Values at which a variable font is fixed. */
  axes?: Record<string, number>;
  /** Not reduced to the characters in use, because fontkit cannot read a subset whose last glyph is empty. */
  complete?: true;
}

/** The fonts of each face. The first font that has a character is used. */
const sources: Record<Face, readonly Source[]> = {
  display: [
    { file: "@fontsource/marcellus/files/marcellus-latin-400-normal.woff2", complete: true },
    { file: "@fontsource/noto-serif-sc/files/noto-serif-sc-chinese-simplified-500-normal.woff2" },
  ],
  strong: [{ file: instrument, axes: { wght: 600 } }, { file: noto(500) }],
  plain: [{ file: instrument, axes: { wght: 400 } }, { file: noto(400) }],
};

interface LoadedFont {
  name: string;
  /** TrueType or OpenType. */
  bytes: Buffer;
  font: Font;
}

/** Sets text as outlines and measures it. */
export class Lettering {
  readonly #faces: Record<Face, readonly LoadedFont[]>;

  constructor(faces: Record<Face, readonly LoadedFont[]>) {
    this.#faces = faces;
  }

  /** Every font, by name. */
  get fonts(): Map<string, Buffer> {
    return new Map(
      Object.values(this.#faces)
        .flat()
        .map(({ name, bytes }) => [name, bytes]),
    );
  }

  /** Splits a text into parts of one font, with their widths including the tracking. */
  runs({
    text,
    face,
    size,
    tracking = 0,
  }: Pick<Text, "text" | "face" | "size" | "tracking">): Run[] {
    return this.#split(text, face).map(({ part, loaded }) => ({
      text: part,
      font: loaded.name,
      width: advance(loaded.font, part, size) + [...part].length * tracking * size,
    }));
  }

  width(text: Pick<Text, "text" | "face" | "size" | "tracking">): number {
    const sum = this.runs(text).reduce((total, { width }) => total + width, 0);
    return sum - (text.tracking ?? 0) * text.size;
  }

  /** The x at which a line starts. */
  start(text: Text): number {
    const share = { start: 0, middle: 0.5, end: 1 }[text.anchor];
    return text.at[0] - share * this.width(text);
  }

  /** The letters of a line. */
  letters(text: Text): Letter[] {
    const { face, size, tracking = 0 } = text;
    const letters: Letter[] = [];
    let x = this.start(text);
    for (const { part, loaded } of this.#split(text.text, face)) {
      const scale = size / loaded.font.unitsPerEm;
      const { glyphs, positions } = loaded.font.layout(part);
      glyphs.forEach((glyph, index) => {
        const { xOffset = 0, xAdvance = glyph.advanceWidth } = positions[index] ?? {};
        if (glyph.path.commands.length > 0) {
          letters.push({
            glyph: `${loaded.name}-${glyph.id}`,
            x: x + xOffset * scale,
            outline: () => trace(glyph.path.commands, EM / loaded.font.unitsPerEm),
          });
        }
        x += xAdvance * scale + tracking * size;
      });
    }
    return letters;
  }

  #split(text: string, face: Face): { part: string; loaded: LoadedFont }[] {
    const parts: { part: string; loaded: LoadedFont }[] = [];
    for (const character of text) {
      const loaded = this.#faces[face].find(({ font }) =>
        font.hasGlyphForCodePoint(character.codePointAt(0) as number),
      );
      if (loaded === undefined) {
        throw new Error(`no font of ${face} has ${character}`);
      }
      const last = parts.at(-1);
      if (last?.loaded === loaded) {
        last.part += character;
      } else {
        parts.push({ part: character, loaded });
      }
    }
    return parts;
  }
}

/** Loads the fonts. Large fonts are reduced to `characters`. */
export async function loadLettering(characters: string): Promise<Lettering> {
  const load = async (face: Face): Promise<LoadedFont[]> =>
    Promise.all(
      sources[face].map(async ({ file, axes, complete }, index) => {
        const whole = await readFile(createRequire(import.meta.url).resolve(file));
        const options = axes === undefined ? {} : { variationAxes: axes };
        const bytes = complete
          ? await convert(whole, "sfnt")
          : await subsetFont(whole, characters, { targetFormat: "sfnt", ...options });
        const font = create(bytes);
        if (font.type === "TTC" || font.type === "DFont") {
          throw new Error(`${file} contains several fonts`);
        }
        return { name: `${face}${index}`, bytes, font: font as Font };
      }),
    );
  const [display, strong, plain] = await Promise.all([
    load("display"),
    load("strong"),
    load("plain"),
  ]);
  return new Lettering({ display, strong, plain });
}

function advance(font: Font, text: string, size: number): number {
  return (font.layout(text).advanceWidth * size) / font.unitsPerEm;
}

/** Path data of a glyph. Nearly straight curves become lines, which halves the size of Chinese letters. */
function trace(commands: readonly PathCommand[], scale: number): string {
  const pen = new Pen();
  let last: Spot = [0, 0];
  let straight: { from: Spot; to: Spot } | undefined;
  const flush = () => {
    if (straight !== undefined) {
      pen.line(straight.to);
      straight = undefined;
    }
  };
  const line = (to: Spot) => {
    if (straight !== undefined && isNearlyStraight(straight.from, straight.to, to)) {
      straight = { ...straight, to };
    } else {
      flush();
      straight = { from: last, to };
    }
  };
  for (const { command, args } of commands) {
    const spots: Spot[] = [];
    for (let index = 0; index < args.length; index += 2) {
      spots.push([(args[index] ?? 0) * scale, (args[index + 1] ?? 0) * -scale]);
    }
    const [first, second, third] = spots as [Spot, Spot, Spot];
    if (command === "lineTo") {
      line(first);
    } else if (command === "quadraticCurveTo" && isNearlyStraight(last, first, second)) {
      line(second);
    } else {
      flush();
      switch (command) {
        case "moveTo":
          pen.move(first);
          break;
        case "quadraticCurveTo":
          pen.curve(first, second);
          break;
        case "bezierCurveTo":
          pen.curve(first, second, third);
          break;
        case "closePath":
          pen.close();
          break;
      }
    }
    last = spots.at(-1) ?? last;
  }
  return pen.data;
}

/** Whether a curve from a to b with one control point looks straight. */
function isNearlyStraight([ax, ay]: Spot, [x, y]: Spot, [bx, by]: Spot): boolean {
  const [dx, dy] = [bx - ax, by - ay];
  const length = Math.hypot(dx, dy);
  const along = (x - ax) * dx + (y - ay) * dy;
  const away = Math.abs((x - ax) * dy - (y - ay) * dx);
  return along >= 0 && along <= length * length && away < 2 * MAX_DEVIATION * length;
}
