// The course of the river, the same as in the renders: art/scene/river/course.py.

export const NORTH_BANK = -62;
export const SOUTH_BANK = -290;
/** From a bank to the middle of the street along it, in metres. */
export const PROMENADE = 13;
/** The river runs straight this far to either side of the site. */
const STRAIGHT = 450;

/** How far north the river has swung from its straight course at x, in metres. */
export function bend(x: number): number {
  const out = Math.abs(x) - STRAIGHT;
  if (out <= 0) {
    return 0;
  }
  return x < 0
    ? -310 * swing(out / 560) + 60 * swing(out / 1500)
    : 190 * swing(out / 620) - 120 * swing(out / 1700);
}

function swing(angle: number): number {
  return 1 - Math.cos(angle);
}

export function northBank(x: number): number {
  return NORTH_BANK + bend(x);
}

/** The river is wider where it bends. */
export function southBank(x: number): number {
  return SOUTH_BANK + bend(x) - 0.12 * Math.abs(bend(x));
}
