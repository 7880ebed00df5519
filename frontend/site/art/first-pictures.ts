import { pictures as encoded } from "../../../art/dist/first-pictures.ts";
import "../../../art/dist/pictures.css";

export const firstPictures = encoded;

/** The class `picture-<name>` has the colour shown until the picture loads; `avif` and `jpeg` are for `srcset`. */
export type EncodedPicture = (typeof encoded)[keyof typeof encoded];

/** The address of the widest encoding that every browser supports. */
export function widest({ jpeg }: EncodedPicture): string {
  return jpeg.split(", ").at(-1)?.split(" ")[0] ?? "";
}
