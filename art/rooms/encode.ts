// The pictures of the rooms: which are rendered, and their encodings.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import sharp from "sharp";
import { type RoomView, roomViews } from "./rooms.ts";

const masters = resolve(import.meta.dirname, "../masters/rooms");

/** Encodings of each room. The preview is shown enlarged and blurred until the picture has loaded. */
export const roomEncodings = [
  { use: "preview", width: 40, format: "avif", settings: { quality: 40, effort: 4 } },
  { use: "thumbnail", width: 480, format: "avif", settings: { quality: 50, effort: 4 } },
  { use: "avif", width: 1280, format: "avif", settings: { quality: 64, effort: 6 } },
  { use: "jpeg", width: 960, format: "jpeg", settings: { quality: 74, mozjpeg: true } },
] as const;

export type RoomEncoding = (typeof roomEncodings)[number]["use"];

/** What `scene/render.py` wrote about a picture. */
export interface RoomRecord {
  /** Hash of plan, home and camera at the time of the render. */
  claim: string;
  camera: { location: readonly [x: number, y: number, z: number]; azimuth: number; lens: number };
  ceiling: number;
  /** The symbols that were built, each with the plan's coordinates. */
  furniture: readonly { symbol: string; at: readonly [x: number, y: number]; turn: number }[];
  samples: number;
  seconds: number;
}

export interface RoomPicture {
  view: RoomView;
  files: { use: RoomEncoding; file: string; encode: () => Promise<Buffer> }[];
}

export function nameOf({ plan, view }: Pick<RoomView, "plan" | "view">): string {
  return `${plan}-${view}`.toLowerCase();
}

export function masterOf(view: RoomView): string {
  return resolve(masters, `${nameOf(view)}.jpg`);
}

export async function recordOf(view: RoomView): Promise<RoomRecord> {
  return JSON.parse(await readFile(resolve(masters, `${nameOf(view)}.json`), "utf8"));
}

/** The rooms whose picture is rendered. Only these have an eye on their plan. */
export function renderedRooms(): RoomView[] {
  return roomViews.filter((view) => existsSync(masterOf(view)));
}

/** Every file's name contains a hash of plan, home, camera, master and settings. */
export async function planRoomPictures(): Promise<RoomPicture[]> {
  return Promise.all(
    renderedRooms().map(async (view) => {
      const bytes = await readFile(masterOf(view));
      const { claim } = await recordOf(view);
      const digest = createHash("sha256")
        .update(bytes)
        .update(JSON.stringify([claim, roomEncodings, sharp.versions.sharp]))
        .digest("hex")
        .slice(0, 12);
      const files = roomEncodings.map(({ use, width, format, settings }) => ({
        use,
        file: `${nameOf(view)}-${width}-${digest}.${format}`,
        encode: () => sharp(bytes).resize({ width }).toFormat(format, settings).toBuffer(),
      }));
      return { view, files };
    }),
  );
}
