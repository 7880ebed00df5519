import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Plugin } from "vite";
import { drawMap } from "../art/map/draw-map.ts";
import { mapMeasures } from "../art/map/label-places.ts";
import { writeWhole } from "./write-whole.mjs";

const root = resolve(import.meta.dirname, "..");
const drawnDir = resolve(root, ".generated/map");

/** Draws the map of art/map and offers it as the module `virtual:map`, whose types are in src/map.d.ts. */
export function mapPlugin(): Plugin {
  const id = "\0virtual:map";
  return {
    name: "map",
    resolveId: (source) => (source === "virtual:map" ? id : null),
    load: (loaded) => (loaded === id ? moduleText() : null),
  };
}

async function moduleText(): Promise<string> {
  const measures = await written(mapMeasures(), "css");
  const picture = await written(drawMap(), "svg");
  return `import "${measures}";\nexport { default as mapPicture } from "${picture}";\n`;
}

/** Writes a file named after what is in it, and returns its address below the root. */
async function written(text: string, extension: "css" | "svg"): Promise<string> {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const file = resolve(drawnDir, `map-${digest}.${extension}`);
  await mkdir(drawnDir, { recursive: true });
  await writeWhole(file, text);
  return `/${relative(root, file)}`;
}
