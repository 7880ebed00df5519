import type { Drawing, Shape } from "./drawing.ts";
import { EM, type Lettering, type Text } from "./lettering.ts";
import type { Texture } from "./paints.ts";

/** A drawing as an SVG document without fonts. Letters are outlines, and each outline is stored once. */
export function toSvg({ box, shapes, texts }: Drawing, lettering: Lettering): string {
  const { width, height } = imageSize({ box });
  const viewBox = [box.left, box.top, box.right - box.left, box.bottom - box.top].map(Math.round);
  const used = new Set(shapes.map(({ paint }) => paint.fill).filter((fill) => isTexture(fill)));
  const outlines = new Map<string, { id: string; data: string }>();
  const lines = texts.map((text) => drawLine(text, lettering, outlines));
  const glyphs = [...outlines.values()].map(({ id, data }) => `<path id="${id}" d="${data}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox.join(" ")}" width="${width}" height="${height}" fill="none">`,
    `<defs>${[...used].map(drawPattern).join("")}${glyphs.join("")}</defs>`,
    ...shapes.map(drawShape),
    ...lines,
    "</svg>",
  ].join("");
}

/** A line of text as references to outlines. Adds new outlines to `outlines`. */
function drawLine(
  text: Text,
  lettering: Lettering,
  outlines: Map<string, { id: string; data: string }>,
): string {
  const scale = text.size / EM;
  const start = lettering.start(text);
  const letters = lettering.letters(text).map(({ glyph, x, outline }) => {
    const known = outlines.get(glyph) ?? { id: `g${outlines.size.toString(36)}`, data: outline() };
    outlines.set(glyph, known);
    return `<use href="#${known.id}" x="${Math.round((x - start) / scale)}"/>`;
  });
  return `<g fill="${text.fill}" transform="translate(${Math.round(start)} ${Math.round(text.at[1])})scale(${scale.toFixed(3).replace(/^0/, "")})">${letters.join("")}</g>`;
}

/** Width and height of a drawing as an image, with 100 pixels per metre. */
export function imageSize({ box }: Pick<Drawing, "box">): { width: number; height: number } {
  return {
    width: Math.round((box.right - box.left) / 10),
    height: Math.round((box.bottom - box.top) / 10),
  };
}

function drawShape({ paint, data }: Shape): string {
  const fill = isTexture(paint.fill) ? `url(#${paint.fill.name})` : paint.fill;
  const attributes = {
    fill,
    "fill-rule": paint.stroke === undefined ? "evenodd" : undefined,
    stroke: paint.stroke,
    "stroke-width": paint.stroke === undefined ? undefined : Math.round(paint.width ?? 0),
  };
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${value}"`);
  return `<path${written.join("")} d="${data}"/>`;
}

function drawPattern({ name, ground, width, height, lines, stroke }: Texture): string {
  return `<pattern id="${name}" width="${width}" height="${height}" patternUnits="userSpaceOnUse"><path fill="${ground}" d="M0 0H${width}V${height}H0z"/><path stroke="${stroke}" stroke-width="9" d="${lines}"/></pattern>`;
}

export function isTexture(fill: string | Texture | undefined): fill is Texture {
  return typeof fill === "object";
}
