// The content of the map, in metres: x is east, y is north, the origin is between the towers. Only distances are known,
// so the directions, the streets and the course of the lines are an illustration.
import {
  amenitiesDistance,
  stationDistances,
  towers as storeys,
} from "../../frontend/site/content/facts.ts";
import { destination, type Point } from "./geometry.ts";
import { northBank, PROMENADE, southBank } from "./river.ts";

/** How browsers show the picture: `wide` in windows at least `wide.from` CSS pixels wide, `narrow` in others. */
export const views = {
  /** Windows wider than 2560 pixels enlarge it. */
  wide: { from: 768, to: 2560, height: 450, metresPerPixel: 2.2 },
  narrow: { from: 0, to: 768, height: 450, metresPerPixel: 2.75 },
};

/** The middle of the picture, which is in the middle of every window, and its size. */
export const frame = {
  centre: [12, 8] as Point,
  width: Math.round(views.wide.to * views.wide.metresPerPixel),
  height: Math.round(views.narrow.height * views.narrow.metresPerPixel),
};

/** The boundary of the site, convex and counter-clockwise. All distances are measured from its nearest point. */
export const site: readonly Point[] = [
  [-100, -44],
  [136, -44],
  [136, 46],
  [124, 58],
  [-112, 58],
  [-112, -32],
];

export interface Block {
  centre: Point;
  halfWidth: number;
  halfDepth: number;
  corner: number;
  /** Degrees, counter-clockwise. */
  angle: number;
}

export interface Tower extends Block {
  storeys: number;
}

/** The building below the two residential towers. It and the following objects are the same as in the renders. */
export const podium: Block = {
  centre: [18, 4],
  halfWidth: 74,
  halfDepth: 44,
  corner: 14,
  angle: 0,
};

/** West of the podium: the drive round its basin, and the canopy over the entrance. */
export const arrivalCourt = {
  drive: { centre: [-90, -8], halfWidth: 16, halfDepth: 33, corner: 16, angle: 0 },
  island: { centre: [-90, -8], halfWidth: 8.4, halfDepth: 25.4, corner: 8.4, angle: 0 },
  basin: { centre: [-90, -15], halfWidth: 7, halfDepth: 16, corner: 4, angle: 0 },
  canopy: { centre: [-70.5, 5], halfWidth: 13, halfDepth: 15, corner: 9, angle: 0 },
} as const satisfies Record<string, Block>;

export const pool: Block = {
  centre: [-19, -21.5],
  halfWidth: 25,
  halfDepth: 4.5,
  corner: 2,
  angle: 0,
};

export const lawn: Block = {
  centre: [10, -1],
  halfWidth: 20,
  halfDepth: 7,
  corner: 2,
  angle: 0,
};

export const towers: readonly Tower[] = [
  { centre: [52, 0], halfWidth: 20.5, halfDepth: 13, corner: 5.5, angle: 14, storeys: storeys[0] },
  {
    centre: [-14, 18],
    halfWidth: 20.5,
    halfDepth: 13,
    corner: 5.5,
    angle: -16,
    storeys: storeys[1],
  },
  { centre: [112, 14], halfWidth: 17, halfDepth: 11.5, corner: 1.2, angle: 4, storeys: storeys[2] },
];

/** A place at a known distance. Its direction is an assumption. `from` is the nearest point of the boundary. */
export interface Place {
  from: Point;
  /** Degrees clockwise from north. */
  bearing: number;
  /** Metres. */
  distance: number;
}

export const stations = {
  first: { from: [-112, -24], bearing: 270, distance: stationDistances.first },
  second: { from: [130, 52], bearing: 45, distance: stationDistances.second },
  third: { from: [-112, 10], bearing: 270, distance: stationDistances.third },
  fourth: { from: [136, 46], bearing: 82, distance: stationDistances.fourth },
} as const satisfies Record<string, Place>;

export function locatePlace({ from, bearing, distance }: Place): Point {
  return destination(from, bearing, distance);
}

/** The metro lines, from one edge of the picture to another. */
export const metroLines: readonly Point[][] = [
  [
    [-2900, 190],
    [-2200, 120],
    locatePlace(stations.third),
    [-980, -50],
    [-480, 10],
    locatePlace(stations.first),
    [-40, -130],
    [70, -330],
    [130, -700],
  ],
  [
    [-560, 680],
    [-330, 470],
    [20, 330],
    locatePlace(stations.second),
    [760, 190],
    [1220, 290],
    locatePlace(stations.fourth),
    [2320, 370],
    [2960, 300],
  ],
];

/** Metres per minute. */
export const WALKING_SPEED = 80;

/** Distances in metres. For each, the map draws the line at this distance from the boundary. */
export const reaches = {
  fiveMinutes: 5 * WALKING_SPEED,
  tenMinutes: 10 * WALKING_SPEED,
  /** Eateries and hospitals are within this distance. */
  amenities: amenitiesDistance,
};

/** Metres. */
export const scaleBar = 200;

/** An ellipse with an uneven edge. Radii are in metres, the angle is in degrees counter-clockwise. */
export interface Park {
  centre: Point;
  radii: readonly [along: number, across: number];
  angle: number;
}

export const parks: readonly Park[] = [
  { centre: [-560, 190], radii: [150, 92], angle: 24 },
  { centre: [735, 395], radii: [150, 84], angle: 12 },
  { centre: [440, -400], radii: [120, 66], angle: 6 },
  { centre: [-1060, 330], radii: [90, 60], angle: -20 },
  { centre: [-1890, 300], radii: [170, 110], angle: 10 },
  { centre: [1330, -285], radii: [150, 70], angle: 14 },
  { centre: [-2330, -150], radii: [150, 120], angle: -25 },
  { centre: [2290, 460], radii: [190, 90], angle: -8 },
  { centre: [-640, -470], radii: [110, 60], angle: 20 },
  { centre: [2330, -330], radii: [150, 90], angle: 30 },
];

/** Wide roads that cut across the others. */
export const boulevards: readonly Point[][] = [
  [
    [-1500, 640],
    [-1180, 420],
    [-930, 180],
    [-840, 40],
    [-733, northBank(-733) + PROMENADE],
  ],
  [
    [280, -640],
    [560, -470],
    [860, -330],
    [1010, southBank(1010) - PROMENADE],
  ],
  [
    [880, 640],
    [1010, 430],
    [1230, 210],
    [1300, northBank(1300) + PROMENADE],
  ],
  [
    [1780, -640],
    [1900, -330],
    [2120, -130],
    [2480, southBank(2480) - PROMENADE],
  ],
  [
    [-2900, 520],
    [-2500, 380],
    [-2200, 80],
    [-2060, -260],
    [-1800, -640],
  ],
];

/** Boats on the water, with their length in metres. */
export const boats: readonly { centre: Point; length: number }[] = [
  { centre: [-430, -215], length: 22 },
  { centre: [128, -100], length: 18 },
];

/** The terraced steps from the promenade to the water, between two x. `depth` is that of each step. */
export const waterSteps = { from: -30, to: 50, count: 5, depth: 1.2 };
