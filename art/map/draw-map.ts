import { colours } from "./colours.ts";
import { drawBuildings } from "./draw-buildings.ts";
import { drawParks } from "./draw-parks.ts";
import { drawMetroLine, drawReach, drawSite, drawStation } from "./draw-places.ts";
import { drawQuayTrees, drawRiver } from "./draw-river.ts";
import { drawRoads } from "./draw-roads.ts";
import { frame, locatePlace, metroLines, reaches, stations } from "./locality.ts";
import { randomFrom } from "./random.ts";
import { planStreets } from "./streets.ts";

const SEED = 62;

/** Draws the map as an SVG file without labels. Its unit is the metre, and its origin is that of the locality. */
export function drawMap(): string {
  const random = randomFrom(SEED);
  const plan = planStreets(random);
  const { width, height, centre } = frame;
  const left = centre[0] - width / 2;
  const top = -centre[1] - height / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" fill="none" stroke-linecap="round" stroke-linejoin="round">`,
    `<path fill="${colours.land}" d="M${left} ${top}h${width}v${height}h${-width}z"/>`,
    drawBuildings(plan, random),
    drawRiver(),
    drawQuayTrees(),
    drawRoads(plan),
    drawParks(random),
    metroLines.map(drawMetroLine).join(""),
    Object.values(reaches).map(drawReach).join(""),
    drawSite(),
    Object.values(stations).map(locatePlace).map(drawStation).join(""),
    "</svg>",
  ].join("\n");
}
