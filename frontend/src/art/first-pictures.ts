import { pictures as encoded } from "../../../art/dist/first-pictures.ts";
import "../../../art/dist/pictures.css";

export interface EncodedPicture {
  /** The class `picture-<name>` has the colour that stands for it until it has come. */
  name: string;
  /** Pixels of the widest encoding. */
  width: number;
  height: number;
  /** Candidates for `srcset`, by format. */
  avif: string;
  jpeg: string;
}

/** The pictures of the first screen. */
export const firstPictures: Record<keyof typeof encoded, EncodedPicture> = encoded;

/** The address of the widest encoding that every browser shows. */
export function widest({ jpeg }: EncodedPicture): string {
  return jpeg.split(", ").at(-1)?.split(" ")[0] ?? "";
}
