import { distanceBetween, meanPoint, type Point } from "./geometry.ts";
import { frame, site } from "./locality.ts";
import type { Random } from "./random.ts";
import { bend, northBank, PROMENADE, southBank } from "./river.ts";

/** A street along the river. `northing` is its middle at x. */
export interface Street {
  northing: (x: number) => number;
  width: number;
}

/** A street across. `easting` is its middle at y. */
interface Avenue {
  easting: (y: number) => number;
  width: number;
  /** Whether it crosses every row. */
  isThrough: boolean;
}

/** Ground between streets. The corners are counter-clockwise, from the south-west one. */
export interface Cell {
  corners: readonly [Point, Point, Point, Point];
  /** How far the streets on the south, east, north and west side extend into the cell, in metres. */
  kerbs: [south: number, east: number, north: number, west: number];
  isSite: boolean;
}

export interface StreetPlan {
  streets: Street[];
  /** Sections of avenues, ready to draw. */
  sections: { points: Point[]; width: number }[];
  cells: Cell[];
}

const MAJOR = 15;
const MINOR = 9;
/**
 * The streets behind each bank: distance from the bank in metres, the share of the river's bends that the street
 * follows, and the amplitude of its additional bends in metres.
 */
const ROWS = [
  { offset: PROMENADE, bendShare: 1, sway: 0, width: 8 },
  { offset: 141, bendShare: 0.92, sway: 4, width: MAJOR },
  { offset: 236, bendShare: 0.82, sway: 14, width: MINOR },
  { offset: 346, bendShare: 0.7, sway: 24, width: MAJOR },
  { offset: 440, bendShare: 0.6, sway: 28, width: MINOR },
  { offset: 548, bendShare: 0.5, sway: 34, width: MAJOR },
  { offset: 660, bendShare: 0.42, sway: 38, width: MINOR },
  { offset: 780, bendShare: 0.36, sway: 40, width: MINOR },
  { offset: 900, bendShare: 0.3, sway: 40, width: MINOR },
];
/** x of the avenues beside the site. */
const BESIDE_SITE = [-140, 168] as const;
/** No bridge is nearer to the site, because the renders show open water there. */
const MIN_BRIDGE_DISTANCE = 560;

/** Lays out the streets of the picture and the ground between them. */
export function planStreets(random: Random): StreetPlan {
  const avenues = layAvenues(random);
  const [north, south] = [
    ROWS.map((row) => layStreet(northBank, 1, row)),
    ROWS.map((row) => layStreet(southBank, -1, row)),
  ] as const;
  const plan: StreetPlan = { streets: [...north, ...south], sections: [], cells: [] };
  for (const side of [north, south]) {
    for (const [index, street] of side.slice(0, -1).entries()) {
      const next = side[index + 1] as Street;
      const [lower, upper] = side === north ? [street, next] : [next, street];
      fillRow(plan, lower, upper, avenues, random);
    }
  }
  addBridges(plan, avenues, north[0] as Street, south[0] as Street);
  return plan;
}

function layStreet(
  bank: (x: number) => number,
  inland: 1 | -1,
  { offset, bendShare, sway, width }: (typeof ROWS)[number],
): Street {
  return {
    northing: (x) =>
      bank(x) - bend(x) * (1 - bendShare) + inland * (offset + sway * Math.sin(x / 290 + offset)),
    width,
  };
}

function layAvenues(random: Random): Avenue[] {
  const reach = frame.width / 2 + 500;
  const positions: number[] = [...BESIDE_SITE];
  while ((positions[0] as number) > -reach) {
    positions.unshift((positions[0] as number) - random.between(105, 185));
  }
  while ((positions.at(-1) as number) < reach) {
    positions.push((positions.at(-1) as number) + random.between(105, 185));
  }
  const first = positions.indexOf(BESIDE_SITE[0]);
  return positions.map((position, index) => {
    // Perpendicular to the streets, which follow the direction of the river.
    const lean = -0.55 * (bend(position + 1) - bend(position)) + 0.1 * Math.sin(position / 430);
    const bow = random.between(-22, 22) * Math.min(1, Math.abs(position) / 300);
    const isMajor = (index - first) % 4 === 0;
    return {
      easting: (y) => position + lean * y + bow * Math.sin(y / 260),
      width: isMajor ? MAJOR : MINOR,
      isThrough: isMajor || position === BESIDE_SITE[1],
    };
  });
}

/** Divides the ground between two streets into cells. Some cells cover the ground of two. */
function fillRow(
  plan: StreetPlan,
  lower: Street,
  upper: Street,
  avenues: Avenue[],
  random: Random,
): void {
  let west = avenues[0] as Avenue;
  let joined = false;
  for (const east of avenues.slice(1)) {
    joined = !joined && !east.isThrough && random.chance(0.16);
    const cell = cellBetween(lower, upper, west, east);
    if (joined) {
      continue;
    }
    if (isInFrame(cell.corners)) {
      plan.cells.push(cell);
      plan.sections.push({ points: [cell.corners[0], cell.corners[3]], width: west.width });
    }
    west = east;
  }
}

function cellBetween(lower: Street, upper: Street, west: Avenue, east: Avenue): Cell {
  const corners = [
    crossing(lower, west),
    crossing(lower, east),
    crossing(upper, east),
    crossing(upper, west),
  ] as const;
  const kerbs: Cell["kerbs"] = [lower.width / 2, east.width / 2, upper.width / 2, west.width / 2];
  return { corners, kerbs, isSite: distanceBetween(meanPoint(corners), meanPoint(site)) < 60 };
}

/** Where the middles of a street and an avenue meet. */
function crossing(street: Street, avenue: Avenue): Point {
  let y = street.northing(avenue.easting(0));
  // Both are nearly straight and nearly perpendicular, so a few steps converge.
  for (let step = 0; step < 8; step += 1) {
    y = street.northing(avenue.easting(y));
  }
  return [avenue.easting(y), y];
}

function addBridges(plan: StreetPlan, avenues: Avenue[], north: Street, south: Street): void {
  for (const avenue of avenues) {
    const points = [crossing(south, avenue), crossing(north, avenue)];
    if (avenue.width === MAJOR && points.every(([x]) => Math.abs(x) > MIN_BRIDGE_DISTANCE)) {
      plan.sections.push({ points, width: avenue.width });
    }
  }
}

function isInFrame(corners: readonly Point[]): boolean {
  const half = [frame.width / 2, frame.height / 2] as const;
  return ([0, 1] as const).every((axis) => {
    const values = corners.map((corner) => corner[axis] - frame.centre[axis]);
    return Math.min(...values) < half[axis] && Math.max(...values) > -half[axis];
  });
}
