// @vitest-environment node
import { expect, it } from "vitest";
import { figuresOf } from "./visit.mjs";

const begun = [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000];

it("a visit has its longest interactions, and that of each step", () => {
  const interactions = [
    { start: 10, duration: 400 },
    { start: 900, duration: 24 },
    { start: 1000, duration: 120 },
    { start: 9500, duration: 32 },
  ];
  const values = figuresOf(begun, { menuOpen: 500, interactions }).map(({ value }) => value);
  expect(values).toEqual([500, 400, 120, 400, 120, 16, 16, 16, 16, 16, 16, 16, 32]);
});

it("a browser that tells of no interaction is not measured", () => {
  expect(() => figuresOf(begun, { menuOpen: 500, interactions: [] })).toThrow("no interaction");
  const interactions = [{ start: 1000, duration: 120 }];
  expect(() => figuresOf(begun, { menuOpen: null, interactions })).toThrow("no interaction");
});
