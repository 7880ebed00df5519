import { type Piece, pointOnPage } from "./furniture.ts";
import type { Box, Polygon, Spot } from "./geometry.ts";

const page = { origin: [0, 0], turn: 0 } as const;

/** Maximum distance of a control point from the mirrored last control point in a smooth curve. */
const SMOOTH_TOLERANCE = 1;

/** Writes short SVG path data in whole millimetres, optionally in the coordinates of a piece. */
export class Pen {
  #data = "";
  #x = 0;
  #y = 0;
  /** The last quadratic curve's control point, and how long the data was after it. */
  #control: { of: number; at: [number, number] } | undefined;
  readonly #place: Pick<Piece, "origin" | "turn">;

  constructor(place: Pick<Piece, "origin" | "turn"> = page) {
    this.#place = place;
  }

  get data(): string {
    return this.#data;
  }

  move(to: Spot): this {
    const [x, y] = this.#at(to);
    this.#data += `M${x} ${y}`;
    [this.#x, this.#y] = [x, y];
    return this;
  }

  line(to: Spot): this {
    const [x, y] = this.#at(to);
    const [dx, dy] = [x - this.#x, y - this.#y];
    if (dx !== 0 || dy !== 0) {
      this.#data += dy === 0 ? `h${dx}` : dx === 0 ? `v${dy}` : `l${dx}${signed(dy)}`;
    }
    [this.#x, this.#y] = [x, y];
    return this;
  }

  /** An arc of less than half a circle. */
  arc(radius: number, to: Spot, clockwise: boolean): this {
    const [x, y] = this.#at(to);
    const r = Math.round(radius);
    this.#data += `a${r} ${r} 0 0${clockwise ? 1 : 0}${signed(x - this.#x)}${signed(y - this.#y)}`;
    [this.#x, this.#y] = [x, y];
    return this;
  }

  curve(...through: [Spot, Spot] | [Spot, Spot, Spot]): this {
    const spots = through.map((spot) => this.#at(spot));
    const last = spots.at(-1) as [number, number];
    const numbers = (of: [number, number][]) =>
      of
        .flatMap(([x, y]) => [signed(x - this.#x), signed(y - this.#y)])
        .join("")
        .trimStart();
    if (spots.length === 3) {
      this.#data += `c${numbers(spots)}`;
      [this.#x, this.#y] = last;
      return this;
    }
    const [control] = spots as [[number, number]];
    const mirrored = this.#mirroredControl();
    const smooth =
      mirrored !== undefined &&
      Math.abs(mirrored[0] - control[0]) <= SMOOTH_TOLERANCE &&
      Math.abs(mirrored[1] - control[1]) <= SMOOTH_TOLERANCE;
    this.#data += smooth ? `t${numbers([last])}` : `q${numbers(spots)}`;
    [this.#x, this.#y] = last;
    this.#control = { of: this.#data.length, at: smooth ? mirrored : control };
    return this;
  }

  /** The control point that a smooth curve would have, if the last command was a curve. */
  #mirroredControl(): [number, number] | undefined {
    if (this.#control?.of !== this.#data.length) {
      return undefined;
    }
    const [x, y] = this.#control.at;
    return [2 * this.#x - x, 2 * this.#y - y];
  }

  close(): this {
    this.#data += "z";
    return this;
  }

  polygon([first, ...rest]: Polygon): this {
    if (first === undefined) {
      return this;
    }
    this.move(first);
    for (const spot of rest) {
      this.line(spot);
    }
    return this.close();
  }

  box({ left, top, right, bottom }: Box, radius = 0): this {
    const r = Math.min(radius, (right - left) / 2, (bottom - top) / 2);
    if (r === 0) {
      return this.polygon([
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ]);
    }
    return this.move([left + r, top])
      .line([right - r, top])
      .arc(r, [right, top + r], true)
      .line([right, bottom - r])
      .arc(r, [right - r, bottom], true)
      .line([left + r, bottom])
      .arc(r, [left, bottom - r], true)
      .line([left, top + r])
      .arc(r, [left + r, top], true)
      .close();
  }

  circle([x, y]: Spot, radius: number): this {
    return this.move([x - radius, y])
      .arc(radius, [x + radius, y], true)
      .arc(radius, [x - radius, y], true)
      .close();
  }

  segment(from: Spot, to: Spot): this {
    return this.move(from).line(to);
  }

  #at(spot: Spot): [number, number] {
    const [x, y] = pointOnPage(this.#place, spot);
    return [Math.round(x), Math.round(y)];
  }
}

function signed(value: number): string {
  return value < 0 ? `${value}` : ` ${value}`;
}
