import { mm } from "./furniture.ts";
import {
  type Box,
  boxBetween,
  boxPolygon,
  grown,
  polygonBounds,
  type Region,
  type Spot,
  stripAlong,
  subtracted,
  unitePolygons,
} from "./geometry.ts";
import { type LabelStyle, roomLabels, roomNames } from "./labels.ts";
import type { LaidOpening, Layout } from "./layout.ts";
import { northArrow, scaleBar } from "./legend.ts";
import type { Lettering, Text } from "./lettering.ts";
import { type Paint, paints, textures } from "./paints.ts";
import { Pen } from "./pen.ts";
import { drawSymbol, layers } from "./symbols.ts";
import type { DrawingTexts } from "./texts/en.ts";
import { halfWall } from "./unit.ts";

/** Path data in millimetres, with its paint. */
export interface Shape {
  paint: Paint;
  data: string;
  /** The area that it covers, if its fill is a texture. */
  extent?: Box;
}

/** A drawing for every writer: shapes from bottom to top, then texts. Millimetres of the flat. */
export interface Drawing {
  box: Box;
  shapes: Shape[];
  texts: Text[];
}

/** Empty space around a plan, in millimetres. */
const MARGIN = 80;

/** The plan for the narrow card: only names, in letters that are readable at that size. */
export function cardDrawing(layout: Layout, texts: DrawingTexts, lettering: Lettering): Drawing {
  const box = planBox(layout);
  const side = Math.max(box.right - box.left, box.bottom - box.top);
  const size = Math.max(side * 0.029, 260);
  return {
    box,
    shapes: planShapes(layout),
    texts: roomNames(layout, texts, lettering, { size, least: 0.55 * size }),
  };
}

/** The plan with names and measures, a scale bar and a north arrow. */
export function largeDrawing(layout: Layout, texts: DrawingTexts, lettering: Lettering): Drawing {
  const plan = planBox(layout);
  const side = Math.max(plan.right - plan.left, plan.bottom - plan.top);
  const name = Math.min(Math.max(side * 0.018, 175), 270);
  const height = name * 5.4;
  const corner: Spot = [plan.left + MARGIN + name * 0.25, plan.bottom + height * 0.72];
  const bar = scaleBar(corner, { metres: 5, letters: name * 0.85, unit: texts.metre });
  // Further from the edge if the letter is at the arrow's right.
  const inset = name * (1.4 + 1.1 * Math.max(0, Math.sin((layout.unit.north * Math.PI) / 180)));
  const arrow = northArrow([plan.right - MARGIN - inset, plan.bottom + height * 0.62], {
    radius: name * 1.35,
    turn: layout.unit.north,
    letter: texts.north,
    letters: name,
  });
  return {
    box: { ...plan, bottom: plan.bottom + height + name * 0.6 },
    shapes: [...planShapes(layout), ...bar.shapes, ...arrow.shapes],
    texts: [
      ...roomLabels(layout, texts, lettering, {
        name: { size: name, least: 0.72 * name },
        measure: { size: 0.8 * name, least: 0.68 * name },
      }),
      ...bar.texts,
      ...arrow.texts,
    ],
  };
}

/** The plan with labels but without scale bar and north arrow. */
export function bareDrawing(
  layout: Layout,
  texts: DrawingTexts,
  lettering: Lettering,
  style: LabelStyle,
): Drawing {
  return {
    box: planBox(layout),
    shapes: planShapes(layout),
    texts: roomLabels(layout, texts, lettering, style),
  };
}

/** The bounds of the walls and the entrance mark, with a margin. */
export function planBox(layout: Layout): Box {
  const corners = [...layout.outline.flat(2)].flatMap(([x, y]): Spot[] => [
    [x - mm(halfWall.outer), y - mm(halfWall.outer)],
    [x + mm(halfWall.outer), y + mm(halfWall.outer)],
  ]);
  return grown(polygonBounds([...corners, ...layout.openings.flatMap(entranceMark)]), MARGIN);
}

function planShapes(layout: Layout): Shape[] {
  return [
    ...floorShapes(layout),
    ...furnitureShapes(layout),
    { paint: paints.wall, data: rings(layout.masonry) },
    ...parapetShapes(layout),
    ...layout.openings.flatMap(openingShapes),
  ];
}

function floorShapes({ rooms }: Layout): Shape[] {
  return rooms.map(({ room, polygon }) => ({
    paint: { fill: textures[room.floor] },
    data: new Pen().polygon(polygon).data,
    extent: polygonBounds(polygon),
  }));
}

/** All furniture, as one path for each layer and paint. Pieces never overlap within a layer. */
function furnitureShapes({ pieces }: Layout): Shape[] {
  const marks = pieces.flatMap(drawSymbol);
  return layers.flatMap((layer) => {
    const data = new Map<Paint, string>();
    for (const mark of marks.filter((mark) => mark.layer === layer)) {
      data.set(mark.paint, (data.get(mark.paint) ?? "") + mark.data);
    }
    return [...data].map(([paint, joined]) => ({ paint, data: joined }));
  });
}

/** Balustrades as one band of glass round the corners, from wall to wall. */
function parapetShapes({ walls, masonry }: Layout): Shape[] {
  const strips = walls
    .filter(({ kind }) => kind === "parapet")
    .map(({ line }) => boxPolygon(stripAlong(line, 45, 45)));
  const band = subtracted(
    unitePolygons(strips),
    masonry.map(([ring = []]) => ring),
  );
  return band.length === 0 ? [] : [{ paint: paints.glass, data: rings(band) }];
}

/** Path data of all rings of a region. */
function rings(region: Region): string {
  return region.flat().reduce((pen, ring) => pen.polygon(ring), new Pen()).data;
}

function openingShapes({ opening, line, wall, swing }: LaidOpening): Shape[] {
  if (wall === undefined) {
    return [];
  }
  const { half } = wall;
  const hole = stripAlong(line, half);
  const on = (along: number, across: number): Spot =>
    line.level ? [along, line.across + across] : [line.across + across, along];
  if (opening.kind === "window") {
    const panes = new Pen();
    for (const offset of [-half / 3, half / 3]) {
      panes.segment(on(line.start, offset), on(line.end, offset));
    }
    return [
      { paint: paints.glass, data: new Pen().box(hole).data },
      { paint: paints.pane, data: panes.data },
    ];
  }
  const sill = { paint: paints.sill, data: new Pen().box(hole).data };
  if (opening.kind === "sliding") {
    const middle = (line.start + line.end) / 2;
    const panels = new Pen()
      .box(boxBetween(on(line.start, -40), on(middle + 40, -5)))
      .box(boxBetween(on(middle - 40, 5), on(line.end, 40)));
    return [sill, { paint: paints.leaf, data: panels.data }];
  }
  if (swing === undefined) {
    return [];
  }
  const { hinge, shut, open, radius } = swing;
  const clockwise =
    (shut[0] - hinge[0]) * (open[1] - hinge[1]) > (shut[1] - hinge[1]) * (open[0] - hinge[0]);
  const thick = 40;
  const towards = (from: number, to: number) => from + Math.sign(to - from) * thick;
  const inner: Spot = line.level
    ? [towards(hinge[0], shut[0]), open[1]]
    : [open[0], towards(hinge[1], shut[1])];
  const door = [
    sill,
    { paint: paints.sweep, data: new Pen().move(shut).arc(radius, open, clockwise).data },
    { paint: paints.leaf, data: new Pen().box(boxBetween(hinge, inner)).data },
  ];
  const mark = entranceMark({ opening, line, wall, swing });
  return mark.length === 0
    ? door
    : [...door, { paint: paints.entrance, data: new Pen().polygon(mark).data }];
}

/** The triangle outside an entrance that points inwards. */
function entranceMark({ opening, line, wall }: LaidOpening): Spot[] {
  if (opening.kind !== "entrance" || wall === undefined) {
    return [];
  }
  const outwards = wall.before === undefined ? -1 : 1;
  const middle = (line.start + line.end) / 2;
  return [
    [0, 90],
    [-140, 320],
    [140, 320],
  ].map(([along = 0, away = 0]) => {
    const across = line.across + outwards * (wall.half + away);
    return line.level ? [middle + along, across] : [across, middle + along];
  });
}
