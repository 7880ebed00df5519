import { kinds } from "./furniture.ts";
import {
  type Box,
  boxBetween,
  boxPolygon,
  collide,
  covers,
  largestBox,
  polygonBounds,
  polygonEdges,
  type Spot,
  stripAlong,
} from "./geometry.ts";
import type { LaidRoom, Layout, Swing } from "./layout.ts";
import type { Lettering, Text } from "./lettering.ts";

/** Lines one above the other, centred. */
export interface Block {
  lines: Omit<Text, "at">[];
  width: number;
  height: number;
}

/** Areas that labels avoid. */
export interface Obstacles {
  /** Walls and furniture. A label never overlaps them. */
  solid: readonly Box[];
  /** The areas that door leaves cover while they swing. */
  swings: readonly Box[];
  /** The edges of rugs. A label crosses them only if there is no other place. */
  rims: readonly Box[];
}

const LINE_HEIGHT = 1.22;
const STEP = 50;

/** Minimum distance to walls and furniture, as a share of the letter size. */
const MIN_CLEARANCE = 0.22;

/** Number of boxes that approximate the quarter circle of a leaf. */
const SLICES = 8;

export function listLabelObstacles({ built, openings, pieces }: Layout): Obstacles {
  const footprints = (flat: boolean) =>
    pieces
      .filter(({ symbol }) => (kinds[symbol].flat === true) === flat)
      .flatMap(({ footprint }) => footprint);
  return {
    solid: [...built, ...footprints(false)],
    swings: openings.flatMap(({ swing }) => (swing === undefined ? [] : sliceSwing(swing))),
    rims: footprints(true).flatMap((box) =>
      polygonEdges(boxPolygon(box)).map((edge) => stripAlong(edge, 1)),
    ),
  };
}

function sliceSwing({ hinge, open, shut, radius }: Swing): Box[] {
  const [right, down] = [
    Math.sign(open[0] + shut[0] - 2 * hinge[0]),
    Math.sign(open[1] + shut[1] - 2 * hinge[1]),
  ];
  return Array.from({ length: SLICES }, (_, slice) => {
    const near = (radius * slice) / SLICES;
    const far = (radius * (slice + 1)) / SLICES;
    const reach = Math.sqrt(radius ** 2 - near ** 2);
    return boxBetween(
      [hinge[0] + right * near, hinge[1]],
      [hinge[0] + right * far, hinge[1] + down * reach],
    );
  });
}

export function createBlock(lines: Omit<Text, "at">[], lettering: Lettering): Block {
  return {
    lines,
    width: Math.max(...lines.map((line) => lettering.width(line))),
    height: lines.reduce((sum, { size }) => sum + size * LINE_HEIGHT, 0),
  };
}

/** The middle of the free place nearest to the preferred place of a block. */
export function findPlace(
  { lines, width, height }: Block,
  { room, polygon, clear }: LaidRoom,
  obstacles: readonly Box[],
): Spot | undefined {
  const bounds = polygonBounds(polygon);
  const main = largestBox(clear) ?? bounds;
  const wanted: Spot = room.label
    ? [room.label[0] * 1000, room.label[1] * 1000]
    : [(main.left + main.right) / 2, (main.top + main.bottom) / 2];
  const edges = polygonEdges(polygon).map((edge) => stripAlong(edge, 1));
  const near = [...obstacles.filter((box) => collide(box, bounds)), ...edges];
  const least = MIN_CLEARANCE * Math.max(...lines.map(({ size }) => size));
  let best: Spot | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (let y = bounds.top + height / 2; y <= bounds.bottom - height / 2; y += STEP) {
    for (let x = bounds.left + width / 2; x <= bounds.right - width / 2; x += STEP) {
      const distance = Math.hypot(x - wanted[0], y - wanted[1]);
      if (distance - 400 > bestScore || !covers([[polygon]], [x, y])) {
        continue;
      }
      const box = {
        left: x - width / 2,
        right: x + width / 2,
        top: y - height / 2,
        bottom: y + height / 2,
      };
      const clearance = distanceToNearest(box, near);
      const score = distance - 2 * Math.min(clearance, 200);
      if (clearance >= least && score < bestScore) {
        bestScore = score;
        best = [x, y];
      }
    }
  }
  return best;
}

/** The distance to the nearest obstacle, or a negative number for an overlap. */
function distanceToNearest(box: Box, obstacles: readonly Box[]): number {
  return obstacles.reduce((clearance, other) => {
    const x = Math.max(other.left - box.right, box.left - other.right);
    const y = Math.max(other.top - box.bottom, box.top - other.bottom);
    return Math.min(clearance, Math.max(x, y));
  }, Number.POSITIVE_INFINITY);
}

export function positionLines({ lines, height }: Block, [x, y]: Spot): Text[] {
  let top = y - height / 2;
  return lines.map((line) => {
    const baseline = top + line.size * (LINE_HEIGHT / 2 + 0.36);
    top += line.size * LINE_HEIGHT;
    return { ...line, at: [x, baseline] as const };
  });
}
