import type { Box } from "./geometry.ts";
import type { Furniture, SymbolName, Turn } from "./unit.ts";

/** Default measures of a symbol, in metres, and how it may be placed. */
interface Kind {
  width: number;
  depth: number;
  /** `at` is the middle instead of the middle of the back edge. */
  free?: true;
  /** The depth always equals the width. */
  round?: true;
  /** Other furniture may overlap it. */
  flat?: true;
  /** Part of a counter or an island. */
  mounted?: true;
  /** Depth of the floor in front of it. Part of this floor must be clear. */
  reach?: number;
}

export const kinds: Record<SymbolName, Kind> = {
  bed: { width: 1.53, depth: 2.05 },
  nightstand: { width: 0.42, depth: 0.4 },
  wardrobe: { width: 1.8, depth: 0.6, reach: 0.5 },
  shelf: { width: 1.2, depth: 0.35 },
  sofa: { width: 2.1, depth: 0.88 },
  armchair: { width: 0.75, depth: 0.78 },
  lounger: { width: 0.68, depth: 1.95 },
  media: { width: 1.8, depth: 0.4 },
  desk: { width: 1.2, depth: 0.55 },
  bench: { width: 1.2, depth: 0.4 },
  piano: { width: 1.5, depth: 2.2 },
  counter: { width: 2.4, depth: 0.6, reach: 0.75 },
  tall: { width: 0.6, depth: 0.6, reach: 0.6 },
  fridge: { width: 0.7, depth: 0.7, reach: 0.6 },
  washer: { width: 0.6, depth: 0.6, reach: 0.5 },
  sink: { width: 0.6, depth: 0.6, mounted: true },
  hob: { width: 0.6, depth: 0.6, mounted: true },
  wc: { width: 0.38, depth: 0.68, reach: 0.4 },
  basin: { width: 0.8, depth: 0.5, reach: 0.45 },
  shower: { width: 0.95, depth: 0.95 },
  bath: { width: 1.6, depth: 0.75 },
  island: { width: 2, depth: 0.9, free: true },
  dining: { width: 1.6, depth: 0.85, free: true },
  "round-table": { width: 0.9, depth: 0.9, free: true, round: true },
  "coffee-table": { width: 0.95, depth: 0.5, free: true },
  "side-table": { width: 0.45, depth: 0.45, free: true, round: true },
  rug: { width: 2.2, depth: 1.5, free: true, flat: true },
  plant: { width: 0.45, depth: 0.45, free: true, round: true },
  planter: { width: 1.6, depth: 0.4, free: true },
  pool: { width: 4, depth: 2, free: true },
};

/**
 * How far chairs and stools extend from a table, and the width of a place at it, in metres. `inset` is from the back of a
 * chair at a round table to the middle of its seat.
 */
export const seat = {
  reach: 0.3,
  around: 0.33,
  inset: 0.215,
  stool: 0.35,
  desk: 0.45,
  place: 0.58,
} as const;

/** Size of a sofa's chaise, in metres. */
export const chaise = { depth: 1.6, width: 0.92 } as const;

/** A piece of furniture at its place, in millimetres. */
export interface Piece {
  furniture: Furniture;
  symbol: SymbolName;
  turn: Turn;
  /** Size with turn 0: x from -width / 2, y from the back. */
  width: number;
  depth: number;
  seats: number;
  /** The middle of the back edge. */
  origin: readonly [x: number, y: number];
  /** The floor that it and its chairs cover. */
  footprint: readonly Box[];
}

/** Converts local coordinates (turn 0, origin in the middle of the back edge) to those of the page. */
export function pointOnPage(
  { origin: [originX, originY], turn }: Pick<Piece, "origin" | "turn">,
  [x, y]: readonly [number, number],
): readonly [number, number] {
  switch (turn) {
    case 0:
      return [originX + x, originY + y];
    case 90:
      return [originX - y, originY + x];
    case 180:
      return [originX - x, originY - y];
    case 270:
      return [originX + y, originY - x];
  }
}

export function boxOnPage(
  place: Pick<Piece, "origin" | "turn">,
  { left, top, right, bottom }: Box,
): Box {
  const [ax, ay] = pointOnPage(place, [left, top]);
  const [bx, by] = pointOnPage(place, [right, bottom]);
  return {
    left: Math.min(ax, bx),
    top: Math.min(ay, by),
    right: Math.max(ax, bx),
    bottom: Math.max(ay, by),
  };
}

export function placePiece(furniture: Furniture): Piece {
  const kind = kinds[furniture.symbol];
  const turn = furniture.turn ?? 0;
  const width = mm(furniture.width ?? kind.width);
  const depth = kind.round ? width : mm(furniture.depth ?? kind.depth);
  const at = [mm(furniture.at[0]), mm(furniture.at[1])] as const;
  const origin = kind.free ? pointOnPage({ origin: at, turn }, [0, -depth / 2]) : at;
  const seats = countSeats(furniture, width);
  const footprint = computeFootprint(furniture, width, depth, seats).map((box) =>
    boxOnPage({ origin, turn }, box),
  );
  return { furniture, symbol: furniture.symbol, turn, width, depth, seats, origin, footprint };
}

function countSeats({ symbol, seats }: Furniture, width: number): number {
  switch (symbol) {
    case "dining":
      return Math.min(seats ?? 4, 2 * Math.floor(width / mm(seat.place)));
    case "round-table":
      return seats ?? 2;
    case "island":
      return Math.min(seats ?? 0, Math.floor(width / mm(seat.place)));
    default:
      return 0;
  }
}

function computeFootprint(
  furniture: Furniture,
  width: number,
  depth: number,
  seats: number,
): Box[] {
  const body = { left: -width / 2, top: 0, right: width / 2, bottom: depth };
  switch (furniture.symbol) {
    case "sofa": {
      if (furniture.chaise === undefined) {
        return [body];
      }
      const long = { ...body, bottom: mm(chaise.depth) };
      return [
        body,
        furniture.chaise === "left"
          ? { ...long, right: body.left + mm(chaise.width) }
          : { ...long, left: body.right - mm(chaise.width) },
      ];
    }
    case "desk":
      return [body, { left: -250, top: depth, right: 250, bottom: depth + mm(seat.desk) }];
    case "island":
      return [seats === 0 ? body : { ...body, bottom: depth + mm(seat.stool) }];
    case "dining":
      return [{ ...body, top: -mm(seat.reach), bottom: depth + mm(seat.reach) }];
    case "round-table": {
      const out = seats === 0 ? 0 : mm(seat.around);
      return [{ left: body.left - out, top: -out, right: body.right + out, bottom: depth + out }];
    }
    default:
      return [body];
  }
}

export function mm(metres: number): number {
  return Math.round(metres * 1000);
}
