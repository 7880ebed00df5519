import { type Point, rotateAround } from "./geometry.ts";
import type { Park } from "./locality.ts";
import type { Random } from "./random.ts";

/** Points on a park's edge. */
const POINTS = 8;
/** Maximum deviation of the edge, as a share of the radius. */
const MAX_DEVIATION = 0.1;
/** Square metres for each tree. */
const AREA_PER_TREE = 300;

/** Points on the edge of a park, for a smooth curve. */
export function parkEdge({ centre, radii, angle }: Park, random: Random): Point[] {
  return Array.from({ length: POINTS }, (_, index) => {
    const around = (2 * Math.PI * index) / POINTS;
    const out = 1 + random.between(-MAX_DEVIATION, MAX_DEVIATION);
    return rotateAround(
      [out * radii[0] * Math.cos(around), out * radii[1] * Math.sin(around)],
      centre,
      angle,
    );
  });
}

/** Trees at random points, away from the edge. */
export function parkTrees({ centre, radii, angle }: Park, random: Random): Point[] {
  const count = Math.round((Math.PI * radii[0] * radii[1]) / AREA_PER_TREE);
  return Array.from({ length: count }, () => {
    const around = random.between(0, 2 * Math.PI);
    // The square root distributes the trees evenly over the area.
    const out = (1 - MAX_DEVIATION) * Math.sqrt(random.between(0.02, 0.86));
    return rotateAround(
      [out * radii[0] * Math.cos(around), out * radii[1] * Math.sin(around)],
      centre,
      angle,
    );
  });
}

/** Whether a point lies well within a park. */
export function isInPark([x, y]: Point, { centre, radii, angle }: Park): boolean {
  const [along, across] = rotateAround([x - centre[0], y - centre[1]], [0, 0], -angle);
  return Math.hypot(along / radii[0], across / radii[1]) < 1 - MAX_DEVIATION;
}
