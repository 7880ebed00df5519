import { colours } from "./colours.ts";
import { drawTrees } from "./draw-trees.ts";
import { convexHull, evenSteps, type Point, rotateAround } from "./geometry.ts";
import {
  arrivalCourt,
  type Block,
  lawn,
  podium,
  pool,
  site,
  type Tower,
  towers,
} from "./locality.ts";
import { curve, offsetOutline, polygons } from "./path.ts";

/** Metres. */
const STATION_RADIUS = 25;
/** East and north offset of the shadow of one storey, in metres. All shadows on the map have this direction. */
const SHADOW_OF_STOREY = [0.8, -0.64] as const;

/** Trees on three sides of the site. The promenade is on the fourth. */
const STREET_TREES: readonly Point[] = [
  ...evenSteps(-123, 148, 14).map((x): Point => [x, 68]),
  ...evenSteps(-34, 54, 14).flatMap((y): Point[] => [
    [-123, y],
    [148, y],
  ]),
];

export function drawMetroLine(points: readonly Point[]): string {
  const data = curve(points);
  return (
    `<path stroke="#fff" stroke-opacity=".85" stroke-width="15" d="${data}"/>` +
    `<path stroke="${colours.metro}" stroke-width="6" stroke-dasharray="20 14" d="${data}"/>`
  );
}

/** Draws the line at a distance from the boundary of the site. */
export function drawReach(distance: number): string {
  return `<path stroke="${colours.reach}" stroke-opacity=".55" stroke-width="4.5" stroke-dasharray="0 13" d="${offsetOutline(site, distance)}"/>`;
}

export function drawSite(): string {
  return [
    `<path fill="${colours.site}" stroke="${colours.siteEdge}" stroke-width="4" d="${polygons([site])}"/>`,
    drawBlock(arrivalCourt.drive, `fill="${colours.road}"`),
    drawBlock(arrivalCourt.island, `fill="${colours.park}"`),
    drawBlock(arrivalCourt.basin, `fill="${colours.pool}"`),
    drawBlock(podium, `fill="${colours.podium}"`),
    drawBlock(arrivalCourt.canopy, `fill="${colours.podium}" stroke="${colours.kerb}"`),
    drawBlock(lawn, `fill="${colours.park}"`),
    drawBlock(pool, `fill="${colours.pool}"`),
    drawTrees(roofGarden(), 6),
    drawTrees(STREET_TREES, 10),
    `<path fill="${colours.reach}" fill-opacity=".2" d="${polygons(towers.map(castShadow))}"/>`,
    ...towers.map((tower) =>
      drawBlock(tower, `fill="${colours.tower}" stroke="${colours.towerEdge}" stroke-width="2"`),
    ),
  ].join("");
}

/** Trees along the edge of the podium's roof. */
function roofGarden(): Point[] {
  const { centre, halfWidth, halfDepth } = podium;
  const [x, y] = [halfWidth - 6, halfDepth - 6];
  const along = evenSteps(-x + 10, x - 10, 9).flatMap((at): Point[] => [
    [centre[0] + at, centre[1] - y],
    [centre[0] + at, centre[1] + y],
  ]);
  const across = evenSteps(-y + 10, y - 10, 9).map((at): Point => [centre[0] - x, centre[1] + at]);
  return [...along, ...across];
}

/** The ground in the shadow of a tower, with sharp corners. */
function castShadow({ centre, halfWidth, halfDepth, corner, angle, storeys }: Tower): Point[] {
  const inset = corner / 3;
  const [x, y] = [halfWidth - inset, halfDepth - inset];
  const corners = [
    [-x, -y],
    [x, -y],
    [x, y],
    [-x, y],
  ] as const;
  const foot = corners.map((point) => rotateAround(point, centre, angle));
  const top = foot.map(
    ([east, north]): Point => [
      east + storeys * SHADOW_OF_STOREY[0],
      north + storeys * SHADOW_OF_STOREY[1],
    ],
  );
  return convexHull([...foot, ...top]);
}

function drawBlock({ centre, halfWidth, halfDepth, corner, angle }: Block, paint: string): string {
  const [x, y] = [centre[0], -centre[1]];
  const turn = angle === 0 ? "" : ` transform="rotate(${-angle} ${x} ${y})"`;
  return `<rect x="${x - halfWidth}" y="${y - halfDepth}" width="${2 * halfWidth}" height="${2 * halfDepth}" rx="${corner}" ${paint}${turn}/>`;
}

/** A ring with the letter M. */
export function drawStation([x, y]: Point): string {
  const [left, top] = [Math.round(x), Math.round(-y)];
  return (
    `<circle cx="${left}" cy="${top}" r="${STATION_RADIUS}" fill="#fff" stroke="${colours.metro}" stroke-width="8"/>` +
    `<path stroke="${colours.metro}" stroke-width="4.5" d="M${left - 9} ${top + 9}v-18l9 11 9-11v18"/>`
  );
}
