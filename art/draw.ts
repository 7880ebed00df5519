import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { drawMap } from "./map/draw-map.ts";
import { mapMeasures } from "./map/label-places.ts";
import { planEncodings } from "./pictures/encode.ts";
import { renderAllPlans } from "./plans/render.ts";
import { renderAllSheets } from "./plans/render-sheets.ts";
import { units } from "./plans/units.ts";
import { planRoomPictures } from "./rooms/encode.ts";
import { roomViews } from "./rooms/rooms.ts";
import {
  mapModule,
  pictureColours,
  picturesModule,
  planPath,
  planShares,
  plansModule,
  roomPicturesModule,
  roomPointsModule,
  sceneUnits,
  sceneViews,
} from "./site-modules.ts";

export interface Drawings {
  /** Contents by path in `dist/`. */
  drawn: Map<string, string | Buffer>;
  /** Encoders by path in `dist/`. Each takes a second, and its path contains a hash of all its inputs. */
  encoded: Map<string, () => Promise<Buffer>>;
}

/** Draws everything that the site shows. The caller encodes the pictures. */
export async function drawAll(): Promise<Drawings> {
  const pictures = await planEncodings();
  const rooms = await planRoomPictures();
  const plans = await renderAllPlans();
  const sheets = await renderAllSheets();
  return {
    drawn: new Map<string, string | Buffer>([
      ["map.ts", mapModule],
      ["map.css", mapMeasures()],
      ["map.svg", drawMap()],
      ["first-pictures.ts", picturesModule(pictures.filter(({ first }) => first))],
      ["pictures.ts", picturesModule(pictures.filter(({ first }) => !first))],
      ["units.json", sceneUnits(units)],
      ["views.json", sceneViews(roomViews)],
      [
        "room-points.ts",
        roomPointsModule(
          rooms.map(({ view }) => view),
          plans,
        ),
      ],
      ["room-pictures.ts", roomPicturesModule(rooms)],
      ["pictures.css", pictureColours(pictures)],
      ["plans.ts", plansModule(plans)],
      ["plans.css", planShares(plans)],
      ["public/favicon.svg", await readFile(resolve(import.meta.dirname, "favicon.svg"), "utf8")],
      [
        "public/manifest.webmanifest",
        await readFile(resolve(import.meta.dirname, "manifest.webmanifest"), "utf8"),
      ],
      ...plans.map((plan) => [planPath(plan), plan.svg] as const),
      ...sheets.map(({ path, pdf }) => [`sheets/${basename(path)}`, pdf] as const),
    ]),
    encoded: new Map([
      ...pictures.flatMap(({ encodings }) =>
        encodings.map(({ file, encode }) => [`pictures/${file}`, encode] as const),
      ),
      ...rooms.flatMap(({ files }) =>
        files.map(({ file, encode }) => [`rooms/${file}`, encode] as const),
      ),
    ]),
  };
}
