import { colours } from "./colours.ts";
import type { Point } from "./geometry.ts";
import { dots } from "./path.ts";

/** Round crowns of about that width, in metres. */
export function drawTrees(trees: readonly Point[], width: number): string {
  return colours.trees
    .map((colour, index, { length }) => {
      const own = trees.filter((_, tree) => tree % length === index);
      // In order, so that the steps from one to the next are short to write.
      own.sort(([a], [b]) => a - b);
      return `<path stroke="${colour}" stroke-width="${width + 2 * (1 - index)}" d="${dots(own)}"/>`;
    })
    .join("");
}
