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
import b1_living_40_178f2550214c_avif from "./rooms/b1-living-40-178f2550214c.avif";
import b1_living_480_178f2550214c_avif from "./rooms/b1-living-480-178f2550214c.avif";
import b1_living_1280_178f2550214c_avif from "./rooms/b1-living-1280-178f2550214c.avif";
import b1_living_960_178f2550214c_jpeg from "./rooms/b1-living-960-178f2550214c.jpeg";
import b2_living_40_e2abff0dd9ec_avif from "./rooms/b2-living-40-e2abff0dd9ec.avif";
import b2_living_480_e2abff0dd9ec_avif from "./rooms/b2-living-480-e2abff0dd9ec.avif";
import b2_living_1280_e2abff0dd9ec_avif from "./rooms/b2-living-1280-e2abff0dd9ec.avif";
import b2_living_960_e2abff0dd9ec_jpeg from "./rooms/b2-living-960-e2abff0dd9ec.jpeg";
import c1_living_40_f18c81898f4e_avif from "./rooms/c1-living-40-f18c81898f4e.avif";
import c1_living_480_f18c81898f4e_avif from "./rooms/c1-living-480-f18c81898f4e.avif";
import c1_living_1280_f18c81898f4e_avif from "./rooms/c1-living-1280-f18c81898f4e.avif";
import c1_living_960_f18c81898f4e_jpeg from "./rooms/c1-living-960-f18c81898f4e.jpeg";
import c1_bedroom_40_0ebbf7060494_avif from "./rooms/c1-bedroom-40-0ebbf7060494.avif";
import c1_bedroom_480_0ebbf7060494_avif from "./rooms/c1-bedroom-480-0ebbf7060494.avif";
import c1_bedroom_1280_0ebbf7060494_avif from "./rooms/c1-bedroom-1280-0ebbf7060494.avif";
import c1_bedroom_960_0ebbf7060494_jpeg from "./rooms/c1-bedroom-960-0ebbf7060494.jpeg";
import c2n_living_40_f32537d18729_avif from "./rooms/c2n-living-40-f32537d18729.avif";
import c2n_living_480_f32537d18729_avif from "./rooms/c2n-living-480-f32537d18729.avif";
import c2n_living_1280_f32537d18729_avif from "./rooms/c2n-living-1280-f32537d18729.avif";
import c2n_living_960_f32537d18729_jpeg from "./rooms/c2n-living-960-f32537d18729.jpeg";
import d1_living_40_2b8804e03646_avif from "./rooms/d1-living-40-2b8804e03646.avif";
import d1_living_480_2b8804e03646_avif from "./rooms/d1-living-480-2b8804e03646.avif";
import d1_living_1280_2b8804e03646_avif from "./rooms/d1-living-1280-2b8804e03646.avif";
import d1_living_960_2b8804e03646_jpeg from "./rooms/d1-living-960-2b8804e03646.jpeg";
import d2_living_40_427619752a84_avif from "./rooms/d2-living-40-427619752a84.avif";
import d2_living_480_427619752a84_avif from "./rooms/d2-living-480-427619752a84.avif";
import d2_living_1280_427619752a84_avif from "./rooms/d2-living-1280-427619752a84.avif";
import d2_living_960_427619752a84_jpeg from "./rooms/d2-living-960-427619752a84.jpeg";
import ph3_living_40_c6d432f78105_avif from "./rooms/ph3-living-40-c6d432f78105.avif";
import ph3_living_480_c6d432f78105_avif from "./rooms/ph3-living-480-c6d432f78105.avif";
import ph3_living_1280_c6d432f78105_avif from "./rooms/ph3-living-1280-c6d432f78105.avif";
import ph3_living_960_c6d432f78105_jpeg from "./rooms/ph3-living-960-c6d432f78105.jpeg";
import ph1_living_40_2272f60241c6_avif from "./rooms/ph1-living-40-2272f60241c6.avif";
import ph1_living_480_2272f60241c6_avif from "./rooms/ph1-living-480-2272f60241c6.avif";
import ph1_living_1280_2272f60241c6_avif from "./rooms/ph1-living-1280-2272f60241c6.avif";
import ph1_living_960_2272f60241c6_jpeg from "./rooms/ph1-living-960-2272f60241c6.jpeg";
import ph2_living_40_c9e76abac9cf_avif from "./rooms/ph2-living-40-c9e76abac9cf.avif";
import ph2_living_480_c9e76abac9cf_avif from "./rooms/ph2-living-480-c9e76abac9cf.avif";
import ph2_living_1280_c9e76abac9cf_avif from "./rooms/ph2-living-1280-c9e76abac9cf.avif";
import ph2_living_960_c9e76abac9cf_jpeg from "./rooms/ph2-living-960-c9e76abac9cf.jpeg";

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
  "B1-living": { preview: b1_living_40_178f2550214c_avif, thumbnail: b1_living_480_178f2550214c_avif, avif: b1_living_1280_178f2550214c_avif, jpeg: b1_living_960_178f2550214c_jpeg },
  "B2-living": { preview: b2_living_40_e2abff0dd9ec_avif, thumbnail: b2_living_480_e2abff0dd9ec_avif, avif: b2_living_1280_e2abff0dd9ec_avif, jpeg: b2_living_960_e2abff0dd9ec_jpeg },
  "C1-living": { preview: c1_living_40_f18c81898f4e_avif, thumbnail: c1_living_480_f18c81898f4e_avif, avif: c1_living_1280_f18c81898f4e_avif, jpeg: c1_living_960_f18c81898f4e_jpeg },
  "C1-bedroom": { preview: c1_bedroom_40_0ebbf7060494_avif, thumbnail: c1_bedroom_480_0ebbf7060494_avif, avif: c1_bedroom_1280_0ebbf7060494_avif, jpeg: c1_bedroom_960_0ebbf7060494_jpeg },
  "C2N-living": { preview: c2n_living_40_f32537d18729_avif, thumbnail: c2n_living_480_f32537d18729_avif, avif: c2n_living_1280_f32537d18729_avif, jpeg: c2n_living_960_f32537d18729_jpeg },
  "D1-living": { preview: d1_living_40_2b8804e03646_avif, thumbnail: d1_living_480_2b8804e03646_avif, avif: d1_living_1280_2b8804e03646_avif, jpeg: d1_living_960_2b8804e03646_jpeg },
  "D2-living": { preview: d2_living_40_427619752a84_avif, thumbnail: d2_living_480_427619752a84_avif, avif: d2_living_1280_427619752a84_avif, jpeg: d2_living_960_427619752a84_jpeg },
  "PH3-living": { preview: ph3_living_40_c6d432f78105_avif, thumbnail: ph3_living_480_c6d432f78105_avif, avif: ph3_living_1280_c6d432f78105_avif, jpeg: ph3_living_960_c6d432f78105_jpeg },
  "PH1-living": { preview: ph1_living_40_2272f60241c6_avif, thumbnail: ph1_living_480_2272f60241c6_avif, avif: ph1_living_1280_2272f60241c6_avif, jpeg: ph1_living_960_2272f60241c6_jpeg },
  "PH2-living": { preview: ph2_living_40_c9e76abac9cf_avif, thumbnail: ph2_living_480_c9e76abac9cf_avif, avif: ph2_living_1280_c9e76abac9cf_avif, jpeg: ph2_living_960_c9e76abac9cf_jpeg },
};
