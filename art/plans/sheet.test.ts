import { describe, expect, it } from "vitest";
import { layOut } from "./layout.ts";
import { createPdf } from "./pdf.ts";
import { drawingLettering, drawingTexts } from "./render.ts";
import { layOutSheet, wrapText } from "./sheet.ts";
import { a1 } from "./units/a1.ts";
import { c2n } from "./units/c2n.ts";
import { ph3 } from "./units/ph3.ts";

const lettering = await drawingLettering("ZYON GRAND 一房 Bedroom");
const facts = { size: 527, bedrooms: 1, bathrooms: 1, heading: "1 Bedroom", type: "一房" };
const sheet = layOutSheet(layOut(a1), facts, drawingTexts.en, lettering);

describe("a sheet", () => {
  it("is A4, and prints the scale of its plan", () => {
    expect([sheet.width, sheet.height].sort()).toEqual([210, 297]);
    expect(sheet.placed[0]?.scale).toBe(1 / sheet.scale);
    const texts = sheet.placed.flatMap(({ drawing }) => drawing.texts.map(({ text }) => text));
    expect(texts).toContain(`Scale 1:${sheet.scale} on A4`);
    expect(texts).toContain("49.0 m²  ·  1 bedroom  ·  1 bathroom");
  });

  it("is in landscape format for a plan that is wider than deep", () => {
    const wide = layOutSheet(layOut(c2n), facts, drawingTexts.en, lettering);
    expect([wide.width, wide.height]).toEqual([297, 210]);
    expect([sheet.width, sheet.height]).toEqual([210, 297]);
  });

  it("prints no letters below five points at the smallest scale", () => {
    const smallest = layOutSheet(layOut(ph3), facts, drawingTexts.en, lettering);
    const points = smallest.placed.flatMap(({ drawing, scale }) =>
      drawing.texts.map(({ size }) => (size * scale * 72) / 25.4),
    );
    expect(smallest.scale).toBe(125);
    expect(Math.min(...points)).toBeGreaterThanOrEqual(4.999);
  });

  it("becomes a reproducible PDF of one page with embedded fonts", async () => {
    const settings = { title: "A1", language: "en", author: "Zyon Grand" };
    const pdf = await createPdf([sheet], lettering, settings);
    const text = pdf.toString("latin1");
    expect(text).toMatch(/^%PDF-1\.7/);
    expect(text.match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(text).toMatch(/\/FontFile2/);
    expect(text).toMatch(/\/ToUnicode/);
    expect(text).toMatch(/\/Marked true/);
    expect(text).toMatch(/\/S \/Figure/);
    expect(await createPdf([sheet], lettering, settings)).toEqual(pdf);
    const two = (await createPdf([sheet, sheet], lettering, settings)).toString("latin1");
    expect(two.match(/\/Type \/Page\b/g)).toHaveLength(2);
  });
});

describe("wrapText", () => {
  const byLetters = (text: string) => text.length;

  it("breaks at spaces, and between Chinese characters except before punctuation", () => {
    expect(wrapText("one two three", 8, byLetters)).toEqual(["one two", "three"]);
    expect(wrapText("面积量至，墙体", 4, byLetters)).toEqual(["面积量", "至，墙体"]);
  });
});
