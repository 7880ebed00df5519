// Written by `npm run draw` in art/.
import "./plans.css";
import a1_card_en_svg from "./plans/a1-card-en.svg";
import a1_large_en_svg from "./plans/a1-large-en.svg";
import a1_card_zh_svg from "./plans/a1-card-zh.svg";
import a1_large_zh_svg from "./plans/a1-large-zh.svg";
import a2_card_en_svg from "./plans/a2-card-en.svg";
import a2_large_en_svg from "./plans/a2-large-en.svg";
import a2_card_zh_svg from "./plans/a2-card-zh.svg";
import a2_large_zh_svg from "./plans/a2-large-zh.svg";
import a3_card_en_svg from "./plans/a3-card-en.svg";
import a3_large_en_svg from "./plans/a3-large-en.svg";
import a3_card_zh_svg from "./plans/a3-card-zh.svg";
import a3_large_zh_svg from "./plans/a3-large-zh.svg";
import b1_card_en_svg from "./plans/b1-card-en.svg";
import b1_large_en_svg from "./plans/b1-large-en.svg";
import b1_card_zh_svg from "./plans/b1-card-zh.svg";
import b1_large_zh_svg from "./plans/b1-large-zh.svg";
import b2_card_en_svg from "./plans/b2-card-en.svg";
import b2_large_en_svg from "./plans/b2-large-en.svg";
import b2_card_zh_svg from "./plans/b2-card-zh.svg";
import b2_large_zh_svg from "./plans/b2-large-zh.svg";
import c1_card_en_svg from "./plans/c1-card-en.svg";
import c1_large_en_svg from "./plans/c1-large-en.svg";
import c1_card_zh_svg from "./plans/c1-card-zh.svg";
import c1_large_zh_svg from "./plans/c1-large-zh.svg";
import c2n_card_en_svg from "./plans/c2n-card-en.svg";
import c2n_large_en_svg from "./plans/c2n-large-en.svg";
import c2n_card_zh_svg from "./plans/c2n-card-zh.svg";
import c2n_large_zh_svg from "./plans/c2n-large-zh.svg";
import d1_card_en_svg from "./plans/d1-card-en.svg";
import d1_large_en_svg from "./plans/d1-large-en.svg";
import d1_card_zh_svg from "./plans/d1-card-zh.svg";
import d1_large_zh_svg from "./plans/d1-large-zh.svg";
import d2_card_en_svg from "./plans/d2-card-en.svg";
import d2_large_en_svg from "./plans/d2-large-en.svg";
import d2_card_zh_svg from "./plans/d2-card-zh.svg";
import d2_large_zh_svg from "./plans/d2-large-zh.svg";
import ph1_card_en_svg from "./plans/ph1-card-en.svg";
import ph1_large_en_svg from "./plans/ph1-large-en.svg";
import ph1_card_zh_svg from "./plans/ph1-card-zh.svg";
import ph1_large_zh_svg from "./plans/ph1-large-zh.svg";
import ph2_card_en_svg from "./plans/ph2-card-en.svg";
import ph2_large_en_svg from "./plans/ph2-large-en.svg";
import ph2_card_zh_svg from "./plans/ph2-card-zh.svg";
import ph2_large_zh_svg from "./plans/ph2-large-zh.svg";
import ph3_card_en_svg from "./plans/ph3-card-en.svg";
import ph3_large_en_svg from "./plans/ph3-large-en.svg";
import ph3_card_zh_svg from "./plans/ph3-card-zh.svg";
import ph3_large_zh_svg from "./plans/ph3-large-zh.svg";

export const plans = {
  A1: {
    card: { width: 746, height: 758, en: a1_card_en_svg, zh: a1_card_zh_svg },
    large: { width: 746, height: 863, en: a1_large_en_svg, zh: a1_large_zh_svg },
  },
  A2: {
    card: { width: 706, height: 954, en: a2_card_en_svg, zh: a2_card_zh_svg },
    large: { width: 706, height: 1059, en: a2_large_en_svg, zh: a2_large_zh_svg },
  },
  A3: {
    card: { width: 866, height: 738, en: a3_card_en_svg, zh: a3_card_zh_svg },
    large: { width: 866, height: 843, en: a3_large_en_svg, zh: a3_large_zh_svg },
  },
  B1: {
    card: { width: 946, height: 825, en: b1_card_en_svg, zh: b1_card_zh_svg },
    large: { width: 946, height: 930, en: b1_large_en_svg, zh: b1_large_zh_svg },
  },
  B2: {
    card: { width: 1071, height: 856, en: b2_card_en_svg, zh: b2_card_zh_svg },
    large: { width: 1071, height: 972, en: b2_large_en_svg, zh: b2_large_zh_svg },
  },
  C1: {
    card: { width: 1361, height: 993, en: c1_card_en_svg, zh: c1_card_zh_svg },
    large: { width: 1361, height: 1140, en: c1_large_en_svg, zh: c1_large_zh_svg },
  },
  C2N: {
    card: { width: 1516, height: 1018, en: c2n_card_en_svg, zh: c2n_card_zh_svg },
    large: { width: 1516, height: 1180, en: c2n_large_en_svg, zh: c2n_large_zh_svg },
  },
  D1: {
    card: { width: 1626, height: 1078, en: d1_card_en_svg, zh: d1_card_zh_svg },
    large: { width: 1626, height: 1240, en: d1_large_en_svg, zh: d1_large_zh_svg },
  },
  D2: {
    card: { width: 1836, height: 956, en: d2_card_en_svg, zh: d2_card_zh_svg },
    large: { width: 1836, height: 1118, en: d2_large_en_svg, zh: d2_large_zh_svg },
  },
  PH1: {
    card: { width: 2016, height: 1296, en: ph1_card_en_svg, zh: ph1_card_zh_svg },
    large: { width: 2016, height: 1458, en: ph1_large_en_svg, zh: ph1_large_zh_svg },
  },
  PH2: {
    card: { width: 2406, height: 1243, en: ph2_card_en_svg, zh: ph2_card_zh_svg },
    large: { width: 2406, height: 1405, en: ph2_large_en_svg, zh: ph2_large_zh_svg },
  },
  PH3: {
    card: { width: 2456, height: 1416, en: ph3_card_en_svg, zh: ph3_card_zh_svg },
    large: { width: 2456, height: 1578, en: ph3_large_en_svg, zh: ph3_large_zh_svg },
  },
};
