// @vitest-environment node
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { plans } from "virtual:plans";
import { describe, expect, it } from "vitest";
import { floorPlans } from "#content/floor-plans.ts";
import { languages } from "#i18n/language.ts";

const root = resolve(import.meta.dirname, "..");

describe("virtual:plans", () => {
  it("has every unit, in both sizes and every language", () => {
    expect(Object.keys(plans)).toEqual(floorPlans.map(({ id }) => id));
    const addresses = Object.values(plans).flatMap(({ card, large }) =>
      languages.flatMap((language) => [card[language], large[language]]),
    );
    expect(new Set(addresses).size).toBe(floorPlans.length * languages.length * 2);
  });

  it("gives the width and height that a drawing has", async () => {
    const { width, height, en } = plans.A1.large;
    const svg = await readFile(
      resolve(root, `.${new URL(en, "http://localhost").pathname}`),
      "utf8",
    );
    expect(svg).toContain(` width="${width}" height="${height}"`);
  });
});
