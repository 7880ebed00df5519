import { acrossPicture } from "./across-picture.ts";
import { colours } from "./colours.ts";
import { joinLines, type Point } from "./geometry.ts";
import { boulevards, frame } from "./locality.ts";
import { curve, polylines } from "./path.ts";
import type { StreetPlan } from "./streets.ts";

/** Width of a boulevard, in metres. */
const BOULEVARD = 18;

/** Draws all kerbs below all roads, so crossings are open. */
export function drawRoads({ streets, sections }: StreetPlan): string {
  const widths = [...new Set([...streets, ...sections].map(({ width }) => width))];
  const roads = widths.map((width) => {
    const along = streets.filter((street) => street.width === width);
    const across = sections.filter((section) => section.width === width);
    const data =
      along.map(({ northing }) => curve(shown(acrossPicture(northing)))).join("") +
      polylines(joinLines(across.map(({ points }) => points)));
    return { width, data };
  });
  roads.push({ width: BOULEVARD, data: boulevards.map(curve).join("") });
  const stroke = (colour: string, wider: number) =>
    roads.map(
      ({ width }) =>
        `<use href="#road${width}" stroke="${colour}" stroke-width="${width + wider}"/>`,
    );
  return [
    `<defs>${roads.map(({ width, data }) => `<path id="road${width}" d="${data}"/>`).join("")}</defs>`,
    `<g stroke-linecap="butt">`,
    ...stroke(colours.kerb, 2),
    ...stroke(colours.road, -2),
    "</g>",
  ].join("");
}

/** A line without the parts at its ends that are above or below the picture. */
function shown(line: Point[]): Point[] {
  const isInside = ([, y]: Point) => Math.abs(y - frame.centre[1]) < frame.height / 2;
  const first = line.findIndex(isInside);
  return first < 0 ? [] : line.slice(Math.max(0, first - 1), line.findLastIndex(isInside) + 2);
}
