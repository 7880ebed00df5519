import { pictures as encoded } from "../../../art/dist/pictures.ts";

interface EncodedPicture {
  /** Pixels of the widest encoding. */
  width: number;
  height: number;
  /** Candidates for `srcset`, by format. */
  avif: string;
  webp: string;
  jpeg: string;
}

export type PictureName = keyof typeof encoded;

/** The class `picture-<name>` has the colour that stands for a picture until it has come. */
export const pictures: Record<PictureName, EncodedPicture> = encoded;
