import type { DrawingTexts } from "../../src/i18n/drawings/en.ts";
import { kinds } from "./furniture.ts";
import {
  type Box,
  boundsOf,
  boxPolygon,
  collide,
  covers,
  edgesOf,
  largestBox,
  type Spot,
  stripAlong,
} from "./geometry.ts";
import type { LaidRoom, Layout } from "./layout.ts";
import type { Lettering, Text } from "./lettering.ts";
import { colours } from "./paints.ts";

export interface LabelStyle {
  /** Letter size of the names. */
  name: number;
  /** The part of their size to which letters shrink before a label is left out. */
  least: number;
  /** Letter size of the rooms' measures, or `undefined` to leave them out. */
  measure: number | undefined;
}

/** Lines one above the other, centred. */
interface Block {
  lines: Omit<Text, "at">[];
  width: number;
  height: number;
}

const LINE_HEIGHT = 1.22;
const STEP = 50;

/** Least distance to walls and furniture, as a part of the letter size. */
const AIR = 0.22;

/** The rooms that people buy a flat for. */
const principal = /^(living|dining|mainBedroom$|bedroom|kitchen$|dryKitchen$|balcony$|terrace$)/;

/** Ways to write a label, best first. */
type Blocks = Iterable<Block>;

/** Names, and measures if wanted, of all rooms, each on free floor of its room. What fits nowhere is left out. */
export function roomLabels(
  layout: Layout,
  texts: DrawingTexts,
  lettering: Lettering,
  style: LabelStyle,
): Text[] {
  return labelsOf(layout, layout.rooms, (room) => blocksOf(room, texts, lettering, style)).flat();
}

/**
 * Names in letters of one size: the largest at which all principal rooms have theirs, or as many as can. Of the others
 * those have theirs for which there is room then.
 */
export function roomNames(
  layout: Layout,
  texts: DrawingTexts,
  lettering: Lettering,
  style: Pick<LabelStyle, "name" | "least">,
): Text[] {
  const rooms = layout.rooms.filter(({ name }) => name !== "corridor");
  const namesAt = (size: number) =>
    labelsOf(layout, rooms, (room) =>
      splitsOf(texts.rooms[room.name]).map((lines) =>
        blockOf(
          lines.map((text) => nameLine(text, size)),
          lettering,
        ),
      ),
    );
  let best: Text[][] = [];
  let mostNamed = -1;
  for (const factor of factorsDownTo(style.least)) {
    const names = namesAt(style.name * factor);
    const named = rooms.filter(
      ({ name }, index) => principal.test(name) && names[index]?.length !== 0,
    ).length;
    if (named > mostNamed) {
      mostNamed = named;
      best = names;
    }
  }
  return best.flat();
}

function* factorsDownTo(least: number): Generator<number> {
  const steps = 6;
  for (let step = 0; step <= steps; step += 1) {
    yield 1 - ((1 - least) * step) / steps;
  }
}

/** For each room the lines of the first block that has a place in it, none if no block has. */
function labelsOf(
  layout: Layout,
  rooms: readonly LaidRoom[],
  blocksFor: (room: LaidRoom) => Blocks,
): Text[][] {
  const solid = [
    ...layout.built,
    ...layout.pieces
      .filter(({ symbol }) => kinds[symbol].flat !== true)
      .flatMap(({ footprint }) => footprint),
  ];
  const light = [
    ...layout.openings.flatMap(({ swing }) => (swing === undefined ? [] : [swing.box])),
    // A label stands on a rug or beside it rather than across its edge.
    ...layout.pieces
      .filter(({ symbol }) => kinds[symbol].flat === true)
      .flatMap(({ footprint }) => footprint.flatMap(rimOf)),
  ];
  return rooms.map((room) => {
    if (room.room.label === false) {
      return [];
    }
    const blocks = [...blocksFor(room)];
    // Across the thin line of a leaf's way only where there is no other place.
    for (const obstacles of [[...solid, ...light], solid]) {
      for (const block of blocks) {
        const middle = placeFor(block, room, obstacles);
        if (middle !== undefined) {
          return setAt(block, middle);
        }
      }
    }
    return [];
  });
}

/** "3.1 × 3.8 m": clear width and depth between the walls' faces of the largest box within a room. */
function measuresOf({ clear }: LaidRoom, texts: DrawingTexts): string | undefined {
  const box = largestBox(clear);
  if (box === undefined) {
    return undefined;
  }
  const metres = (length: number) => (length / 1000).toFixed(1);
  return texts.size
    .replace("{width}", metres(box.right - box.left))
    .replace("{depth}", metres(box.bottom - box.top));
}

function* blocksOf(
  room: LaidRoom,
  texts: DrawingTexts,
  lettering: Lettering,
  style: LabelStyle,
): Generator<Block> {
  const name = texts.rooms[room.name];
  const measures = room.room.size === false ? undefined : measuresOf(room, texts);
  const full = style.measure !== undefined && measures !== undefined;
  for (const withMeasures of full ? [true, false] : [false]) {
    for (const factor of [1, (1 + style.least) / 2, style.least]) {
      for (const lines of splitsOf(name)) {
        yield blockOf(
          [
            ...lines.map((text) => nameLine(text, style.name * factor)),
            ...(withMeasures
              ? [measureLine(measures as string, (style.measure as number) * factor)]
              : []),
          ],
          lettering,
        );
      }
    }
  }
}

/** A name in one line, and in two if it has a place to break. */
function splitsOf(name: string): string[][] {
  const broken = brokenName(name);
  return broken === undefined ? [[name]] : [[name], broken];
}

/** A name in two lines, where it has a place to break. */
function brokenName(name: string): string[] | undefined {
  const parts = name.split(" / ");
  if (parts.length === 2) {
    return [`${parts[0]} /`, parts[1] as string];
  }
  const match = /^(.*) (\D+)$/.exec(name);
  return match === null ? undefined : [match[1] as string, match[2] as string];
}

function nameLine(text: string, size: number): Omit<Text, "at"> {
  return { text, face: "strong", size, fill: colours.ink, anchor: "middle", tracking: 0.03 };
}

function measureLine(text: string, size: number): Omit<Text, "at"> {
  return { text, face: "plain", size, fill: colours.slate, anchor: "middle" };
}

function blockOf(lines: Omit<Text, "at">[], lettering: Lettering): Block {
  return {
    lines,
    width: Math.max(...lines.map((line) => lettering.width(line))),
    height: lines.reduce((sum, { size }) => sum + size * LINE_HEIGHT, 0),
  };
}

/** The middle of the free place for a block that is nearest to where it should be. */
function placeFor(
  { lines, width, height }: Block,
  { room, polygon, clear }: LaidRoom,
  obstacles: readonly Box[],
): Spot | undefined {
  const bounds = boundsOf(polygon);
  const main = largestBox(clear) ?? bounds;
  const wanted: Spot = room.label
    ? [room.label[0] * 1000, room.label[1] * 1000]
    : [(main.left + main.right) / 2, (main.top + main.bottom) / 2];
  const edges = edgesOf(polygon).map((edge) => stripAlong(edge, 1));
  const near = [...obstacles.filter((box) => collide(box, bounds)), ...edges];
  const least = AIR * Math.max(...lines.map(({ size }) => size));
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
      const air = airAround(box, near);
      const score = distance - 2 * Math.min(air, 200);
      if (air >= least && score < bestScore) {
        bestScore = score;
        best = [x, y];
      }
    }
  }
  return best;
}

function rimOf(box: Box): Box[] {
  return edgesOf(boxPolygon(box)).map((edge) => stripAlong(edge, 1));
}

/** How far the nearest obstacle is, or a negative number where one is hit. */
function airAround(box: Box, obstacles: readonly Box[]): number {
  return obstacles.reduce((air, other) => {
    const x = Math.max(other.left - box.right, box.left - other.right);
    const y = Math.max(other.top - box.bottom, box.top - other.bottom);
    return Math.min(air, Math.max(x, y));
  }, Number.POSITIVE_INFINITY);
}

function setAt({ lines, height }: Block, [x, y]: Spot): Text[] {
  let top = y - height / 2;
  return lines.map((line) => {
    const baseline = top + line.size * (LINE_HEIGHT / 2 + 0.36);
    top += line.size * LINE_HEIGHT;
    return { ...line, at: [x, baseline] as const };
  });
}
