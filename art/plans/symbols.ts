import { chaise, mm, type Piece, seat } from "./furniture.ts";
import type { Box, Spot } from "./geometry.ts";
import { type Paint, paints } from "./paints.ts";
import { Pen } from "./pen.ts";
import type { SymbolName } from "./unit.ts";

/** From the floor up. A higher layer covers a lower one. */
export const layers = ["floor", "seat", "body", "top", "detail"] as const;
export type Layer = (typeof layers)[number];

/** Path data with its paint. */
export interface Mark {
  layer: Layer;
  paint: Paint;
  data: string;
}

/** Draws in the coordinates of a piece: x from -width / 2, y from the back. */
class Sketch {
  readonly marks: Mark[] = [];
  readonly piece: Piece;

  constructor(piece: Piece) {
    this.piece = piece;
  }

  /** The area of the piece without chairs, smaller by `inset` on all sides. */
  extent(inset = 0): Box {
    const { width, depth } = this.piece;
    return {
      left: inset - width / 2,
      top: inset,
      right: width / 2 - inset,
      bottom: depth - inset,
    };
  }

  box(layer: Layer, paint: Paint, box: Box, radius = 0): this {
    return this.#add(layer, paint, (pen) => pen.box(box, radius));
  }

  circle(layer: Layer, paint: Paint, middle: Spot, radius: number): this {
    return this.#add(layer, paint, (pen) => pen.circle(middle, radius));
  }

  line(paint: Paint, from: Spot, to: Spot, layer: Layer = "detail"): this {
    return this.#add(layer, paint, (pen) => pen.segment(from, to));
  }

  path(layer: Layer, paint: Paint, draw: (pen: Pen) => Pen): this {
    return this.#add(layer, paint, draw);
  }

  #add(layer: Layer, paint: Paint, draw: (pen: Pen) => Pen): this {
    this.marks.push({ layer, paint, data: draw(new Pen(this.piece)).data });
    return this;
  }
}

/** The marks of a piece of furniture. */
export function drawSymbol(piece: Piece): Mark[] {
  const sketch = new Sketch(piece);
  drawings[piece.symbol](sketch, piece);
  return sketch.marks;
}

const drawings: Record<SymbolName, (sketch: Sketch, piece: Piece) => void> = {
  bed(sketch, { width, depth }) {
    const half = width / 2;
    sketch
      .box("body", paints.accent, { left: -half, top: 0, right: half, bottom: 80 }, 20)
      .box("body", paints.body, { left: -half, top: 80, right: half, bottom: depth }, 60)
      .line(paints.line, [-half, 660], [half, 660])
      .line(paints.fine, [-half, 660], [half - 60, 900])
      .box("top", paints.accent, {
        left: -half,
        top: depth - 560,
        right: half,
        bottom: depth - 180,
      });
    const pillows = width > 1300 ? 2 : 1;
    const each = (width - 120) / pillows;
    for (let index = 0; index < pillows; index++) {
      const left = -half + 60 + index * each;
      sketch.box(
        "top",
        paints.cloth,
        { left: left + 25, top: 140, right: left + each - 25, bottom: 520 },
        90,
      );
    }
  },

  nightstand(sketch, { depth }) {
    sketch
      .box("body", paints.wood, sketch.extent(), 25)
      .circle("top", paints.lamp, [0, depth / 2], 100);
  },

  wardrobe(sketch, { width, depth }) {
    const step = 180;
    const hangers = Math.floor((width - 120) / step);
    sketch
      .box("body", paints.joinery, sketch.extent())
      .line(paints.fine, [60 - width / 2, depth / 2], [width / 2 - 60, depth / 2]);
    for (let index = 0; index < hangers; index++) {
      const x = (index + 0.5 - hangers / 2) * step;
      const lean = ((index * 37) % 5) * 14 - 28;
      sketch.line(paints.fine, [x - lean, 90], [x + lean, depth - 90]);
    }
  },

  shelf(sketch, { width, depth }) {
    sketch.box("body", paints.joinery, sketch.extent());
    const bays = Math.max(1, Math.round(width / 500));
    for (let index = 1; index < bays; index++) {
      const x = -width / 2 + (index * width) / bays;
      sketch.line(paints.fine, [x, 0], [x, depth]);
    }
  },

  sofa(sketch, { width, depth, furniture }) {
    const half = width / 2;
    const [arm, back] = [150, 210];
    const seats = Math.max(2, Math.round((width - 2 * arm) / 750));
    const each = (width - 2 * arm) / seats;
    const long = furniture.chaise;
    const end = mm(chaise.width);
    if (long !== undefined) {
      const [left, right] = long === "left" ? [-half, -half + end] : [half - end, half];
      sketch.box("body", paints.body, { left, top: 0, right, bottom: mm(chaise.depth) }, 80);
    }
    sketch.box("body", paints.body, sketch.extent(), 80);
    for (let index = 0; index < seats; index++) {
      const isLong = (long === "left" && index === 0) || (long === "right" && index === seats - 1);
      const left = -half + arm + index * each;
      const cushion = { left, top: back, right: left + each, bottom: depth - 50 };
      sketch.box(
        "top",
        paints.cloth,
        isLong ? { ...cushion, bottom: mm(chaise.depth) - 50 } : cushion,
        60,
      );
    }
  },

  armchair(sketch) {
    const { left, top, right, bottom } = sketch.extent();
    sketch
      .box("body", paints.body, { left, top, right, bottom }, 150)
      .box(
        "top",
        paints.cloth,
        { left: left + 110, top: top + 170, right: right - 110, bottom: bottom - 40 },
        80,
      );
  },

  lounger(sketch, { depth }) {
    const { left, right } = sketch.extent();
    sketch
      .box("body", paints.body, sketch.extent(), 70)
      .line(paints.line, [left, depth * 0.36], [right, depth * 0.36])
      .box("top", paints.cloth, { left: left + 90, top: 80, right: right - 90, bottom: 330 }, 70);
  },

  media(sketch, { width, depth }) {
    const screen = Math.min(width - 300, 1500) / 2;
    sketch.box("body", paints.wood, sketch.extent(), 15).box("top", paints.dark, {
      left: -screen,
      top: depth / 2 - 60,
      right: screen,
      bottom: depth / 2 + 10,
    });
  },

  desk(sketch, { width, depth }) {
    sketch
      .box(
        "seat",
        paints.body,
        { left: -230, top: depth - 60, right: 230, bottom: depth + 400 },
        120,
      )
      .box("body", paints.wood, sketch.extent(), 20)
      .box("top", paints.body, { left: -190, top: 170, right: 190, bottom: 430 }, 20)
      .circle("top", paints.lamp, [width / 2 - 150, 150], 80);
  },

  bench(sketch) {
    sketch.box("body", paints.accent, sketch.extent(), 60);
  },

  piano(sketch, { width, depth }) {
    const half = width / 2;
    const keys = 650;
    sketch
      .box("seat", paints.body, { left: -330, top: 60, right: 330, bottom: 420 }, 40)
      .path("body", paints.body, (pen) =>
        pen
          .move([-half, keys])
          .line([half, keys])
          .line([half, keys + 450])
          .curve([half, keys + 850], [half - 480, keys + 750], [half - 560, depth - 250])
          .curve([half - 620, depth], [-half, depth + 60], [-half, depth - 350])
          .close(),
      )
      .box("top", paints.dark, {
        left: 70 - half,
        top: keys + 40,
        right: half - 70,
        bottom: keys + 150,
      });
  },

  counter(sketch) {
    sketch.box("body", paints.worktop, sketch.extent());
  },

  tall(sketch) {
    const { left, top, right, bottom } = sketch.extent();
    sketch
      .box("body", paints.joinery, { left, top, right, bottom })
      .line(paints.fine, [left, top], [right, bottom])
      .line(paints.fine, [right, top], [left, bottom]);
  },

  fridge(sketch, { depth }) {
    const { left, top, right, bottom } = sketch.extent();
    sketch
      .box("body", paints.body, { left, top, right, bottom }, 20)
      .line(paints.fine, [left, top], [right, bottom])
      .line(paints.line, [left, depth - 70], [right, depth - 70]);
  },

  washer(sketch, { width, depth }) {
    sketch
      .box("body", paints.body, sketch.extent(), 30)
      .circle("top", paints.wet, [0, depth / 2 + 20], width * 0.32);
  },

  sink(sketch, { width, depth }) {
    const half = width / 2 - 40;
    sketch
      .box("top", paints.body, { left: -half, top: 130, right: half, bottom: depth - 80 }, 60)
      .circle("detail", paints.line, [0, depth / 2 + 20], 30)
      .line(paints.line, [0, 70], [0, 210]);
  },

  hob(sketch, { width, depth }) {
    const half = width / 2 - 20;
    sketch.box("top", paints.body, { left: -half, top: 70, right: half, bottom: depth - 60 }, 30);
    for (const x of [-0.24, 0.24]) {
      for (const y of [0.32, 0.7]) {
        sketch.circle("detail", paints.line, [x * width, y * depth], 85);
      }
    }
  },

  wc(sketch, { width, depth }) {
    const half = width / 2;
    sketch
      .box("body", paints.body, { left: -half, top: 0, right: half, bottom: 170 }, 30)
      .path("body", paints.body, (pen) => {
        const broad = half - 10;
        return pen
          .move([-broad, 380])
          .curve([-broad, 250], [20 - broad, 190], [-100, 190])
          .line([100, 190])
          .curve([broad - 20, 190], [broad, 250], [broad, 380])
          .curve([broad, depth * 0.85], [120, depth], [0, depth])
          .curve([-120, depth], [-broad, depth * 0.85], [-broad, 380])
          .close();
      });
  },

  basin(sketch, { width, depth }) {
    sketch.box("body", paints.worktop, sketch.extent(), 15);
    for (const x of width >= 1400 ? [-width / 4, width / 4] : [0]) {
      sketch
        .box(
          "top",
          paints.body,
          { left: x - 230, top: 110, right: x + 230, bottom: depth - 60 },
          120,
        )
        .line(paints.line, [x, 50], [x, 160])
        .circle("detail", paints.line, [x, depth / 2 + 40], 22);
    }
  },

  shower(sketch, { depth }) {
    const { left, top, right, bottom } = sketch.extent();
    sketch
      .box("floor", paints.wet, { left, top, right, bottom })
      .line(paints.fine, [left, top], [right, bottom], "floor")
      .line(paints.fine, [right, top], [left, bottom], "floor")
      .circle("top", paints.body, [0, depth / 2], 45)
      .circle("top", paints.body, [0, 170], 105);
  },

  bath(sketch, { width, depth }) {
    sketch
      .box("body", paints.body, sketch.extent(), 50)
      .box("top", paints.wet, sketch.extent(75), 260)
      .circle("detail", paints.line, [-width / 2 + 260, depth / 2], 30);
  },

  island(sketch, { width, depth, seats }) {
    for (const x of spread(width, seats)) {
      sketch.circle("seat", paints.body, [x, depth + mm(seat.stool) - 175], 170);
    }
    sketch.box("body", paints.worktop, sketch.extent(), 20);
  },

  dining(sketch, { width, depth, seats }) {
    const reach = mm(seat.reach);
    for (const [count, top] of [
      [Math.ceil(seats / 2), -reach],
      [Math.floor(seats / 2), depth + reach - 430],
    ] as const) {
      for (const x of spread(width, count)) {
        sketch.box(
          "seat",
          paints.body,
          { left: x - 215, top, right: x + 215, bottom: top + 430 },
          110,
        );
      }
    }
    sketch.box("body", paints.wood, sketch.extent(), 40);
  },

  "round-table"(sketch, { width, depth, seats }) {
    const away = width / 2 + mm(seat.around - seat.inset);
    for (let index = 0; index < seats; index++) {
      const angle = (2 * Math.PI * index) / seats;
      sketch.circle(
        "seat",
        paints.body,
        [away * Math.cos(angle), depth / 2 + away * Math.sin(angle)],
        210,
      );
    }
    sketch.circle("body", paints.wood, [0, depth / 2], width / 2);
  },

  "coffee-table"(sketch) {
    sketch.box("body", paints.wood, sketch.extent(), 40);
  },

  "side-table"(sketch, { width, depth }) {
    sketch.circle("body", paints.wood, [0, depth / 2], width / 2);
  },

  rug(sketch) {
    sketch
      .box("floor", paints.rug, sketch.extent(), 15)
      .box("floor", paints.rugBorder, sketch.extent(90));
  },

  plant(sketch, { width, depth }) {
    leaves(sketch, [0, depth / 2], width / 2);
  },

  planter(sketch, { width, depth }) {
    sketch.box("body", paints.earth, sketch.extent(), 15);
    const [long, short] = [Math.max(width, depth), Math.min(width, depth)];
    const radius = short / 2 - 30;
    for (const along of spread(long, Math.max(1, Math.floor(long / (2 * radius + 20))))) {
      leaves(sketch, width >= depth ? [along, depth / 2] : [0, depth / 2 + along], radius);
    }
  },

  pool(sketch, { width, depth }) {
    sketch
      .box("floor", paints.earth, sketch.extent(), 20)
      .box("floor", paints.water, sketch.extent(150), 20);
    const waves = Math.floor(depth / 500);
    for (let index = 0; index < waves; index++) {
      const y = ((index + 0.75) * depth) / (waves + 0.5);
      const x = ((index * 53) % 7) * 0.05 * width - width * 0.32;
      sketch.path("floor", paints.ripple, (pen) =>
        pen
          .move([x, y])
          .curve([x + 130, y - 70], [x + 260, y])
          .curve([x + 390, y + 70], [x + 520, y])
          .curve([x + 650, y - 70], [x + 780, y]),
      );
    }
  },
};

/** The middles of `count` equal places along a width. */
function spread(width: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => ((index + 0.5) / count - 0.5) * width);
}

function leaves(sketch: Sketch, [x, y]: Spot, radius: number): void {
  sketch.circle("top", paints.foliage, [x, y], radius - 5);
  for (let index = 0; index < 7; index++) {
    const angle = (2 * Math.PI * index) / 7 + 0.2;
    sketch.line(
      paints.vein,
      [x, y],
      [x + radius * 0.82 * Math.cos(angle), y + radius * 0.82 * Math.sin(angle)],
    );
  }
}
