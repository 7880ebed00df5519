import { kinds, type Piece } from "../furniture.ts";
import { type Box, collide, stripAlong } from "../geometry.ts";
import { isOutside, type LaidOpening, type Layout, roomsBeside, type Swing } from "../layout.ts";
import { listObstacles, OVERLAP_TOLERANCE, widestGap } from "./clearance.ts";

/** Clear floor on both sides of a door, millimetres. */
const DOORWAY = { depth: 600, passage: 800 } as const;

export function openingFaults({ openings, shear, built, pieces, walls }: Layout): string[] {
  const faults = openings.flatMap(({ opening, line, wall, swing }) => {
    const where = `${opening.kind} at ${opening.from.join(", ")}`;
    if (wall === undefined) {
      return [`${where} is not in one wall`];
    }
    const faults: string[] = [];
    const outer = roomsBeside(wall).length === 1;
    if (outer !== (opening.kind === "window" || opening.kind === "entrance")) {
      faults.push(`${where} is in the wrong kind of wall`);
    }
    if (shear.some((box) => collide(box, stripAlong(line, wall.half), OVERLAP_TOLERANCE))) {
      faults.push(`${where} is cut into a structural wall`);
    }
    if (opening.kind === "door" || opening.kind === "entrance") {
      if (swing === undefined) {
        faults.push(`${where} does not name the room that it swings into`);
      } else {
        if (built.some((box) => leafOverlaps(swing, box))) {
          faults.push(`${where} swings into a wall`);
        }
        for (const { symbol, furniture, footprint } of pieces) {
          if (kinds[symbol].flat !== true && footprint.some((box) => leafOverlaps(swing, box))) {
            faults.push(`${where} swings into the ${symbol} at ${furniture.at.join(", ")}`);
          }
        }
      }
    }
    return faults;
  });
  const swinging = openings.filter(({ swing }) => swing !== undefined);
  const crossing = swinging.flatMap((a, index) =>
    swinging
      .slice(index + 1)
      .filter((b) => leavesTouch(a.swing as Swing, b.swing as Swing))
      .map(
        (b) => `the doors at ${a.opening.from.join(", ")} and ${b.opening.from.join(", ")} meet`,
      ),
  );
  const blocked = openings
    .filter(({ opening }) => opening.kind !== "window")
    .flatMap((opening) => blockedSides(opening, pieces, built));
  const entrances = openings.filter(({ opening }) => opening.kind === "entrance").length;
  const free = walls.filter(
    (wall) => wall.kind === "parapet" && !roomsBeside(wall).every(isOutside),
  );
  return [
    ...faults,
    ...crossing,
    ...blocked,
    ...(entrances === 1 ? [] : [`${entrances} entrances`]),
    ...free.map((wall) => `${roomsBeside(wall).join()} has a balustrade instead of a wall`),
  ];
}

/** Whether an open leaf passes through a box. */
function leafOverlaps({ hinge, open, shut, radius, box }: Swing, other: Box): boolean {
  if (!collide(box, other, OVERLAP_TOLERANCE)) {
    return false;
  }
  const towards = [
    Math.sign(open[0] + shut[0] - 2 * hinge[0]),
    Math.sign(open[1] + shut[1] - 2 * hinge[1]),
  ];
  const x = towards[0] === 1 ? Math.max(other.left, hinge[0]) : Math.min(other.right, hinge[0]);
  const y = towards[1] === 1 ? Math.max(other.top, hinge[1]) : Math.min(other.bottom, hinge[1]);
  return Math.hypot(x - hinge[0], y - hinge[1]) < radius - OVERLAP_TOLERANCE;
}

/** Whether two leaves can touch. Compares their quarter circles in steps of five degrees. */
function leavesTouch(a: Swing, b: Swing): boolean {
  if (!collide(a.box, b.box, OVERLAP_TOLERANCE)) {
    return false;
  }
  return Array.from({ length: 19 }, (_, step) => (step * Math.PI) / 36).some((angle) => {
    const x =
      a.hinge[0] +
      (a.shut[0] - a.hinge[0]) * Math.cos(angle) +
      (a.open[0] - a.hinge[0]) * Math.sin(angle);
    const y =
      a.hinge[1] +
      (a.shut[1] - a.hinge[1]) * Math.cos(angle) +
      (a.open[1] - a.hinge[1]) * Math.sin(angle);
    return [0.4, 0.7, 1].some((part) => {
      const px = a.hinge[0] + (x - a.hinge[0]) * part;
      const py = a.hinge[1] + (y - a.hinge[1]) * part;
      return leafOverlaps(b, { left: px - 20, right: px + 20, top: py - 20, bottom: py + 20 });
    });
  });
}

/** The faults of a door whose way is blocked by furniture or walls. */
function blockedSides(
  { opening, line, wall, swing }: LaidOpening,
  pieces: readonly Piece[],
  built: readonly Box[],
): string[] {
  if (wall === undefined) {
    return [];
  }
  const width = line.end - line.start;
  const needed = swing === undefined ? Math.min(width - 100, DOORWAY.passage) : width - 60;
  return ([-1, 1] as const).flatMap((side) => {
    const room = side === 1 ? wall.after : wall.before;
    if (room === undefined) {
      return [];
    }
    const near = wall.half + OVERLAP_TOLERANCE;
    const middle = line.across + side * (near + DOORWAY.depth / 2);
    const zone = stripAlong({ ...line, across: middle }, DOORWAY.depth / 2);
    return widestGap(zone, line.level, listObstacles(pieces, built)) < needed
      ? [
          `the way through the ${opening.kind} at ${opening.from.join(", ")} is blocked in the ${room}`,
        ]
      : [];
  });
}
