import { largestBox } from "./geometry.ts";
import {
  type Block,
  createBlock,
  findPlace,
  listLabelObstacles,
  positionLines,
} from "./label-places.ts";
import type { LaidRoom, Layout } from "./layout.ts";
import type { Lettering, Text } from "./lettering.ts";
import { colours } from "./paints.ts";
import type { DrawingTexts } from "./texts/en.ts";
import type { RoomName } from "./unit.ts";

/** Letter sizes: the preferred size, and the smallest. */
export interface Letters {
  size: number;
  least: number;
}

export interface LabelStyle {
  name: Letters;
  /** Measures shrink with the names above them. Measures below their smallest size are omitted. */
  measure: Letters;
}

/** Names and measures of all rooms, on free floor of each room. A label without a free place is omitted. */
export function roomLabels(
  layout: Layout,
  texts: DrawingTexts,
  lettering: Lettering,
  style: LabelStyle,
): Text[] {
  return placeLabels(layout, layout.rooms, (room) =>
    labelVariants(room, texts, lettering, style),
  ).flat();
}

/** Whether the card must show the name of a room. */
export function isPrincipal(name: RoomName): boolean {
  return /^(living|livingRoom|dining|mainBedroom|bedroom\d?|kitchen|dryKitchen|balcony2?|terrace)$/.test(
    name,
  );
}

/**
 * Names in letters of one size: the largest size at which all principal rooms have a name, or as many as possible.
 * Other rooms have a name if there is a free place at that size.
 */
export function roomNames(
  layout: Layout,
  texts: DrawingTexts,
  lettering: Lettering,
  { size, least }: Letters,
): Text[] {
  const rooms = layout.rooms.filter(({ name }) => name !== "corridor");
  let best: Text[][] = [];
  let mostNamed = -1;
  for (const letters of stepsDown(size, least, 6)) {
    const names = placeLabels(layout, rooms, ({ name }) =>
      lineSplits(texts.rooms[name]).map((lines) =>
        createBlock(
          lines.map((text) => nameLine(text, letters)),
          lettering,
        ),
      ),
    );
    const named = rooms.filter(
      ({ name }, index) => isPrincipal(name) && names[index]?.length !== 0,
    ).length;
    if (named > mostNamed) {
      mostNamed = named;
      best = names;
    }
  }
  return best.flat();
}

function stepsDown(from: number, to: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, step) => from - ((from - to) * step) / steps);
}

/** For each room, the lines of the first block with a free place, or none. */
function placeLabels(
  layout: Layout,
  rooms: readonly LaidRoom[],
  blocksFor: (room: LaidRoom) => Block[],
): Text[][] {
  const { solid, swings, rims } = listLabelObstacles(layout);
  return rooms.map((room) => {
    if (room.room.label === false) {
      return [];
    }
    const blocks = blocksFor(room);
    // A label crosses the edge of a rug only if there is no other place. It never overlaps the swing of a leaf.
    for (const obstacles of [
      [...solid, ...swings, ...rims],
      [...solid, ...swings],
    ]) {
      for (const block of blocks) {
        const middle = findPlace(block, room, obstacles);
        if (middle !== undefined) {
          return positionLines(block, middle);
        }
      }
    }
    return [];
  });
}

/** "3.1 × 3.8 m": width and depth of the largest box between the walls of a room. */
function formatMeasures({ clear }: LaidRoom, texts: DrawingTexts): string | undefined {
  const box = largestBox(clear);
  if (box === undefined) {
    return undefined;
  }
  const metres = (length: number) => (length / 1000).toFixed(1);
  return texts.size
    .replace("{width}", metres(box.right - box.left))
    .replace("{depth}", metres(box.bottom - box.top));
}

/** Variants of a room's label, best first. */
function labelVariants(
  room: LaidRoom,
  texts: DrawingTexts,
  lettering: Lettering,
  { name, measure }: LabelStyle,
): Block[] {
  const sizes = stepsDown(name.size, name.least, 2);
  const splits = lineSplits(texts.rooms[room.name]);
  const measures = room.room.size === false ? undefined : formatMeasures(room, texts);
  const block = (size: number, lines: string[], more: Omit<Text, "at">[] = []) =>
    createBlock([...lines.map((text) => nameLine(text, size)), ...more], lettering);
  const measured = sizes.flatMap((size) => {
    const letters = (measure.size * size) / name.size;
    return measures === undefined || letters < measure.least
      ? []
      : splits.map((lines) => block(size, lines, [measureLine(measures, letters)]));
  });
  return [...measured, ...sizes.flatMap((size) => splits.map((lines) => block(size, lines)))];
}

/** A name in one line, and in two lines if it can break. */
function lineSplits(name: string): string[][] {
  const broken = brokenName(name);
  return broken === undefined ? [[name]] : [[name], broken];
}

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
