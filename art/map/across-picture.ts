import type { Point } from "./geometry.ts";
import { frame } from "./locality.ts";

/** Metres between the points through which a curved street or bank is drawn. */
const STEP = 160;

/** The points of a line from one side of the picture to the other. */
export function acrossPicture(northing: (x: number) => number): Point[] {
  const half = frame.width / 2 + STEP;
  const count = Math.ceil((2 * half) / STEP);
  return Array.from({ length: count + 1 }, (_, index) => {
    const x = frame.centre[0] - half + index * STEP;
    return [x, northing(x)];
  });
}
