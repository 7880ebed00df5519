import { kinds, type Piece } from "../furniture.ts";
import { type Box, collide } from "../geometry.ts";

/** Furniture may be this near to a wall or to other furniture and more, millimetres. */
export const TOUCH = 5;

/** All that stands in the way on the floor: what is built, and furniture. */
export function obstaclesOf(pieces: readonly Piece[], built: readonly Box[]): Box[] {
  return [
    ...built,
    ...pieces
      .filter(({ symbol }) => kinds[symbol].flat !== true && kinds[symbol].mounted !== true)
      .flatMap(({ footprint }) => footprint),
  ];
}

/** The widest gap that obstacles leave in a zone, seen along it. */
export function passage(zone: Box, level: boolean, obstacles: readonly Box[]): number {
  const [start, end] = level ? [zone.left, zone.right] : [zone.top, zone.bottom];
  const taken = obstacles
    .filter((box) => collide(zone, box, TOUCH))
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
