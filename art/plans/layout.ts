import { mm, type Piece, placePiece } from "./furniture.ts";
import {
  type Box,
  boxBetween,
  boxPolygon,
  common,
  covers,
  intersectLines,
  joined,
  type Line,
  lineBetween,
  lineLength,
  type Polygon,
  polygonEdges,
  type Region,
  type Spot,
  stripAlong,
  subtracted,
  unitePolygons,
  without,
} from "./geometry.ts";
import { halfWall, type Opening, type Point, type Room, type RoomName, type Unit } from "./unit.ts";

/** A room in millimetres. */
export interface LaidRoom {
  room: Room;
  name: RoomName;
  polygon: Polygon;
  /** The area between the faces of its walls. */
  clear: Region;
}

/** A straight piece of wall, or of an edge without a wall. */
export interface Wall {
  line: Line;
  /** Half its thickness. */
  half: number;
  kind: "wall" | "open" | "parapet";
  /** The room above or to the left, or `undefined` outside the outline. */
  before: RoomName | undefined;
  /** The room below or to the right. */
  after: RoomName | undefined;
}

/** The swing of a leaf, a quarter circle. */
export interface Swing {
  hinge: Spot;
  /** The free end of the leaf when the door is shut, and when it is open. */
  shut: Spot;
  open: Spot;
  radius: number;
  box: Box;
}

/** An opening in its wall. */
export interface LaidOpening {
  opening: Opening;
  line: Line;
  /** `undefined` if there is no wall. */
  wall: Wall | undefined;
  swing: Swing | undefined;
}

/** A unit in millimetres, with values derived from its data. */
export interface Layout {
  unit: Unit;
  rooms: readonly LaidRoom[];
  outline: Region;
  walls: readonly Wall[];
  /** The structural walls of the data. */
  shear: readonly Box[];
  /** Walls before openings are cut into them, and balustrades. */
  built: readonly Box[];
  /** The walls as drawn. */
  masonry: Region;
  openings: readonly LaidOpening[];
  pieces: readonly Piece[];
}

const outsideRooms: readonly RoomName[] = ["balcony", "balcony2", "terrace"];

export function isOutside(name: RoomName): boolean {
  return outsideRooms.includes(name);
}

/** @throws if an edge is neither level nor upright */
export function layOut(unit: Unit): Layout {
  const polygons = new Map(unit.rooms.map(({ name, polygon }) => [name, polygon.map(spot)]));
  const outline = unitePolygons([...polygons.values()]);
  const walls = findWalls(unit, polygons, outline);
  const shear = unit.shear.map(([a, b]) => boxBetween(spot(a), spot(b)));
  const solid = walls
    .filter(({ kind }) => kind === "wall")
    .map(({ line, half }) => stripAlong(line, half, half));
  const rails = walls
    .filter(({ kind }) => kind === "parapet")
    .map(({ line }) => stripAlong(line, mm(halfWall.inner)));
  const built = [...solid, ...shear, ...rails];
  const openings = unit.openings.map((opening) => layOutOpening(opening, walls));
  return {
    unit,
    rooms: unit.rooms.map((room) => {
      const polygon = polygons.get(room.name) as Polygon;
      return {
        room,
        name: room.name,
        polygon,
        clear: subtracted([[polygon]], built.map(boxPolygon)),
      };
    }),
    outline,
    walls,
    shear,
    built,
    masonry: cutMasonry(outline, walls, solid, shear, openings),
    openings,
    pieces: unit.furniture.map(placePiece),
  };
}

function cutMasonry(
  outline: Region,
  walls: readonly Wall[],
  solid: readonly Box[],
  shear: readonly Box[],
  openings: readonly LaidOpening[],
): Region {
  const outer = mm(halfWall.outer);
  const rim = walls
    .filter((wall) => roomsBeside(wall).length === 1)
    .map(({ line }) => stripAlong(line, outer, outer));
  const limit = joined(outline, unitePolygons(rim.map(boxPolygon)));
  const cuts = [
    ...openings.map(({ line, wall }) => stripAlong(line, (wall?.half ?? outer) + 1)),
    // The ends of neighbouring walls extend into a balustrade by half their thickness, so it begins at their faces.
    ...walls
      .filter(({ kind, line }) => kind === "parapet" && lineLength(line) > 2 * outer)
      .map(({ line }) =>
        stripAlong({ ...line, start: line.start + outer, end: line.end - outer }, outer + 1),
      ),
  ];
  const walling = common(unitePolygons(solid.map(boxPolygon)), limit);
  const pierced = subtracted(walling, cuts.map(boxPolygon));
  return shear.length === 0 ? pierced : joined(pierced, unitePolygons(shear.map(boxPolygon)));
}

function findWalls(unit: Unit, polygons: Map<RoomName, Polygon>, outline: Region): Wall[] {
  const rooms = [...polygons].map(([name, polygon]) => ({
    name,
    polygon,
    edges: polygonEdges(polygon),
  }));
  const open = unit.open.map(([a, b]) => lineBetween(spot(a), spot(b)));
  const parapets = unit.parapets.map(([a, b]) => lineBetween(spot(a), spot(b)));
  const between = rooms.flatMap((room, index) =>
    rooms.slice(index + 1).flatMap((other) =>
      sharedLines(room.edges, other.edges).flatMap((line) => {
        const half = mm(halfThickness(room.name, other.name));
        const sides = isAfter(room.polygon, line)
          ? { before: other.name, after: room.name }
          : { before: room.name, after: other.name };
        return splitLine(line, open, "open").map((part) => ({ ...part, half, ...sides }));
      }),
    ),
  );
  const outer = outline.flat().flatMap(polygonEdges);
  const around = rooms.flatMap((room) =>
    sharedLines(room.edges, outer).flatMap((line) => {
      const half = mm(room.name === "shelter" ? halfWall.shelter : halfWall.outer);
      const sides = isAfter(room.polygon, line)
        ? { before: undefined, after: room.name }
        : { before: room.name, after: undefined };
      return splitLine(line, parapets, "parapet").map((part) => ({ ...part, half, ...sides }));
    }),
  );
  return [...between, ...around];
}

/** Whether a room lies below or to the right of one of its edges. */
function isAfter(polygon: Polygon, { level, across, start, end }: Line): boolean {
  const along = (start + end) / 2;
  return covers([[polygon]], level ? [along, across + 1] : [across + 1, along]);
}

function halfThickness(a: RoomName, b: RoomName): number {
  if (a === "shelter" || b === "shelter") {
    return halfWall.shelter;
  }
  return isOutside(a) !== isOutside(b) ? halfWall.outer : halfWall.inner;
}

function sharedLines(edges: readonly Line[], others: readonly Line[]): Line[] {
  return edges.flatMap((edge) =>
    others.map((other) => intersectLines(edge, other)).filter((line) => line !== undefined),
  );
}

/** Splits a line into its marked parts, which get `kind`, and walls. */
function splitLine(
  line: Line,
  marks: readonly Line[],
  kind: Exclude<Wall["kind"], "wall">,
): Pick<Wall, "line" | "kind">[] {
  return [
    ...without(line, marks).map((part) => ({ line: part, kind: "wall" as const })),
    ...sharedLines([line], marks).map((part) => ({ line: part, kind })),
  ];
}

function layOutOpening(opening: Opening, walls: readonly Wall[]): LaidOpening {
  const from = spot(opening.from);
  const to = spot(opening.to);
  const line = lineBetween(from, to);
  const wall = walls.find((candidate) => {
    const part = intersectLines(candidate.line, line);
    return candidate.kind === "wall" && part !== undefined && lineLength(part) === lineLength(line);
  });
  return { opening, line, wall, swing: computeSwing(opening, from, to, wall) };
}

function computeSwing(
  opening: Opening,
  from: Spot,
  to: Spot,
  wall: Wall | undefined,
): Swing | undefined {
  if ((opening.kind !== "door" && opening.kind !== "entrance") || wall === undefined) {
    return undefined;
  }
  const into = opening.kind === "entrance" ? roomsBeside(wall)[0] : opening.into;
  if (into === undefined || !roomsBeside(wall).includes(into)) {
    return undefined;
  }
  const side = wall.after === into ? 1 : -1;
  const radius = lineLength(lineBetween(from, to));
  const move = ([x, y]: Spot, by: number): Spot =>
    wall.line.level ? [x, y + side * by] : [x + side * by, y];
  const [hung, free] = opening.hinge === "to" ? [to, from] : [from, to];
  const hinge = move(hung, wall.half);
  const open = move(hung, wall.half + radius);
  const shut = move(free, wall.half);
  return { hinge, shut, open, radius, box: boxBetween(open, shut) };
}

/** One room for a wall on the outline, otherwise two. */
export function roomsBeside({ before, after }: Wall): RoomName[] {
  return [before, after].filter((room) => room !== undefined);
}

function spot([x, y]: Point): Spot {
  return [mm(x), mm(y)];
}
