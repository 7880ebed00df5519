import { distanceBetween, interpolate, type Point } from "./geometry.ts";
import type { Random } from "./random.ts";
import type { Cell } from "./streets.ts";

/** Between a street and the buildings along it, in metres. */
const PAVEMENT = 5;
const GAP = 7;
/** Smaller plots stay empty, in metres. */
const MIN_PLOT = 14;
const MAX_DEPTH = 62;

/** Footprints of the buildings on a cell, in rows along its streets. */
export function layOutBuildings({ corners, kerbs }: Cell, random: Random): Point[][] {
  const [southWest, southEast, northEast, northWest] = corners;
  const width = (distanceBetween(southWest, southEast) + distanceBetween(northWest, northEast)) / 2;
  const depth = (distanceBetween(southWest, northWest) + distanceBetween(southEast, northEast)) / 2;
  const [south, east, north, west] = kerbs.map((kerb) => kerb + PAVEMENT) as Cell["kerbs"];
  const plotWidth = width - west - east;
  const plotDepth = depth - south - north;
  if (plotWidth < MIN_PLOT || plotDepth < MIN_PLOT) {
    return [];
  }
  /** Converts metres within the plot to a point in the cell, whose sides may not be parallel. */
  const place = ([along, up]: Point): Point => {
    const part = (west + along) / width;
    return interpolate(
      interpolate(southWest, southEast, part),
      interpolate(northWest, northEast, part),
      (south + up) / depth,
    );
  };
  const rows = Math.ceil((plotDepth + GAP) / (MAX_DEPTH + GAP));
  const rowDepth = (plotDepth - (rows - 1) * GAP) / rows;
  const footprints: Point[][] = [];
  for (let row = 0; row < rows; row += 1) {
    const bottom = row * (rowDepth + GAP);
    let left = 0;
    while (plotWidth - left >= MIN_PLOT) {
      const rest = plotWidth - left;
      const desired = random.pick([28, 36, 44, 54, 68]);
      // Uses the whole rest of the row instead of leaving a sliver.
      const length = rest - desired < MIN_PLOT + GAP + 6 ? Math.min(rest, 70) : desired;
      if (!random.chance(0.07)) {
        footprints.push(
          footprint(length, rowDepth, random).map(([x, y]) => place([left + x, bottom + y])),
        );
      }
      left += length + GAP;
    }
  }
  return footprints;
}

/** A footprint that fills the plot, in metres from its lower left corner. */
function footprint(width: number, depth: number, random: Random): Point[] {
  const outline = shape(width, depth, random);
  const [mirrored, turned] = [random.chance(0.5), random.chance(0.5)];
  return outline.map(([x, y]) => [mirrored ? width - x : x, turned ? depth - y : y]);
}

/** A rectangle, an L or a U. */
function shape(width: number, depth: number, random: Random): Point[] {
  const wing = Math.min(16, depth * 0.42);
  if (width < 28 || depth < 30 || random.chance(0.5)) {
    const built = depth > 34 ? depth - random.between(0, 9) : depth;
    return [
      [0, 0],
      [width, 0],
      [width, built],
      [0, built],
    ];
  }
  if (width < 3 * wing || random.chance(0.5)) {
    return [
      [0, 0],
      [width, 0],
      [width, wing],
      [wing, wing],
      [wing, depth],
      [0, depth],
    ];
  }
  return [
    [0, 0],
    [width, 0],
    [width, depth],
    [width - wing, depth],
    [width - wing, wing],
    [wing, wing],
    [wing, depth],
    [0, depth],
  ];
}
