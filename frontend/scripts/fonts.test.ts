// @vitest-environment node
import { convert } from "fontverter";
import { Blob, Face } from "harfbuzzjs";
import { expect, it } from "vitest";
import { headingCharacters, subsetHeadingFont } from "./fonts.mjs";

it("the Chinese heading font has every character of the headings", async () => {
  const needed = [...(await headingCharacters())];
  const font = await convert(await subsetHeadingFont(), "sfnt");
  const drawn = new Set(new Face(new Blob(new Uint8Array(font).buffer)).collectUnicodes());
  expect(needed.length).toBeGreaterThan(10);
  expect(needed).toContain("登");
  expect(needed.filter((character) => !drawn.has(character.codePointAt(0) ?? 0))).toEqual([]);
});
