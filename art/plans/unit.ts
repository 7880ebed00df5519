import type { DrawingTexts } from "./texts/en.ts";

/** Metres: x to the right, y down the page, as in SVG. */
export type Point = readonly [x: number, y: number];
export type Segment = readonly [Point, Point];
/** Two opposite corners. */
export type Box = readonly [Point, Point];

/** A key of the translated room names; unique within a unit. */
export type RoomName = keyof DrawingTexts["rooms"];

export interface Room {
  name: RoomName;
  floor: "oak" | "tile" | "deck" | "stone";
  /** Corners along the middle of the walls, without a repetition of the first; every edge is level or upright. */
  polygon: readonly Point[];
  /** Where the name should stand if it can, or `false` for none; otherwise it finds its own place. */
  label?: Point | false;
  /** `false` leaves the printed size out. */
  size?: false;
}

/** A hole in a wall; `from` and `to` lie on the wall's middle line, as far apart as the opening is wide. */
export type Opening =
  | {
      kind: "entrance" | "door";
      from: Point;
      to: Point;
      /** The end at which the leaf hangs; `from` when left out. */
      hinge?: "from" | "to";
      /** The room the leaf swings into. The entrance always swings inwards. */
      into?: RoomName;
    }
  | { kind: "sliding" | "window"; from: Point; to: Point };

/** Degrees clockwise on the page: with 0 the back is at the top, with 90 at the right, 180 at the bottom, 270 at the left. */
export type Turn = 0 | 90 | 180 | 270;

/** Symbols that stand with their back to something: `at` is the middle of the back edge. */
export type BackedSymbol =
  /** width 1.53 (1.83 and more for a large one, 1.07 for one person), depth 2.05 with the headboard */
  | "bed"
  /** 0.42 x 0.4 */
  | "nightstand"
  /** width 1.8, depth 0.6 */
  | "wardrobe"
  /** Any low cabinet or bookcase: width 1.2, depth 0.35 */
  | "shelf"
  /** width 2.1, depth 0.88; `chaise` makes one end 1.6 deep, left or right as seen with turn 0 */
  | "sofa"
  /** 0.75 x 0.78 */
  | "armchair"
  /** A sunbed: 0.68 x 1.95 */
  | "lounger"
  /** A low cabinet with a screen: width 1.8, depth 0.4 */
  | "media"
  /** width 1.2, depth 0.55, and 0.45 before it for the chair */
  | "desk"
  /** width 1.2, depth 0.4 */
  | "bench"
  /** A grand piano, keys at the back, with its stool: 1.5 x 2.2 */
  | "piano"
  /** A kitchen worktop: width 2.4, depth 0.6; make corners of two that touch */
  | "counter"
  /** A tall cabinet with an oven: 0.6 x 0.6 */
  | "tall"
  /** 0.7 x 0.7 */
  | "fridge"
  /** 0.6 x 0.6 */
  | "washer"
  /** Stands on a counter or an island, as sink and hob do: 0.6 x 0.6 */
  | "sink"
  | "hob"
  /** 0.38 x 0.68 */
  | "wc"
  /** With its cabinet: width 0.8 (two bowls from 1.4), depth 0.5 */
  | "basin"
  /** Set into the floor, in a corner: 0.95 x 0.95 */
  | "shower"
  /** width 1.6, depth 0.75 */
  | "bath";

/** Symbols that stand free: `at` is the middle. */
export type FreeSymbol =
  /** A worktop, 2.0 x 0.9, with `seats` stools (none when left out) along its front, 0.35 more */
  | "island"
  /** A table 1.6 x 0.85 with `seats` chairs (4) along both sides, 0.3 more each; from the width, not more than fit */
  | "dining"
  /** A round table, width 0.9, with `seats` chairs (2) around it, 0.33 more on all sides */
  | "round-table"
  /** 0.95 x 0.5 */
  | "coffee-table"
  /** Round, width 0.45 */
  | "side-table"
  /** 2.2 x 1.5; others may stand on it */
  | "rug"
  /** Round, width 0.45 */
  | "plant"
  /** A long bed of plants: 1.6 x 0.4 */
  | "planter"
  /** Water in the floor: 4 x 2 */
  | "pool";

export type SymbolName = BackedSymbol | FreeSymbol;

export interface Furniture {
  symbol: SymbolName;
  at: Point;
  /** 0 when left out. */
  turn?: Turn;
  /** Across, as seen with turn 0. */
  width?: number;
  /** Away from the back, as seen with turn 0. */
  depth?: number;
  seats?: number;
  chaise?: "left" | "right";
}

export interface Unit {
  /** As in `frontend/src/content/floor-plans.ts`. */
  id: string;
  /** Degrees clockwise from the top of the page to north. */
  north: number;
  /** They tile the outline. Areas run to the middle of the walls, as strata area is measured. */
  rooms: readonly Room[];
  /** Shared edges of two rooms, or parts of them, without a wall. */
  open: readonly Segment[];
  /** Edges of balconies and terraces on the outline with a glass balustrade instead of a wall. */
  parapets: readonly Segment[];
  /** Structural walls, thicker than what they stand in. */
  shear: readonly Box[];
  openings: readonly Opening[];
  furniture: readonly Furniture[];
}

/** The corners of a room with four of them, by the middle lines of its walls. */
export function rectangle(west: number, north: number, east: number, south: number): Point[] {
  return [
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ];
}

/** Half the thickness of the walls, metres: from the middle line to the face that furniture stands against. */
export const halfWall = {
  /** On the outline, and around balconies and terraces where they meet rooms. */
  outer: 0.1,
  inner: 0.05,
  /** All walls of the household shelter. */
  shelter: 0.15,
} as const;
