// Written by `npm run draw` in art/.
import c1_living_40_7eec65c8a7b0_avif from "./rooms/c1-living-40-7eec65c8a7b0.avif";
import c1_living_480_7eec65c8a7b0_avif from "./rooms/c1-living-480-7eec65c8a7b0.avif";
import c1_living_1280_7eec65c8a7b0_avif from "./rooms/c1-living-1280-7eec65c8a7b0.avif";
import c1_living_960_7eec65c8a7b0_jpeg from "./rooms/c1-living-960-7eec65c8a7b0.jpeg";
import c1_bedroom_40_280f7d58c697_avif from "./rooms/c1-bedroom-40-280f7d58c697.avif";
import c1_bedroom_480_280f7d58c697_avif from "./rooms/c1-bedroom-480-280f7d58c697.avif";
import c1_bedroom_1280_280f7d58c697_avif from "./rooms/c1-bedroom-1280-280f7d58c697.avif";
import c1_bedroom_960_280f7d58c697_jpeg from "./rooms/c1-bedroom-960-280f7d58c697.jpeg";

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
  "C1-living": { preview: c1_living_40_7eec65c8a7b0_avif, thumbnail: c1_living_480_7eec65c8a7b0_avif, avif: c1_living_1280_7eec65c8a7b0_avif, jpeg: c1_living_960_7eec65c8a7b0_jpeg },
  "C1-bedroom": { preview: c1_bedroom_40_280f7d58c697_avif, thumbnail: c1_bedroom_480_280f7d58c697_avif, avif: c1_bedroom_1280_280f7d58c697_avif, jpeg: c1_bedroom_960_280f7d58c697_jpeg },
};
