import { colours } from "./colours.ts";
import type { Point } from "./geometry.ts";
import { dots } from "./path.ts";

/** Draws round crowns of about this width, in metres. */
export function drawTrees(trees: readonly Point[], width: number): string {
  return colours.trees
    .map((colour, index, { length }) => {
      const own = trees.filter((_, tree) => tree % length === index);
      // Sorted, because short steps between trees need fewer digits.
      own.sort(([a], [b]) => a - b);
      return `<path stroke="${colour}" stroke-width="${width + 2 * (1 - index)}" d="${dots(own)}"/>`;
    })
    .join("");
}
