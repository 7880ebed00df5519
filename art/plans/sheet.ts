import type { Advertised } from "./advertised.ts";
import { squareMetres } from "./area.ts";
import { bareDrawing, type Drawing, planBox, type Shape } from "./drawing.ts";
import type { Spot } from "./geometry.ts";
import type { Layout } from "./layout.ts";
import { northArrow, scaleBar } from "./legend.ts";
import type { Lettering, Text } from "./lettering.ts";
import { colours } from "./paints.ts";
import { Pen } from "./pen.ts";
import type { DrawingTexts } from "./texts/en.ts";

/** A drawing on paper. */
export interface Placed {
  drawing: Pick<Drawing, "shapes" | "texts">;
  /** Millimetres from the paper's top left corner to the drawing's origin. */
  at: Spot;
  /** Millimetres on paper for one unit of the drawing. */
  scale: number;
}

/** One side of A4. */
export interface Sheet {
  /** Millimetres. */
  width: number;
  height: number;
  title: string;
  /** The denominator of the plan's scale. */
  scale: number;
  placed: Placed[];
}

export interface SheetFacts extends Advertised {
  /** The name of the unit and its type, as on the site. */
  heading: string;
  type: string;
}

const A4 = [210, 297] as const;
const SCALES = [50, 75, 100, 125, 150] as const;
const EDGE = 15;
const HEAD = 43;
const FOOT = 37;

/** Smallest size of printed letters: five points in millimetres. */
const SMALLEST = (5 * 25.4) / 72;

/** The unit of the drawings around the plan, in millimetres. */
const FINE = 0.01;
const fine = (millimetres: number) => Math.round(millimetres / FINE);

/** The towers and the river of the wordmark, in a box 84 wide and 100 high above the river. */
const towers =
  "M0 100V14Q0 0 14 0H22V100ZM32 100V0H40Q54 0 54 14V100ZM64 100V46H78Q84 46 84 52V100Z";
const river = "M-6 116Q16 106 39 116T90 114";

/**
 * The sheet of a unit, in the orientation with the larger scale. If the scales are equal, the sheet has the orientation
 * of the plan.
 * @throws if the plan does not fit at the smallest scale
 */
export function layOutSheet(
  layout: Layout,
  facts: SheetFacts,
  texts: DrawingTexts,
  lettering: Lettering,
): Sheet {
  const box = planBox(layout);
  const size = { width: box.right - box.left, height: box.bottom - box.top };
  const lying = [A4[1], A4[0]] as const;
  const fit = SCALES.flatMap((scale) =>
    (size.width > size.height ? [lying, A4] : [A4, lying]).map(([width, height]) => ({
      scale,
      width,
      height,
    })),
  ).find(
    ({ scale, width, height }) =>
      size.width / scale <= width - 2 * EDGE + 4 && size.height / scale <= height - HEAD - FOOT,
  );
  if (fit === undefined) {
    throw new Error(`${layout.unit.id} does not fit on A4`);
  }
  const { scale, width, height } = fit;
  const drawing = bareDrawing(layout, texts, lettering, {
    name: { size: 2.8 * scale, least: SMALLEST * scale },
    measure: { size: 2.2 * scale, least: SMALLEST * scale },
  });
  const top = HEAD + (height - HEAD - FOOT - size.height / scale) / 2;
  const left = (width - size.width / scale) / 2;
  return {
    width,
    height,
    title: facts.heading,
    scale,
    placed: [
      {
        drawing,
        at: [left - box.left / scale, top - box.top / scale],
        scale: 1 / scale,
      },
      ...mark([EDGE, 13]),
      {
        drawing: frame(layout, facts, texts, lettering, { width, height, scale }),
        at: [0, 0],
        scale: FINE,
      },
      ...legends(layout, texts, { width, height, scale }),
    ],
  };
}

function mark([x, y]: Spot): Placed[] {
  const stroke = { stroke: colours.bronze, width: 6 };
  const shapes: Shape[] = [
    { paint: { fill: colours.ink }, data: towers },
    { paint: stroke, data: river },
  ];
  return [{ drawing: { shapes, texts: [] }, at: [x + 0.4, y], scale: 0.075 }];
}

function frame(
  layout: Layout,
  facts: SheetFacts,
  texts: DrawingTexts,
  lettering: Lettering,
  { width, height, scale }: { width: number; height: number; scale: number },
): Placed["drawing"] {
  const right = width - EDGE;
  const metric = squareMetres(layout).toFixed(1);
  const rule = (y: number): Shape => ({
    paint: { stroke: colours.champagne, width: fine(0.25) },
    data: new Pen().segment([fine(EDGE), fine(y)], [fine(right), fine(y)]).data,
  });
  const line = (
    text: string,
    [x, y]: Spot,
    style: Pick<Text, "face" | "fill"> & {
      size: number;
      anchor?: Text["anchor"];
      tracking?: number;
    },
  ): Text => ({
    text,
    anchor: "start",
    ...style,
    size: fine(style.size),
    at: [fine(x), fine(y)],
  });
  const counts = texts.summary
    .replace("{area}", texts.metricArea.replace("{squareMetres}", metric))
    .replace("{bedrooms}", formatCount(texts.bedrooms, facts.bedrooms))
    .replace("{bathrooms}", formatCount(texts.bathrooms, facts.bathrooms));
  const note = { face: "plain", fill: colours.slate, size: 2.6 } as const;
  const notes = wrapText(texts.note, fine(width - 2 * EDGE), (text) =>
    lettering.width({ text, face: note.face, size: fine(note.size) }),
  );
  return {
    shapes: [rule(27), rule(height - 21)],
    texts: [
      line("ZYON GRAND", [EDGE + 10, 20.8], {
        face: "display",
        fill: colours.ink,
        size: 5.4,
        tracking: 0.14,
      }),
      line(facts.type, [right, 20.6], {
        face: "strong",
        fill: colours.bronze,
        size: 3.6,
        anchor: "end",
      }),
      line(facts.heading, [EDGE, 38.5], { face: "display", fill: colours.ink, size: 8 }),
      line(texts.area.replace("{squareFeet}", facts.size.toLocaleString("en")), [right, 36], {
        face: "display",
        fill: colours.ink,
        size: 6,
        anchor: "end",
      }),
      line(counts, [right, 41.5], { face: "plain", fill: colours.slate, size: 3, anchor: "end" }),
      line(texts.scale.replace("{scale}", `${scale}`), [EDGE, height - 24.5], {
        face: "plain",
        fill: colours.slate,
        size: 2.6,
      }),
      ...notes.map((text, index) => line(text, [EDGE, height - 16 + index * 4], note)),
    ],
  };
}

function legends(
  { unit }: Layout,
  texts: DrawingTexts,
  { width, height, scale }: { width: number; height: number; scale: number },
): Placed[] {
  const bar = scaleBar([0, 0], { metres: 5, letters: 2.6 * scale, unit: texts.metre });
  const arrow = northArrow([0, 0], {
    radius: fine(4.6),
    turn: unit.north,
    letter: texts.north,
    letters: fine(3.2),
  });
  return [
    { drawing: bar, at: [EDGE, height - 34.5], scale: 1 / scale },
    { drawing: arrow, at: [width - EDGE - 6, height - 29], scale: FINE },
  ];
}

function formatCount({ one, many }: { one: string; many: string }, count: number): string {
  return (count === 1 ? one : many).replace("{count}", `${count}`);
}

/** Breaks a text into lines: at spaces, and between any two Chinese characters except before a mark. */
export function wrapText(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(/[\u3000-\u9fff][，。；、：）]*|[^\s\u3000-\u9fff]+\s*|\s+/gu) ??
    []) {
    if (line !== "" && measure((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}
