import { describe, expect, it } from "vitest";
import {
  clamp,
  contain,
  type Frame,
  follow,
  nextScale,
  type Point,
  WHOLE,
  zoomAt,
} from "./zoom.ts";

/** A drawing that fills the width of its stage and half of the height. */
const frame: Frame = {
  stage: { width: 800, height: 600 },
  drawing: { width: 800, height: 300 },
};

/** Where on the screen a point of the drawing is. */
const seen = (point: Point, view = WHOLE): Point => ({
  x: point.x * view.scale + view.x,
  y: point.y * view.scale + view.y,
});

describe("zooming", () => {
  it("keeps the point at which it zooms where it is", () => {
    const view = zoomAt(WHOLE, 3, { x: 100, y: 50 }, frame);
    expect(view.scale).toBe(3);
    expect(seen({ x: 100, y: 50 }, view)).toEqual({ x: 100, y: 50 });
  });

  it("keeps the points under two fingers under them", () => {
    const fingers = [
      { x: 20, y: -30 },
      { x: 120, y: 50 },
    ];
    const start = zoomAt(WHOLE, 2, { x: 0, y: 0 }, frame);
    const apart = [
      { x: -25, y: -80 },
      { x: 125, y: 40 },
    ];
    const view = follow(start, fingers, apart, frame);
    expect(view.scale).toBeCloseTo(3);
    for (const index of [0, 1]) {
      const { x, y } = fingers[index] as Point;
      const ofDrawing = { x: (x - start.x) / start.scale, y: (y - start.y) / start.scale };
      const now = seen(ofDrawing, view);
      expect(now.x).toBeCloseTo((apart[index] as Point).x);
      expect(now.y).toBeCloseTo((apart[index] as Point).y);
    }
  });

  it("stays between 100 % and 400 %", () => {
    expect(zoomAt(WHOLE, 9, { x: 0, y: 0 }, frame).scale).toBe(4);
    expect(zoomAt(WHOLE, 0.2, { x: 50, y: 50 }, frame)).toEqual(WHOLE);
  });

  it("survives two fingers on one point", () => {
    const point = { x: 5, y: 5 };
    expect(follow(WHOLE, [point, point], [point, { x: 90, y: 5 }], frame)).toEqual(WHOLE);
  });
});

describe("moving", () => {
  it("follows one finger", () => {
    const start = zoomAt(WHOLE, 4, { x: 0, y: 0 }, frame);
    expect(follow(start, [{ x: 10, y: 10 }], [{ x: -30, y: 60 }], frame)).toEqual({
      scale: 4,
      x: -40,
      y: 50,
    });
  });

  it("stops where the drawing's edge meets the stage's", () => {
    expect(clamp({ scale: 3, x: 5000, y: -5000 }, frame)).toEqual({ scale: 3, x: 800, y: -150 });
  });

  it("leaves in the middle what is smaller than the stage", () => {
    expect(clamp({ scale: 1.5, x: 0, y: 80 }, frame)).toEqual({ scale: 1.5, x: 0, y: 0 });
  });
});

describe("the buttons' steps", () => {
  it("lead from 100 % to 400 % and back", () => {
    expect([1, 1.5, 1.7, 2, 3, 4].map((scale) => nextScale(scale, 1))).toEqual([
      1.5, 2, 2, 3, 4, 4,
    ]);
    expect([4, 3, 2, 1.7, 1.5, 1].map((scale) => nextScale(scale, -1))).toEqual([
      3, 2, 1.5, 1.5, 1, 1,
    ]);
  });
});

describe("a drawing in its box", () => {
  it("keeps its proportions", () => {
    expect(contain({ width: 400, height: 100 }, { width: 800, height: 600 })).toEqual({
      width: 800,
      height: 200,
    });
  });

  it("fills it while its own size is not known", () => {
    const box = { width: 800, height: 600 };
    expect(contain({ width: 0, height: 0 }, box)).toEqual(box);
  });
});
