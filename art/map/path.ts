import { distanceBetween, outlineEdges, type Point, wrappedAt } from "./geometry.ts";

// Path data in whole metres, relative from point to point because that is shorter. The y axis of SVG points down.

export function polygons(outlines: readonly (readonly Point[])[]): string {
  const pen = new Pen();
  for (const [start, ...others] of outlines) {
    if (start !== undefined) {
      pen.move(start);
      pen.lines(others);
      pen.close(start);
    }
  }
  return pen.data;
}

export function polylines(lines: readonly (readonly Point[])[]): string {
  const pen = new Pen();
  for (const [start, ...others] of lines) {
    if (start !== undefined) {
      pen.move(start);
      pen.lines(others);
    }
  }
  return pen.data;
}

/** A smooth curve through all the points. */
export function curve(points: readonly Point[]): string {
  const pen = new Pen();
  const [start] = points;
  if (start !== undefined) {
    pen.move(start);
    pen.curve(points);
  }
  return pen.data;
}

/** Smooth closed curves, each through all its points. */
export function closedCurves(outlines: readonly (readonly Point[])[]): string {
  const pen = new Pen();
  for (const outline of outlines) {
    pen.move(wrappedAt(outline, 0));
    pen.closedCurve(outline);
  }
  return pen.data;
}

/** The area between two curves with the same direction. */
export function band(first: readonly Point[], second: readonly Point[]): string {
  const back = second.toReversed();
  const [start] = first;
  const [turn] = back;
  const pen = new Pen();
  if (start !== undefined && turn !== undefined) {
    pen.move(start);
    pen.curve(first);
    pen.lines([turn]);
    pen.curve(back);
    pen.close(start);
  }
  return pen.data;
}

/** Points that a round line cap draws as dots. */
export function dots(points: readonly Point[]): string {
  const pen = new Pen();
  for (const point of points) {
    pen.move(point);
    pen.stay();
  }
  return pen.data;
}

/** The line `distance` metres outside a convex, counter-clockwise outline. */
export function offsetOutline(outline: readonly Point[], distance: number): string {
  const sides = outlineEdges(outline).map(([a, b]): [Point, Point] => {
    const length = distanceBetween(a, b);
    const [outX, outY] = [(b[1] - a[1]) / length, (a[0] - b[0]) / length];
    const moved = ([x, y]: Point): Point => [x + outX * distance, y + outY * distance];
    return [moved(a), moved(b)];
  });
  const exact = ([x, y]: Point) => `${x.toFixed(1)} ${(-y).toFixed(1)}`;
  const turns = sides.map(([, end], index) => {
    const [next] = wrappedAt(sides, index + 1);
    return `L${exact(end)}A${distance} ${distance} 0 0 0 ${exact(next)}`;
  });
  return `M${exact(wrappedAt(sides, 0)[0])}${turns.join("")}z`;
}

/** Writes path data relative to the current point. */
class Pen {
  data = "";
  #x = 0;
  #y = 0;

  move(point: Point): void {
    // The first command has no current point, so it is absolute.
    this.#write(this.data === "" ? "M" : "m", [point]);
  }

  lines(points: readonly Point[]): void {
    this.#write("l", points);
  }

  close([x, y]: Point): void {
    this.data += "z";
    this.#x = Math.round(x);
    this.#y = Math.round(-y);
  }

  stay(): void {
    this.data += "h0";
  }

  /** A curve through all the points. The first must be the current point. */
  curve(points: readonly Point[]): void {
    const last = points.length - 1;
    for (let index = 0; index < last; index += 1) {
      const near = (step: number) => wrappedAt(points, Math.min(last, Math.max(0, index + step)));
      this.#bend(near(-1), near(0), near(1), near(2));
    }
  }

  /** A closed curve through all the points. The first must be the current point. */
  closedCurve(points: readonly Point[]): void {
    for (let index = 0; index < points.length; index += 1) {
      const near = (step: number) => wrappedAt(points, points.length + index + step);
      this.#bend(near(-1), near(0), near(1), near(2));
    }
    this.close(wrappedAt(points, 0));
  }

  /** A curve from one point to another. The tangent at each is parallel to the line between its neighbours. */
  #bend(before: Point, from: Point, to: Point, after: Point): void {
    const leaving: Point = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6];
    const arriving: Point = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6];
    this.#write("c", [leaving, arriving, to], true);
  }

  /** `together`: all points are relative to the current point, as in curve commands. */
  #write(command: string, points: readonly Point[], together = false): void {
    if (points.length === 0) {
      return;
    }
    const numbers: number[] = [];
    let [x, y] = [this.#x, this.#y];
    for (const point of points) {
      const [nextX, nextY] = [Math.round(point[0]), Math.round(-point[1])];
      numbers.push(nextX - this.#x, nextY - this.#y);
      [x, y] = [nextX, nextY];
      if (!together) {
        [this.#x, this.#y] = [x, y];
      }
    }
    [this.#x, this.#y] = [x, y];
    this.data += command + numbers.join(" ").replaceAll(" -", "-");
  }
}
