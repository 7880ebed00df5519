import { boxOnPage, kinds, mm, type Piece } from "../furniture.ts";
import {
  type Box,
  boxPolygon,
  collide,
  common,
  contains,
  grown,
  regionArea,
  unitePolygons,
} from "../geometry.ts";
import type { LaidRoom, Layout } from "../layout.ts";
import type { SymbolName } from "../unit.ts";
import { listObstacles, OVERLAP_TOLERANCE, widestGap } from "./clearance.ts";

export function furnitureFaults({ rooms, pieces, built }: Layout): string[] {
  return pieces.flatMap((piece, index) => {
    const { symbol, furniture, footprint } = piece;
    const where = `${symbol} at ${furniture.at.join(", ")}`;
    const faults: string[] = [];
    if (findRoom(piece, rooms) === undefined) {
      faults.push(`${where} is not in one room`);
    }
    if (
      kinds[symbol].flat !== true &&
      footprint.some((box) => built.some((wall) => collide(box, wall, OVERLAP_TOLERANCE)))
    ) {
      const into = built.filter((wall) =>
        footprint.some((box) => collide(box, wall, OVERLAP_TOLERANCE)),
      );
      faults.push(`${where} overlaps a wall (${into.map(inMetres).join("; ")})`);
    }
    for (const other of pieces.slice(index + 1)) {
      if (
        !mayOverlap(symbol, other.symbol) &&
        footprint.some((a) => other.footprint.some((b) => collide(a, b, OVERLAP_TOLERANCE)))
      ) {
        faults.push(
          `${where} collides with the ${other.symbol} at ${other.furniture.at.join(", ")}`,
        );
      }
    }
    if (kinds[symbol].mounted === true && !isMounted(piece, pieces)) {
      faults.push(`${where} is not on a counter`);
    }
    if (symbol === "bed" && !canBeEntered(piece, pieces, built)) {
      faults.push(`${where} cannot be reached from a side`);
    }
    const reach = kinds[symbol].reach;
    if (reach !== undefined && !canBeUsed(piece, reach, pieces, built)) {
      faults.push(`${where} has no clear floor in front of it`);
    }
    return faults;
  });
}

/** The room that contains the whole piece. */
export function findRoom({ footprint }: Piece, rooms: readonly LaidRoom[]): LaidRoom | undefined {
  const region = unitePolygons(footprint.map(boxPolygon));
  const area = regionArea(region);
  return rooms.find(({ polygon }) => regionArea(common(region, [[polygon]])) >= area - 1);
}

function mayOverlap(a: SymbolName, b: SymbolName): boolean {
  return (
    [kinds[a], kinds[b]].some(({ flat, mounted }) => flat === true || mounted === true) &&
    !(kinds[a].mounted === true && kinds[b].mounted === true)
  );
}

function isMounted({ footprint }: Piece, pieces: readonly Piece[]): boolean {
  const tops = pieces
    .filter(({ symbol }) => symbol === "counter" || symbol === "island")
    .flatMap((counter) => counter.footprint.map((top) => grown(top, OVERLAP_TOLERANCE)));
  return footprint.every((box) => tops.some((top) => contains(top, box)));
}

/** Whether there is floor beside the bed, from the pillow to the foot, on one side at least. */
function canBeEntered(bed: Piece, pieces: readonly Piece[], built: readonly Box[]): boolean {
  const half = bed.width / 2;
  return ([-1, 1] as const).some((side) => {
    const beside = boxOnPage(bed, {
      left: side === 1 ? half : -half - 500,
      right: side === 1 ? half + 500 : -half,
      top: 450,
      bottom: bed.depth - 100,
    });
    return !listObstacles(pieces, built).some((box) => collide(box, beside, OVERLAP_TOLERANCE));
  });
}

function canBeUsed(
  piece: Piece,
  reach: number,
  pieces: readonly Piece[],
  built: readonly Box[],
): boolean {
  const zone = boxOnPage(piece, {
    left: -piece.width / 2,
    right: piece.width / 2,
    top: piece.depth + OVERLAP_TOLERANCE,
    bottom: piece.depth + mm(reach),
  });
  const needed = Math.min(piece.width - 2 * OVERLAP_TOLERANCE, 600);
  return widestGap(zone, piece.turn % 180 === 0, listObstacles(pieces, built)) >= needed;
}

function inMetres({ left, top, right, bottom }: Box): string {
  return [left, top, right, bottom].map((value) => value / 1000).join(" ");
}
