import { polygonArea } from "./geometry.ts";
import type { Layout } from "./layout.ts";

const SQUARE_METRES_PER_SQUARE_FOOT = 0.09290304;

/** Square metres of all rooms, to the middle of the walls. */
export function squareMetres(layout: Layout): number {
  return layout.rooms.reduce((sum, { polygon }) => sum + polygonArea(polygon), 0) / 1e6;
}

/** Square feet of all rooms, to the middle of the walls. */
export function squareFeet(layout: Layout): number {
  return squareMetres(layout) / SQUARE_METRES_PER_SQUARE_FOOT;
}
