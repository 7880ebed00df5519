// Written by `npm run draw` in art/.
import a1_living_40_c9dcbc44280f_avif from "./rooms/a1-living-40-c9dcbc44280f.avif";
import a1_living_480_c9dcbc44280f_avif from "./rooms/a1-living-480-c9dcbc44280f.avif";
import a1_living_1280_c9dcbc44280f_avif from "./rooms/a1-living-1280-c9dcbc44280f.avif";
import a1_living_960_c9dcbc44280f_jpeg from "./rooms/a1-living-960-c9dcbc44280f.jpeg";
import a2_living_40_2faa752aa9e8_avif from "./rooms/a2-living-40-2faa752aa9e8.avif";
import a2_living_480_2faa752aa9e8_avif from "./rooms/a2-living-480-2faa752aa9e8.avif";
import a2_living_1280_2faa752aa9e8_avif from "./rooms/a2-living-1280-2faa752aa9e8.avif";
import a2_living_960_2faa752aa9e8_jpeg from "./rooms/a2-living-960-2faa752aa9e8.jpeg";
import a3_living_40_7a728e359ccf_avif from "./rooms/a3-living-40-7a728e359ccf.avif";
import a3_living_480_7a728e359ccf_avif from "./rooms/a3-living-480-7a728e359ccf.avif";
import a3_living_1280_7a728e359ccf_avif from "./rooms/a3-living-1280-7a728e359ccf.avif";
import a3_living_960_7a728e359ccf_jpeg from "./rooms/a3-living-960-7a728e359ccf.jpeg";
import c1_living_40_7eec65c8a7b0_avif from "./rooms/c1-living-40-7eec65c8a7b0.avif";
import c1_living_480_7eec65c8a7b0_avif from "./rooms/c1-living-480-7eec65c8a7b0.avif";
import c1_living_1280_7eec65c8a7b0_avif from "./rooms/c1-living-1280-7eec65c8a7b0.avif";
import c1_living_960_7eec65c8a7b0_jpeg from "./rooms/c1-living-960-7eec65c8a7b0.jpeg";
import c1_bedroom_40_280f7d58c697_avif from "./rooms/c1-bedroom-40-280f7d58c697.avif";
import c1_bedroom_480_280f7d58c697_avif from "./rooms/c1-bedroom-480-280f7d58c697.avif";
import c1_bedroom_1280_280f7d58c697_avif from "./rooms/c1-bedroom-1280-280f7d58c697.avif";
import c1_bedroom_960_280f7d58c697_jpeg from "./rooms/c1-bedroom-960-280f7d58c697.jpeg";
import d1_living_40_2b8804e03646_avif from "./rooms/d1-living-40-2b8804e03646.avif";
import d1_living_480_2b8804e03646_avif from "./rooms/d1-living-480-2b8804e03646.avif";
import d1_living_1280_2b8804e03646_avif from "./rooms/d1-living-1280-2b8804e03646.avif";
import d1_living_960_2b8804e03646_jpeg from "./rooms/d1-living-960-2b8804e03646.jpeg";
import ph3_living_40_a0b9842222a2_avif from "./rooms/ph3-living-40-a0b9842222a2.avif";
import ph3_living_480_a0b9842222a2_avif from "./rooms/ph3-living-480-a0b9842222a2.avif";
import ph3_living_1280_a0b9842222a2_avif from "./rooms/ph3-living-1280-a0b9842222a2.avif";
import ph3_living_960_a0b9842222a2_jpeg from "./rooms/ph3-living-960-a0b9842222a2.jpeg";

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
  "A1-living": { preview: a1_living_40_c9dcbc44280f_avif, thumbnail: a1_living_480_c9dcbc44280f_avif, avif: a1_living_1280_c9dcbc44280f_avif, jpeg: a1_living_960_c9dcbc44280f_jpeg },
  "A2-living": { preview: a2_living_40_2faa752aa9e8_avif, thumbnail: a2_living_480_2faa752aa9e8_avif, avif: a2_living_1280_2faa752aa9e8_avif, jpeg: a2_living_960_2faa752aa9e8_jpeg },
  "A3-living": { preview: a3_living_40_7a728e359ccf_avif, thumbnail: a3_living_480_7a728e359ccf_avif, avif: a3_living_1280_7a728e359ccf_avif, jpeg: a3_living_960_7a728e359ccf_jpeg },
  "C1-living": { preview: c1_living_40_7eec65c8a7b0_avif, thumbnail: c1_living_480_7eec65c8a7b0_avif, avif: c1_living_1280_7eec65c8a7b0_avif, jpeg: c1_living_960_7eec65c8a7b0_jpeg },
  "C1-bedroom": { preview: c1_bedroom_40_280f7d58c697_avif, thumbnail: c1_bedroom_480_280f7d58c697_avif, avif: c1_bedroom_1280_280f7d58c697_avif, jpeg: c1_bedroom_960_280f7d58c697_jpeg },
  "D1-living": { preview: d1_living_40_2b8804e03646_avif, thumbnail: d1_living_480_2b8804e03646_avif, avif: d1_living_1280_2b8804e03646_avif, jpeg: d1_living_960_2b8804e03646_jpeg },
  "PH3-living": { preview: ph3_living_40_a0b9842222a2_avif, thumbnail: ph3_living_480_a0b9842222a2_avif, avif: ph3_living_1280_a0b9842222a2_avif, jpeg: ph3_living_960_a0b9842222a2_jpeg },
};
