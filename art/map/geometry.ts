/** Metres east (x) and north (y) of the point between the towers, as in the renders. */
export type Point = readonly [x: number, y: number];

/** How far the point is from the nearest point of a closed outline, in metres. */
export function distanceToOutline(point: Point, outline: readonly Point[]): number {
  return Math.min(...outlineEdges(outline).map(([a, b]) => distanceToSegment(point, a, b)));
}

/** The edges of a closed outline, including the one from the last point to the first. */
export function outlineEdges(outline: readonly Point[]): [Point, Point][] {
  return outline.map((point, index) => [point, wrappedAt(outline, index + 1)]);
}

function distanceToSegment([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  const nearest = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - nearest * dx, y - ay - nearest * dy);
}

/** The point `distance` metres from another. The bearing is in degrees clockwise from north. */
export function destination([x, y]: Point, bearing: number, distance: number): Point {
  const angle = (bearing * Math.PI) / 180;
  return [x + distance * Math.sin(angle), y + distance * Math.cos(angle)];
}

/** A point between two others: 0 is the first, 1 the second. */
export function interpolate([ax, ay]: Point, [bx, by]: Point, part: number): Point {
  return [ax + (bx - ax) * part, ay + (by - ay) * part];
}

export function distanceBetween([ax, ay]: Point, [bx, by]: Point): number {
  return Math.hypot(bx - ax, by - ay);
}

/** The entry at an index that may be past either end of a closed outline. */
export function wrappedAt<Entry>(entries: readonly Entry[], index: number): Entry {
  return entries.at(index % entries.length) as Entry;
}

/** The mean of the points. */
export function meanPoint(points: readonly Point[]): Point {
  const sum = (axis: 0 | 1) => points.reduce((total, point) => total + point[axis], 0);
  return [sum(0) / points.length, sum(1) / points.length];
}

/** Rotates a point about a centre, counter-clockwise. The point is relative to the centre. */
export function rotateAround([along, across]: Point, [x, y]: Point, degrees: number): Point {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x + along * cos - across * sin, y + along * sin + across * cos];
}

/** The convex outline around some points, counter-clockwise. */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted(([ax, ay], [bx, by]) => ax - bx || ay - by);
  return [...halfHull(sorted), ...halfHull(sorted.toReversed())];
}

/** One side of the hull, from the first point up to, but not including, the last. */
function halfHull(sorted: readonly Point[]): Point[] {
  const side: Point[] = [];
  for (const point of sorted) {
    while (side.length > 1 && crossProduct(wrappedAt(side, -2), wrappedAt(side, -1), point) <= 0) {
      side.pop();
    }
    side.push(point);
  }
  return side.slice(0, -1);
}

/** Positive if the path from a through b to c turns left. */
function crossProduct([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/** Values from the first to the last, evenly spaced and about `step` apart. */
export function evenSteps(first: number, last: number, step: number): number[] {
  const count = Math.round((last - first) / step);
  return Array.from({ length: count + 1 }, (_, index) => first + ((last - first) * index) / count);
}

/** Joins lines that start where another line ends. */
export function joinLines(lines: readonly (readonly Point[])[]): Point[][] {
  const byStart = new Map(lines.map((line) => [String(line[0]), line]));
  const ends = new Set(lines.map((line) => String(line.at(-1))));
  const firsts = lines.filter(([start]) => !ends.has(String(start)));
  return firsts.map((first) => {
    const whole = [...first];
    for (let next = byStart.get(String(whole.at(-1))); next; ) {
      whole.push(...next.slice(1));
      next = byStart.get(String(whole.at(-1)));
    }
    return whole;
  });
}
