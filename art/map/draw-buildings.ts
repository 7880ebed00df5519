import { layOutBuildings } from "./buildings.ts";
import { colours } from "./colours.ts";
import { meanPoint, type Point } from "./geometry.ts";
import { frame, parks, views } from "./locality.ts";
import { isInPark } from "./parks.ts";
import { polygons } from "./path.ts";
import type { Random } from "./random.ts";
import type { StreetPlan } from "./streets.ts";

/** Offset of the shadow of a building, in metres. The evening sun is in the west-north-west. */
const SHADOW = { x: 5, y: 4 };
/** Half the length of a large building, in metres. */
const LARGE = 30;

export function drawBuildings({ cells }: StreetPlan, random: Random): string {
  const footprints = cells
    .filter(({ isSite }) => !isSite)
    .flatMap((cell) => layOutBuildings(cell, random))
    .filter(isSeen);
  return (
    `<defs><path id="buildings" d="${polygons(footprints)}"/></defs>` +
    `<use href="#buildings" x="${SHADOW.x}" y="${SHADOW.y}" fill="${colours.shadow}"/>` +
    `<use href="#buildings" fill="${colours.building}"/>`
  );
}

/** Whether some window shows the building: it is neither below a park nor beyond the frame. */
function isSeen(footprint: Point[]): boolean {
  const centre = meanPoint(footprint);
  const out = {
    x: Math.abs(centre[0] - frame.centre[0]),
    y: Math.abs(centre[1] - frame.centre[1]),
  };
  const isWithin = ({ to, height, metresPerPixel }: (typeof views)["wide"]) =>
    out.x < (to * metresPerPixel) / 2 + LARGE && out.y < (height * metresPerPixel) / 2 + LARGE;
  return Object.values(views).some(isWithin) && !parks.some((park) => isInPark(centre, park));
}
