// Written by `npm run draw` in art/.
import a1_living_40_194608cf9cb6_avif from "./rooms/a1-living-40-194608cf9cb6.avif";
import a1_living_480_194608cf9cb6_avif from "./rooms/a1-living-480-194608cf9cb6.avif";
import a1_living_1280_194608cf9cb6_avif from "./rooms/a1-living-1280-194608cf9cb6.avif";
import a1_living_960_194608cf9cb6_jpeg from "./rooms/a1-living-960-194608cf9cb6.jpeg";
import a1_bedroom_40_3c704ac2606a_avif from "./rooms/a1-bedroom-40-3c704ac2606a.avif";
import a1_bedroom_480_3c704ac2606a_avif from "./rooms/a1-bedroom-480-3c704ac2606a.avif";
import a1_bedroom_1280_3c704ac2606a_avif from "./rooms/a1-bedroom-1280-3c704ac2606a.avif";
import a1_bedroom_960_3c704ac2606a_jpeg from "./rooms/a1-bedroom-960-3c704ac2606a.jpeg";
import a2_living_40_89994eed6e8b_avif from "./rooms/a2-living-40-89994eed6e8b.avif";
import a2_living_480_89994eed6e8b_avif from "./rooms/a2-living-480-89994eed6e8b.avif";
import a2_living_1280_89994eed6e8b_avif from "./rooms/a2-living-1280-89994eed6e8b.avif";
import a2_living_960_89994eed6e8b_jpeg from "./rooms/a2-living-960-89994eed6e8b.jpeg";
import a2_bedroom_40_1ee31917d65f_avif from "./rooms/a2-bedroom-40-1ee31917d65f.avif";
import a2_bedroom_480_1ee31917d65f_avif from "./rooms/a2-bedroom-480-1ee31917d65f.avif";
import a2_bedroom_1280_1ee31917d65f_avif from "./rooms/a2-bedroom-1280-1ee31917d65f.avif";
import a2_bedroom_960_1ee31917d65f_jpeg from "./rooms/a2-bedroom-960-1ee31917d65f.jpeg";
import a3_living_40_6915f334a646_avif from "./rooms/a3-living-40-6915f334a646.avif";
import a3_living_480_6915f334a646_avif from "./rooms/a3-living-480-6915f334a646.avif";
import a3_living_1280_6915f334a646_avif from "./rooms/a3-living-1280-6915f334a646.avif";
import a3_living_960_6915f334a646_jpeg from "./rooms/a3-living-960-6915f334a646.jpeg";
import a3_bedroom_40_5c3c14a33412_avif from "./rooms/a3-bedroom-40-5c3c14a33412.avif";
import a3_bedroom_480_5c3c14a33412_avif from "./rooms/a3-bedroom-480-5c3c14a33412.avif";
import a3_bedroom_1280_5c3c14a33412_avif from "./rooms/a3-bedroom-1280-5c3c14a33412.avif";
import a3_bedroom_960_5c3c14a33412_jpeg from "./rooms/a3-bedroom-960-5c3c14a33412.jpeg";
import b1_living_40_178f2550214c_avif from "./rooms/b1-living-40-178f2550214c.avif";
import b1_living_480_178f2550214c_avif from "./rooms/b1-living-480-178f2550214c.avif";
import b1_living_1280_178f2550214c_avif from "./rooms/b1-living-1280-178f2550214c.avif";
import b1_living_960_178f2550214c_jpeg from "./rooms/b1-living-960-178f2550214c.jpeg";
import b1_bedroom_40_0f71fd03f400_avif from "./rooms/b1-bedroom-40-0f71fd03f400.avif";
import b1_bedroom_480_0f71fd03f400_avif from "./rooms/b1-bedroom-480-0f71fd03f400.avif";
import b1_bedroom_1280_0f71fd03f400_avif from "./rooms/b1-bedroom-1280-0f71fd03f400.avif";
import b1_bedroom_960_0f71fd03f400_jpeg from "./rooms/b1-bedroom-960-0f71fd03f400.jpeg";
import b2_living_40_e2abff0dd9ec_avif from "./rooms/b2-living-40-e2abff0dd9ec.avif";
import b2_living_480_e2abff0dd9ec_avif from "./rooms/b2-living-480-e2abff0dd9ec.avif";
import b2_living_1280_e2abff0dd9ec_avif from "./rooms/b2-living-1280-e2abff0dd9ec.avif";
import b2_living_960_e2abff0dd9ec_jpeg from "./rooms/b2-living-960-e2abff0dd9ec.jpeg";
import b2_bedroom_40_d4c4dec966b4_avif from "./rooms/b2-bedroom-40-d4c4dec966b4.avif";
import b2_bedroom_480_d4c4dec966b4_avif from "./rooms/b2-bedroom-480-d4c4dec966b4.avif";
import b2_bedroom_1280_d4c4dec966b4_avif from "./rooms/b2-bedroom-1280-d4c4dec966b4.avif";
import b2_bedroom_960_d4c4dec966b4_jpeg from "./rooms/b2-bedroom-960-d4c4dec966b4.jpeg";
import c1_living_40_15fe646a608f_avif from "./rooms/c1-living-40-15fe646a608f.avif";
import c1_living_480_15fe646a608f_avif from "./rooms/c1-living-480-15fe646a608f.avif";
import c1_living_1280_15fe646a608f_avif from "./rooms/c1-living-1280-15fe646a608f.avif";
import c1_living_960_15fe646a608f_jpeg from "./rooms/c1-living-960-15fe646a608f.jpeg";
import c1_bedroom_40_0ebbf7060494_avif from "./rooms/c1-bedroom-40-0ebbf7060494.avif";
import c1_bedroom_480_0ebbf7060494_avif from "./rooms/c1-bedroom-480-0ebbf7060494.avif";
import c1_bedroom_1280_0ebbf7060494_avif from "./rooms/c1-bedroom-1280-0ebbf7060494.avif";
import c1_bedroom_960_0ebbf7060494_jpeg from "./rooms/c1-bedroom-960-0ebbf7060494.jpeg";
import c1_balcony_40_803c610e32e5_avif from "./rooms/c1-balcony-40-803c610e32e5.avif";
import c1_balcony_480_803c610e32e5_avif from "./rooms/c1-balcony-480-803c610e32e5.avif";
import c1_balcony_1280_803c610e32e5_avif from "./rooms/c1-balcony-1280-803c610e32e5.avif";
import c1_balcony_960_803c610e32e5_jpeg from "./rooms/c1-balcony-960-803c610e32e5.jpeg";
import c2n_living_40_82fa045ec627_avif from "./rooms/c2n-living-40-82fa045ec627.avif";
import c2n_living_480_82fa045ec627_avif from "./rooms/c2n-living-480-82fa045ec627.avif";
import c2n_living_1280_82fa045ec627_avif from "./rooms/c2n-living-1280-82fa045ec627.avif";
import c2n_living_960_82fa045ec627_jpeg from "./rooms/c2n-living-960-82fa045ec627.jpeg";
import c2n_bedroom_40_fec60cd08c27_avif from "./rooms/c2n-bedroom-40-fec60cd08c27.avif";
import c2n_bedroom_480_fec60cd08c27_avif from "./rooms/c2n-bedroom-480-fec60cd08c27.avif";
import c2n_bedroom_1280_fec60cd08c27_avif from "./rooms/c2n-bedroom-1280-fec60cd08c27.avif";
import c2n_bedroom_960_fec60cd08c27_jpeg from "./rooms/c2n-bedroom-960-fec60cd08c27.jpeg";
import c2n_balcony_40_251735a411f8_avif from "./rooms/c2n-balcony-40-251735a411f8.avif";
import c2n_balcony_480_251735a411f8_avif from "./rooms/c2n-balcony-480-251735a411f8.avif";
import c2n_balcony_1280_251735a411f8_avif from "./rooms/c2n-balcony-1280-251735a411f8.avif";
import c2n_balcony_960_251735a411f8_jpeg from "./rooms/c2n-balcony-960-251735a411f8.jpeg";
import d1_living_40_ca5bc51aff3c_avif from "./rooms/d1-living-40-ca5bc51aff3c.avif";
import d1_living_480_ca5bc51aff3c_avif from "./rooms/d1-living-480-ca5bc51aff3c.avif";
import d1_living_1280_ca5bc51aff3c_avif from "./rooms/d1-living-1280-ca5bc51aff3c.avif";
import d1_living_960_ca5bc51aff3c_jpeg from "./rooms/d1-living-960-ca5bc51aff3c.jpeg";
import d1_bedroom_40_c4941c0e8ccc_avif from "./rooms/d1-bedroom-40-c4941c0e8ccc.avif";
import d1_bedroom_480_c4941c0e8ccc_avif from "./rooms/d1-bedroom-480-c4941c0e8ccc.avif";
import d1_bedroom_1280_c4941c0e8ccc_avif from "./rooms/d1-bedroom-1280-c4941c0e8ccc.avif";
import d1_bedroom_960_c4941c0e8ccc_jpeg from "./rooms/d1-bedroom-960-c4941c0e8ccc.jpeg";
import d1_balcony_40_ea9ba9147aeb_avif from "./rooms/d1-balcony-40-ea9ba9147aeb.avif";
import d1_balcony_480_ea9ba9147aeb_avif from "./rooms/d1-balcony-480-ea9ba9147aeb.avif";
import d1_balcony_1280_ea9ba9147aeb_avif from "./rooms/d1-balcony-1280-ea9ba9147aeb.avif";
import d1_balcony_960_ea9ba9147aeb_jpeg from "./rooms/d1-balcony-960-ea9ba9147aeb.jpeg";
import d2_living_40_3aa56573e206_avif from "./rooms/d2-living-40-3aa56573e206.avif";
import d2_living_480_3aa56573e206_avif from "./rooms/d2-living-480-3aa56573e206.avif";
import d2_living_1280_3aa56573e206_avif from "./rooms/d2-living-1280-3aa56573e206.avif";
import d2_living_960_3aa56573e206_jpeg from "./rooms/d2-living-960-3aa56573e206.jpeg";
import d2_bedroom_40_b47c78cf03dd_avif from "./rooms/d2-bedroom-40-b47c78cf03dd.avif";
import d2_bedroom_480_b47c78cf03dd_avif from "./rooms/d2-bedroom-480-b47c78cf03dd.avif";
import d2_bedroom_1280_b47c78cf03dd_avif from "./rooms/d2-bedroom-1280-b47c78cf03dd.avif";
import d2_bedroom_960_b47c78cf03dd_jpeg from "./rooms/d2-bedroom-960-b47c78cf03dd.jpeg";
import ph3_living_40_c6d432f78105_avif from "./rooms/ph3-living-40-c6d432f78105.avif";
import ph3_living_480_c6d432f78105_avif from "./rooms/ph3-living-480-c6d432f78105.avif";
import ph3_living_1280_c6d432f78105_avif from "./rooms/ph3-living-1280-c6d432f78105.avif";
import ph3_living_960_c6d432f78105_jpeg from "./rooms/ph3-living-960-c6d432f78105.jpeg";
import ph3_bedroom_40_a69b1d6d2f47_avif from "./rooms/ph3-bedroom-40-a69b1d6d2f47.avif";
import ph3_bedroom_480_a69b1d6d2f47_avif from "./rooms/ph3-bedroom-480-a69b1d6d2f47.avif";
import ph3_bedroom_1280_a69b1d6d2f47_avif from "./rooms/ph3-bedroom-1280-a69b1d6d2f47.avif";
import ph3_bedroom_960_a69b1d6d2f47_jpeg from "./rooms/ph3-bedroom-960-a69b1d6d2f47.jpeg";
import ph3_kitchen_40_aa1e4d482604_avif from "./rooms/ph3-kitchen-40-aa1e4d482604.avif";
import ph3_kitchen_480_aa1e4d482604_avif from "./rooms/ph3-kitchen-480-aa1e4d482604.avif";
import ph3_kitchen_1280_aa1e4d482604_avif from "./rooms/ph3-kitchen-1280-aa1e4d482604.avif";
import ph3_kitchen_960_aa1e4d482604_jpeg from "./rooms/ph3-kitchen-960-aa1e4d482604.jpeg";
import ph1_living_40_2272f60241c6_avif from "./rooms/ph1-living-40-2272f60241c6.avif";
import ph1_living_480_2272f60241c6_avif from "./rooms/ph1-living-480-2272f60241c6.avif";
import ph1_living_1280_2272f60241c6_avif from "./rooms/ph1-living-1280-2272f60241c6.avif";
import ph1_living_960_2272f60241c6_jpeg from "./rooms/ph1-living-960-2272f60241c6.jpeg";
import ph1_bedroom_40_3cf9e75bc8e1_avif from "./rooms/ph1-bedroom-40-3cf9e75bc8e1.avif";
import ph1_bedroom_480_3cf9e75bc8e1_avif from "./rooms/ph1-bedroom-480-3cf9e75bc8e1.avif";
import ph1_bedroom_1280_3cf9e75bc8e1_avif from "./rooms/ph1-bedroom-1280-3cf9e75bc8e1.avif";
import ph1_bedroom_960_3cf9e75bc8e1_jpeg from "./rooms/ph1-bedroom-960-3cf9e75bc8e1.jpeg";
import ph2_living_40_c9e76abac9cf_avif from "./rooms/ph2-living-40-c9e76abac9cf.avif";
import ph2_living_480_c9e76abac9cf_avif from "./rooms/ph2-living-480-c9e76abac9cf.avif";
import ph2_living_1280_c9e76abac9cf_avif from "./rooms/ph2-living-1280-c9e76abac9cf.avif";
import ph2_living_960_c9e76abac9cf_jpeg from "./rooms/ph2-living-960-c9e76abac9cf.jpeg";
import ph2_bedroom_40_cb93fdb7a974_avif from "./rooms/ph2-bedroom-40-cb93fdb7a974.avif";
import ph2_bedroom_480_cb93fdb7a974_avif from "./rooms/ph2-bedroom-480-cb93fdb7a974.avif";
import ph2_bedroom_1280_cb93fdb7a974_avif from "./rooms/ph2-bedroom-1280-cb93fdb7a974.avif";
import ph2_bedroom_960_cb93fdb7a974_jpeg from "./rooms/ph2-bedroom-960-cb93fdb7a974.jpeg";

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
  "A1-living": { preview: a1_living_40_194608cf9cb6_avif, thumbnail: a1_living_480_194608cf9cb6_avif, avif: a1_living_1280_194608cf9cb6_avif, jpeg: a1_living_960_194608cf9cb6_jpeg },
  "A1-bedroom": { preview: a1_bedroom_40_3c704ac2606a_avif, thumbnail: a1_bedroom_480_3c704ac2606a_avif, avif: a1_bedroom_1280_3c704ac2606a_avif, jpeg: a1_bedroom_960_3c704ac2606a_jpeg },
  "A2-living": { preview: a2_living_40_89994eed6e8b_avif, thumbnail: a2_living_480_89994eed6e8b_avif, avif: a2_living_1280_89994eed6e8b_avif, jpeg: a2_living_960_89994eed6e8b_jpeg },
  "A2-bedroom": { preview: a2_bedroom_40_1ee31917d65f_avif, thumbnail: a2_bedroom_480_1ee31917d65f_avif, avif: a2_bedroom_1280_1ee31917d65f_avif, jpeg: a2_bedroom_960_1ee31917d65f_jpeg },
  "A3-living": { preview: a3_living_40_6915f334a646_avif, thumbnail: a3_living_480_6915f334a646_avif, avif: a3_living_1280_6915f334a646_avif, jpeg: a3_living_960_6915f334a646_jpeg },
  "A3-bedroom": { preview: a3_bedroom_40_5c3c14a33412_avif, thumbnail: a3_bedroom_480_5c3c14a33412_avif, avif: a3_bedroom_1280_5c3c14a33412_avif, jpeg: a3_bedroom_960_5c3c14a33412_jpeg },
  "B1-living": { preview: b1_living_40_178f2550214c_avif, thumbnail: b1_living_480_178f2550214c_avif, avif: b1_living_1280_178f2550214c_avif, jpeg: b1_living_960_178f2550214c_jpeg },
  "B1-bedroom": { preview: b1_bedroom_40_0f71fd03f400_avif, thumbnail: b1_bedroom_480_0f71fd03f400_avif, avif: b1_bedroom_1280_0f71fd03f400_avif, jpeg: b1_bedroom_960_0f71fd03f400_jpeg },
  "B2-living": { preview: b2_living_40_e2abff0dd9ec_avif, thumbnail: b2_living_480_e2abff0dd9ec_avif, avif: b2_living_1280_e2abff0dd9ec_avif, jpeg: b2_living_960_e2abff0dd9ec_jpeg },
  "B2-bedroom": { preview: b2_bedroom_40_d4c4dec966b4_avif, thumbnail: b2_bedroom_480_d4c4dec966b4_avif, avif: b2_bedroom_1280_d4c4dec966b4_avif, jpeg: b2_bedroom_960_d4c4dec966b4_jpeg },
  "C1-living": { preview: c1_living_40_15fe646a608f_avif, thumbnail: c1_living_480_15fe646a608f_avif, avif: c1_living_1280_15fe646a608f_avif, jpeg: c1_living_960_15fe646a608f_jpeg },
  "C1-bedroom": { preview: c1_bedroom_40_0ebbf7060494_avif, thumbnail: c1_bedroom_480_0ebbf7060494_avif, avif: c1_bedroom_1280_0ebbf7060494_avif, jpeg: c1_bedroom_960_0ebbf7060494_jpeg },
  "C1-balcony": { preview: c1_balcony_40_803c610e32e5_avif, thumbnail: c1_balcony_480_803c610e32e5_avif, avif: c1_balcony_1280_803c610e32e5_avif, jpeg: c1_balcony_960_803c610e32e5_jpeg },
  "C2N-living": { preview: c2n_living_40_82fa045ec627_avif, thumbnail: c2n_living_480_82fa045ec627_avif, avif: c2n_living_1280_82fa045ec627_avif, jpeg: c2n_living_960_82fa045ec627_jpeg },
  "C2N-bedroom": { preview: c2n_bedroom_40_fec60cd08c27_avif, thumbnail: c2n_bedroom_480_fec60cd08c27_avif, avif: c2n_bedroom_1280_fec60cd08c27_avif, jpeg: c2n_bedroom_960_fec60cd08c27_jpeg },
  "C2N-balcony": { preview: c2n_balcony_40_251735a411f8_avif, thumbnail: c2n_balcony_480_251735a411f8_avif, avif: c2n_balcony_1280_251735a411f8_avif, jpeg: c2n_balcony_960_251735a411f8_jpeg },
  "D1-living": { preview: d1_living_40_ca5bc51aff3c_avif, thumbnail: d1_living_480_ca5bc51aff3c_avif, avif: d1_living_1280_ca5bc51aff3c_avif, jpeg: d1_living_960_ca5bc51aff3c_jpeg },
  "D1-bedroom": { preview: d1_bedroom_40_c4941c0e8ccc_avif, thumbnail: d1_bedroom_480_c4941c0e8ccc_avif, avif: d1_bedroom_1280_c4941c0e8ccc_avif, jpeg: d1_bedroom_960_c4941c0e8ccc_jpeg },
  "D1-balcony": { preview: d1_balcony_40_ea9ba9147aeb_avif, thumbnail: d1_balcony_480_ea9ba9147aeb_avif, avif: d1_balcony_1280_ea9ba9147aeb_avif, jpeg: d1_balcony_960_ea9ba9147aeb_jpeg },
  "D2-living": { preview: d2_living_40_3aa56573e206_avif, thumbnail: d2_living_480_3aa56573e206_avif, avif: d2_living_1280_3aa56573e206_avif, jpeg: d2_living_960_3aa56573e206_jpeg },
  "D2-bedroom": { preview: d2_bedroom_40_b47c78cf03dd_avif, thumbnail: d2_bedroom_480_b47c78cf03dd_avif, avif: d2_bedroom_1280_b47c78cf03dd_avif, jpeg: d2_bedroom_960_b47c78cf03dd_jpeg },
  "PH3-living": { preview: ph3_living_40_c6d432f78105_avif, thumbnail: ph3_living_480_c6d432f78105_avif, avif: ph3_living_1280_c6d432f78105_avif, jpeg: ph3_living_960_c6d432f78105_jpeg },
  "PH3-bedroom": { preview: ph3_bedroom_40_a69b1d6d2f47_avif, thumbnail: ph3_bedroom_480_a69b1d6d2f47_avif, avif: ph3_bedroom_1280_a69b1d6d2f47_avif, jpeg: ph3_bedroom_960_a69b1d6d2f47_jpeg },
  "PH3-kitchen": { preview: ph3_kitchen_40_aa1e4d482604_avif, thumbnail: ph3_kitchen_480_aa1e4d482604_avif, avif: ph3_kitchen_1280_aa1e4d482604_avif, jpeg: ph3_kitchen_960_aa1e4d482604_jpeg },
  "PH1-living": { preview: ph1_living_40_2272f60241c6_avif, thumbnail: ph1_living_480_2272f60241c6_avif, avif: ph1_living_1280_2272f60241c6_avif, jpeg: ph1_living_960_2272f60241c6_jpeg },
  "PH1-bedroom": { preview: ph1_bedroom_40_3cf9e75bc8e1_avif, thumbnail: ph1_bedroom_480_3cf9e75bc8e1_avif, avif: ph1_bedroom_1280_3cf9e75bc8e1_avif, jpeg: ph1_bedroom_960_3cf9e75bc8e1_jpeg },
  "PH2-living": { preview: ph2_living_40_c9e76abac9cf_avif, thumbnail: ph2_living_480_c9e76abac9cf_avif, avif: ph2_living_1280_c9e76abac9cf_avif, jpeg: ph2_living_960_c9e76abac9cf_jpeg },
  "PH2-bedroom": { preview: ph2_bedroom_40_cb93fdb7a974_avif, thumbnail: ph2_bedroom_480_cb93fdb7a974_avif, avif: ph2_bedroom_1280_cb93fdb7a974_avif, jpeg: ph2_bedroom_960_cb93fdb7a974_jpeg },
};
