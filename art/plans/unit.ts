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
  /** Corners along the middle of the walls. The first corner is not repeated. Every edge is level or upright. */
  polygon: readonly Point[];
  /** The preferred place of the name, or `false` for no name. By default the drawing chooses a place. */
  label?: Point | false;
  /** `false` omits the printed size. */
  size?: false;
}

/** A hole in a wall. `from` and `to` are on the wall's middle line, at the ends of the opening. */
export type Opening =
  | {
      kind: "entrance" | "door";
      from: Point;
      to: Point;
      /** The end at which the leaf hangs, by default `from`. */
      hinge?: "from" | "to";
      /** The room the leaf swings into. The entrance always swings inwards. */
      into?: RoomName;
    }
  | { kind: "sliding" | "window"; from: Point; to: Point };

/** Degrees clockwise on the page. The back is at the top with 0, at the right with 90, and so on. */
export type Turn = 0 | 90 | 180 | 270;

/** Symbols with a back: `at` is the middle of the back edge. */
export type BackedSymbol =
  /** width 1.53 (1.83 and more for a large one, 1.07 for one person), depth 2.05 with the headboard */
  | "bed"
  /** 0.42 x 0.4 */
  | "nightstand"
  /** width 1.8, depth 0.6 */
  | "wardrobe"
  /** Any low cabinet or bookcase: width 1.2, depth 0.35 */
  | "shelf"
  /** width 2.1, depth 0.88. `chaise` extends one end to 1.6, left or right as seen with turn 0 */
  | "sofa"
  /** 0.75 x 0.78 */
  | "armchair"
  /** A sunbed: 0.68 x 1.95 */
  | "lounger"
  /** A low cabinet with a screen: width 1.8, depth 0.4 */
  | "media"
  /** width 1.2, depth 0.55, and 0.45 in front of it for the chair */
  | "desk"
  /** width 1.2, depth 0.4 */
  | "bench"
  /** A grand piano, keys at the back, with its stool: 1.5 x 2.2 */
  | "piano"
  /** A kitchen worktop: width 2.4, depth 0.6. Two that touch form a corner */
  | "counter"
  /** A tall cabinet with an oven: 0.6 x 0.6 */
  | "tall"
  /** 0.7 x 0.7 */
  | "fridge"
  /** 0.6 x 0.6 */
  | "washer"
  /** On a counter or an island, like `hob`: 0.6 x 0.6 */
  | "sink"
  | "hob"
  /** 0.38 x 0.68 */
  | "wc"
  /** With its cabinet: width 0.8 (two bowls from 1.4), depth 0.5 */
  | "basin"
  /** In the floor, in a corner: 0.95 x 0.95 */
  | "shower"
  /** width 1.6, depth 0.75 */
  | "bath";

/** Symbols without a back: `at` is the middle. */
export type FreeSymbol =
  /** A worktop, 2.0 x 0.9, with `seats` stools (default 0) along its front, 0.35 more */
  | "island"
  /** A table 1.6 x 0.85 with at most `seats` chairs (default 4) along both sides, 0.3 more on each */
  | "dining"
  /** A round table, width 0.9, with `seats` chairs (default 2) around it, 0.33 more on all sides */
  | "round-table"
  /** 0.95 x 0.5 */
  | "coffee-table"
  /** Round, width 0.45 */
  | "side-table"
  /** 2.2 x 1.5. Other furniture may overlap it */
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
  /** 0 by default. */
  turn?: Turn;
  /** Across, as seen with turn 0. */
  width?: number;
  /** From the back to the front, as seen with turn 0. */
  depth?: number;
  seats?: number;
  chaise?: "left" | "right";
}

export interface Unit {
  /** As in `frontend/shared/content/floor-plans.ts`. */
  id: string;
  /** Degrees clockwise from the top of the page to north. */
  north: number;
  /** The rooms tile the outline. Areas extend to the middle of the walls, as in strata area. */
  rooms: readonly Room[];
  /** Shared edges of two rooms, or parts of them, without a wall. */
  open: readonly Segment[];
  /** Edges of balconies and terraces on the outline with a glass balustrade instead of a wall. */
  parapets: readonly Segment[];
  /** Structural walls, thicker than the walls around them. */
  shear: readonly Box[];
  openings: readonly Opening[];
  furniture: readonly Furniture[];
}

/** The corners of a rectangular room, on the middle lines of its walls. */
export function rectangle(west: number, north: number, east: number, south: number): Point[] {
  return [
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ];
}

/** Half the thickness of the walls, in metres: from the middle line to the face. */
export const halfWall = {
  /** On the outline, and around balconies and terraces where they meet rooms. */
  outer: 0.1,
  inner: 0.05,
  /** All walls of the household shelter. */
  shelter: 0.15,
} as const;
