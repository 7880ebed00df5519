import { describe, expect, it } from "vitest";
import {
  largestBox,
  lineBetween,
  type Polygon,
  polygonArea,
  regionArea,
  unitePolygons,
  without,
} from "./geometry.ts";

const corner: Polygon = [
  [0, 0],
  [400, 0],
  [400, 100],
  [100, 100],
  [100, 300],
  [0, 300],
];

describe("geometry", () => {
  it("measures polygons, and regions without their holes", () => {
    expect(polygonArea(corner)).toBe(60_000);
    const ring = unitePolygons([
      [
        [0, 0],
        [300, 0],
        [300, 100],
        [0, 100],
      ],
      [
        [0, 200],
        [300, 200],
        [300, 300],
        [0, 300],
      ],
      [
        [0, 100],
        [100, 100],
        [100, 200],
        [0, 200],
      ],
      [
        [200, 100],
        [300, 100],
        [300, 200],
        [200, 200],
      ],
    ]);
    expect(ring[0]).toHaveLength(2);
    expect(regionArea(ring)).toBe(80_000);
  });

  it("finds the largest box in a corner", () => {
    expect(largestBox([[corner]])).toEqual({ left: 0, top: 0, right: 400, bottom: 100 });
    expect(largestBox([])).toBeUndefined();
  });

  it("removes lines from a line", () => {
    const line = lineBetween([0, 5], [10, 5]);
    expect(without(line, [lineBetween([4, 5], [2, 5]), lineBetween([9, 5], [20, 5])])).toEqual([
      { level: true, across: 5, start: 0, end: 2 },
      { level: true, across: 5, start: 4, end: 9 },
    ]);
    expect(() => lineBetween([0, 0], [1, 2])).toThrow("neither level nor upright");
  });
});
