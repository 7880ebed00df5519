// Written by `npm run draw` in art/.


export interface RoomPicture {
  /** A few pixels, shown until the picture has loaded. */
  preview: string;
  thumbnail: string;
  avif: string;
  /** For browsers without AVIF. */
  jpeg: string;
}

/** By plan and view, such as C1-living. */
export const roomPictures: Record<string, RoomPicture | undefined> = {

};
