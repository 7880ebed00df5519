import { kinds, mm, type Piece, placedBox } from "./furniture.ts";
import {
  areaOf,
  type Box,
  boxPolygon,
  collide,
  common,
  contains,
  edgesOf,
  grown,
  largestBox,
  lengthOf,
  regionArea,
  regionOf,
  stripAlong,
  widthOf,
} from "./geometry.ts";
import {
  isOutside,
  type LaidOpening,
  type LaidRoom,
  type Layout,
  roomsBeside,
  type Swing,
} from "./layout.ts";
import type { RoomName, SymbolName } from "./unit.ts";

/** What the site says of a unit. */
export interface Advertised {
  /** Square feet. */
  size: number;
  bedrooms: number;
  bathrooms: number;
}

const SQUARE_METRES_PER_SQUARE_FOOT = 0.09290304;

/** Furniture may be this near to a wall or to other furniture and more, millimetres. */
const TOUCH = 5;

/** No edge of the outline is shorter, millimetres. */
const LEAST_STEP = 250;

/** Clear floor on both sides of a door, millimetres. */
const DOORWAY = { depth: 600, passage: 800 } as const;

/** Every promise that a plan breaks, in words for whoever draws it; none when all is well. */
export function brokenPromises(layout: Layout, advertised: Advertised): string[] {
  return [
    ...tilingFaults(layout),
    ...areaFaults(layout, advertised),
    ...openingFaults(layout),
    ...reachFaults(layout),
    ...lightFaults(layout),
    ...roomFaults(layout, advertised),
    ...sizeFaults(layout),
    ...furnitureFaults(layout),
    ...equipmentFaults(layout),
  ];
}

/** Square metres of all rooms, to the middle of the walls. */
export function squareMetres(layout: Layout): number {
  return layout.rooms.reduce((sum, { polygon }) => sum + areaOf(polygon), 0) / 1e6;
}

/** Square feet of all rooms, to the middle of the walls. */
export function squareFeet(layout: Layout): number {
  return squareMetres(layout) / SQUARE_METRES_PER_SQUARE_FOOT;
}

function isBedroom(name: RoomName): boolean {
  return /^bedroom\d?$|^mainBedroom$/.test(name);
}

/** Powder rooms and helpers' toilets do not count. */
function isBathroom(name: RoomName): boolean {
  return /^bath\d?$|^mainBath$/.test(name);
}

function isKitchen(name: RoomName): boolean {
  return name === "kitchen" || name === "dryKitchen" || name === "wetKitchen";
}

function tilingFaults({ rooms, outline }: Layout): string[] {
  const overlaps = rooms.flatMap((room, index) =>
    rooms.slice(index + 1).flatMap((other) => {
      const area = regionArea(common([[room.polygon]], [[other.polygon]]));
      return area > 0 ? [`${room.name} and ${other.name} overlap`] : [];
    }),
  );
  const whole = outline.length === 1 && outline[0]?.length === 1;
  // A gap that is open to the outside is a narrow step of the outline.
  const steps = outline
    .flat()
    .flatMap(edgesOf)
    .filter((edge) => lengthOf(edge) < LEAST_STEP)
    .map((edge) => `the outline has a step of ${lengthOf(edge) / 1000} m`);
  return [...overlaps, ...(whole ? [] : ["there are gaps between the rooms"]), ...steps];
}

function areaFaults(layout: Layout, { size }: Advertised): string[] {
  const ratio = squareFeet(layout) / size;
  return Math.abs(ratio - 1) > 0.01
    ? [`${squareFeet(layout).toFixed(1)} sq ft drawn, ${size} advertised`]
    : [];
}

function openingFaults({ openings, shear, built, pieces, walls }: Layout): string[] {
  const faults = openings.flatMap(({ opening, line, wall, swing }) => {
    const where = `${opening.kind} at ${opening.from.join(", ")}`;
    if (wall === undefined) {
      return [`${where} does not lie in one wall`];
    }
    const faults: string[] = [];
    const outer = roomsBeside(wall).length === 1;
    if (outer !== (opening.kind === "window" || opening.kind === "entrance")) {
      faults.push(`${where} is in the wrong kind of wall`);
    }
    if (shear.some((box) => collide(box, stripAlong(line, wall.half), TOUCH))) {
      faults.push(`${where} is cut into a structural wall`);
    }
    if (opening.kind === "door" || opening.kind === "entrance") {
      if (swing === undefined) {
        faults.push(`${where} does not say which of its two rooms it swings into`);
      } else {
        if (built.some((box) => sweeps(swing, box))) {
          faults.push(`${where} swings into a wall`);
        }
        for (const { symbol, furniture, footprint } of pieces) {
          if (kinds[symbol].flat !== true && footprint.some((box) => sweeps(swing, box))) {
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
      .filter((b) => meet(a.swing as Swing, b.swing as Swing))
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
function sweeps({ hinge, open, shut, radius, box }: Swing, other: Box): boolean {
  if (!collide(box, other, TOUCH)) {
    return false;
  }
  const towards = [
    Math.sign(open[0] + shut[0] - 2 * hinge[0]),
    Math.sign(open[1] + shut[1] - 2 * hinge[1]),
  ];
  const x = towards[0] === 1 ? Math.max(other.left, hinge[0]) : Math.min(other.right, hinge[0]);
  const y = towards[1] === 1 ? Math.max(other.top, hinge[1]) : Math.min(other.bottom, hinge[1]);
  return Math.hypot(x - hinge[0], y - hinge[1]) < radius - TOUCH;
}

/** Whether two leaves can touch: the quarters of their circles are compared in steps of five degrees. */
function meet(a: Swing, b: Swing): boolean {
  if (!collide(a.box, b.box, TOUCH)) {
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
      return sweeps(b, { left: px - 20, right: px + 20, top: py - 20, bottom: py + 20 });
    });
  });
}

/** The sides of a door on which furniture or walls leave no way through it. */
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
    const near = wall.half + TOUCH;
    const middle = line.across + side * (near + DOORWAY.depth / 2);
    const zone = stripAlong({ ...line, across: middle }, DOORWAY.depth / 2);
    return passage(zone, line.level, obstaclesOf(pieces, built)) < needed
      ? [
          `the way through the ${opening.kind} at ${opening.from.join(", ")} is blocked in the ${room}`,
        ]
      : [];
  });
}

function obstaclesOf(pieces: readonly Piece[], built: readonly Box[]): Box[] {
  return [
    ...built,
    ...pieces
      .filter(({ symbol }) => kinds[symbol].flat !== true && kinds[symbol].mounted !== true)
      .flatMap(({ footprint }) => footprint),
  ];
}

/** The widest gap that obstacles leave in a zone, seen along it. */
function passage(zone: Box, level: boolean, obstacles: readonly Box[]): number {
  const [start, end] = level ? [zone.left, zone.right] : [zone.top, zone.bottom];
  const taken = obstacles
    .filter((box) => collide(zone, box, TOUCH))
    .map((box) => (level ? [box.left, box.right] : [box.top, box.bottom]) as [number, number])
    .sort((a, b) => a[0] - b[0]);
  let widest = 0;
  let free = start;
  for (const [from, to] of taken) {
    widest = Math.max(widest, from - free);
    free = Math.max(free, to);
  }
  return Math.max(widest, end - free);
}

function reachFaults({ rooms, openings, walls }: Layout): string[] {
  const ways = [
    ...openings
      .filter(({ opening }) => opening.kind === "door" || opening.kind === "sliding")
      .flatMap(({ wall }) => (wall === undefined ? [] : [roomsBeside(wall)])),
    ...walls.filter(({ kind }) => kind === "open").map(roomsBeside),
  ];
  const reached = new Set(
    openings.flatMap(({ opening, wall }) =>
      opening.kind === "entrance" && wall !== undefined ? roomsBeside(wall) : [],
    ),
  );
  for (const room of reached) {
    for (const way of ways.filter((beside) => beside.includes(room))) {
      for (const next of way) {
        reached.add(next);
      }
    }
  }
  return rooms
    .filter(({ name }) => !reached.has(name))
    .map(({ name }) => `no way leads from the entrance to the ${name}`);
}

function lightFaults({ rooms, openings, walls }: Layout): string[] {
  const lit = new Set(
    openings.flatMap(({ opening, wall }) => {
      const beside = wall === undefined ? [] : roomsBeside(wall);
      return opening.kind === "window" || (opening.kind === "sliding" && beside.some(isOutside))
        ? beside
        : [];
    }),
  );
  const openTo = (room: RoomName) =>
    walls
      .filter(({ kind }) => kind === "open")
      .flatMap((wall) => {
        const beside = roomsBeside(wall);
        return beside.includes(room) ? beside : [];
      });
  const living = (name: RoomName) => name === "living" || name === "livingRoom";
  return rooms
    .filter(({ name }) => isBedroom(name) || living(name))
    .filter(
      ({ name }) => !lit.has(name) && !(living(name) && openTo(name).some((room) => lit.has(room))),
    )
    .map(({ name }) => `the ${name} has no window`);
}

function roomFaults({ rooms }: Layout, advertised: Advertised): string[] {
  const names = rooms.map(({ name }) => name);
  const faults: string[] = [];
  if (new Set(names).size < names.length) {
    faults.push("two rooms have the same name");
  }
  const bedrooms = names.filter(isBedroom).length;
  if (bedrooms !== advertised.bedrooms) {
    faults.push(`${bedrooms} bedrooms drawn, ${advertised.bedrooms} advertised`);
  }
  const bathrooms = names.filter(isBathroom).length;
  if (bathrooms !== advertised.bathrooms) {
    faults.push(`${bathrooms} bathrooms drawn, ${advertised.bathrooms} advertised`);
  }
  if (!names.some(isOutside)) {
    faults.push("no balcony");
  }
  return faults;
}

function sizeFaults({ rooms }: Layout): string[] {
  return rooms.flatMap(({ name, polygon, clear }) => {
    const area = areaOf(polygon) / 1e6;
    const gross = largestBox([[polygon]]);
    const net = largestBox(clear);
    if (gross === undefined || net === undefined) {
      return [`the ${name} is nothing but wall`];
    }
    const faults: string[] = [];
    const atLeast = (what: string, measured: number, least: number) => {
      if (measured < least) {
        faults.push(`the ${name} is ${measured.toFixed(2)} ${what}, less than ${least}`);
      }
    };
    if (isBedroom(name)) {
      atLeast("m²", area, name === "mainBedroom" ? 11 : 8.5);
      atLeast("m wide", widthOf(gross) / 1000, 2.6);
    }
    if (isBathroom(name)) {
      atLeast("m²", area, 3);
    }
    if (isOutside(name)) {
      atLeast("m deep", widthOf(gross) / 1000, 1.2);
    }
    if (name === "corridor" || name === "foyer") {
      atLeast("m wide between walls", widthOf(net) / 1000, 0.95);
    }
    return faults;
  });
}

function furnitureFaults({ rooms, pieces, built }: Layout): string[] {
  return pieces.flatMap((piece, index) => {
    const { symbol, furniture, footprint } = piece;
    const where = `${symbol} at ${furniture.at.join(", ")}`;
    const faults: string[] = [];
    if (roomOf(piece, rooms) === undefined) {
      faults.push(`${where} does not stand in one room`);
    }
    if (
      kinds[symbol].flat !== true &&
      footprint.some((box) => built.some((wall) => collide(box, wall, TOUCH)))
    ) {
      const into = built.filter((wall) => footprint.some((box) => collide(box, wall, TOUCH)));
      faults.push(`${where} stands in a wall (${into.map(inMetres).join("; ")})`);
    }
    for (const other of pieces.slice(index + 1)) {
      if (
        !mayShare(symbol, other.symbol) &&
        footprint.some((a) => other.footprint.some((b) => collide(a, b, TOUCH)))
      ) {
        faults.push(
          `${where} collides with the ${other.symbol} at ${other.furniture.at.join(", ")}`,
        );
      }
    }
    if (kinds[symbol].mounted === true && !isMounted(piece, pieces)) {
      faults.push(`${where} does not stand on a counter`);
    }
    if (symbol === "bed" && !canBeEntered(piece, pieces, built)) {
      faults.push(`${where} cannot be reached from a side`);
    }
    const reach = kinds[symbol].reach;
    if (reach !== undefined && !canBeUsed(piece, reach, pieces, built)) {
      faults.push(`${where} has no clear floor before it`);
    }
    return faults;
  });
}

function mayShare(a: SymbolName, b: SymbolName): boolean {
  return (
    [kinds[a], kinds[b]].some(({ flat, mounted }) => flat === true || mounted === true) &&
    !(kinds[a].mounted === true && kinds[b].mounted === true)
  );
}

/** The room in which a piece wholly stands. */
function roomOf({ footprint }: Piece, rooms: readonly LaidRoom[]): LaidRoom | undefined {
  const region = regionOf(footprint.map(boxPolygon));
  const area = regionArea(region);
  return rooms.find(({ polygon }) => regionArea(common(region, [[polygon]])) >= area - 1);
}

function isMounted({ footprint }: Piece, pieces: readonly Piece[]): boolean {
  const tops = pieces
    .filter(({ symbol }) => symbol === "counter" || symbol === "island")
    .flatMap((counter) => counter.footprint.map((top) => grown(top, TOUCH)));
  return footprint.every((box) => tops.some((top) => contains(top, box)));
}

/** Whether there is floor beside the bed, from the pillow to the foot, on one side at least. */
function canBeEntered(bed: Piece, pieces: readonly Piece[], built: readonly Box[]): boolean {
  const half = bed.width / 2;
  return ([-1, 1] as const).some((side) => {
    const beside = placedBox(bed, {
      left: side === 1 ? half : -half - 500,
      right: side === 1 ? half + 500 : -half,
      top: 450,
      bottom: bed.depth - 100,
    });
    return !obstaclesOf(pieces, built).some((box) => collide(box, beside, TOUCH));
  });
}

function canBeUsed(
  piece: Piece,
  reach: number,
  pieces: readonly Piece[],
  built: readonly Box[],
): boolean {
  const zone = placedBox(piece, {
    left: -piece.width / 2,
    right: piece.width / 2,
    top: piece.depth + TOUCH,
    bottom: piece.depth + mm(reach),
  });
  const needed = Math.min(piece.width - 2 * TOUCH, 600);
  return passage(zone, piece.turn % 180 === 0, obstaclesOf(pieces, built)) >= needed;
}

function inMetres({ left, top, right, bottom }: Box): string {
  return [left, top, right, bottom].map((value) => value / 1000).join(" ");
}

function equipmentFaults({ rooms, pieces }: Layout): string[] {
  const found = new Map<RoomName, Set<SymbolName>>(rooms.map(({ name }) => [name, new Set()]));
  for (const piece of pieces) {
    const room = roomOf(piece, rooms);
    if (room !== undefined) {
      found.get(room.name)?.add(piece.symbol);
    }
  }
  const faults: string[] = [];
  const demand = (where: string, symbols: readonly Set<SymbolName>[], ...oneOf: SymbolName[]) => {
    if (!symbols.some((present) => oneOf.some((symbol) => present.has(symbol)))) {
      faults.push(`there is no ${oneOf.join(" or ")} in the ${where}`);
    }
  };
  for (const [name, symbols] of found) {
    if (isBathroom(name)) {
      demand(name, [symbols], "wc");
      demand(name, [symbols], "basin");
      demand(name, [symbols], "shower", "bath");
    }
    if (isBedroom(name)) {
      demand(name, [symbols], "bed");
      const dressing = [...found].filter(([other]) => /^dressing/.test(other));
      if (!symbols.has("wardrobe")) {
        demand(
          name,
          dressing.map(([, inside]) => inside),
          "wardrobe",
        );
      }
    }
  }
  const kitchens = [...found].filter(([name]) => isKitchen(name)).map(([, symbols]) => symbols);
  demand("kitchen", kitchens, "sink");
  demand("kitchen", kitchens, "hob");
  demand("kitchen", kitchens, "fridge");
  demand("unit", [...found.values()], "washer");
  return faults;
}
