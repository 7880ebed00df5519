/** How the drawing lies in its stage: enlarged about its centre by `scale`, then moved by `x` and `y` pixels. */
export interface View {
  scale: number;
  x: number;
  y: number;
}

/** In pixels from the centre of the stage. */
export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** What a view is seen through: the stage, and the drawing as it lies there at a scale of 1. */
export interface Frame {
  stage: Size;
  drawing: Size;
}

export const MIN_SCALE = 1;
export const MAX_SCALE = 4;

/** The whole drawing, as large as the stage allows. */
export const WHOLE: View = { scale: MIN_SCALE, x: 0, y: 0 };

const steps = [MIN_SCALE, 1.5, 2, 3, MAX_SCALE];

/** The next scale that the buttons offer, larger or smaller. */
export function nextScale(scale: number, direction: 1 | -1): number {
  return direction > 0
    ? (steps.find((step) => step > scale) ?? MAX_SCALE)
    : (steps.findLast((step) => step < scale) ?? MIN_SCALE);
}

/** The largest size with the drawing's proportions that a box holds. A drawing without a size fills it. */
export function contain(drawing: Size, box: Size): Size {
  const factor = Math.min(box.width / drawing.width, box.height / drawing.height);
  return Number.isFinite(factor) && factor > 0
    ? { width: drawing.width * factor, height: drawing.height * factor }
    : box;
}

/** The view nearest to this one that shows as much of the drawing as the stage can. */
export function clamp({ scale, x, y }: View, { stage, drawing }: Frame): View {
  const clamped = clampScale(scale);
  const limit = (drawn: number, seen: number) => Math.max(0, (drawn * clamped - seen) / 2);
  const within = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return {
    scale: clamped,
    x: within(x, limit(drawing.width, stage.width)),
    y: within(y, limit(drawing.height, stage.height)),
  };
}

/** To a scale, with the point of the drawing at `at` staying there. */
export function zoomAt(view: View, scale: number, at: Point, frame: Frame): View {
  return carry(view, scale, at, at, frame);
}

/** One finger moves the drawing, two enlarge it too: what lies under them stays under them. */
export function follow(view: View, from: Point[], to: Point[], frame: Frame): View {
  const spread = distance(from) > 0 ? distance(to) / distance(from) : 1;
  return carry(view, view.scale * spread, centre(from), centre(to), frame);
}

/** To a scale, with the point of the drawing at `from` going to `to`. */
function carry(view: View, scale: number, from: Point, to: Point, frame: Frame): View {
  const clamped = clampScale(scale);
  const factor = clamped / view.scale;
  return clamp(
    {
      scale: clamped,
      x: to.x - (from.x - view.x) * factor,
      y: to.y - (from.y - view.y) * factor,
    },
    frame,
  );
}

function clampScale(scale: number): number {
  return Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale));
}

function centre(points: Point[]): Point {
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  return { x: mean((point) => point.x), y: mean((point) => point.y) };
}

/** How far apart two fingers are; 0 for one. */
function distance([first, second]: Point[]): number {
  return first && second ? Math.hypot(first.x - second.x, first.y - second.y) : 0;
}
