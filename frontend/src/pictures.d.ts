declare module "virtual:pictures" {
  /** A picture as `scripts/pictures.mjs` encoded it. */
  export interface EncodedPicture {
    /** Pixels of the widest encoding. */
    width: number;
    height: number;
    /** Candidates for `srcset`, by format. */
    avif: string;
    webp: string;
    jpeg: string;
  }

  export type PictureName = keyof typeof import("../art/pictures.mjs").pictures;

  export const pictures: Record<PictureName, EncodedPicture>;
}

/** For each picture the class `picture-<name>`: the colour that stands for it until it has come. */
declare module "virtual:pictures.css";
