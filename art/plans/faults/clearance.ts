import { kinds, type Piece } from "../furniture.ts";
import { type Box, collide } from "../geometry.ts";

/** Smaller overlaps are not a collision, in millimetres. */
export const OVERLAP_TOLERANCE = 5;

/** Walls, balustrades and furniture that block the floor. */
export function listObstacles(pieces: readonly Piece[], built: readonly Box[]): Box[] {
  return [
    ...built,
    ...pieces
      .filter(({ symbol }) => kinds[symbol].flat !== true && kinds[symbol].mounted !== true)
      .flatMap(({ footprint }) => footprint),
  ];
}

/** The widest gap between obstacles in a zone, along the zone. */
export function widestGap(zone: Box, level: boolean, obstacles: readonly Box[]): number {
  const [start, end] = level ? [zone.left, zone.right] : [zone.top, zone.bottom];
  const taken = obstacles
    .filter((box) => collide(zone, box, OVERLAP_TOLERANCE))
    .map((box) => (level ? [box.left, box.right] : [box.top, box.bottom]) as [number, number])
    .sort((a, b) => a[0] - b[0]);
  let widest = 0;
  let free = start;
  for (const [from, to] of taken) {
    widest = Math.max(widest, from - free);
    free = Math.max(free, to);
  }
  return Math.max(widest, end - free);
}
