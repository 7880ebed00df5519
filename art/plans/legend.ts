import type { Spot } from "./geometry.ts";
import type { Text } from "./lettering.ts";
import { colours, type Paint } from "./paints.ts";
import { Pen } from "./pen.ts";

interface Legend {
  shapes: { paint: Paint; data: string }[];
  texts: Text[];
}

/** A bar of alternating metres that starts at `corner`, with its figures below. */
export function scaleBar(
  [x, y]: Spot,
  { metres, letters, unit }: { metres: number; letters: number; unit: string },
): Legend {
  const height = letters * 0.42;
  const dark = new Pen();
  const whole = new Pen().box({ left: x, top: y, right: x + metres * 1000, bottom: y + height });
  for (let metre = 0; metre < metres; metre += 2) {
    const left = x + metre * 1000;
    dark.box({ left, top: y, right: left + 1000, bottom: y + height });
  }
  return {
    shapes: [
      { paint: { fill: "#fff", stroke: colours.ink, width: 12 }, data: whole.data },
      { paint: { fill: colours.ink }, data: dark.data },
    ],
    texts: Array.from({ length: metres + 1 }, (_, metre) => ({
      text: metre === metres ? `${metre} ${unit}` : `${metre}`,
      face: "plain",
      size: letters,
      fill: colours.slate,
      at: [x + metre * 1000, y + height + letters * 1.15],
      anchor: "middle",
    })),
  };
}

/** A ring with a needle turned `turn` degrees clockwise, and a letter at its point. */
export function northArrow(
  [x, y]: Spot,
  {
    radius,
    turn,
    letter,
    letters,
  }: { radius: number; turn: number; letter: string; letters: number },
): Legend {
  const angle = (turn * Math.PI) / 180;
  const turned = (across: number, up: number): Spot => [
    x + radius * (across * Math.cos(angle) + up * Math.sin(angle)),
    y + radius * (across * Math.sin(angle) - up * Math.cos(angle)),
  ];
  const needle = new Pen().polygon([
    turned(0, 1),
    turned(0.36, -0.62),
    turned(0, -0.3),
    turned(-0.36, -0.62),
  ]);
  const [letterX, letterY] = turned(0, 1 + (0.75 * letters) / radius);
  return {
    shapes: [
      {
        paint: { stroke: colours.ink, width: radius * 0.045 },
        data: new Pen().circle([x, y], radius).data,
      },
      { paint: { fill: colours.ink }, data: needle.data },
    ],
    texts: [
      {
        text: letter,
        face: "strong",
        size: letters,
        fill: colours.ink,
        at: [letterX, letterY + letters * 0.36],
        anchor: "middle",
      },
    ],
  };
}
