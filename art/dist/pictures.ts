// Written by `npm run draw` in art/.
import "./pictures.css";
import hero_768_955fc1ce2f5b_avif from "./pictures/hero-768-955fc1ce2f5b.avif";
import hero_1200_955fc1ce2f5b_avif from "./pictures/hero-1200-955fc1ce2f5b.avif";
import hero_1600_955fc1ce2f5b_avif from "./pictures/hero-1600-955fc1ce2f5b.avif";
import hero_2400_955fc1ce2f5b_avif from "./pictures/hero-2400-955fc1ce2f5b.avif";
import hero_768_955fc1ce2f5b_webp from "./pictures/hero-768-955fc1ce2f5b.webp";
import hero_1200_955fc1ce2f5b_webp from "./pictures/hero-1200-955fc1ce2f5b.webp";
import hero_1600_955fc1ce2f5b_webp from "./pictures/hero-1600-955fc1ce2f5b.webp";
import hero_2400_955fc1ce2f5b_webp from "./pictures/hero-2400-955fc1ce2f5b.webp";
import hero_768_955fc1ce2f5b_jpeg from "./pictures/hero-768-955fc1ce2f5b.jpeg";
import hero_1200_955fc1ce2f5b_jpeg from "./pictures/hero-1200-955fc1ce2f5b.jpeg";
import hero_1600_955fc1ce2f5b_jpeg from "./pictures/hero-1600-955fc1ce2f5b.jpeg";
import hero_2400_955fc1ce2f5b_jpeg from "./pictures/hero-2400-955fc1ce2f5b.jpeg";
import heroPhone_480_e32914ab1324_avif from "./pictures/heroPhone-480-e32914ab1324.avif";
import heroPhone_740_e32914ab1324_avif from "./pictures/heroPhone-740-e32914ab1324.avif";
import heroPhone_880_e32914ab1324_avif from "./pictures/heroPhone-880-e32914ab1324.avif";
import heroPhone_480_e32914ab1324_webp from "./pictures/heroPhone-480-e32914ab1324.webp";
import heroPhone_740_e32914ab1324_webp from "./pictures/heroPhone-740-e32914ab1324.webp";
import heroPhone_880_e32914ab1324_webp from "./pictures/heroPhone-880-e32914ab1324.webp";
import heroPhone_480_e32914ab1324_jpeg from "./pictures/heroPhone-480-e32914ab1324.jpeg";
import heroPhone_740_e32914ab1324_jpeg from "./pictures/heroPhone-740-e32914ab1324.jpeg";
import heroPhone_880_e32914ab1324_jpeg from "./pictures/heroPhone-880-e32914ab1324.jpeg";
import arrival_420_f8aa60f451a0_avif from "./pictures/arrival-420-f8aa60f451a0.avif";
import arrival_840_f8aa60f451a0_avif from "./pictures/arrival-840-f8aa60f451a0.avif";
import arrival_1240_f8aa60f451a0_avif from "./pictures/arrival-1240-f8aa60f451a0.avif";
import arrival_420_f8aa60f451a0_webp from "./pictures/arrival-420-f8aa60f451a0.webp";
import arrival_840_f8aa60f451a0_webp from "./pictures/arrival-840-f8aa60f451a0.webp";
import arrival_1240_f8aa60f451a0_webp from "./pictures/arrival-1240-f8aa60f451a0.webp";
import arrival_420_f8aa60f451a0_jpeg from "./pictures/arrival-420-f8aa60f451a0.jpeg";
import arrival_840_f8aa60f451a0_jpeg from "./pictures/arrival-840-f8aa60f451a0.jpeg";
import arrival_1240_f8aa60f451a0_jpeg from "./pictures/arrival-1240-f8aa60f451a0.jpeg";
import pool_480_ac6e66139b31_avif from "./pictures/pool-480-ac6e66139b31.avif";
import pool_800_ac6e66139b31_avif from "./pictures/pool-800-ac6e66139b31.avif";
import pool_1200_ac6e66139b31_avif from "./pictures/pool-1200-ac6e66139b31.avif";
import pool_2000_ac6e66139b31_avif from "./pictures/pool-2000-ac6e66139b31.avif";
import pool_480_ac6e66139b31_webp from "./pictures/pool-480-ac6e66139b31.webp";
import pool_800_ac6e66139b31_webp from "./pictures/pool-800-ac6e66139b31.webp";
import pool_1200_ac6e66139b31_webp from "./pictures/pool-1200-ac6e66139b31.webp";
import pool_2000_ac6e66139b31_webp from "./pictures/pool-2000-ac6e66139b31.webp";
import pool_480_ac6e66139b31_jpeg from "./pictures/pool-480-ac6e66139b31.jpeg";
import pool_800_ac6e66139b31_jpeg from "./pictures/pool-800-ac6e66139b31.jpeg";
import pool_1200_ac6e66139b31_jpeg from "./pictures/pool-1200-ac6e66139b31.jpeg";
import pool_2000_ac6e66139b31_jpeg from "./pictures/pool-2000-ac6e66139b31.jpeg";
import southView_480_70d5f925e49a_avif from "./pictures/southView-480-70d5f925e49a.avif";
import southView_800_70d5f925e49a_avif from "./pictures/southView-800-70d5f925e49a.avif";
import southView_1200_70d5f925e49a_avif from "./pictures/southView-1200-70d5f925e49a.avif";
import southView_1600_70d5f925e49a_avif from "./pictures/southView-1600-70d5f925e49a.avif";
import southView_480_70d5f925e49a_webp from "./pictures/southView-480-70d5f925e49a.webp";
import southView_800_70d5f925e49a_webp from "./pictures/southView-800-70d5f925e49a.webp";
import southView_1200_70d5f925e49a_webp from "./pictures/southView-1200-70d5f925e49a.webp";
import southView_1600_70d5f925e49a_webp from "./pictures/southView-1600-70d5f925e49a.webp";
import southView_480_70d5f925e49a_jpeg from "./pictures/southView-480-70d5f925e49a.jpeg";
import southView_800_70d5f925e49a_jpeg from "./pictures/southView-800-70d5f925e49a.jpeg";
import southView_1200_70d5f925e49a_jpeg from "./pictures/southView-1200-70d5f925e49a.jpeg";
import southView_1600_70d5f925e49a_jpeg from "./pictures/southView-1600-70d5f925e49a.jpeg";
import northView_480_614ac95bc1b1_avif from "./pictures/northView-480-614ac95bc1b1.avif";
import northView_800_614ac95bc1b1_avif from "./pictures/northView-800-614ac95bc1b1.avif";
import northView_1200_614ac95bc1b1_avif from "./pictures/northView-1200-614ac95bc1b1.avif";
import northView_1600_614ac95bc1b1_avif from "./pictures/northView-1600-614ac95bc1b1.avif";
import northView_480_614ac95bc1b1_webp from "./pictures/northView-480-614ac95bc1b1.webp";
import northView_800_614ac95bc1b1_webp from "./pictures/northView-800-614ac95bc1b1.webp";
import northView_1200_614ac95bc1b1_webp from "./pictures/northView-1200-614ac95bc1b1.webp";
import northView_1600_614ac95bc1b1_webp from "./pictures/northView-1600-614ac95bc1b1.webp";
import northView_480_614ac95bc1b1_jpeg from "./pictures/northView-480-614ac95bc1b1.jpeg";
import northView_800_614ac95bc1b1_jpeg from "./pictures/northView-800-614ac95bc1b1.jpeg";
import northView_1200_614ac95bc1b1_jpeg from "./pictures/northView-1200-614ac95bc1b1.jpeg";
import northView_1600_614ac95bc1b1_jpeg from "./pictures/northView-1600-614ac95bc1b1.jpeg";

export const pictures = {
  hero: {
    width: 2400,
    height: 1000,
    avif: `${hero_768_955fc1ce2f5b_avif} 768w, ${hero_1200_955fc1ce2f5b_avif} 1200w, ${hero_1600_955fc1ce2f5b_avif} 1600w, ${hero_2400_955fc1ce2f5b_avif} 2400w`,
    webp: `${hero_768_955fc1ce2f5b_webp} 768w, ${hero_1200_955fc1ce2f5b_webp} 1200w, ${hero_1600_955fc1ce2f5b_webp} 1600w, ${hero_2400_955fc1ce2f5b_webp} 2400w`,
    jpeg: `${hero_768_955fc1ce2f5b_jpeg} 768w, ${hero_1200_955fc1ce2f5b_jpeg} 1200w, ${hero_1600_955fc1ce2f5b_jpeg} 1600w, ${hero_2400_955fc1ce2f5b_jpeg} 2400w`,
  },
  heroPhone: {
    width: 880,
    height: 880,
    avif: `${heroPhone_480_e32914ab1324_avif} 480w, ${heroPhone_740_e32914ab1324_avif} 740w, ${heroPhone_880_e32914ab1324_avif} 880w`,
    webp: `${heroPhone_480_e32914ab1324_webp} 480w, ${heroPhone_740_e32914ab1324_webp} 740w, ${heroPhone_880_e32914ab1324_webp} 880w`,
    jpeg: `${heroPhone_480_e32914ab1324_jpeg} 480w, ${heroPhone_740_e32914ab1324_jpeg} 740w, ${heroPhone_880_e32914ab1324_jpeg} 880w`,
  },
  arrival: {
    width: 1240,
    height: 1902,
    avif: `${arrival_420_f8aa60f451a0_avif} 420w, ${arrival_840_f8aa60f451a0_avif} 840w, ${arrival_1240_f8aa60f451a0_avif} 1240w`,
    webp: `${arrival_420_f8aa60f451a0_webp} 420w, ${arrival_840_f8aa60f451a0_webp} 840w, ${arrival_1240_f8aa60f451a0_webp} 1240w`,
    jpeg: `${arrival_420_f8aa60f451a0_jpeg} 420w, ${arrival_840_f8aa60f451a0_jpeg} 840w, ${arrival_1240_f8aa60f451a0_jpeg} 1240w`,
  },
  pool: {
    width: 2000,
    height: 1250,
    avif: `${pool_480_ac6e66139b31_avif} 480w, ${pool_800_ac6e66139b31_avif} 800w, ${pool_1200_ac6e66139b31_avif} 1200w, ${pool_2000_ac6e66139b31_avif} 2000w`,
    webp: `${pool_480_ac6e66139b31_webp} 480w, ${pool_800_ac6e66139b31_webp} 800w, ${pool_1200_ac6e66139b31_webp} 1200w, ${pool_2000_ac6e66139b31_webp} 2000w`,
    jpeg: `${pool_480_ac6e66139b31_jpeg} 480w, ${pool_800_ac6e66139b31_jpeg} 800w, ${pool_1200_ac6e66139b31_jpeg} 1200w, ${pool_2000_ac6e66139b31_jpeg} 2000w`,
  },
  southView: {
    width: 1600,
    height: 960,
    avif: `${southView_480_70d5f925e49a_avif} 480w, ${southView_800_70d5f925e49a_avif} 800w, ${southView_1200_70d5f925e49a_avif} 1200w, ${southView_1600_70d5f925e49a_avif} 1600w`,
    webp: `${southView_480_70d5f925e49a_webp} 480w, ${southView_800_70d5f925e49a_webp} 800w, ${southView_1200_70d5f925e49a_webp} 1200w, ${southView_1600_70d5f925e49a_webp} 1600w`,
    jpeg: `${southView_480_70d5f925e49a_jpeg} 480w, ${southView_800_70d5f925e49a_jpeg} 800w, ${southView_1200_70d5f925e49a_jpeg} 1200w, ${southView_1600_70d5f925e49a_jpeg} 1600w`,
  },
  northView: {
    width: 1600,
    height: 960,
    avif: `${northView_480_614ac95bc1b1_avif} 480w, ${northView_800_614ac95bc1b1_avif} 800w, ${northView_1200_614ac95bc1b1_avif} 1200w, ${northView_1600_614ac95bc1b1_avif} 1600w`,
    webp: `${northView_480_614ac95bc1b1_webp} 480w, ${northView_800_614ac95bc1b1_webp} 800w, ${northView_1200_614ac95bc1b1_webp} 1200w, ${northView_1600_614ac95bc1b1_webp} 1600w`,
    jpeg: `${northView_480_614ac95bc1b1_jpeg} 480w, ${northView_800_614ac95bc1b1_jpeg} 800w, ${northView_1200_614ac95bc1b1_jpeg} 1200w, ${northView_1600_614ac95bc1b1_jpeg} 1600w`,
  },
};
