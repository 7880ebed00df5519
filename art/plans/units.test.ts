import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { floorPlans } from "../../frontend/shared/content/floor-plans.ts";
import { findFaults } from "./faults.ts";
import { layOut } from "./layout.ts";
import { drawingLettering, renderPlans } from "./render.ts";
import { units } from "./units.ts";

const MAX_GZIP_BYTES = 14_500;

const lettering = await drawingLettering();

describe("units", () => {
  it("are the units of the site, in the same order", () => {
    expect(units.map(({ id }) => id)).toEqual(floorPlans.map(({ id }) => id));
  });

  it("have different outlines", () => {
    const outlines = units.map((unit) => {
      const corners = layOut(unit).outline.flat(2);
      const left = Math.min(...corners.map(([x]) => x));
      const top = Math.min(...corners.map(([, y]) => y));
      return JSON.stringify(corners.map(([x, y]) => [x - left, y - top]).sort());
    });
    expect(new Set(outlines).size).toBe(units.length);
  });
});

describe.each(units)("$id", (unit) => {
  it("has no faults", () => {
    const plan = floorPlans.find(({ id }) => id === unit.id);
    expect(plan).toBeDefined();
    expect(plan && findFaults(layOut(unit), plan)).toEqual([]);
  });

  it("has small, reproducible drawings without fonts", () => {
    const plans = renderPlans(unit, lettering);
    expect(plans).toEqual(renderPlans(unit, lettering));
    for (const { svg, variant, language } of plans) {
      expect(gzipSync(svg, { level: 9 }).length, `${variant} ${language}`).toBeLessThan(
        MAX_GZIP_BYTES,
      );
      expect(svg).not.toMatch(/<text|font-family|NaN|undefined/);
    }
  });

  it("has the same size in every language", () => {
    const sizes = renderPlans(unit, lettering).map(
      ({ variant, width, height }) => `${variant} ${width} ${height}`,
    );
    expect(new Set(sizes).size).toBe(2);
  });
});
