// The course of the river, the same as in the renders: art/scene/river/course.py.

export const NORTH_BANK = -62;
export const SOUTH_BANK = -290;
/** Distance from a bank to the middle of the street along it, in metres. */
export const PROMENADE = 13;
/** The river is straight up to this distance on either side of the site, in metres. */
const STRAIGHT = 450;

/** The offset of the river from its straight course at x, in metres, positive to the north. */
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
