import { colours } from "./colours.ts";
import { drawTrees } from "./draw-trees.ts";
import { parks } from "./locality.ts";
import { parkEdge, parkTrees } from "./parks.ts";
import { closedCurves } from "./path.ts";
import type { Random } from "./random.ts";

/** Draws the parks over the streets, and a street around each park. */
export function drawParks(random: Random): string {
  const edges = closedCurves(parks.map((park) => parkEdge(park, random)));
  const trees = parks.flatMap((park) => parkTrees(park, random));
  return [
    `<defs><path id="parks" d="${edges}"/></defs>`,
    `<use href="#parks" stroke="${colours.kerb}" stroke-width="18"/>`,
    `<use href="#parks" stroke="${colours.road}" stroke-width="14" fill="${colours.park}"/>`,
    drawTrees(trees, 12),
  ].join("");
}
