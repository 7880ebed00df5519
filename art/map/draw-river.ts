import { acrossPicture } from "./across-picture.ts";
import { colours } from "./colours.ts";
import type { Point } from "./geometry.ts";
import { boats, waterSteps } from "./locality.ts";
import { band, curve, polygons, polylines } from "./path.ts";
import { NORTH_BANK, northBank, southBank } from "./river.ts";

/** Metres. */
const QUAY = { width: 9, treeEvery: 15, crown: 9 };

export function drawRiver(): string {
  const stops = colours.water.map(
    (colour, index, { length }) =>
      `<stop offset="${index / (length - 1)}" stop-color="${colour}"/>`,
  );
  const middle = acrossPicture((x) => (northBank(x) + southBank(x)) / 2);
  return [
    `<linearGradient id="water">${stops.join("")}</linearGradient>`,
    `<path fill="${colours.quay}" d="${band(
      acrossPicture((x) => northBank(x) + QUAY.width),
      acrossPicture((x) => southBank(x) - QUAY.width),
    )}"/>`,
    `<path fill="url(#water)" stroke="${colours.bank}" stroke-width="3" d="${band(acrossPicture(northBank), acrossPicture(southBank))}"/>`,
    `<path stroke="#fff" stroke-opacity=".4" stroke-width="3" stroke-dasharray="60 140" d="${curve(middle)}"/>`,
    drawSteps(),
    `<path fill="${colours.boat}" d="${polygons(boats.map(boatOutline))}"/>`,
  ].join("");
}

function drawSteps(): string {
  const steps = Array.from({ length: waterSteps.count }, (_, index): Point[] => {
    const y = NORTH_BANK - index * waterSteps.depth;
    return [
      [waterSteps.from, y],
      [waterSteps.to, y],
    ];
  });
  return `<path stroke="${colours.quay}" stroke-width="1" d="${polylines(steps)}"/>`;
}

function boatOutline({ centre: [x, y], length }: (typeof boats)[number]): Point[] {
  const [half, beam] = [length / 2, length / 8];
  return [
    [x - half, y - beam],
    [x + half - length / 5, y - beam],
    [x + half, y],
    [x + half - length / 5, y + beam],
    [x - half, y + beam],
  ];
}

/** Draws rows of trees along the water. Each colour is a dotted line with gaps for the other colours. */
export function drawQuayTrees(): string {
  const rows = [
    acrossPicture((x) => northBank(x) + QUAY.width / 2),
    acrossPicture((x) => southBank(x) - QUAY.width / 2),
  ];
  const { length } = colours.trees;
  const dotted = colours.trees.map(
    (colour, index) =>
      `<use href="#quays" stroke="${colour}" stroke-width="${QUAY.crown + 2 * (1 - index)}" stroke-dasharray="0 ${length * QUAY.treeEvery}" stroke-dashoffset="${-index * QUAY.treeEvery}"/>`,
  );
  return `<defs><path id="quays" d="${rows.map(curve).join("")}"/></defs>${dotted.join("")}`;
}
