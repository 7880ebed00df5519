import { difference, intersection, union } from "polyclip-ts";

/** Millimetres: x to the right, y down the page. Integers, so shared edges are equal. */
export type Spot = readonly [x: number, y: number];
export type Polygon = readonly Spot[];

/** An area that may have several parts and holes. */
export type Region = readonly (readonly Polygon[])[];

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A level or upright line, from the lower coordinate to the higher. Both ends share the coordinate `across`. */
export interface Line {
  level: boolean;
  across: number;
  start: number;
  end: number;
}

/** @throws if the line is neither level nor upright */
export function lineBetween([ax, ay]: Spot, [bx, by]: Spot): Line {
  if (ay === by) {
    return { level: true, across: ay, start: Math.min(ax, bx), end: Math.max(ax, bx) };
  }
  if (ax === bx) {
    return { level: false, across: ax, start: Math.min(ay, by), end: Math.max(ay, by) };
  }
  throw new Error(`the line from ${ax}, ${ay} to ${bx}, ${by} is neither level nor upright`);
}

export function lineLength(line: Line): number {
  return line.end - line.start;
}

export function polygonEdges(polygon: Polygon): Line[] {
  return polygon.map((corner, index) =>
    lineBetween(corner, polygon[(index + 1) % polygon.length] as Spot),
  );
}

/** The common part of two lines, if it is longer than a point. */
export function intersectLines(a: Line, b: Line): Line | undefined {
  if (a.level !== b.level || a.across !== b.across) {
    return undefined;
  }
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? { ...a, start, end } : undefined;
}

/** The parts of a line that none of `others` covers. */
export function without(line: Line, others: readonly Line[]): Line[] {
  let parts = [line];
  for (const other of others) {
    parts = parts.flatMap((part) => {
      const shared = intersectLines(part, other);
      return shared === undefined
        ? [part]
        : [
            { ...part, end: shared.start },
            { ...part, start: shared.end },
          ].filter((rest) => lineLength(rest) > 0);
    });
  }
  return parts;
}

/** The strip along a line: `half` wide on each side, and `cap` longer at both ends. */
export function stripAlong(line: Line, half: number, cap = 0): Box {
  const along = [line.start - cap, line.end + cap] as const;
  const across = [line.across - half, line.across + half] as const;
  const [[left, right], [top, bottom]] = line.level ? [along, across] : [across, along];
  return { left, top, right, bottom };
}

export function boxPolygon({ left, top, right, bottom }: Box): Polygon {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

export function boxBetween([ax, ay]: Spot, [bx, by]: Spot): Box {
  return {
    left: Math.min(ax, bx),
    top: Math.min(ay, by),
    right: Math.max(ax, bx),
    bottom: Math.max(ay, by),
  };
}

export function polygonBounds(polygon: Polygon): Box {
  const xs = polygon.map(([x]) => x);
  const ys = polygon.map(([, y]) => y);
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  };
}

export function grown(box: Box, by: number): Box {
  return {
    left: box.left - by,
    top: box.top - by,
    right: box.right + by,
    bottom: box.bottom + by,
  };
}

/** Whether two boxes share more than `tolerance` in both directions. */
export function collide(a: Box, b: Box, tolerance = 0): boolean {
  return (
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > tolerance &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > tolerance
  );
}

export function contains(outer: Box, inner: Box): boolean {
  return (
    outer.left <= inner.left &&
    outer.top <= inner.top &&
    outer.right >= inner.right &&
    outer.bottom >= inner.bottom
  );
}

/** The area of a polygon of either orientation, in square millimetres. */
export function polygonArea(polygon: Polygon): number {
  const twice = polygon.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = polygon[(index + 1) % polygon.length] as Spot;
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(twice) / 2;
}

/** The area of a region without its holes, in square millimetres. */
export function regionArea(region: Region): number {
  return region.reduce(
    (sum, [outer = [], ...holes]) =>
      sum + polygonArea(outer) - holes.reduce((inner, hole) => inner + polygonArea(hole), 0),
    0,
  );
}

export function unitePolygons(polygons: readonly Polygon[]): Region {
  const [first, ...rest] = polygons.map(clippable);
  return first === undefined ? [] : opened(union(first, ...rest));
}

export function subtracted(region: Region, polygons: readonly Polygon[]): Region {
  return region.length === 0 ? [] : opened(difference(mutable(region), ...polygons.map(clippable)));
}

export function joined(a: Region, b: Region): Region {
  return opened(union(mutable(a), mutable(b)));
}

export function common(a: Region, b: Region): Region {
  return a.length === 0 || b.length === 0 ? [] : opened(intersection(mutable(a), mutable(b)));
}

/** Whether a spot lies inside a region or on its edge. */
export function covers(region: Region, [x, y]: Spot): boolean {
  let inside = false;
  for (const ring of region.flat()) {
    ring.forEach(([ax, ay], index) => {
      const [bx, by] = ring[(index + 1) % ring.length] as Spot;
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) {
        inside = !inside;
      }
    });
  }
  return inside;
}

/** The largest level box inside a region whose edges are level or upright, or `undefined` for an empty region. */
export function largestBox(region: Region): Box | undefined {
  const corners = region.flat(2);
  const xs = ascending(corners.map(([x]) => x));
  const ys = ascending(corners.map(([, y]) => y));
  const free = ys
    .slice(1)
    .map((bottom, row) =>
      xs
        .slice(1)
        .map((right, column) =>
          covers(region, [(right + (xs[column] ?? 0)) / 2, (bottom + (ys[row] ?? 0)) / 2]),
        ),
    );
  let largest: Box | undefined;
  let size = 0;
  for (let row = 0; row < free.length; row++) {
    const open = xs.slice(1).map(() => true);
    for (let last = row; last < free.length; last++) {
      let start = 0;
      for (let column = 0; column < open.length; column++) {
        open[column] = open[column] === true && free[last]?.[column] === true;
        if (!open[column]) {
          start = column + 1;
          continue;
        }
        const box = {
          left: xs[start] as number,
          top: ys[row] as number,
          right: xs[column + 1] as number,
          bottom: ys[last + 1] as number,
        };
        const area = (box.right - box.left) * (box.bottom - box.top);
        if (area > size) {
          size = area;
          largest = box;
        }
      }
    }
  }
  return largest;
}

/** The narrower side of a box. */
export function narrowSide(box: Box): number {
  return Math.min(box.right - box.left, box.bottom - box.top);
}

function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function clippable(polygon: Polygon): [number, number][][] {
  return [polygon.map(([x, y]) => [x, y])];
}

function mutable(region: Region): [number, number][][][] {
  return region.map((rings) => rings.map((ring) => ring.map(([x, y]) => [x, y])));
}

/** Removes the last corner of each ring, which polyclip-ts repeats from the first. */
function opened(region: [number, number][][][]): Region {
  return region.map((rings) => rings.map((ring) => ring.slice(0, -1)));
}
